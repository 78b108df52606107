// Quotes of a lesson's text as they are read: the engine's numbers in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lesson_text/value_source.h"
#include "engine/session/text_reference.h"

namespace headlight {

// "…": the answer has not come; "–": the model has no such place any more.
inline constexpr const char* kNotYet = "…";
inline constexpr const char* kGone = "–";

// What the engine must be asked for; nothing where the model itself knows.
struct ReferenceNeed {
  std::optional<CellAddress> cell;
  std::vector<RowRequest> rows;
};
ReferenceNeed reference_need(const TextReference& reference, const Model& model);

// The numbers that are referenced, one or a list: row by row, transposed column by column.
struct ReferencedNumbers {
  enum class State { Known, Waiting, Gone };
  State state = State::Gone;
  std::vector<double> values;
};
// Of a reference that is no token and no list of products.
ReferencedNumbers referenced_numbers(const TextReference& reference, const ValueSource& source);

// Those of an earlier state, of the tokens and dimensions that the reference names now. A list is in the
// order of now; it is gone where it had others.
ReferencedNumbers referenced_numbers(const TextReference& reference, const ValueSource& now,
                                     const ValueSource& then);

// The reference's text. Lists of more than eight numbers are cut short.
std::string reference_text(const TextReference& reference, const ValueSource& source);
// As it was in an earlier state, of the same tokens and dimensions. A list that had others is told as it was.
std::string reference_text(const TextReference& reference, const ValueSource& now, const ValueSource& then);
// Of a reference of tokens in a state, the present one or an earlier one: the names of all that share the
// largest number, or the smallest. None: it waits, is gone, or there is no largest one since a number is NaN,
// which reference_text tells.
std::vector<std::string> referenced_tokens(const TextReference& reference, const ValueSource& now,
                                           const ValueSource& then);
// "a”, “b” and equally “c": names that stand within “ and ”.
std::string joined_tokens(const std::vector<std::string>& names);

// "six" for 6 and so on up to twelve, else the digits.
std::string number_word(double number);

}  // namespace headlight
