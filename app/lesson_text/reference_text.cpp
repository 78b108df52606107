#include "app/lesson_text/reference_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "app/lesson_text/reference_lineage.h"

namespace headlight {
namespace {

constexpr std::size_t kMostListed = 8;

// Without trailing zeros, as in a typed "0.55", if that is exactly the number; else with all decimals.
std::string trimmed_number(double value, int decimals) {
  std::string whole = number_text(value, decimals);
  const std::string digits = number_text(std::abs(value), decimals);
  if (digits.find('.') == std::string::npos || digits.find('e') != std::string::npos) return whole;
  const std::size_t kept = digits.find_last_not_of('0') + 1;
  const std::size_t zeros = digits.size() - (digits[kept - 1] == '.' ? kept - 1 : kept);
  float short_value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), short_value);
  if (short_value != static_cast<float>(std::abs(value))) return whole;
  return whole.substr(0, whole.size() - zeros);
}

std::string factor_text(float value) {
  const std::string text = trimmed_number(value, 4);
  return value < 0 ? "(" + text + ")" : text;
}

// Joins the texts of `count` items. `text_of` is called only for the first and last ones of a long list.
template <class TextOf>
std::string listed_texts(std::size_t count, const std::string& between, TextOf text_of) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) all += between;
    if (count > kMostListed && i == kMostListed - 2) {
      all += kPendingText + between;
      i = count - 1;
    }
    all += text_of(i);
  }
  return all;
}

// Numbers that the user types (inputs and settings) have no trailing zeros.
std::string value_text(const TextReference& reference, double value) {
  const bool typed = !reference.of_goal() &&
                     (reference.kind == ReferenceKind::Setting || reference.kind == ReferenceKind::Noise ||
                      reference.parameter || reference.stage == Stage::Embeddings);
  return typed && reference.decimals == TextReference{}.decimals ? trimmed_number(value, reference.decimals)
                                                                 : number_text(value, reference.decimals);
}

std::string numbers_text(const TextReference& reference, const std::vector<double>& values) {
  return listed_texts(values.size(), ", ", [&](std::size_t i) { return value_text(reference, values[i]); });
}

std::string terms_text(const std::vector<Term>& terms) {
  return listed_texts(terms.size(), " + ", [&](std::size_t i) {
    return trimmed_number(terms[i].left, 4) + " × " + factor_text(terms[i].right);
  });
}

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// NaN without a seed.
double seed_number(const std::optional<std::int64_t>& seed) {
  return seed ? static_cast<double>(*seed) : kNoNumber;
}

double setting_number(ReferencedSetting setting, const Layer& layer) {
  const Dropout& dropout = layer.attention.dropout;
  switch (setting) {
    case ReferencedSetting::Scale:
      return layer.scale_factor();
    case ReferencedSetting::Dropout:
      return dropout.probability;
    case ReferencedSetting::DropoutFactor:
      return dropout.probability < 1 ? 1 / (1 - dropout.probability) : 0;
    case ReferencedSetting::DIn:
      return static_cast<double>(layer.d_in());
    case ReferencedSetting::DOut:
      return static_cast<double>(layer.d_out());
    case ReferencedSetting::DHead:
      return static_cast<double>(layer.d_k());
    case ReferencedSetting::Heads:
      return static_cast<double>(layer.head_count());
    case ReferencedSetting::KvHeads:
      return static_cast<double>(layer.kv_head_count());
    case ReferencedSetting::KeyTokens:
      return static_cast<double>(layer.key_count());
    case ReferencedSetting::Tokens:
      return static_cast<double>(layer.token_count());
    case ReferencedSetting::Sequences:
      return static_cast<double>(layer.sequence_count());
    case ReferencedSetting::WeightSeed:
      return layer.weights.recipe && !layer.weights.edited ? static_cast<double>(layer.weights.recipe->seed)
                                                           : kNoNumber;
    case ReferencedSetting::DropoutSeed:
      return seed_number(dropout.seed);
    case ReferencedSetting::Loss:  // not of the layer alone
      break;
  }
  return kNoNumber;
}

