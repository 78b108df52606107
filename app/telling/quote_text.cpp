#include "app/telling/quote_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "engine/session/quote_lineage.h"

namespace headlight {
namespace {

constexpr std::size_t kMostListed = 8;

// "0.55" as it was typed, where that is the number to the last bit; else with all decimals.
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

// The texts of 0..count, of which a long list shows the first and the last: only those are made.
template <class TextOf>
std::string listed_texts(std::size_t count, const std::string& between, TextOf text_of) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) all += between;
    if (count > kMostListed && i == kMostListed - 2) {
      all += kNotYet + between;
      i = count - 1;
    }
    all += text_of(i);
  }
  return all;
}

// Typed numbers are written as they were typed.
std::string value_text(const Quote& quote, double value) {
  const bool typed = quote.kind == QuoteKind::Setting || quote.kind == QuoteKind::Noise || quote.parameter ||
                     quote.stage == Stage::Embeddings;
  return typed && quote.decimals == Quote{}.decimals ? trimmed_number(value, quote.decimals)
                                                     : number_text(value, quote.decimals);
}

std::string numbers_text(const Quote& quote, const std::vector<double>& values) {
  return listed_texts(values.size(), ", ", [&](std::size_t i) { return value_text(quote, values[i]); });
}

std::string terms_text(const std::vector<Term>& terms) {
  return listed_texts(terms.size(), " + ", [&](std::size_t i) {
    return trimmed_number(terms[i].left, 4) + " × " + factor_text(terms[i].right);
  });
}

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// NaN where nothing was drawn from a seed.
double seed_number(const std::optional<std::int64_t>& seed) {
  return seed ? static_cast<double>(*seed) : kNoNumber;
}

double setting_number(QuotedSetting setting, const Model& model) {
  const Dropout& dropout = model.attention.dropout;
  switch (setting) {
    case QuotedSetting::Scale:
      return model.scale_factor();
    case QuotedSetting::Dropout:
      return dropout.probability;
    case QuotedSetting::DropoutFactor:
      return dropout.probability < 1 ? 1 / (1 - dropout.probability) : 0;
    case QuotedSetting::DIn:
      return static_cast<double>(model.d_in());
    case QuotedSetting::DOut:
      return static_cast<double>(model.d_out());
    case QuotedSetting::DHead:
      return static_cast<double>(model.d_k());
    case QuotedSetting::Heads:
      return static_cast<double>(model.head_count());
    case QuotedSetting::KvHeads:
      return static_cast<double>(model.kv_head_count());
    case QuotedSetting::KeyTokens:
      return static_cast<double>(model.key_count());
    case QuotedSetting::Tokens:
      return static_cast<double>(model.token_count());
    case QuotedSetting::Sequences:
      return static_cast<double>(model.sequence_count());
    case QuotedSetting::WeightSeed:
      return model.weights.recipe && !model.weights.edited ? static_cast<double>(model.weights.recipe->seed)
                                                           : kNoNumber;
    case QuotedSetting::DropoutSeed:
      return seed_number(dropout.seed);
  }
  return kNoNumber;
}

double cell_number(const Quote& quote, const CellTrace& cell) {
  switch (quote.kind) {
    case QuoteKind::Term:
      return quote.term < static_cast<Index>(cell.terms.size())
                 ? cell.terms[static_cast<std::size_t>(quote.term)].product()
                 : kNoNumber;
    case QuoteKind::Exponential:
      return cell.chain.exponential;
    case QuoteKind::RowMax:
      return cell.chain.row_max;
    case QuoteKind::RowSum:
      return cell.chain.row_sum;
    case QuoteKind::Noise:
      return cell.chain.noise;
    default:
      return cell.value;
  }
}

Index head_of(const Quote& quote) {
  return stage_info(quote.stage).per_head ? quote.head : 0;
}

// Rows of numbers, from the model's own weights or from the engine; empty while an answer is missing.
std::vector<std::vector<double>> quoted_rows(const Quote& quote, const Facts& facts) {
  std::vector<std::vector<double>> rows;
  if (quote.parameter) {
    const Matrix& weight = facts.model().weights.matrix(*quote.parameter);
    const Index begin = quote.every_row ? 0 : quote.row, end = quote.every_row ? weight.rows() : begin + 1;
    for (Index row = begin; row < end; ++row)
      rows.emplace_back(weight.row(row).begin(), weight.row(row).end());
    return rows;
  }
  for (const RowRequest& request : quote_need(quote, facts.model()).rows) {
    const auto row = facts.row(request);
    if (!row) return {};
    rows.emplace_back(row->values.begin(), row->values.end());
  }
  return rows;
}

