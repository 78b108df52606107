#include "app/ui/model/page_sentences.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "app/figure/plan/names.h"
#include "app/figure/plan/share_text.h"

namespace headlight {
namespace {

// A summand of a logit, a head or a place of the map, with its value.
struct NamedValue {
  std::string name;
  double value = 0;
  bool several = false;  // the name is that of more than one
};

std::string quoted(const std::string& label) {
  return "“" + label + "”";
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string head_of_layer(LayerPlace layer, Index head, const LayerNames& names) {
  return head_name(head, names.counting) + " of " + names.text(layer);
}

// The names of all that read as the largest (sign 1) or the least (sign -1) value: "x", "x and y", "x and 3
// others". The name is "" without a finite value, and if the extreme rounds to zero or has the other sign.
NamedValue extreme(const std::vector<NamedValue>& all, double sign) {
  const NamedValue* best = nullptr;
  for (const NamedValue& one : all)
    if (std::isfinite(one.value) && (!best || sign * one.value > sign * best->value)) best = &one;
  constexpr double kShown = 0.005;
  if (!best || sign * best->value < kShown) return {};
  const auto shown = [](double value) { return std::round(100 * value); };
  std::vector<std::string> names;
  for (const NamedValue& one : all)
    if (shown(one.value) == shown(best->value)) names.push_back(one.name);
  if (names.size() == 1) return {names.front(), best->value};
  const std::string others = names.size() == 2 ? names[1] : std::to_string(names.size() - 1) + " others";
  return {names.front() + " and " + others, best->value, true};
}

// "head 1 of layer 0 adds", "head 1 of layer 0 and head 2 of layer 0 each add".
std::string with_verb(const NamedValue& one, const std::string& verb) {
  return one.name + (one.several ? " each " + verb : " " + verb + "s");
}

bool has_nan(const std::vector<NamedValue>& all) {
  return std::any_of(all.begin(), all.end(), [](const NamedValue& one) { return std::isnan(one.value); });
}

std::string logit_words(const LogitChoice& choice, const SentenceNames& names) {
  const std::string own = "the logit of " + quoted(names.token(choice.id));
  return choice.other ? own + " less that of " + quoted(names.token(*choice.other)) : own;
}

// "+2.31", "−0.80".
std::string signed_text(double value) {
  return (value > 0 ? "+" : "") + two_decimals(value);
}

std::vector<NamedValue> named_heads(const std::vector<HeadValue>& heads, const LayerNames& names) {
  std::vector<NamedValue> all;
  for (const HeadValue& one : heads)
    if (one.value) all.push_back({head_of_layer(one.layer, one.head, names), *one.value});
  return all;
}

std::vector<NamedValue> named_parts(const Attribution& parts, const LayerNames& names) {
  std::vector<NamedValue> all = {{"the embedding of the token", parts.embedding}};
  for (Index layer = 0; layer < parts.heads.rows(); ++layer) {
    for (Index head = 0; head < parts.heads.cols(); ++head)
      all.push_back({head_of_layer(layer, head, names), double{parts.heads(layer, head)}});
    if (layer < parts.mlps.size())
      all.push_back({"the MLP of " + names.text(layer), double{parts.mlps(layer)}});
    if (layer < parts.output_bias.size())
      all.push_back({"the bias of attention in " + names.text(layer), double{parts.output_bias(layer)}});
  }
  for (Index layer = 0; layer < parts.cross_heads.rows(); ++layer) {
    const LayerPlace place(Side::Cross, layer);
    for (Index head = 0; head < parts.cross_heads.cols(); ++head)
      all.push_back({head_of_layer(place, head, names), double{parts.cross_heads(layer, head)}});
    all.push_back({"the bias of attention in " + names.text(place), double{parts.cross_bias(layer)}});
  }
  all.push_back({"the bias at the end", parts.constant});
  if (parts.patches) all.push_back({"what was patched in", *parts.patches});
  return all;
}

// What the model says at one place of the lens: "“Ann” (91.2 %)".
std::string answer_words(const std::vector<Prediction>& predictions, const SentenceNames& names) {
  if (predictions.empty() || std::isnan(predictions.front().probability))
    return "nothing: its logits are not numbers (NaN)";
  const Prediction& first = predictions.front();
  constexpr double kAlike = 1e-6;
  const bool tie =
      predictions.size() > 1 && std::abs(first.probability - predictions[1].probability) < kAlike;
  if (!tie) return quoted(names.token(first.id)) + " (" + share_text(first.probability) + ")";
  return quoted(names.token(first.id)) + " or " + quoted(names.token(predictions[1].id)) + " alike (" +
         share_text(first.probability) + " each)";
}

std::int32_t said(const std::vector<Prediction>& predictions) {
  return predictions.empty() || std::isnan(predictions.front().probability) ? -1 : predictions.front().id;
}

// The first place from which on the token that is said at the end is said everywhere.
std::size_t settled_at(const std::vector<std::vector<Prediction>>& lens) {
  std::size_t at = lens.size() - 1;
  while (at > 0 && said(lens[at - 1]) == said(lens.back()))
    --at;
  return at;
}

struct KindOfHead {
  HeadMeasure measure;
  const char* words;
};
constexpr std::array kKinds = {
    KindOfHead{HeadMeasure::PreviousToken, "to the token just before"},
    KindOfHead{HeadMeasure::Induction,
               "to the token that came after the same token earlier (induction), where a token repeats"},
    KindOfHead{HeadMeasure::DuplicateToken, "to the same token earlier, where a token repeats"},
    KindOfHead{HeadMeasure::FirstToken, "to the first token"}};

struct Find {
  std::string head;
  const char* words = "";
  double share = 0;
};

// Of each kind of token the head that looks at it most, the clearest first.
std::vector<Find> finds_of(const HeadsOverview& overview, const LayerNames& names) {
  std::vector<Find> finds;
  for (const KindOfHead& kind : kKinds) {
    Find best;
    for (Index layer = 0; layer < overview.layers; ++layer)
      for (Index head = 0; head < overview.heads; ++head) {
        const auto share = overview.of(layer, head).measures.of(kind.measure);
        if (share && double{*share} > best.share)
          best = {head_of_layer(overview.place(layer), head, names), kind.words, double{*share}};
      }
    if (!best.head.empty()) finds.push_back(best);
  }
  std::stable_sort(finds.begin(), finds.end(),
                   [](const Find& a, const Find& b) { return a.share > b.share; });
  return finds;
}

// "layer 1", for the stream "before layer 1" and "behind the last layer".
std::string place_words(const PatchedMap& map, Index row, Index column, const SentenceNames& names) {
  if (map.of_heads) return head_of_layer(row, column, names.layers);
  const std::string token = token_name(map.tokens, column, names.layers.counting);
  if (map.is_stream && row + 1 == map.moved.rows()) return token + " behind the last layer";
  return token + (map.is_stream ? " before " : " in ") + names.layers.text(row);
}

struct Place {
  Index row = -1, column = -1;
};

// The place of the largest finite change; row -1 if every change rounds to zero.
Place largest_change(const Matrix& moved, Index first, Index end) {
  constexpr float kShown = 0.005f;
  Place place;
  float most = kShown;
  for (Index row = first; row < end; ++row)
    for (Index column = 0; column < moved.cols(); ++column)
      if (const float size = std::abs(moved(row, column)); std::isfinite(size) && size >= most) {
        if (place.row >= 0 && size == most) continue;
        most = size;
        place = {row, column};
      }
  return place;
}

// Of the stream between the layers, if anything matters there: what enters the first layer are the tokens
// that differ, and what leaves the last one is the answer.
Place largest_change(const PatchedMap& map) {
  const Index rows = map.moved.rows();
  if (map.is_stream && !map.of_heads && rows > 2)
    if (const Place inside = largest_change(map.moved, 1, rows - 1); inside.row >= 0) return inside;
  return largest_change(map.moved, 0, rows);
}

// "Between the layers it" where the first and the last row, which may hold larger numbers, do not count.
std::string it_words(const PatchedMap& map, Place place) {
  const bool inside = map.is_stream && !map.of_heads && place.row > 0 && place.row + 1 < map.moved.rows();
  return inside ? "between the layers it" : "it";
}

std::string from_to(const PatchedMap& map, Place place) {
  return "from " + two_decimals(map.before) + " to " +
         two_decimals(map.before + double{map.moved(place.row, place.column)});
}

}  // namespace

std::string two_decimals(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  constexpr double kShown = 0.005;
  if (std::abs(value) < kShown) value = 0;  // no minus sign for what rounds to zero
  char text[64];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text[0] == '-' ? "−" + std::string(text + 1) : text;
}

std::string heads_sentence(const HeadsOverview& overview, const LayerNames& names) {
  if (overview.all.empty()) return "";
  const std::vector<Find> finds = finds_of(overview, names);
  if (finds.empty())
    return "Here no head looks at the token before, the first one or an earlier one like its own.";
  const auto words = [](const Find& one) {
    return one.head + " gives " + share_text(one.share) + " of its attention " + one.words;
  };
  constexpr double kClear = 0.5;
  std::string text = capitalised(words(finds[0]));
  if (finds.size() > 1 && finds[1].share >= kClear) text += "; " + words(finds[1]);
  return text + (finds[0].share < kClear ? ": no head has a clearer aim in this text." : ".");
}

// A sentence behind that of a measure, if it is a mean over few queries; else "".
static std::string few_queries(const std::vector<HeadValue>& heads) {
  for (const HeadValue& head : heads)
    if (!head.few.empty())
      return " That is a mean over few queries (" + head.few + "), which says nothing of a head.";
  return "";
}

std::string measure_sentence(const std::vector<HeadValue>& heads, std::string_view measure,
                             const LayerNames& names) {
  std::vector<NamedValue> all = named_heads(heads, names);
  std::erase_if(all, [](const NamedValue& one) { return !std::isfinite(one.value); });
  if (all.empty()) return "No head has a value of “" + std::string(measure) + "” in this text.";
  const auto by_value = [](const NamedValue& a, const NamedValue& b) { return a.value < b.value; };
  const auto [least, most] = std::minmax_element(all.begin(), all.end(), by_value);
  const std::string name = "“" + std::string(measure) + "”", few = few_queries(heads);
  if (all.size() == 1)
    return "The only head with a value of " + name + " has " + two_decimals(most->value) + "." + few;
  if (two_decimals(least->value) == two_decimals(most->value))
    return "All heads have the same " + name + ": " + two_decimals(most->value) + "." + few;
  return "Of " + name + ", " + most->name + " has most: " + two_decimals(most->value) + "; " + least->name +
         " has least: " + two_decimals(least->value) + "." + few;
}

std::string head_parts_sentence(const std::vector<HeadValue>& heads, const LogitChoice& logit,
                                const SentenceNames& names) {
  const std::vector<NamedValue> all = named_heads(heads, names.layers);
  if (all.empty()) return "";
  if (has_nan(all)) return "Some heads add what is not a number (NaN), so that none can be named.";
  const NamedValue most = extreme(all, 1), least = extreme(all, -1);
  const std::string what = logit_words(logit, names);
  if (most.name.empty() && least.name.empty()) return "No head adds anything to " + what + ".";
  if (most.name.empty())
    return "No head adds to " + what + "; " + with_verb(least, "take") +
           " most away: " + two_decimals(-least.value) + ".";
  std::string text =
      capitalised(with_verb(most, "add")) + " most to " + what + ": " + two_decimals(most.value);
  if (!least.name.empty())
    text += "; " + with_verb(least, "take") + " most away: " + two_decimals(-least.value);
  return text + ".";
}

std::string head_changes_sentence(const std::vector<HeadValue>& heads, const LayerNames& names) {
  const std::vector<NamedValue> all = named_heads(heads, names);
  if (all.empty()) return "The kept text has another length, so that its weights cannot be compared.";
  const NamedValue most = extreme(all, 1);
  if (most.name.empty()) return "No head's weights differ from those of the kept state.";
  return "Since the state was kept, the weights of " + most.name +
         " have changed most: the cells of a row by " + two_decimals(most.value) + " together, on average.";
}

namespace {

// "“to” (12)".
std::string quoted_place(const std::vector<std::string>& tokens, Index at, Counting counting) {
  return quoted(spoken_label(tokens[static_cast<std::size_t>(at)])) + " (" + counting.number(at) + ")";
}

Index last_own_layer(const HeadsOverview& overview) {
  Index layer = overview.layers - 1;
  while (overview.place(layer).side == Side::Cross)
    --layer;
  return layer;
}

}  // namespace

std::string heads_example(const HeadsOverview& overview, const std::vector<std::string>& tokens,
                          const LayerNames& names, bool sinks, std::optional<std::pair<Index, Index>> shown) {
  std::string reading = "Each picture is one head, and each row a token that asks. Its cells share ";
  reading += sinks ? "what the head's sink leaves of its attention" : "100 % of its attention";
  reading += ". A stronger colour is more attention.";
  const auto count = static_cast<Index>(tokens.size());
  if (overview.all.empty() || count < 2) return reading;
  const Index row = count - 1;
  const auto [layer, head] = shown.value_or(std::pair(last_own_layer(overview), Index{0}));
  if (overview.place(layer).side == Side::Cross) return reading;  // the labels are of both its sides
  const Matrix& values = overview.of(layer, head).picture.values;
  if (values.rows() != count || values.cols() != count) return reading;  // pooled
  Index column = 0;
  const float most = values.row(row).maxCoeff(&column);
  if (!std::isfinite(most)) return reading;
  return reading + " For example, in " + head_of_layer(overview.place(layer), head, names) +
         " the last token, " + quoted_place(tokens, row, names.counting) + ", gives its largest share, " +
         share_text(double{most}) + ", to " + quoted_place(tokens, column, names.counting) + ".";
}

std::string lens_sentence(const std::vector<std::vector<Prediction>>& lens, const SentenceNames& names) {
  if (lens.empty()) return "";
  const std::string last = answer_words(lens.back(), names);
  if (lens.size() == 1) return "From the embeddings alone the model would say " + last + ".";
  if (lens.size() == 2)
    return "Without its only layer the model would say " + answer_words(lens[0], names) + "; with it, " +
           last + ".";
  std::string text = "If the model had to answer after " + names.layers.text(0) + ", it would say " +
                     answer_words(lens[1], names) + "; after the last layer, " + last + ".";
  const std::size_t settled = settled_at(lens);
  if (settled > 1 && settled + 1 < lens.size())
    text += " It says so from " + names.layers.text(static_cast<Index>(settled) - 1) + " on.";
  return text;
}

std::string lens_example(const std::vector<std::vector<Prediction>>& lens, const SentenceNames& names) {
  std::string text =
      "Each line is the model cut off at one place, the lowest before the first layer; the cells are the "
      "likeliest tokens there, each with its share of 100 %.";
  if (lens.size() > 1 && said(lens.front()) >= 0 && said(lens.back()) >= 0)
    text += " For example, the lowest line begins with " + answer_words(lens.front(), names) +
            ", the highest with " + answer_words(lens.back(), names) +
            ": what the layers between them add makes the difference.";
  return text + " A click on a token outlines it in every line.";
}

std::string parts_sentence(const Attribution& parts, const SentenceNames& names) {
  const std::vector<NamedValue> all = named_parts(parts, names.layers);
  if (has_nan(all) || std::isnan(parts.logit))
    return "Some parts are not numbers (NaN), so that none can be named as the largest.";
  const NamedValue most = extreme(all, 1), least = extreme(all, -1);
  const std::string own = quoted(names.token(parts.of.id));
  if (most.name.empty() && least.name.empty())
    return "No part adds anything to " + logit_words(parts.of, names) + ".";
  if (!parts.of.other) {
    std::string text = most.name.empty()
                           ? "No part adds to the logit of " + own + ", its score before softmax"
                           : capitalised(with_verb(most, "add")) + " most to the logit of " + own +
                                 ", its score before softmax: " + two_decimals(most.value);
    if (!least.name.empty())
      text += "; " + with_verb(least, "take") + " most away: " + two_decimals(-least.value);
    return text + ".";
  }
  const std::string other = quoted(names.token(*parts.of.other));
  if (two_decimals(parts.logit) == two_decimals(0)) {
    std::string text = own + " and " + other + " are equally likely";
    if (!most.name.empty())
      text += "; " + with_verb(most, "give") + " " + own + " most: " + two_decimals(most.value);
    if (!least.name.empty())
      text += "; " + with_verb(least, "give") + " " + other + " most: " + two_decimals(-least.value);
    return text + ".";
  }
  const bool wins = parts.logit > 0;
  const NamedValue& why = wins ? most : least;
  const std::string winner = wins ? own : other, loser = wins ? other : own;
  if (why.name.empty()) return "No single part makes " + winner + " likelier than " + loser + ".";
  return "The logit of " + winner + " is " + two_decimals(std::abs(parts.logit)) + " above that of " + loser +
         ". " + capitalised(with_verb(why, "add")) + " most to that: " + two_decimals(std::abs(why.value)) +
         ".";
}

std::string parts_example(const Attribution& parts, const SentenceNames& names) {
  std::string text =
      "The logit of the token is a sum, and every cell is one summand. Each layer has a line, each head and "
      "the MLP a column. A positive number speaks for the token, a negative one against it.";
  std::vector<NamedValue> heads;
  for (Index layer = 0; layer < parts.heads.rows(); ++layer)
    for (Index head = 0; head < parts.heads.cols(); ++head)
      heads.push_back({names.layers.text(layer) + " under " + head_name(head, names.layers.counting),
                       double{parts.heads(layer, head)}});
  const auto size = [](const NamedValue& one) { return std::isfinite(one.value) ? std::abs(one.value) : -1; };
  const auto largest =
      std::max_element(heads.begin(), heads.end(),
                       [&](const NamedValue& a, const NamedValue& b) { return size(a) < size(b); });
  constexpr double kLeast = 0.005, kMost = 20;
  if (largest != heads.end() && size(*largest) >= kLeast && size(*largest) <= kMost)
    text += " For example, " + signed_text(largest->value) + " at " + largest->name + " makes the token " +
            two_decimals(std::exp(largest->value)) +
            " times as likely (e to that power), compared with a token to which the head adds nothing. The "
            "last norm is held as it is here; without the head it would be another.";
  return text + " A click on a head lists the tokens from which it takes that.";
}

std::string patches_sentence(const PatchedMap& map, const SentenceNames& names) {
  if (map.moved.size() == 0) return "";
  const std::string logit = logit_words(map.logit, names);
  if (std::isnan(map.before)) return capitalised(logit) + " is not a number (NaN) without a patch.";
  const Place place = largest_change(map);
  if (map.estimated && place.row < 0)
    return "By the gradient no place matters: no numbers of the kept text move " + logit + ".";
  if (map.estimated)
    return "By the gradient, " + it_words(map, place) + " matters most at " +
           place_words(map, place.row, place.column, names) + ": " + map.what +
           " in the kept text, put in there alone, would move " + logit + " by about " +
           signed_text(double{map.moved(place.row, place.column)}) + ".";
  if (place.row < 0)
    return "No place matters: with the kept text's numbers put in anywhere, " + logit + " stays " +
           two_decimals(map.before) + ".";
  return capitalised(it_words(map, place)) + " matters most at " +
         place_words(map, place.row, place.column, names) + ": " + map.what + (map.of_heads ? " in" : " of") +
         " the kept text, put in there alone, moves " + logit + " " + from_to(map, place) + ".";
}

std::string patches_example(const PatchedMap* map, const SentenceNames& names) {
  std::string text =
      "Two texts of as many tokens: one was kept, one is here now. Each cell is the model's answer with the "
      "numbers of the kept text put in at one place only: as the gradient of the answer estimates it, all "
      "cells at once, and beside it computed once more for each. A cell far from 0 is a place through which "
      "the difference of the texts travels.";
  const Place place = map && !std::isnan(map->before) ? largest_change(*map) : Place{};
  if (place.row >= 0)
    text += " For example, the cell of " + place_words(*map, place.row, place.column, names) + " holds " +
            signed_text(double{map->moved(place.row, place.column)}) +
            (map->estimated ? ": the logit would go " : ": the logit goes ") + from_to(*map, place) + ".";
  return text;
}

std::string put_in_text(const PatchedMap& map, Index row, Index column, const std::string& kept,
                        const SentenceNames& names) {
  return "Put in: " + map.what + (map.of_heads ? " in " : " at ") + place_words(map, row, column, names) +
         ", from the kept text “" + kept + "”";
}

std::string estimate_sentence(const Matrix& estimated, const PatchedMap& map, const SentenceNames& names) {
  const EstimateError error = estimate_error(estimated, map.moved);
  if (!(error.largest < std::numeric_limits<double>::infinity()))
    return "The estimate and the patches cannot be compared: some are not numbers.";
  const std::string correlation =
      std::isnan(error.correlation) ? ""
                                    : "The correlation of both is " + two_decimals(error.correlation) + "; ";
  constexpr double kShown = 0.005, kPoor = 0.5;
  if (error.largest < kShown) return capitalised(correlation + "they differ nowhere by 0.01.");
  const bool advised = error.correlation < kPoor && !map.logit.other;
  return capitalised(correlation + "they differ most at " + place_words(map, error.row, error.column, names) +
                     ": " + two_decimals(double{estimated(error.row, error.column)}) + " and really " +
                     two_decimals(double{map.moved(error.row, error.column)}) + ".") +
         (advised ? " Choose one “against” another token: a difference of logits is estimated better." : "");
}

}  // namespace headlight