double cell_number(const TextReference& reference, const CellTrace& cell) {
  switch (reference.kind) {
    case ReferenceKind::Term:
      return reference.term < static_cast<Index>(cell.terms.size())
                 ? cell.terms[static_cast<std::size_t>(reference.term)].product()
                 : kNoNumber;
    case ReferenceKind::Exponential:
      return cell.chain.exponential;
    case ReferenceKind::RowMax:
      return cell.chain.row_max;
    case ReferenceKind::RowSum:
      return cell.chain.row_sum;
    case ReferenceKind::Noise:
      return cell.chain.noise;
    case ReferenceKind::Value:
    case ReferenceKind::Terms:
    case ReferenceKind::DrawnMean:
    case ReferenceKind::Sum:
    case ReferenceKind::Mean:
    case ReferenceKind::Largest:
    case ReferenceKind::Smallest:
    case ReferenceKind::Spread:
    case ReferenceKind::Count:
    case ReferenceKind::LargestToken:
    case ReferenceKind::SmallestToken:
    case ReferenceKind::Entropy:
    case ReferenceKind::Token:
    case ReferenceKind::Setting:
      break;
  }
  return cell.value;
}

Index head_of(const TextReference& reference) {
  return stage_info(reference.stage).per_head ? reference.head : 0;
}

// The gradients that the reference names; null if there are none of its shape.
const Matrix* gradient_matrix(const TextReference& reference, const ValueSource& source) {
  const Layer& layer = source.layer();
  const Gradients* const all = source.gradients().all;
  if (!all) return nullptr;
  if (reference.parameter) {
    const Matrix& found = all->matrix(*reference.parameter);
    const Matrix& own = layer.weights.matrix(*reference.parameter);
    return found.rows() == own.rows() && found.cols() == own.cols() ? &found : nullptr;
  }
  const std::vector<Matrix>& found = all->of(reference.stage);
  const auto at =
      static_cast<std::size_t>(reference.sequence * stage_heads(layer, reference.stage) + head_of(reference));
  if (at >= found.size() || found[at].rows() != stage_rows(layer, reference.stage) ||
      found[at].cols() != stage_columns(layer, reference.stage))
    return nullptr;
  return &found[at];
}

// Whether the referenced numbers exist. Gradients that are pending count as existing.
bool exists(const TextReference& reference, const ValueSource& source) {
  return reference_exists(reference, source.layer()) &&
         (!reference.gradient || source.gradients().pending || gradient_matrix(reference, source));
}

std::vector<std::vector<double>> rows_of(const TextReference& reference, const Matrix& matrix) {
  const Index begin = reference.every_row ? 0 : reference.row,
              end = reference.every_row ? matrix.rows() : begin + 1;
  std::vector<std::vector<double>> rows;
  for (Index row = begin; row < end; ++row)
    rows.emplace_back(matrix.row(row).begin(), matrix.row(row).end());
  return rows;
}

// The referenced rows, from the layer's weights or from the engine; empty while a result is pending.
std::vector<std::vector<double>> referenced_rows(const TextReference& reference, const ValueSource& source) {
  std::vector<std::vector<double>> rows;
  if (reference.gradient) {
    const Matrix* const gradient = gradient_matrix(reference, source);
    return gradient ? rows_of(reference, *gradient) : rows;
  }
  if (reference.parameter) return rows_of(reference, source.layer().weights.matrix(*reference.parameter));
  for (const RowRequest& request : reference_need(reference, source.layer()).rows) {
    const auto row = source.row(request);
    if (!row) return {};
    rows.emplace_back(row->values.begin(), row->values.end());
  }
  return rows;
}