// The numbers of what is quoted, before anything is made of them.
std::vector<double> listed_numbers(const Quote& quote, const std::vector<std::vector<double>>& rows) {
  std::vector<double> values;
  if (quote.column) {
    for (const std::vector<double>& row : rows)
      values.push_back(row[static_cast<std::size_t>(*quote.column)]);
  } else if (quote.transposed) {
    for (std::size_t column = 0; column < rows.front().size(); ++column)
      for (const std::vector<double>& row : rows)
        values.push_back(row[column]);
  } else {
    for (const std::vector<double>& row : rows)
      values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

bool counts(const Quote& quote, double value) {
  switch (quote.counted) {
    case CountedIf::Less:
      return value < quote.threshold;
    case CountedIf::Greater:
      return value > quote.threshold;
    case CountedIf::Equal:
      return value == quote.threshold;
    case CountedIf::NotEqual:
      return value != quote.threshold;
  }
  return false;
}

// NaN of weights that are no shares.
double entropy_of(const std::vector<double>& weights) {
  double bits = 0;
  for (const double weight : weights) {
    if (weight < 0) return kNoNumber;
    if (weight > 0) bits -= weight * std::log2(weight);
  }
  return bits;
}

// What is made of a list that holds no NaN.
double reduced(const Quote& quote, const std::vector<double>& values) {
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  switch (quote.kind) {
    case QuoteKind::Sum:
      return sum;
    case QuoteKind::Mean:
      return sum / static_cast<double>(values.size());
    case QuoteKind::Largest:
      return *largest;
    case QuoteKind::Smallest:
      return *smallest;
    case QuoteKind::Spread:
      return *largest - *smallest;
    case QuoteKind::Entropy:
      return entropy_of(values);
    default:
      return kNoNumber;
  }
}

bool is_nan(double value) {
  return std::isnan(value);
}

bool of_token(QuoteKind kind) {
  return kind == QuoteKind::LargestToken || kind == QuoteKind::SmallestToken;
}

// The tokens that share the largest or the smallest number. Precondition: the quote exists.
std::vector<std::string> extreme_tokens(const Quote& quote, const Model& model,
                                        const std::vector<double>& values) {
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  const double sought = quote.kind == QuoteKind::LargestToken ? *largest : *smallest;
  const std::vector<std::string>& labels =
      quote.every_row ? row_labels(model, quote.stage) : model.key_labels();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] == sought) names.push_back(visible_label(labels[i]));
  return names;
}

std::string joined_names(const std::vector<std::string>& names, const char* between, const char* last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? between : last) + names[i];
  return text;
}

std::string token_text(const Quote& quote, const Facts& facts) {
  const std::vector<std::vector<double>> rows = quoted_rows(quote, facts);
  if (rows.empty()) return kNotYet;
  const std::vector<double> values = listed_numbers(quote, rows);
  if (std::any_of(values.begin(), values.end(), is_nan)) return kGone;
  return joined_names(extreme_tokens(quote, facts.model(), values), ", ", " and equally ");
}

// Rows and columns of an earlier state in the order of now.
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

bool is_number_list(const Quote& quote) {
  return quote.kind == QuoteKind::Value && !quote.is_cell();
}

}  // namespace

QuoteNeed quote_need(const Quote& quote, const Model& model) {
  if (quote.kind == QuoteKind::Setting || quote.kind == QuoteKind::Token || quote.parameter ||
      !quote_exists(quote, model))
    return {};
  const Index head = head_of(quote), columns = stage_columns(model, quote.stage);
  if (quote.is_cell()) return {CellAddress{quote.stage, quote.sequence, head, quote.row, *quote.column}, {}};
  QuoteNeed need;
  const Index begin = quote.every_row ? 0 : quote.row;
  const Index end = quote.every_row ? stage_rows(model, quote.stage) : begin + 1;
  // Room for every value: pooled ones would not be those of the row.
  for (Index row = begin; row < end; ++row)
    need.rows.push_back({quote.stage, quote.sequence, head, row, columns});
  return need;
}

