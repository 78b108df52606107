#include "app/lesson_text/done_text.h"

#include <array>
#include <string_view>
#include <utility>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"

namespace headlight {
namespace {

std::string ordinal(Index at) {
  constexpr std::array<std::string_view, 5> kWords = {"first", "second", "third", "fourth", "fifth"};
  const auto index = static_cast<std::size_t>(at);
  return index < kWords.size() ? std::string(kWords[index]) : std::to_string(at + 1) + "th";
}

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

std::string place_of(const ChangedNumber& number, const Model& model, Counting counting) {
  if (!number.parameter)
    return "the " + ordinal(number.column) + " number of “" +
           model.tokens[static_cast<std::size_t>(number.row)] + "”";
  return "the number in row " + counting.number(number.row) + ", column " + counting.number(number.column) +
         " of " + matrix_name(number);
}

void add_numbers(const std::vector<ChangedNumber>& numbers, const Model& model, Counting counting,
                 std::vector<std::string>& parts) {
  constexpr std::size_t kMostNamed = 3;
  if (numbers.size() > kMostNamed) {
    parts.push_back(std::to_string(numbers.size()) + " numbers of " + matrix_name(numbers.front()) +
                    " are others now");
    return;
  }
  for (const ChangedNumber& number : numbers)
    parts.push_back(place_of(number, model, counting) + " is " + plain_value(double{number.value}) + " now");
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
  return mask == MaskKind::Causal ? "the mask is causal now" : "there is no mask now";
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
  std::string names;
  for (const Index head : heads)
    names += (names.empty() ? "" : " and ") + head_name(head, counting);
  return names + (heads.size() == 1 ? " is off now" : " are off now");
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

bool is_one_number(const LessonChange& change) {
  return change.numbers.size() == 1 && change.settings.empty() && !change.learning;
}

std::optional<NumberChange> changed_input(const ChangedNumber& number, const Model& model) {
  const Matrix& matrix =
      number.parameter ? model.weights.matrix(*number.parameter) : model.embeddings.front();
  if (number.row >= matrix.rows() || number.column >= matrix.cols()) return std::nullopt;
  const std::string name = number.parameter ? std::string("W_") + parameter_name(*number.parameter)
                                            : model.tokens[static_cast<std::size_t>(number.row)];
  return NumberChange{name, double{matrix(number.row, number.column)}, double{number.value}};
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

std::optional<NumberChange> number_change(const LessonChange& change, const Model& before) {
  if (is_one_number(change)) return changed_input(change.numbers.front(), before);
  LessonSettings others = change.settings;
  others.dropout_probability.reset();
  const auto& dropout = change.settings.dropout_probability;
  if (!dropout || !others.empty() || !change.numbers.empty() || change.learning) return std::nullopt;
  return NumberChange{"p", before.attention.dropout.probability, *dropout};
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

std::string done_text(const LessonChange& change, const Model& before, Counting counting) {
  std::vector<std::string> parts;
  add_settings(change.settings, counting, parts);
  add_numbers(change.numbers, before, counting, parts);
  if (change.learning)
    parts.push_back(change.learning->steps == 1
                        ? std::string("a step is taken")
                        : std::to_string(change.learning->steps) + " steps are taken");
  std::string text = "Done: ";
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : ", ") + parts[i];
  return text + ".";
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