// The referenced numbers as one list, before a reduction such as the sum.
std::vector<double> listed_numbers(const TextReference& reference,
                                   const std::vector<std::vector<double>>& rows) {
  std::vector<double> values;
  if (reference.column) {
    for (const std::vector<double>& row : rows)
      values.push_back(row[static_cast<std::size_t>(*reference.column)]);
  } else if (reference.transposed) {
    for (std::size_t column = 0; column < rows.front().size(); ++column)
      for (const std::vector<double>& row : rows)
        values.push_back(row[column]);
  } else {
    for (const std::vector<double>& row : rows)
      values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

bool counts(const TextReference& reference, double value) {
  switch (reference.counted) {
    case CountedIf::Less:
      return value < reference.threshold;
    case CountedIf::Greater:
      return value > reference.threshold;
    case CountedIf::Equal:
      return value == reference.threshold;
    case CountedIf::NotEqual:
      return value != reference.threshold;
  }
  return false;
}

// In bits; NaN if a weight is negative.
double entropy_of(const std::vector<double>& weights) {
  double bits = 0;
  for (const double weight : weights) {
    if (weight < 0) return kNoNumber;
    if (weight > 0) bits -= weight * std::log2(weight);
  }
  return bits;
}

// The sum, mean or other reduction. Precondition: no value is NaN.
double reduced(const TextReference& reference, const std::vector<double>& values) {
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  switch (reference.kind) {
    case ReferenceKind::Sum:
      return sum;
    case ReferenceKind::Mean:
      return sum / static_cast<double>(values.size());
    case ReferenceKind::Largest:
      return *largest;
    case ReferenceKind::Smallest:
      return *smallest;
    case ReferenceKind::Spread:
      return *largest - *smallest;
    case ReferenceKind::Entropy:
      return entropy_of(values);
    case ReferenceKind::Value:
    case ReferenceKind::Terms:
    case ReferenceKind::Term:
    case ReferenceKind::Exponential:
    case ReferenceKind::RowMax:
    case ReferenceKind::RowSum:
    case ReferenceKind::Noise:
    case ReferenceKind::DrawnMean:
    case ReferenceKind::Count:
    case ReferenceKind::LargestToken:
    case ReferenceKind::SmallestToken:
    case ReferenceKind::Token:
    case ReferenceKind::Setting:
      break;
  }
  return kNoNumber;
}

bool is_nan(double value) {
  return std::isnan(value);
}

bool of_token(ReferenceKind kind) {
  return kind == ReferenceKind::LargestToken || kind == ReferenceKind::SmallestToken;
}

// The tokens that share the largest or the smallest number. Precondition: the reference exists.
std::vector<std::string> extreme_tokens(const TextReference& reference, const Layer& layer,
                                        const std::vector<double>& values) {
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  const double sought = reference.kind == ReferenceKind::LargestToken ? *largest : *smallest;
  const std::vector<std::string>& labels =
      reference.every_row ? row_labels(layer, reference.stage) : layer.key_labels();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] == sought) names.push_back(visible_label(labels[i]));
  return names;
}

std::string joined_names(const std::vector<std::string>& names, const std::string& between,
                         const std::string& last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? between : last) + names[i];
  return text;
}

std::string token_text(const TextReference& reference, const ValueSource& source) {
  const std::vector<std::vector<double>> rows = referenced_rows(reference, source);
  if (rows.empty()) return kPendingText;
  const std::vector<double> values = listed_numbers(reference, rows);
  if (std::any_of(values.begin(), values.end(), is_nan)) return kMissingText;
  return joined_names(extreme_tokens(reference, source.layer(), values), ", ", " and equally ");
}

// Reorders rows and columns of an earlier state to the present order.
std::vector<std::vector<double>> in_order(const std::vector<std::vector<double>>& rows,
                                          const ListOrder& order) {
  std::vector<std::vector<double>> ordered;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<double>& row = rows[order.rows.empty() ? i : static_cast<std::size_t>(order.rows[i])];
    ordered.push_back(row);
    for (std::size_t j = 0; j < order.columns.size(); ++j)
      ordered.back()[j] = row[static_cast<std::size_t>(order.columns[j])];
  }
  return ordered;
}

