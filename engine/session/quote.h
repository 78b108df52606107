// Quotes: places in a lesson's text where a number of the engine stands, as {weights[1,0]}. The numbers are
// never typed: they are filled in from the engine's newest answer. All indices count from 0.
//
//   {weights[1,0]}                a cell                       {weights[1]}            a row, as a list
//   {weights[1,0] head 1}         of another head              {output[0] sequence 1}  of another sequence
//   {scores[1,2] terms}           the products it is the sum of, {context[1,0] term 2} one of them
//   {weights[1,0] exponential}    the exponential; row_max, row_sum and noise likewise
//   {scores[1] sum}               of a row: sum, largest, largest_token, entropy (in bits)
//   {W_query[0,1]}                a cell or a row of a weight: W_query, W_key, W_value, W_output
//   {token[1]}                    a token's label
//   {scale}                       a setting: scale, dropout, dropout_factor, d_in, d_out, d_k, heads, tokens
//   {weights[1,0]:2}              with two decimals instead of four
//   {{ and }}                     a brace
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/model.h"
#include "engine/model/stage.h"

namespace headlight {

enum class QuoteKind {
  Value,  // a cell, or a whole row where no column is given
  Terms,
  Term,
  Exponential,
  RowMax,
  RowSum,
  Noise,
  Sum,
  Largest,
  LargestToken,
  Entropy,
  Weight,  // a cell or a row of a weight
  Token,
  Setting,
};

enum class QuotedSetting { Scale, Dropout, DropoutFactor, DIn, DOut, DHead, Heads, Tokens };

struct Quote {
  QuoteKind kind = QuoteKind::Value;
  Stage stage = Stage::Weights;
  Parameter parameter = Parameter::Query;        // Weight
  QuotedSetting setting = QuotedSetting::Scale;  // Setting
  Index sequence = 0, head = 0, row = 0;
  std::optional<Index> column;
  Index term = 0;  // Term
  int decimals = 4;
  bool operator==(const Quote&) const = default;
};

// A piece of a text: either words or a quote.
struct TextPiece {
  std::string words;
  std::optional<Quote> quote;
};

// Cuts a text at its quotes; `sequence` and `head` are those of quotes that name none. Throws Error when a
// brace is not closed or a name or word is unknown.
std::vector<TextPiece> parse_quotes(std::string_view text, Index sequence, Index head);

// Whether the model has what is quoted.
bool quote_exists(const Quote& quote, const Model& model);

}  // namespace headlight
