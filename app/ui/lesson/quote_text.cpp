#include "app/ui/lesson/quote_text.h"

#include <charconv>
#include <cmath>

#include "app/figure/plan/heatmap_figure.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr std::size_t kMostListed = 8;
constexpr const char* kNotYet = "…";
constexpr const char* kGone = "–";

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
  const bool typed = quote.kind == QuoteKind::Weight || quote.stage == Stage::Embeddings;
  return typed && quote.decimals == Quote{}.decimals ? trimmed_number(value, quote.decimals)
                                                     : number_text(value, quote.decimals);
}

std::string terms_text(const std::vector<Term>& terms) {
  return listed_texts(terms.size(), " + ", [&](std::size_t i) {
    return trimmed_number(terms[i].left, 4) + " × " + factor_text(terms[i].right);
  });
}

std::string setting_text(const Quote& quote, const Model& model) {
  const double p = model.attention.dropout.probability;
  switch (quote.setting) {
    case QuotedSetting::Scale:
      return trimmed_number(model.scale_factor(), quote.decimals);
    case QuotedSetting::Dropout:
      return trimmed_number(p, quote.decimals);
    case QuotedSetting::DropoutFactor:
      return trimmed_number(p < 1 ? 1 / (1 - p) : 0, quote.decimals);
    case QuotedSetting::DIn:
      return std::to_string(model.d_in());
    case QuotedSetting::DOut:
      return std::to_string(model.d_out());
    case QuotedSetting::DHead:
      return std::to_string(model.d_k());
    case QuotedSetting::Heads:
      return std::to_string(model.head_count());
    case QuotedSetting::Tokens:
      return std::to_string(model.token_count());
  }
  return "";
}

std::string weight_text(const Quote& quote, const Model& model) {
  const Matrix& weight = model.weights.matrix(quote.parameter);
  if (quote.column) return value_text(quote, weight(quote.row, *quote.column));
  return listed_texts(static_cast<std::size_t>(weight.cols()), ", ", [&](std::size_t i) {
    return value_text(quote, weight(quote.row, static_cast<Index>(i)));
  });
}

std::string cell_text(const Quote& quote, const CellTrace& cell) {
  switch (quote.kind) {
    case QuoteKind::Terms:
      return terms_text(cell.terms);
    case QuoteKind::Term:
      return quote.term < static_cast<Index>(cell.terms.size())
                 ? number_text(cell.terms[static_cast<std::size_t>(quote.term)].product(), quote.decimals)
                 : kGone;
    case QuoteKind::Exponential:
      return number_text(cell.chain.exponential, quote.decimals);
    case QuoteKind::RowMax:
      return number_text(cell.chain.row_max, quote.decimals);
    case QuoteKind::RowSum:
      return number_text(cell.chain.row_sum, quote.decimals);
    case QuoteKind::Noise:
      return trimmed_number(cell.chain.noise, quote.decimals);
    default:
      return value_text(quote, cell.value);
  }
}

std::string row_text(const Quote& quote, const Model& model, const RowSummary& row) {
  const bool any = row.largest >= 0;
  switch (quote.kind) {
    case QuoteKind::Sum:
      return number_text(row.sum, quote.decimals);
    case QuoteKind::Largest:
      return any ? number_text(row.values[static_cast<std::size_t>(row.largest)], quote.decimals) : kGone;
    case QuoteKind::LargestToken:
      return any && row.largest < model.token_count()
                 ? visible_label(model.tokens[static_cast<std::size_t>(row.largest)])
                 : kGone;
    case QuoteKind::Entropy:
      return number_text(row.entropy_bits, quote.decimals);
    default:
      break;
  }
  return listed_texts(row.values.size(), ", ",
                      [&](std::size_t i) { return value_text(quote, row.values[i]); });
}

bool of_model(QuoteKind kind) {
  return kind == QuoteKind::Weight || kind == QuoteKind::Token || kind == QuoteKind::Setting;
}

}  // namespace

QuoteNeed quote_need(const Quote& quote, const Model& model) {
  if (of_model(quote.kind) || !quote_exists(quote, model)) return {};
  const Index head = stage_info(quote.stage).per_head ? quote.head : 0;
  if (quote.column) return {CellAddress{quote.stage, quote.sequence, head, quote.row, *quote.column}, {}};
  // Room for every value: pooled ones would not be those of the row.
  return {{}, RowRequest{quote.stage, quote.sequence, head, quote.row, stage_columns(model, quote.stage)}};
}

std::string quote_text(const Quote& quote, const Model& model, const CellTrace* cell, const RowSummary* row) {
  if (!quote_exists(quote, model)) return kGone;
  if (quote.kind == QuoteKind::Setting) return setting_text(quote, model);
  if (quote.kind == QuoteKind::Token) return visible_label(model.tokens[static_cast<std::size_t>(quote.row)]);
  if (quote.kind == QuoteKind::Weight) return weight_text(quote, model);
  if (quote.column) return cell ? cell_text(quote, *cell) : kNotYet;
  return row ? row_text(quote, model, *row) : kNotYet;
}

std::vector<TextRun> live_text(UiContext& ui, const std::string& text, Index sequence, Index head) {
  std::vector<TextRun> runs;
  for (const TextPiece& piece : parse_quotes(text, sequence, head)) {
    if (!piece.quote) {
      runs.push_back({piece.words, false, {}});
      continue;
    }
    const QuoteNeed need = quote_need(*piece.quote, ui.model());
    if (need.cell) ui.wish.traces.push_back(*need.cell);
    if (need.row) ui.wish.rows.push_back(*need.row);
    const auto cell = need.cell && ui.answer ? ui.answer->find(*need.cell) : nullptr;
    const auto row = need.row && ui.answer ? ui.answer->find(*need.row) : nullptr;
    const bool number = piece.quote->kind != QuoteKind::Token && piece.quote->kind != QuoteKind::LargestToken;
    runs.push_back({quote_text(*piece.quote, ui.model(), cell.get(), row.get()), number, need.cell});
  }
  return runs;
}

std::string plain_text(const std::vector<TextRun>& runs) {
  std::string text;
  for (const TextRun& run : runs)
    text += run.text;
  return text;
}

}  // namespace headlight