// The list itself, its count, or its sum, mean or other reduction.
ReferencedNumbers counted_or_reduced(const TextReference& reference, const std::vector<double>& values) {
  using State = ReferencedNumbers::State;
  if (reference.kind == ReferenceKind::Value) return {State::Known, values};
  if (reference.kind == ReferenceKind::Count)
    return {State::Known, {static_cast<double>(std::count_if(values.begin(), values.end(), [&](double value) {
              return counts(reference, value);
            }))}};
  if (std::any_of(values.begin(), values.end(), is_nan)) return {State::Known, {kNoNumber}};
  return {State::Known, {reduced(reference, values)}};
}

bool is_number_list(const TextReference& reference) {
  return reference.kind == ReferenceKind::Value && !reference.is_cell();
}

}  // namespace

ReferenceNeed reference_need(const TextReference& reference, const Layer& layer) {
  if (reference.kind == ReferenceKind::Setting || reference.kind == ReferenceKind::Token ||
      reference.parameter || reference.gradient || !reference_exists(reference, layer))
    return {};
  const Index head = head_of(reference), columns = stage_columns(layer, reference.stage);
  if (reference.is_cell())
    return {CellAddress{reference.stage, reference.sequence, head, reference.row, *reference.column}, {}};
  ReferenceNeed need;
  const Index begin = reference.every_row ? 0 : reference.row;
  const Index end = reference.every_row ? stage_rows(layer, reference.stage) : begin + 1;
  // As many bins as columns, so that the values are not pooled.
  for (Index row = begin; row < end; ++row)
    need.rows.push_back({reference.stage, reference.sequence, head, row, columns});
  return need;
}

ReferencedNumbers referenced_numbers(const TextReference& reference, const ValueSource& source) {
  using State = ReferencedNumbers::State;
  const Layer& layer = source.layer();
  if (!exists(reference, source)) return {};
  if (reference.kind == ReferenceKind::Setting && reference.of_goal()) {
    const SourceGradients gradients = source.gradients();
    if (gradients.pending) return {State::Waiting, {}};
    return gradients.all ? ReferencedNumbers{State::Known, {gradients.all->loss}} : ReferencedNumbers{};
  }
  if (reference.kind == ReferenceKind::Setting) {
    const double number = setting_number(reference.setting, layer);
    return is_nan(number) ? ReferencedNumbers{} : ReferencedNumbers{State::Known, {number}};
  }
  if (reference.kind == ReferenceKind::DrawnMean) {
    const auto mean = source.drawn_mean(*reference_need(reference, layer).cell);
    return mean ? ReferencedNumbers{State::Known, {*mean}} : ReferencedNumbers{};
  }
  if (reference.is_cell() && !reference.parameter && !reference.gradient) {
    const auto cell = source.cell(*reference_need(reference, layer).cell);
    if (!cell) return {State::Waiting, {}};
    return {State::Known, {cell_number(reference, *cell)}};
  }
  const std::vector<std::vector<double>> rows = referenced_rows(reference, source);
  if (rows.empty()) return {State::Waiting, {}};
  return counted_or_reduced(reference, listed_numbers(reference, rows));
}

ReferencedNumbers guessed_numbers(const TextReference& reference, const Matrix& guess) {
  std::vector<double> values;
  const bool one = guess.rows() == 1 && reference.is_row();  // guess[1]: the second number of a single row
  const Index row_begin = one || reference.every_row ? 0 : reference.row,
              row_end = one || reference.every_row ? guess.rows() : row_begin + 1;
  const std::optional<Index> column = one ? reference.row : reference.column;
  if (row_end > guess.rows() || column.value_or(0) >= guess.cols()) return {};
  for (Index row = row_begin; row < row_end; ++row)
    for (Index at = column.value_or(0); at < (column ? *column + 1 : guess.cols()); ++at)
      values.push_back(guess(row, at));
  return counted_or_reduced(reference, values);
}

