// Conditions and references of a lesson's text, evaluated by a second, simple implementation. It parses the
// file's text without the program's parser, and takes every number from plain loops (plain_attention.h) with
// a bound on the error of float32. The test itself follows tokens and dimensions (edited_lesson.h).
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/layer/reshape.h"
#include "engine/layer/stage.h"
#include "tests/support/plain_attention.h"
#include "tests/support/plain_gradients.h"

namespace headlight_test {

// For each current line (token, input or output dimension) its index in the first state, -1 for a new line.
// Lines that never moved are numbered from 0.
struct PlainLines {
  std::vector<int> tokens, inputs, outputs;
  bool moved_tokens = false, moved_inputs = false, moved_outputs = false;

  static std::vector<int> counted(headlight::Index count) {
    std::vector<int> lines;
    for (int i = 0; i < count; ++i)
      lines.push_back(i);
    return lines;
  }
  explicit PlainLines(const headlight::Layer& layer) { fit(layer); }
  // Adjusts the lists to the model's sizes: widths grow and shrink at their ends.
  void fit(const headlight::Layer& layer) {
    fit(tokens, moved_tokens, layer.token_count());
    fit(inputs, moved_inputs, layer.d_in());
    fit(outputs, moved_outputs, layer.d_out());
  }

 private:
  static void fit(std::vector<int>& lines, bool moved, headlight::Index count) {
    if (moved)
      lines.resize(static_cast<std::size_t>(count), -1);
    else
      lines = counted(count);
  }
};

// The overflow of a naive softmax in float32: exponentials of logits above about 88.7 are infinite, and so is
// their sum. Sets these weights to NaN, the others of the row to 0, and what is computed from them to NaN;
// the weights of logits from 88.5 to 89 may be either.
inline void overflow_naively(const headlight::Layer& layer, PlainForward& forward) {
  using namespace headlight;
  if (layer.attention.normalization != Normalization::NaiveSoftmax || forward.of(Stage::Masked).empty())
    return;
  const auto heads = static_cast<std::size_t>(layer.head_count());
  const auto nan = [](PlainRow& row, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && i < row.size(); ++i)
      row[i] = {NAN, 0.0};
  };
  for (std::size_t at = 0; at < forward.of(Stage::Masked).size(); ++at)
    for (std::size_t row = 0; row < forward.of(Stage::Masked)[at].size(); ++row) {
      const PlainRow& masked = forward.of(Stage::Masked)[at][row];
      if (std::none_of(masked.begin(), masked.end(), [](const Bounded& s) { return s.value > 89; })) continue;
      for (std::size_t column = 0; column < masked.size(); ++column) {
        const Bounded cell = masked[column].value > 89     ? Bounded{NAN, 0.0}
                             : masked[column].value < 88.5 ? Bounded{0.0, 0.0}
                                                           : Bounded{0.0, INFINITY};
        forward.of(Stage::Weights)[at][row][column] = cell;
        forward.of(Stage::Dropped)[at][row][column] = cell;
      }
      if (forward.of(Stage::Context).empty()) continue;
      const std::size_t sequence = at / heads, head = at % heads,
                        width = static_cast<std::size_t>(layer.d_v());
      nan(forward.of(Stage::Context)[at][row], 0, width);
      if (!layer.attention.head_enabled(static_cast<Index>(head))) continue;
      nan(forward.of(Stage::Concat)[sequence][row], head * width, (head + 1) * width);
      PlainRow& output = forward.of(Stage::Output)[sequence][row];
      if (layer.attention.output_projection) nan(output, 0, output.size());
      if (!layer.attention.output_projection) nan(output, head * width, (head + 1) * width);
    }
}

struct PlainState {
  explicit PlainState(const headlight::Layer& of, const headlight::Goal* goal = nullptr)
      : layer(of), forward(plain_forward(of)) {
    overflow_naively(layer, forward);
    if (!goal) return;
    try {
      validate_goal(layer, *goal);
      gradients = PlainBackward(layer, *goal).run();
      if (!std::isfinite(gradients->loss.value)) forget_gradients();
    } catch (const headlight::Error&) {
      gradients.reset();
    }
  }
  // Something is wanted of a weight without a logarithm. That of a softmax is one that rounds to zero in
  // float64: it has one, but not here, and any number is accepted.
  void forget_gradients() {
    if (layer.attention.normalization == headlight::Normalization::Sum) return gradients.reset();
    constexpr Bounded kAny = {0, std::numeric_limits<double>::infinity()};
    const auto forget = [&](auto& matrices) {
      for (PlainMatrix& matrix : matrices)
        for (PlainRow& row : matrix)
          std::fill(row.begin(), row.end(), kAny);
    };
    gradients->loss = kAny;
    for (auto& stage : gradients->stages)
      forget(stage);
    forget(gradients->matrices);
  }

  headlight::Layer layer;
  PlainForward forward;
  std::optional<PlainGradients> gradients;  // none: there is no goal, or it does not fit
};