QuotedNumbers quoted_numbers(const Quote& quote, const Facts& facts) {
  using State = QuotedNumbers::State;
  const Model& model = facts.model();
  if (!quote_exists(quote, model)) return {};
  if (quote.kind == QuoteKind::Setting) {
    const double number = setting_number(quote.setting, model);
    return is_nan(number) ? QuotedNumbers{} : QuotedNumbers{State::Known, {number}};
  }
  if (quote.kind == QuoteKind::DrawnMean) {
    const auto mean = facts.drawn_mean(*quote_need(quote, model).cell);
    return mean ? QuotedNumbers{State::Known, {*mean}} : QuotedNumbers{};
  }
  if (quote.is_cell() && !quote.parameter) {
    const auto cell = facts.cell(*quote_need(quote, model).cell);
    if (!cell) return {State::Waiting, {}};
    return {State::Known, {cell_number(quote, *cell)}};
  }
  const std::vector<std::vector<double>> rows = quoted_rows(quote, facts);
  if (rows.empty()) return {State::Waiting, {}};
  const std::vector<double> values = listed_numbers(quote, rows);
  if (quote.kind == QuoteKind::Value) return {State::Known, values};
  if (quote.kind == QuoteKind::Count)
    return {State::Known, {static_cast<double>(std::count_if(values.begin(), values.end(), [&](double value) {
              return counts(quote, value);
            }))}};
  if (std::any_of(values.begin(), values.end(), is_nan)) return {State::Known, {kNoNumber}};
  return {State::Known, {reduced(quote, values)}};
}

QuotedNumbers quoted_numbers(const Quote& quote, const Facts& now, const Facts& then) {
  if (&now == &then) return quoted_numbers(quote, now);
  const std::optional<Quote> followed = quote_then(quote, now.model(), then.model());
  if (!followed) return {};
  if (!is_number_list(quote)) return quoted_numbers(*followed, then);
  const std::optional<ListOrder> order = order_then(quote, now.model(), then.model());
  if (!order || !quote_exists(*followed, then.model())) return {};
  const std::vector<std::vector<double>> rows = quoted_rows(*followed, then);
  if (rows.empty()) return {QuotedNumbers::State::Waiting, {}};
  return {QuotedNumbers::State::Known, listed_numbers(*followed, in_order(rows, *order))};
}

std::string quote_text(const Quote& quote, const Facts& now, const Facts& then) {
  if (&now == &then) return quote_text(quote, now);
  const std::optional<Quote> followed = quote_then(quote, now.model(), then.model());
  if (!followed) return kGone;
  const QuotedNumbers numbers = is_number_list(quote) ? quoted_numbers(quote, now, then) : QuotedNumbers{};
  if (numbers.state != QuotedNumbers::State::Known) return quote_text(*followed, then);
  return numbers_text(quote, numbers.values);
}

std::vector<std::string> quoted_tokens(const Quote& quote, const Facts& now, const Facts& then) {
  const Model& model = then.model();
  if (!of_token(quote.kind)) return {};
  const std::optional<Quote> followed = quote_then(quote, now.model(), model);
  if (!followed || !quote_exists(*followed, model)) return {};
  const std::vector<std::vector<double>> rows = quoted_rows(*followed, then);
  if (rows.empty()) return {};
  const std::vector<double> values = listed_numbers(*followed, rows);
  if (std::any_of(values.begin(), values.end(), is_nan)) return {};
  return extreme_tokens(*followed, model, values);
}

std::string told_tokens(const std::vector<std::string>& names) {
  return joined_names(names, "”, “", "” and equally “");
}

std::string quote_text(const Quote& quote, const Facts& facts) {
  const Model& model = facts.model();
  if (!quote_exists(quote, model)) return kGone;
  if (quote.kind == QuoteKind::Token) return visible_label(model.tokens[static_cast<std::size_t>(quote.row)]);
  if (of_token(quote.kind)) return token_text(quote, facts);
  if (quote.kind == QuoteKind::Terms) {
    const auto cell = facts.cell(*quote_need(quote, model).cell);
    return cell ? terms_text(cell->terms) : kNotYet;
  }
  const QuotedNumbers numbers = quoted_numbers(quote, facts);
  if (numbers.state == QuotedNumbers::State::Waiting) return kNotYet;
  if (numbers.state == QuotedNumbers::State::Gone) return kGone;
  // A row with a NaN in it, or a weight below zero, has no entropy.
  if (quote.kind == QuoteKind::Entropy && is_nan(numbers.values.front())) return kGone;
  if (quote.kind == QuoteKind::Count) return std::to_string(static_cast<Index>(numbers.values.front()));
  return numbers_text(quote, numbers.values);
}

std::string number_word(double number) {
  constexpr std::array<const char*, 13> kWords = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                                  "seven", "eight", "nine", "ten",   "eleven", "twelve"};
  for (std::size_t i = 0; i < kWords.size(); ++i)
    if (number == static_cast<double>(i)) return kWords[i];
  return trimmed_number(number, 4);
}

}  // namespace headlight
