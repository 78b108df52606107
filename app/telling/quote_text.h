// Quotes of a lesson's text as they are read: the engine's numbers in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/telling/facts.h"
#include "engine/session/quote.h"

namespace headlight {

// "…": the answer has not come; "–": the model has no such place any more.
inline constexpr const char* kNotYet = "…";
inline constexpr const char* kGone = "–";

// What the engine must be asked for; nothing where the model itself knows.
struct QuoteNeed {
  std::optional<CellAddress> cell;
  std::vector<RowRequest> rows;
};
QuoteNeed quote_need(const Quote& quote, const Model& model);

// The numbers that are quoted, one or a list: row by row, transposed column by column.
struct QuotedNumbers {
  enum class State { Known, Waiting, Gone };
  State state = State::Gone;
  std::vector<double> values;
};
// Of a quote that is no token and no list of products.
QuotedNumbers quoted_numbers(const Quote& quote, const Facts& facts);

// Those of an earlier state, of the tokens and dimensions that the quote names now. A list is in the order of
// now; it is gone where it had others.
QuotedNumbers quoted_numbers(const Quote& quote, const Facts& now, const Facts& then);

// The quote's text. Lists of more than eight numbers are cut short.
std::string quote_text(const Quote& quote, const Facts& facts);
// As it was in an earlier state, of the same tokens and dimensions. A list that had others is told as it was.
std::string quote_text(const Quote& quote, const Facts& now, const Facts& then);
// Of a quote of tokens in a state, the present one or an earlier one: the names of all that share the largest
// number, or the smallest. None: it waits, is
// gone, or there is no largest one since a number is NaN, which quote_text tells.
std::vector<std::string> quoted_tokens(const Quote& quote, const Facts& now, const Facts& then);
// "a”, “b” and equally “c": names that stand within “ and ”.
std::string told_tokens(const std::vector<std::string>& names);

// "six" for 6 and so on up to twelve, else the digits.
std::string number_word(double number);

}  // namespace headlight