// Whether both models compute the same numbers: names of tokens and the recipe of the weights do not matter.
inline bool plainly_alike(const headlight::Layer& a, const headlight::Layer& b) {
  using namespace headlight;
  const auto equal = [](const auto& left, const auto& right) {
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i)
      if (left[i].rows() != right[i].rows() || left[i].cols() != right[i].cols() ||
          !(left[i].array() == right[i].array()).all())
        return false;
    return true;
  };
  std::vector<Matrix> of_a, of_b;
  for (const auto& [layer, into] : {std::pair(&a, &of_a), std::pair(&b, &of_b)}) {
    for (Parameter p : kParameters) {
      into->push_back(layer->uses(p) ? layer->weights.matrix(p) : Matrix());
      into->push_back(layer->uses_bias(p) ? layer->weights.bias(p) : Matrix());
    }
    into->push_back(layer->attention.mask == MaskKind::Custom ? layer->custom_mask : Matrix());
    for (const auto& given : layer->given)
      into->insert(into->end(), given.begin(), given.end());
    into->insert(into->end(), layer->key_embeddings.begin(), layer->key_embeddings.end());
  }
  return a.attention == b.attention && a.tokens.size() == b.tokens.size() &&
         a.weights.layout == b.weights.layout && equal(a.embeddings, b.embeddings) && equal(of_a, of_b);
}

// The value of a condition. Undecidable: it is about something that does not exist or is no number. Either:
// it depends on rounding in float32.
enum class Holds { Yes, No, Undecidable, Either };

class PlainConditions {
 public:
  PlainConditions(const PlainState& now, const PlainState& first, const PlainState& opened,
                  const PlainLines& lines, headlight::Index sequence, headlight::Index head)
      : now_(now), first_(first), opened_(opened), lines_(lines), sequence_(sequence), head_(head) {}

  // The value of a condition, given as the text after "{if ".
  Holds decide(const std::string& condition) const {
    Cursor in(condition);
    return any(in);
  }

 protected:
  using Number = Bounded;
  using Numbers = std::optional<std::vector<Number>>;  // none: it does not exist

  // The remaining text of a condition or reference.
  class Cursor {
   public:
    explicit Cursor(std::string text) : text_(std::move(text)) {}
    std::string word() {
      std::size_t end = skip();
      while (end < text_.size() &&
             (std::isalpha(static_cast<unsigned char>(text_[end])) || text_[end] == '_'))
        ++end;
      return text_.substr(at_, end - at_);
    }
    bool take(const std::string& sign) {
      skip();
      if (text_.compare(at_, sign.size(), sign) != 0) return false;
      at_ += sign.size();
      return true;
    }
    bool take_word(const std::string& wanted) { return word() == wanted && take(wanted); }
    bool digit() { return skip() < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); }
    double number() {
      const char* begin = text_.c_str() + skip();
      char* end = nullptr;
      const double value = std::strtod(begin, &end);
      at_ += static_cast<std::size_t>(end - begin);
      return value;
    }

