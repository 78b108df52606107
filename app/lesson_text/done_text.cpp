#include "app/lesson_text/done_text.h"

#include <algorithm>
#include <utility>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"

namespace headlight {
namespace {

// As a person writes it: 0.9, not 0.9000.
std::string plain_value(double value) {
  std::string text = number_text(static_cast<float>(value), 4);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string matrix_name(const ChangedNumber& number) {
  return number.parameter ? std::string("W_") + parameter_name(*number.parameter) : "the embeddings";
}

std::string place_of(const ChangedNumber& number, const Layer& layer, Counting counting) {
  if (!number.parameter)
    return "the number of “" + layer.tokens[static_cast<std::size_t>(number.row)] + "” in column " +
           counting.number(number.column);
  return "the number in row " + counting.number(number.row) + ", column " + counting.number(number.column) +
         " of " + matrix_name(number);
}

void add_numbers(const std::vector<ChangedNumber>& numbers, const Layer& layer, Counting counting,
                 std::vector<std::string>& parts) {
  constexpr std::size_t kMostNamed = 3;
  if (numbers.size() > kMostNamed) {
    parts.push_back(std::to_string(numbers.size()) + " numbers of " + matrix_name(numbers.front()) +
                    " are others now");
    return;
  }
  for (const ChangedNumber& number : numbers)
    parts.push_back(place_of(number, layer, counting) + " is " + plain_value(double{number.value}) + " now");
}

std::string scale_words(const Scale& scale) {
  switch (scale.kind) {
    case ScaleKind::InverseSqrtDk:
      return "scores are divided by √dₖ now";
    case ScaleKind::None:
      return "the scale is off now";
    case ScaleKind::Number:
      return "the scale is " + plain_value(scale.number) + " now";
  }
  return {};
}

std::string mask_words(MaskKind mask) {
  switch (mask) {
    case MaskKind::None:
      return "there is no mask now";
    case MaskKind::Causal:
      return "the mask is causal now";
    case MaskKind::Custom:
    case MaskKind::Rules:
      break;
  }
  return "the mask is another one now";
}

std::string shares_words(Normalization normalization) {
  switch (normalization) {
    case Normalization::Softmax:
      return "shares come from softmax now";
    case Normalization::NaiveSoftmax:
      return "shares come from the naive softmax now";
    case Normalization::Sum:
      return "scores are divided by their sum now";
  }
  return {};
}

std::string heads_off(const std::vector<Index>& heads, Counting counting) {
  if (heads.empty()) return "all heads are on now";
  return heads_name(heads, counting) + (heads.size() == 1 ? " is off now" : " are off now");
}

std::string switched(const std::string& what, bool on) {
  return what + (on ? " is on now" : " is off now");
}

void add_settings(const LessonSettings& settings, Counting counting, std::vector<std::string>& parts) {
  if (settings.projection)
    parts.push_back(*settings.projection == Projection::Linear
                        ? "queries, keys and values have matrices now"
                        : "queries, keys and values have no matrices now");
  if (settings.d_out) parts.push_back("d_out is " + std::to_string(*settings.d_out) + " now");
  if (settings.num_heads)
    parts.push_back(*settings.num_heads == 1
                        ? std::string("there is one head now")
                        : "there are " + std::to_string(*settings.num_heads) + " heads now");
  if (settings.qkv_bias) parts.push_back(switched("bias", *settings.qkv_bias));
  if (settings.output_projection)
    parts.push_back(switched("the output projection", *settings.output_projection));
  if (settings.scale) parts.push_back(scale_words(*settings.scale));
  if (settings.mask) parts.push_back(mask_words(*settings.mask));
  if (settings.normalization) parts.push_back(shares_words(*settings.normalization));
  if (settings.dropout_training) parts.push_back(switched("training", *settings.dropout_training));
  if (settings.dropout_probability)
    parts.push_back("p is " + plain_value(*settings.dropout_probability) + " now");
  if (settings.dropout_seed) parts.emplace_back("the seed of dropout is another one now");
  if (settings.disabled_heads) parts.push_back(heads_off(*settings.disabled_heads, counting));
}

// Calls action(a setting, what the layer has of it) for each of the settings.
template <class Action>
void with_each(LessonSettings& settings, const AttentionSettings& now, Action action) {
  action(settings.projection, now.projection);
  action(settings.d_out, now.d_out);
  action(settings.num_heads, now.num_heads);
  action(settings.qkv_bias, now.qkv_bias);
  action(settings.output_projection, now.output_projection);
  action(settings.scale, now.scale);
  action(settings.mask, now.mask);
  action(settings.normalization, now.normalization);
  action(settings.dropout_probability, now.dropout.probability);
  action(settings.dropout_training, now.dropout.training);
  action(settings.dropout_seed, now.dropout.seed);
  action(settings.disabled_heads, now.disabled_heads);
}

// The same settings, as the layer has them.
LessonSettings as_they_are(LessonSettings settings, const AttentionSettings& now) {
  with_each(settings, now, [](auto& setting, const auto& has) {
    if (setting) setting = has;
  });
  return settings;
}

// Those of the settings that the layer does not have already.
LessonSettings changing(LessonSettings settings, const AttentionSettings& now) {
  with_each(settings, now, [](auto& setting, const auto& has) {
    if (setting && *setting == has) setting.reset();
  });
  return settings;
}

double factor(const Scale& scale, Layer layer) {
  layer.attention.scale = scale;
  return double{layer.scale_factor()};
}

// The setting that is a number, if it is the only one.
std::optional<NumberChange> changed_setting(const LessonSettings& settings, const Layer& before) {
  LessonSettings others = settings;
  const auto probability = std::exchange(others.dropout_probability, std::nullopt);
  const auto scale = std::exchange(others.scale, std::nullopt);
  if (!others.empty() || probability.has_value() == scale.has_value()) return std::nullopt;
  if (probability) return NumberChange{"p", before.attention.dropout.probability, *probability};
  return NumberChange{"scale", double{before.scale_factor()}, factor(*scale, before)};
}

const Matrix& matrix_of(const ChangedNumber& number, const Layer& layer) {
  return number.parameter ? layer.weights.matrix(*number.parameter) : layer.embeddings.front();
}

bool has_number(const ChangedNumber& number, const Layer& layer) {
  const Matrix& matrix = matrix_of(number, layer);
  return number.row < matrix.rows() && number.column < matrix.cols();
}

// The same numbers, as the layer has them.
std::vector<ChangedNumber> as_they_are(std::vector<ChangedNumber> numbers, const Layer& now) {
  for (ChangedNumber& number : numbers)
    if (has_number(number, now)) number.value = matrix_of(number, now)(number.row, number.column);
  return numbers;
}

// Where the number is: the word, or the matrix.
std::string short_place(const ChangedNumber& number, const Layer& layer) {
  return number.parameter ? std::string("W_") + parameter_name(*number.parameter)
                          : layer.tokens[static_cast<std::size_t>(number.row)];
}

std::optional<NumberChange> changed_input(const ChangedNumber& number, const Layer& layer) {
  if (!has_number(number, layer)) return std::nullopt;
  return NumberChange{short_place(number, layer), double{matrix_of(number, layer)(number.row, number.column)},
                      double{number.value}};
}

std::string arrow(const std::string& name, const std::string& before, const std::string& after) {
  return name + " · " + before + " → " + after;
}

std::string on_or_off(bool on) {
  return on ? "on" : "off";
}

std::string short_mask(MaskKind mask) {
  switch (mask) {
    case MaskKind::None:
      return "none";
    case MaskKind::Causal:
      return "causal";
    case MaskKind::Custom:
    case MaskKind::Rules:
      break;
  }
  return "another";
}

std::string short_shares(Normalization normalization) {
  switch (normalization) {
    case Normalization::Softmax:
      return "softmax";
    case Normalization::NaiveSoftmax:
      return "naive softmax";
    case Normalization::Sum:
      return "by the sum";
  }
  return {};
}

std::string short_seed(const std::optional<std::int64_t>& seed) {
  return seed ? std::to_string(*seed) : "none";
}

void add_short_heads(const std::vector<Index>& off, const Layer& before, Counting counting,
                     std::vector<std::string>& parts) {
  AttentionSettings after = before.attention;
  after.disabled_heads = off;
  for (const bool on : {false, true}) {
    std::vector<Index> changed;
    for (Index head = 0; head < before.head_count(); ++head)
      if (after.head_enabled(head) == on && before.attention.head_enabled(head) != on)
        changed.push_back(head);
    if (changed.empty()) continue;
    const bool all = changed.size() > 1 && std::ssize(changed) == before.head_count();
    parts.push_back(arrow(all ? "all heads" : heads_name(changed, counting), on_or_off(!on), on_or_off(on)));
  }
}

void add_short_settings(const LessonSettings& settings, const Layer& before, Counting counting,
                        std::vector<std::string>& parts) {
  const AttentionSettings& now = before.attention;
  const auto add = [&parts](const char* name, const std::string& was, const std::string& is) {
    parts.push_back(arrow(name, was, is));
  };
  if (settings.projection)
    add("matrices", on_or_off(now.projection != Projection::None),
        on_or_off(*settings.projection != Projection::None));
  if (settings.d_out) add("d_out", std::to_string(before.d_out()), std::to_string(*settings.d_out));
  if (settings.num_heads)
    add("heads", std::to_string(before.head_count()), std::to_string(*settings.num_heads));
  if (settings.qkv_bias) add("bias", on_or_off(now.qkv_bias), on_or_off(*settings.qkv_bias));
  if (settings.output_projection)
    add("output projection", on_or_off(now.output_projection), on_or_off(*settings.output_projection));
  if (settings.scale)
    add("scale", plain_value(double{before.scale_factor()}), plain_value(factor(*settings.scale, before)));
  if (settings.mask) add("mask", short_mask(now.mask), short_mask(*settings.mask));
  if (settings.normalization)
    add("shares", short_shares(now.normalization), short_shares(*settings.normalization));
  if (settings.dropout_training)
    add("training", on_or_off(now.dropout.training), on_or_off(*settings.dropout_training));
  if (settings.dropout_probability)
    add("p", plain_value(now.dropout.probability), plain_value(*settings.dropout_probability));
  if (settings.dropout_seed) add("seed", short_seed(now.dropout.seed), short_seed(*settings.dropout_seed));
  if (settings.disabled_heads) add_short_heads(*settings.disabled_heads, before, counting, parts);
}

// Up to three numbers of one word or matrix; of more, how many.
void add_short_numbers(const std::vector<ChangedNumber>& numbers, const Layer& before,
                       std::vector<std::string>& parts) {
  constexpr std::size_t kMostNamed = 3;
  if (numbers.empty()) return;
  const bool shown = numbers.size() <= kMostNamed &&
                     std::all_of(numbers.begin(), numbers.end(), [&](const ChangedNumber& number) {
                       return has_number(number, before) &&
                              short_place(number, before) == short_place(numbers.front(), before);
                     });
  if (!shown)
    return parts.push_back(std::to_string(numbers.size()) + " numbers of " + matrix_name(numbers.front()));
  std::string was, is;
  for (const ChangedNumber& number : numbers) {
    const char* const comma = was.empty() ? "" : ", ";
    was += comma + plain_value(double{matrix_of(number, before)(number.row, number.column)});
    is += comma + plain_value(double{number.value});
  }
  parts.push_back(arrow(short_place(numbers.front(), before), was, is));
}

std::string short_learning(const LessonLearning& learning) {
  return (learning.steps == 1 ? "learn · 1 step" : "learn · " + std::to_string(learning.steps) + " steps") +
         (learning.rate ? ", rate " + plain_value(*learning.rate) : "");
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

// The stage that each setting is first felt in; shapes and switches of the layer are felt from the start.
StageSet first_stages(const LessonSettings& settings) {
  StageSet stages = 0;
  if (settings.scale) stages |= stage_bit(Stage::Scaled);
  if (settings.mask) stages |= stage_bit(Stage::Masked);
  if (settings.normalization) stages |= stage_bit(Stage::Weights);
  if (settings.dropout_probability || settings.dropout_training || settings.dropout_seed)
    stages |= stage_bit(Stage::Dropped);
  if (settings.disabled_heads) stages |= stage_bit(Stage::Concat);
  if (settings.output_projection) stages |= stage_bit(Stage::Output);
  if (settings.projection || settings.d_out || settings.num_heads || settings.qkv_bias)
    stages |= stage_bit(Stage::Queries) | stage_bit(Stage::Keys) | stage_bit(Stage::Values);
  return stages;
}

}  // namespace

std::optional<NumberChange> number_change(const LessonChange& change, const Layer& before) {
  const LessonSettings settings = changing(change.settings, before.attention);
  if (change.learning || change.numbers.size() > 1) return std::nullopt;
  if (change.numbers.empty()) return changed_setting(settings, before);
  return settings.empty() ? changed_input(change.numbers.front(), before) : std::nullopt;
}

double changed_number(const LessonChange& change, const Layer& layer) {
  if (change.numbers.empty())
    return change.settings.scale ? double{layer.scale_factor()} : layer.attention.dropout.probability;
  const ChangedNumber& number = change.numbers.front();
  return has_number(number, layer) ? double{matrix_of(number, layer)(number.row, number.column)}
                                   : double{number.value};
}

LessonChange with_number(LessonChange change, double number) {
  if (!change.numbers.empty())
    change.numbers.front().value = static_cast<float>(number);
  else if (change.settings.scale)
    change.settings.scale = Scale{ScaleKind::Number, number};
  else
    change.settings.dropout_probability = number;
  return change;
}

std::string change_text(const LessonChange& change, const Layer& before, Counting counting) {
  std::vector<std::string> parts;
  add_short_settings(changing(change.settings, before.attention), before, counting, parts);
  add_short_numbers(change.numbers, before, parts);
  if (change.learning) parts.push_back(short_learning(*change.learning));
  return joined(parts);
}

std::string number_change_text(const NumberChange& change, double share) {
  const double now = change.before + (change.after - change.before) * share;
  return change.name + " · " + plain_value(change.before) + " → " +
         (share < 1 ? number_text(static_cast<float>(now), 2) : plain_value(change.after));
}

StageSet reached_stages(const LessonChange& change) {
  StageSet stages = first_stages(change.settings);
  for (const ChangedNumber& number : change.numbers)
    stages |= stage_bit(number.parameter ? projected_stage(*number.parameter) : Stage::Embeddings);
  if (change.learning)
    stages |= stage_bit(Stage::Queries) | stage_bit(Stage::Keys) | stage_bit(Stage::Values);
  return with_dependents(stages);
}

std::string done_text(const LessonChange& change, const Layer& before, const Layer& now, Counting counting) {
  std::vector<std::string> parts;
  add_settings(as_they_are(change.settings, now.attention), counting, parts);
  add_numbers(as_they_are(change.numbers, now), before, counting, parts);
  if (change.learning)
    parts.push_back(change.learning->steps == 1
                        ? std::string("a step is taken")
                        : std::to_string(change.learning->steps) + " steps are taken");
  return "Done: " + joined(parts) + ".";
}

std::vector<EvaluatedRun> after_first_sentence(std::vector<EvaluatedRun> runs) {
  const std::size_t whole = runs.size();
  for (std::size_t i = 0; i < whole; ++i) {
    const std::string& text = runs[i].text;
    const bool live = runs[i].live;  // a number has no end of a sentence
    const std::size_t end = live ? std::string::npos : text.find(". ");
    if (end == std::string::npos) continue;
    std::vector<EvaluatedRun> rest(runs.begin() + static_cast<std::ptrdiff_t>(i), runs.end());
    rest.front().text.erase(0, end + 2);
    return rest;
  }
  return {};
}

}  // namespace headlight
