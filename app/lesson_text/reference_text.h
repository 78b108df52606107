// The numbers and the text of a reference in a lesson's text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lesson_text/value_source.h"
#include "engine/session/text_reference.h"

namespace headlight {

// "…": the result is pending; "–": the layer does not have the referenced number.
inline constexpr const char* kPendingText = "…";
inline constexpr const char* kMissingText = "–";

// The results that a reference needs from the engine; empty if the layer itself contains the number.
struct ReferenceNeed {
  std::optional<CellAddress> cell;
  std::vector<RowRequest> rows;
};
ReferenceNeed reference_need(const TextReference& reference, const Layer& layer);

// The referenced numbers, one or a list: row by row, or column by column if transposed.
struct ReferencedNumbers {
  enum class State { Known, Waiting, Gone };
  State state = State::Gone;
  std::vector<double> values;
};
// Precondition: the reference is neither a token nor a list of products.
ReferencedNumbers referenced_numbers(const TextReference& reference, const ValueSource& source);

// The numbers of a guess that the reference names; Gone if it has no such number.
ReferencedNumbers guessed_numbers(const TextReference& reference, const Matrix& guess);

// The numbers of the earlier state `then` for the tokens and dimensions that the reference names in `now`. A
// list has the order of `now`; Gone if it had other tokens or dimensions.
ReferencedNumbers referenced_numbers(const TextReference& reference, const ValueSource& now,
                                     const ValueSource& then);

// The text of a reference. Of a list of more than eight numbers, the middle is replaced by "…".
std::string reference_text(const TextReference& reference, const ValueSource& source);
// The text in the earlier state `then`, for the same tokens and dimensions; a list that had others is
// unchanged.
std::string reference_text(const TextReference& reference, const ValueSource& now, const ValueSource& then);
// For LargestToken and SmallestToken in `then`, a present or earlier state: the labels of all tokens that
// share the extreme number. Empty if it is pending, does not exist, or a number is NaN (see reference_text).
std::vector<std::string> referenced_tokens(const TextReference& reference, const ValueSource& now,
                                           const ValueSource& then);
// "a, b and equally c"; quoted: "a”, “b” and equally “c", for names within “ and ”. equally: the words before
// the last name.
std::string joined_tokens(const std::vector<std::string>& names, bool quoted, const std::string& equally);

// "six" for 6 and so on up to twelve, else the digits.
std::string number_word(double number);

}  // namespace headlight