   private:
    std::size_t skip() {
      while (at_ < text_.size() && text_[at_] == ' ')
        ++at_;
      return at_;
    }
    std::string text_;
    std::size_t at_ = 0;
  };

  struct TextReference {
    std::string moment, name, made_of, sign;
    headlight::Stage stage = headlight::Stage::Weights;
    std::optional<headlight::Parameter> weight;
    bool gradient = false, setting = false, every_row = true, transposed = false;
    int sequence = 0, head = 0, row = 0, column = -1;  // -1: all
    int term = 0;
    double threshold = 0;
    bool cell() const { return !every_row && column >= 0; }
  };

  static constexpr std::array<const char*, 4> kWeights = {"W_query", "W_key", "W_value", "W_output"};

  // --- numbers ---

  TextReference parse(const std::string& text) const {
    Cursor in(text);
    return parse(in);
  }

  TextReference parse(Cursor& in) const {
    TextReference reference;
    reference.sequence = static_cast<int>(sequence_);
    reference.head = static_cast<int>(head_);
    for (const char* moment : {"first", "opened"})
      if (in.take_word(moment)) reference.moment = moment;
    reference.gradient = in.take_word("gradient");
    reference.name = in.word();
    in.take(reference.name);
    for (std::size_t p = 0; p < kWeights.size(); ++p)
      if (reference.name == kWeights[p]) reference.weight = headlight::kParameters[p];
    if (const auto stage = headlight::stage_from_name(reference.name)) reference.stage = *stage;
    reference.setting = !reference.weight && !headlight::stage_from_name(reference.name);
    if (in.take("[")) {
      if (in.digit()) {
        reference.every_row = false;
        reference.row = static_cast<int>(in.number());
      }
      if (in.take(",")) reference.column = static_cast<int>(in.number());
      in.take("]");
    }
    while (parse_word(in, reference)) {
    }
    return reference;
  }

  static bool parse_word(Cursor& in, TextReference& reference) {
    if (in.take_word("head")) {
      reference.head = static_cast<int>(in.number());
    } else if (in.take_word("sequence")) {
      reference.sequence = static_cast<int>(in.number());
    } else if (in.take_word("transposed")) {
      reference.transposed = true;
    } else if (in.take_word("term")) {
      reference.made_of = "term";
      reference.term = static_cast<int>(in.number());
    } else if (in.take_word("count")) {
      reference.made_of = "count";
      for (const char* sign : {"!=", "<", ">", "="})
        if (reference.sign.empty() && in.take(sign)) reference.sign = sign;
      reference.threshold = in.number();
    } else {
      for (const char* word : {"sum", "mean", "largest", "smallest", "spread", "entropy", "exponential",
                               "row_max", "row_sum", "noise", "drawn_mean"})
        if (in.take_word(word)) {
          reference.made_of = word;
          return true;
        }
      return false;
    }
    return true;
  }

  const PlainState& state_of(const TextReference& reference) const {
    return reference.moment.empty() ? now_ : reference.moment == "first" ? first_ : opened_;
  }

  // The lines along the rows or the columns of a reference: tokens, input or output dimensions. The columns
  // of a head are the output dimensions from `begin`.
  struct Side {
    const std::vector<int>* lines = nullptr;  // null: lines that no edit of these tests moves
    int begin = 0, count = 0;
  };
  Side side(const TextReference& reference, bool rows, const headlight::Layer& layer) const {
    using namespace headlight;
    const bool in_out = layer.weights.layout == WeightLayout::InOut;
    const auto count = [](Index number) { return static_cast<int>(number); };
    const Side inputs = {&lines_.inputs, 0, count(layer.d_in())},
               outputs = {&lines_.outputs, 0, count(layer.d_out())};
    if (reference.name == "token") return {&lines_.tokens, 0, count(layer.token_count())};
    if (reference.weight) {
      const Matrix& weight = layer.weights.matrix(*reference.weight);
      const bool inner = rows == in_out && *reference.weight != Parameter::Output;
      return {inner ? &lines_.inputs : &lines_.outputs, 0, count(rows ? weight.rows() : weight.cols())};
    }
    const StageInfo& info = stage_info(reference.stage);
    const std::vector<int>* keys = layer.self_attention() ? &lines_.tokens : nullptr;
    if (rows && info.rows == StageRows::Queries) return {&lines_.tokens, 0, count(layer.token_count())};
    if (rows || info.columns == StageColumns::Tokens) return {keys, 0, count(layer.key_count())};
    if (info.columns == StageColumns::DIn) return inputs;
    if (!info.per_head) return outputs;
    const int width = count(stage_columns(layer, reference.stage));
    return {&lines_.outputs, reference.head * width, width};
  }

  // The index of a current line in the state of the reference; -1: it does not exist there.
  int place(const TextReference& reference, bool rows, int at) const {
    const Side here = side(reference, rows, now_.layer),
               there = side(reference, rows, state_of(reference).layer);
    if (at >= here.count) return -1;
    if (reference.moment.empty()) return at;
    // The lines of a weight that is not in use are not followed.
    const bool moved = here.lines == &lines_.inputs ? lines_.moved_inputs : lines_.moved_outputs;
    if (reference.weight && moved && here.count != static_cast<int>(here.lines->size())) return -1;
    if (!here.lines || *here.lines == PlainLines::counted(static_cast<headlight::Index>(here.lines->size())))
      return at < there.count ? at : -1;
    const auto line = static_cast<std::size_t>(here.begin + at);
    const int then = line < here.lines->size() ? (*here.lines)[line] - there.begin : -1;
    return then >= 0 && then < there.count ? then : -1;
  }

  // The matrix in the state of the reference; none if it does not exist there.
  std::optional<PlainMatrix> matrix(const TextReference& reference) const {
    using namespace headlight;
    const PlainState& state = state_of(reference);
    const Layer& layer = state.layer;
    if (reference.gradient) return gradient_matrix(reference, state);
    if (reference.weight) {
      if (!reference.moment.empty() && layer.weights.layout != now_.layer.weights.layout) return std::nullopt;
      return plain(layer.weights.matrix(*reference.weight));
    }
    const auto& all = state.forward.of(reference.stage);
    const auto heads = static_cast<std::size_t>(stage_heads(layer, reference.stage));
    const bool split = stage_info(reference.stage).per_head;
    const auto head = static_cast<std::size_t>(split ? reference.head : 0);
    const std::size_t at = static_cast<std::size_t>(reference.sequence) * heads + head;
    if (!stage_exists(layer, reference.stage) || head >= heads || at >= all.size()) return std::nullopt;
    PlainMatrix result = all[at];
    for (PlainRow& row : result)
      for (Bounded& cell : row)
        if (cell.error > 0) cell.error += 1e-37;  // subnormal numbers may be 0
    return result;
  }

  static std::optional<PlainMatrix> gradient_matrix(const TextReference& reference, const PlainState& state) {
    if (!state.gradients) return std::nullopt;
    PlainMatrix found;
    if (reference.weight) {
      found = state.gradients->matrices[static_cast<std::size_t>(*reference.weight)];
    } else {
      const auto& all = state.gradients->stages[static_cast<std::size_t>(reference.stage)];
      const auto heads = static_cast<std::size_t>(stage_heads(state.layer, reference.stage));
      const std::size_t head = headlight::stage_info(reference.stage).per_head
                                   ? static_cast<std::size_t>(reference.head)
                                   : 0,
                        at = static_cast<std::size_t>(reference.sequence) * heads + head;
      if (head >= heads || at >= all.size()) return std::nullopt;
      found = all[at];
    }
    for (PlainRow& row : found)
      for (Bounded& cell : row)
        cell.error += 1e-37;  // subnormal numbers may be 0
    return found.empty() ? std::nullopt : std::optional(found);
  }

  // The numbers of a reference, for its current tokens and dimensions in their current order. An aggregate,
  // as a sum, is computed from all numbers of an earlier state if the lines are not the same.
  std::optional<std::vector<Number>> listed(const TextReference& reference) const {
    const std::optional<PlainMatrix> all = matrix(reference);
    if (!all || all->empty()) return std::nullopt;
    const std::vector<int> rows = reference.every_row
                                      ? lines(reference, true, all->size())
                                      : std::vector<int>{place(reference, true, reference.row)};
    const std::vector<int> columns = reference.column < 0
                                         ? lines(reference, false, all->front().size())
                                         : std::vector<int>{place(reference, false, reference.column)};
    std::vector<Number> numbers;
    const std::size_t outer = reference.transposed ? columns.size() : rows.size();
    const std::size_t inner = reference.transposed ? rows.size() : columns.size();
    for (std::size_t i = 0; i < outer; ++i)
      for (std::size_t j = 0; j < inner; ++j) {
        const int row = rows[reference.transposed ? j : i], column = columns[reference.transposed ? i : j];
        if (row < 0 || column < 0 || row >= static_cast<int>(all->size()) ||
            column >= static_cast<int>(all->front().size()))
          return std::nullopt;
        numbers.push_back((*all)[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)]);
      }
    return numbers.empty() ? std::nullopt : std::optional(numbers);
  }
  // All lines of one side in the current order if both states have the same ones. Otherwise -1 for a list,
  // and the lines of the earlier state for an aggregate.
  std::vector<int> lines(const TextReference& reference, bool rows, std::size_t count) const {
    std::vector<int> places;
    const int now =
        reference.moment.empty() ? static_cast<int>(count) : side(reference, rows, now_.layer).count;
    bool whole = now == static_cast<int>(count);
    for (int at = 0; at < now && whole; ++at) {
      places.push_back(reference.moment.empty() ? at : place(reference, rows, at));
      whole = places.back() >= 0;
    }
    if (whole) return places;
    if (reference.made_of.empty()) return {-1};
    return PlainLines::counted(static_cast<headlight::Index>(count));
  }

  Numbers value(const TextReference& reference) const {
    if (reference.setting) return setting(reference);
    if (reference.made_of == "drawn_mean") return std::nullopt;
    const auto numbers = listed(reference);
    if (!numbers || reference.made_of.empty()) return numbers;
    if (reference.made_of == "noise" || reference.made_of == "exponential" ||
        reference.made_of == "row_max" || reference.made_of == "row_sum")
      return std::vector<Number>{of_row(reference)};
    if (reference.made_of == "term") return term(reference);
    return std::vector<Number>{made_of(reference, *numbers)};
  }
  Numbers referenced(const std::string& text) const { return value(parse(text)); }
  // The numbers that a text shows: a list whose lines are not the same ones, as it was in its state.
  Numbers told(const std::string& text) const {
    TextReference reference = parse(text);
    const Numbers numbers = value(reference);
    if (numbers || reference.setting || reference.cell() || !reference.made_of.empty()) return numbers;
    reference.made_of = "list";
    return listed(reference);
  }
  // Whether the reference exists in the first state; if not, the text shows no earlier value.
  bool then_exists(const std::string& text) const {
    TextReference reference = parse(text);
    reference.moment = "first";
    if (reference.setting || text.find("_token") != std::string::npos) return true;
    const std::optional<PlainMatrix> all = matrix(reference);
    return all && (reference.every_row || place(reference, true, reference.row) >= 0) &&
           (reference.column < 0 || place(reference, false, reference.column) >= 0);
  }

  Numbers setting(const TextReference& reference) const {
    using namespace headlight;
    const Layer& layer = state_of(reference).layer;
    const AttentionSettings& a = layer.attention;
    const auto one = [](double value) { return std::vector<Number>{{value, 1e-6 * std::abs(value)}}; };
    if (reference.name == "loss") {
      const auto& gradients = state_of(reference).gradients;
      return gradients ? Numbers(std::vector<Number>{gradients->loss}) : std::nullopt;
    }
    const double p = a.dropout.probability;
    if (reference.name == "scale")
      return one(a.scale.kind == ScaleKind::Number ? a.scale.number
                 : a.scale.kind == ScaleKind::None ? 1
                                                   : 1 / std::sqrt(static_cast<double>(layer.d_k())));
    if (reference.name == "dropout") return std::vector<Number>{{p, 0.0}};
    if (reference.name == "dropout_factor") return one(p < 1 ? 1 / (1 - p) : 0);
    const auto whole = [](auto number) { return std::vector<Number>{{static_cast<double>(number), 0.0}}; };
    if (reference.name == "d_in") return whole(layer.d_in());
    if (reference.name == "d_out") return whole(a.d_out);
    if (reference.name == "d_k") return whole(layer.d_k());
    if (reference.name == "heads") return whole(a.num_heads);
    if (reference.name == "kv_heads") return whole(a.num_kv_heads > 0 ? a.num_kv_heads : a.num_heads);
    if (reference.name == "tokens") return whole(layer.tokens.size());
    if (reference.name == "key_tokens")
      return whole(layer.key_tokens.empty() ? layer.tokens.size() : layer.key_tokens.size());
    if (reference.name == "sequences") return whole(layer.sequence_count());
    if (reference.name == "weight_seed")
      return layer.weights.recipe && !layer.weights.edited ? Numbers(whole(layer.weights.recipe->seed))
                                                           : std::nullopt;
    if (reference.name == "dropout_seed")
      return a.dropout.seed ? Numbers(whole(*a.dropout.seed)) : std::nullopt;
    return std::nullopt;
  }

  static Number made_of(const TextReference& reference, const std::vector<Number>& numbers) {
    if (reference.made_of == "count") return counted(reference, numbers);
    Number sum, bits, largest = numbers.front(), smallest = numbers.front();
    double magnitude = 0;
    bool unknown = false, negative = false;
    for (const Number& number : numbers) {
      if (std::isnan(number.value)) return {NAN, 0.0};
      unknown = unknown || !std::isfinite(number.error);
      sum.value += number.value;
      magnitude += std::abs(number.value);
      sum.error += number.error;
      negative = negative || number.value < -number.error;
      if (number.value > 0) bits.value -= number.value * std::log2(number.value);
      if (number.error > 0)
        bits.error +=
            number.error * (2 + std::abs(std::log2(std::max(1e-30, std::max(number.value, number.error)))));
      if (number.value > largest.value) largest.value = number.value;
      if (number.value < smallest.value) smallest.value = number.value;
      largest.error = std::max(largest.error, number.error);
      smallest.error = largest.error;
    }
    sum.error += magnitude * kUnit * static_cast<double>(numbers.size());
    bits.error += kUnit * (bits.value + 8);
    if (unknown) return {0.0, INFINITY};
    const auto count = static_cast<double>(numbers.size());
    if (reference.made_of == "sum") return sum;
    if (reference.made_of == "mean") return {sum.value / count, sum.error / count};
    if (reference.made_of == "largest") return largest;
    if (reference.made_of == "smallest") return smallest;
    if (reference.made_of == "spread")
      return {largest.value - smallest.value, largest.error + smallest.error};
    return negative ? Number{NAN, 0.0} : bits;
  }
  static Number counted(const TextReference& reference, const std::vector<Number>& numbers) {
    double sure = 0, may = 0;
    for (const Number& number : numbers) {
      const Holds holds = std::isnan(number.value) && std::isfinite(number.error)
                              ? (reference.sign == "!=" ? Holds::Yes : Holds::No)
                              : compare(reference.sign, number, {reference.threshold, 0.0});
      sure += holds == Holds::Yes;
      may += holds != Holds::No;
    }
    return {(sure + may) / 2, (may - sure) / 2};
  }

  // A part of the computation of a row's weights: dropout noise, exponential, maximum or sum.
  Number of_row(const TextReference& reference) const {
    using namespace headlight;
    const PlainState& state = state_of(reference);
    if (reference.made_of == "noise") {
      const auto& noise = state.forward.noise;
      if (noise.empty()) return {1, 0};
      const std::size_t at =
          static_cast<std::size_t>(reference.sequence * state.layer.head_count() + reference.head);
      return {
          double{
              noise[at][static_cast<std::size_t>(reference.row)][static_cast<std::size_t>(reference.column)]},
          1e-6};
    }
    TextReference logits = reference;
    logits.stage = Stage::Masked;
    const std::optional<PlainMatrix> all = matrix(logits);
    if (!all) return {0, INFINITY};
    const PlainRow& row = (*all)[static_cast<std::size_t>(reference.row)];
    const Normalization kind = state.layer.attention.normalization;
    double largest = -INFINITY, error = 0, sum = 0, sum_error = 0;
    for (const Bounded& s : row) {
      largest = std::max(largest, s.value);
      error = std::max(error, s.error);
    }
    if (std::isinf(largest)) return {0, INFINITY};
    const double taken = kind == Normalization::Softmax ? largest : 0;
    const auto from = [&](const Bounded& s) -> Number {
      if (kind == Normalization::Sum) return std::isinf(s.value) ? Number{} : s;
      const double e = std::exp(s.value - taken);
      return {e, e * (2 * error + 1e-6 * (2 + std::abs(s.value))) + 1e-30};
    };
    for (const Bounded& s : row) {
      sum += from(s).value;
      sum_error += from(s).error + kUnit * std::abs(from(s).value) * static_cast<double>(row.size());
    }
    if (std::abs(sum) > 1e38 || largest - taken > 88) return {0, INFINITY};
    if (reference.made_of == "row_max") return {taken, error};
    return reference.made_of == "row_sum" ? Number{sum, sum_error}
                                          : from(row[static_cast<std::size_t>(reference.column)]);
  }

  // The factors of the products whose sum is the cell.
  std::optional<std::vector<std::pair<Number, Number>>> products(const TextReference& reference) const {
    using namespace headlight;
    const PlainState& state = state_of(reference);
    const Layer& layer = state.layer;
    if (!listed(reference)) return std::nullopt;
    const auto row = static_cast<std::size_t>(place(reference, true, reference.row));
    const auto column = static_cast<std::size_t>(place(reference, false, reference.column));
    const auto sequence = static_cast<std::size_t>(reference.sequence),
               head = static_cast<std::size_t>(reference.head);
    const auto heads = static_cast<std::size_t>(layer.head_count()),
               groups = static_cast<std::size_t>(layer.kv_head_count());
    const auto of = [&](Stage stage, std::size_t at) { return state.forward.of(stage)[at]; };
    std::vector<std::pair<Number, Number>> terms;
    if (reference.stage == Stage::Context) {
      const PlainRow left = of(Stage::Dropped, sequence * heads + head)[row];
      const PlainMatrix values = of(Stage::Values, sequence * groups + head / (heads / groups));
      for (std::size_t key = 0; key < left.size(); ++key)
        terms.emplace_back(left[key], values[key][column]);
    } else if (reference.stage == Stage::Scores) {
      const bool turned = layer.attention.position.kind == PositionKind::Rotary;
      const PlainRow query =
          of(turned ? Stage::RotatedQueries : Stage::Queries, sequence * heads + head)[row];
      const PlainRow key =
          of(turned ? Stage::RotatedKeys : Stage::Keys, sequence * groups + head / (heads / groups))[column];
      for (std::size_t i = 0; i < query.size(); ++i)
        terms.emplace_back(query[i], key[i]);
    } else if (reference.stage == Stage::Queries || reference.stage == Stage::Output) {
      const Parameter parameter = reference.stage == Stage::Queries ? Parameter::Query : Parameter::Output;
      if (!layer.uses(parameter)) return std::nullopt;
      const PlainRow left =
          of(reference.stage == Stage::Queries ? Stage::Embeddings : Stage::Concat, sequence)[row];
      const PlainMatrix weight = plain(layer.weights.matrix(parameter));
      const std::size_t at =
          column + (reference.stage == Stage::Queries ? head * static_cast<std::size_t>(layer.d_k()) : 0);
      for (std::size_t i = 0; i < left.size(); ++i)
        terms.emplace_back(left[i],
                           layer.weights.layout == WeightLayout::InOut ? weight[i][at] : weight[at][i]);
    } else {
      return std::nullopt;
    }
    return terms;
  }
  Numbers term(const TextReference& reference) const {
    const auto terms = products(reference);
    if (!terms || reference.term >= static_cast<int>(terms->size())) return std::nullopt;
    const auto& [left, right] = (*terms)[static_cast<std::size_t>(reference.term)];
    return std::vector<Number>{{left.value * right.value, left.error * std::abs(right.value) +
                                                              right.error * std::abs(left.value) +
                                                              kUnit * std::abs(left.value * right.value)}};
  }

  // --- amounts ---

  Numbers amount(const std::string& text) const {
    Cursor in(text);
    return sum(in);
  }

  template <class Combine>
  static Numbers each(const Numbers& left, const Numbers& right, Combine combine) {
    if (!left || !right) return std::nullopt;
    if (left->size() != right->size() && left->size() != 1 && right->size() != 1) return std::nullopt;
    std::vector<Number> numbers;
    for (std::size_t i = 0; i < std::max(left->size(), right->size()); ++i)
      numbers.push_back(combine((*left)[left->size() == 1 ? 0 : i], (*right)[right->size() == 1 ? 0 : i]));
    return numbers;
  }

  Numbers sum(Cursor& in) const {
    Numbers left = product(in);
    for (;;) {
      const double sign = in.take("+") ? 1 : in.take("-") ? -1 : 0;
      if (sign == 0) return left;
      left = each(left, product(in), [sign](Number a, Number b) {
        return Number{a.value + sign * b.value,
                      a.error + b.error + kUnit * (std::abs(a.value) + std::abs(b.value))};
      });
    }
  }
  Numbers product(Cursor& in) const {
    Numbers left = factor(in);
    for (;;) {
      const bool times = in.take("*");
      if (!times && !in.take("/")) return left;
      left = each(left, factor(in), [times](Number a, Number b) {
        if (times)
          return Number{a.value * b.value,
                        a.error * std::abs(b.value) + b.error * std::abs(a.value) + a.error * b.error};
        if (b.error > 0 && std::abs(b.value) <= 2 * b.error) return Number{0, INFINITY};
        const double value = a.value / b.value;
        return Number{value, b.value == 0
                                 ? (a.error > 0 ? INFINITY : 0.0)
                                 : (a.error + std::abs(value) * b.error) / (std::abs(b.value) - b.error)};
      });
    }
  }
  Numbers factor(Cursor& in) const {
    if (in.digit()) return std::vector<Number>{{in.number(), 0.0}};
    const auto with = [](const Numbers& numbers, auto change) {
      return each(numbers, std::vector<Number>{{}}, [&](Number a, Number) { return change(a); });
    };
    if (in.take("-")) return with(factor(in), [](Number a) { return Number{-a.value, a.error}; });
    if (in.take_word("abs"))
      return with(factor(in), [](Number a) { return Number{std::abs(a.value), a.error}; });
    if (in.take_word("bits"))
      return with(factor(in), [](Number a) { return Number{std::log2(a.value), 1e-6}; });
    if (!in.take("(")) return value(parse(in));
    const Numbers inside = sum(in);
    in.take(")");
    return inside;
  }

  // --- conditions ---

  static Holds yes(bool holds) { return holds ? Holds::Yes : Holds::No; }
  static Holds opposite(Holds holds) {
    return holds == Holds::Yes ? Holds::No : holds == Holds::No ? Holds::Yes : holds;
  }
  static Holds joined(Holds deciding, Holds left, Holds right) {
    for (const Holds holds : {deciding, Holds::Either, Holds::Undecidable})
      if (left == holds || right == holds) return holds;
    return left;
  }
  static Holds all_of(Holds left, Holds right) { return joined(Holds::No, left, right); }

  Holds any(Cursor& in) const {
    Holds holds = all(in);
    while (in.take_word("or"))
      holds = joined(Holds::Yes, holds, all(in));
    return holds;
  }
  Holds all(Cursor& in) const {
    Holds holds = one(in);
    while (in.take_word("and"))
      holds = all_of(holds, one(in));
    return holds;
  }

  Holds one(Cursor& in) const {
    if (in.take_word("not")) return opposite(one(in));
    if (in.take_word("changed"))
      return in.take_word("lesson") ? yes(!plainly_alike(now_.layer, first_.layer))
             : in.take_word("only") ? changed_only(in)
                                    : changed(parse(in));
    if (in.take_word("moved")) return yes(moved(parse(in)));
    if (in.take_word("nan")) return any_nan(sum(in));
    if (in.take_word("known")) return yes(sum(in).has_value());
    Cursor ahead = in;
    const std::string setting = ahead.word();
    if (ahead.take(setting) && ahead.take_word("is") && ahead.word() != "largest" &&
        ahead.word() != "smallest") {
      const std::string word = ahead.word();
      ahead.take(word);
      in = ahead;
      return yes(is(setting, word));
    }
    const Numbers left = sum(in);
    if (in.take_word("is")) {
      const double sign = in.take_word("largest") ? 1 : in.take_word("smallest") ? -1 : 0;
      in.take_word("of");
      return sole(left, sum(in), sign);
    }
    for (const char* sign : {"<=", "<", ">=", ">", "!=", "=", "!~", "~"})
      if (in.take(sign)) return compared(sign, left, sum(in));
    return Holds::Either;
  }

  static Holds any_nan(const Numbers& numbers) {
    if (!numbers) return Holds::Undecidable;
    bool unknown = false;
    for (const Number& number : *numbers) {
      if (std::isnan(number.value)) return Holds::Yes;
      unknown = unknown || !std::isfinite(number.error);
    }
    return unknown ? Holds::Either : Holds::No;
  }

  static Holds compare(const std::string& sign, Number a, Number b) {
    if (!std::isfinite(a.error) || !std::isfinite(b.error)) return Holds::Either;
    if (sign == "~" || sign == "!~") return sign == "~" ? near(a, b) : opposite(near(a, b));
    if (sign == ">") return compare("<", b, a);
    if (sign == ">=") return opposite(compare("<", a, b));
    if (sign == "<=") return opposite(compare("<", b, a));
    if (sign == "!=") return opposite(compare("=", a, b));
    const double room = a.error + b.error;
    if (a.value == b.value && std::isinf(a.value)) return yes(sign == "=");
    if (std::abs(a.value - b.value) <= room && room > 0) return Holds::Either;
    return yes(sign == "<" ? a.value < b.value : a.value == b.value);
  }
  static Holds near(Number a, Number b) {
    if (a.value == b.value && a.error + b.error == 0) return Holds::Yes;
    const double apart = std::abs(a.value - b.value), room = a.error + b.error + 1e-9;
    if (!std::isfinite(apart)) return yes(a.value == b.value);
    const double limit = std::max(0.00005, 0.00001 * std::max(std::abs(a.value), std::abs(b.value)));
    return apart + room < limit ? Holds::Yes : apart - room > limit ? Holds::No : Holds::Either;
  }

  static Holds compared(const std::string& sign, const Numbers& left, const Numbers& right) {
    const std::string plain = sign == "!=" ? "=" : sign == "!~" ? "~" : sign;
    const auto nan = [](const Numbers& numbers) { return any_nan(numbers); };
    if (nan(left) == Holds::Undecidable || nan(right) == Holds::Undecidable) return Holds::Undecidable;
    if (nan(left) == Holds::Yes || nan(right) == Holds::Yes) return Holds::Undecidable;
    if (nan(left) == Holds::Either || nan(right) == Holds::Either) return Holds::Either;
    if (left->size() != right->size() && left->size() != 1 && right->size() != 1) return Holds::Undecidable;
    Holds holds = Holds::Yes;
    for (std::size_t i = 0; i < std::max(left->size(), right->size()); ++i)
      holds = all_of(
          holds, compare(plain, (*left)[left->size() == 1 ? 0 : i], (*right)[right->size() == 1 ? 0 : i]));
    return plain == sign ? holds : opposite(holds);
  }

  // Whether `left` is the only largest number of the list, or the only smallest one if `sign` is -1.
  static Holds sole(const Numbers& left, const Numbers& list, double sign) {
    if (any_nan(left) == Holds::Undecidable || any_nan(list) == Holds::Undecidable) return Holds::Undecidable;
    if (any_nan(left) == Holds::Yes || any_nan(list) == Holds::Yes) return Holds::Undecidable;
    if (any_nan(left) == Holds::Either || any_nan(list) == Holds::Either) return Holds::Either;
    const Number one = left->front();
    int same = 0, near = 0;
    for (const Number& other : *list) {
      const double further = sign * (other.value - one.value), room = other.error + one.error;
      if (other.value == one.value && room == 0) ++same;
      if (further > room) return Holds::No;
      near += std::abs(further) <= room || other.value == one.value;
    }
    if (same > 1) return Holds::No;
    return near == 1 ? Holds::Yes : Holds::Either;
  }

  bool moved(const TextReference& reference) const {
    TextReference then = reference;
    then.moment = "first";
    const auto side_moved = [&](bool rows, int at) {
      const int now = side(reference, rows, now_.layer).count, before = side(then, rows, first_.layer).count;
      if (at >= 0) return at >= now || place(then, rows, at) != at;
      bool other = now != before;
      for (int line = 0; line < now && !other; ++line)
        other = place(then, rows, line) != line;
      return other;
    };
    if (reference.weight && now_.layer.weights.layout != first_.layer.weights.layout) return true;
    if (!reference.weight && !matrix(reference)) return true;
    return side_moved(true, reference.every_row ? -1 : reference.row) || side_moved(false, reference.column);
  }

  Holds changed(const TextReference& reference) const {
    TextReference then = reference;
    then.moment = "first";
    const Numbers now = value(reference);
    if (!now) {
      const PlainLines still(first_.layer);
      return PlainConditions(first_, first_, opened_, still, sequence_, head_).value(reference)
                 ? Holds::Yes
                 : Holds::Undecidable;
    }
    if (moved(reference)) return Holds::Yes;
    const Numbers first = value(then);
    if (!first || first->size() != now->size()) return Holds::Yes;
    Holds same = Holds::Yes;
    for (std::size_t i = 0; i < now->size(); ++i) {
      const Number a = (*now)[i], b = (*first)[i];
      const bool both = std::isnan(a.value) && std::isnan(b.value);
      same = all_of(same, both                                         ? Holds::Yes
                          : std::isnan(a.value) != std::isnan(b.value) ? Holds::No
                                                                       : compare("=", a, b));
    }
    // Equal models compute the same bits.
    if (same == Holds::Either && plainly_alike(now_.layer, first_.layer)) same = Holds::Yes;
    return opposite(same);
  }

  // Whether the model differs from the first one in this part alone: restoring the part makes them equal.
  Holds changed_only(Cursor& in) const {
    using namespace headlight;
    const std::string word = in.word();
    Layer back = now_.layer;
    const Layer& first = first_.layer;
    const AttentionSettings& a = first.attention;
    const bool shapes = word == "bias" || word == "heads" || word == "d_out";
    try {
      if (word == "mask") {
        back.attention.mask = a.mask;
        back.attention.rules = a.rules;
        back.custom_mask = first.custom_mask;
      } else if (word == "normalization") {
        back.attention.normalization = a.normalization;
      } else if (word == "scale") {
        back.attention.scale = a.scale;
      } else if (word == "dropout") {
        back.attention.dropout = a.dropout;
      } else if (word == "disabled_heads") {
        back.attention.disabled_heads = a.disabled_heads;
      } else if (shapes) {
        if (back.weights.edited || first.weights.edited || !first.weights.recipe) return Holds::Either;
        if (word == "bias") set_qkv_bias(back, a.qkv_bias);
        if (word == "heads") set_num_heads(back, a.num_heads);
        if (word == "d_out") set_d_out(back, a.d_out);
      } else {
        put_back(parse(in), first, back);
        return yes(plainly_alike(back, first) && !plainly_alike(now_.layer, first));
      }
    } catch (const Error&) {
      return Holds::No;
    }
    in.take(word);
    return yes(plainly_alike(back, first) && !plainly_alike(now_.layer, first));
  }
  static void put_back(const TextReference& reference, const headlight::Layer& first,
                       headlight::Layer& back) {
    const auto at = static_cast<std::size_t>(reference.sequence);
    if (!reference.weight && (at >= back.embeddings.size() || at >= first.embeddings.size())) return;
    const headlight::Matrix& from =
        reference.weight ? first.weights.matrix(*reference.weight) : first.embeddings[at];
    headlight::Matrix& to = reference.weight ? back.weights.matrix(*reference.weight) : back.embeddings[at];
    if (from.rows() != to.rows() || from.cols() != to.cols()) return;
    for (headlight::Index row = 0; row < from.rows(); ++row)
      for (headlight::Index column = 0; column < from.cols(); ++column)
        if ((reference.every_row || row == reference.row) &&
            (reference.column < 0 || column == reference.column))
          to(row, column) = from(row, column);
  }

  bool is(const std::string& setting, const std::string& word) const {
    using namespace headlight;
    const AttentionSettings& a = now_.layer.attention;
    const auto on = [&](bool holds) { return holds == (word == "on"); };
    if (setting == "mask")
      return word == "none"     ? a.mask == MaskKind::None
             : word == "causal" ? a.mask == MaskKind::Causal
                                : a.mask > MaskKind::Causal;
    if (setting == "normalization")
      return a.normalization == (word == "softmax" ? Normalization::Softmax
                                 : word == "sum"   ? Normalization::Sum
                                                   : Normalization::NaiveSoftmax);
    if (setting == "projection")
      return a.projection == (word == "none"     ? Projection::None
                              : word == "linear" ? Projection::Linear
                              : word == "given"  ? Projection::Given
                                                 : Projection::Weights);
    if (setting == "scale")
      return a.scale.kind == (word == "none"     ? ScaleKind::None
                              : word == "number" ? ScaleKind::Number
                                                 : ScaleKind::InverseSqrtDk);
    if (setting == "dropout") return on(a.dropout.training && a.dropout.probability > 0);
    if (setting == "training") return on(a.dropout.training);
    if (setting == "bias") return on(a.qkv_bias);
    if (setting == "output_projection") return on(a.output_projection);
    if (setting == "dropout_seed") return a.dropout.seed.has_value() == (word == "set");
    if (setting == "layout") return (now_.layer.weights.layout == WeightLayout::OutIn) == (word == "out_in");
    return a.disabled_heads.empty() == (word == "none");
  }

  const PlainState &now_, &first_, &opened_;
  const PlainLines& lines_;
  headlight::Index sequence_, head_;
};

}  // namespace headlight_test