ReferencedNumbers referenced_numbers(const TextReference& reference, const ValueSource& now,
                                     const ValueSource& then) {
  if (&now == &then) return referenced_numbers(reference, now);
  const std::optional<TextReference> followed = reference_then(reference, now.layer(), then.layer());
  if (!followed) return {};
  if (!is_number_list(reference)) return referenced_numbers(*followed, then);
  const std::optional<ListOrder> order = order_then(reference, now.layer(), then.layer());
  if (!order || !exists(*followed, then)) return {};
  const std::vector<std::vector<double>> rows = referenced_rows(*followed, then);
  if (rows.empty()) return {ReferencedNumbers::State::Waiting, {}};
  return {ReferencedNumbers::State::Known, listed_numbers(*followed, in_order(rows, *order))};
}

std::string reference_text(const TextReference& reference, const ValueSource& now, const ValueSource& then) {
  if (&now == &then) return reference_text(reference, now);
  const std::optional<TextReference> followed = reference_then(reference, now.layer(), then.layer());
  if (!followed) return kMissingText;
  const ReferencedNumbers numbers =
      is_number_list(reference) ? referenced_numbers(reference, now, then) : ReferencedNumbers{};
  if (numbers.state != ReferencedNumbers::State::Known) return reference_text(*followed, then);
  return numbers_text(reference, numbers.values);
}

std::vector<std::string> referenced_tokens(const TextReference& reference, const ValueSource& now,
                                           const ValueSource& then) {
  const Layer& layer = then.layer();
  if (!of_token(reference.kind)) return {};
  const std::optional<TextReference> followed = reference_then(reference, now.layer(), layer);
  if (!followed || !exists(*followed, then)) return {};
  const std::vector<std::vector<double>> rows = referenced_rows(*followed, then);
  if (rows.empty()) return {};
  const std::vector<double> values = listed_numbers(*followed, rows);
  if (std::any_of(values.begin(), values.end(), is_nan)) return {};
  return extreme_tokens(*followed, layer, values);
}

std::string joined_tokens(const std::vector<std::string>& names, bool quoted, const std::string& equally) {
  return quoted ? joined_names(names, "”, “", "” " + equally + " “")
                : joined_names(names, ", ", " " + equally + " ");
}

std::string reference_text(const TextReference& reference, const ValueSource& source) {
  const Layer& layer = source.layer();
  if (!exists(reference, source)) return kMissingText;
  if (reference.kind == ReferenceKind::Token)
    return visible_label(layer.tokens[static_cast<std::size_t>(reference.row)]);
  if (of_token(reference.kind)) return token_text(reference, source);
  if (reference.kind == ReferenceKind::Terms) {
    const auto cell = source.cell(*reference_need(reference, layer).cell);
    return cell ? terms_text(cell->terms) : kPendingText;
  }
  const ReferencedNumbers numbers = referenced_numbers(reference, source);
  if (numbers.state == ReferencedNumbers::State::Waiting) return kPendingText;
  if (numbers.state == ReferencedNumbers::State::Gone) return kMissingText;
  // A row with a NaN in it, or a weight below zero, has no entropy.
  if (reference.kind == ReferenceKind::Entropy && is_nan(numbers.values.front())) return kMissingText;
  if (reference.kind == ReferenceKind::Count)
    return std::to_string(static_cast<Index>(numbers.values.front()));
  return numbers_text(reference, numbers.values);
}

std::string number_word(double number) {
  constexpr std::array<const char*, 13> kWords = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                                  "seven", "eight", "nine", "ten",   "eleven", "twelve"};
  for (std::size_t i = 0; i < kWords.size(); ++i)
    if (number == static_cast<double>(i)) return kWords[i];
  return trimmed_number(number, 4);
}

}  // namespace headlight
