// A lesson's text: words, references to live numbers, and sentences that depend on them.
//
//   {weights[1,0]}  {weights[1,0]:2}      a reference, with 4 or the given number of decimals; see
//                                         text_reference.h
//   {heads words}                         a whole number in words, up to twelve
//   {now scores[4,5]}                     the number; once it differs: "−1.3665 (at first 0.1050)"
//   {calc 1 / d_k:3}                      the value of an expression; see condition.h
//   {if C}A{elif C}B{else}D{end}          the words of the first condition C that holds, else those of {else}
//   {compare A, B: less | equal | more}   the words for A against B, by the digits that a text shows
//   {fixed WORDS: REASON}                 words that hold for all numbers, and why
//   {type −3}                             a number that the reader shall type
//   {slide scale 0.1 4}                   a slider of scale, dropout, d_out or heads, with its two ends
//   {control learn}  {control rate: Rate} a control of the window, by its name on screen or by these words;
//                                         the names are in app/lesson_text/lesson_controls.h
//   {{ and }}                             a brace
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/json/mistakes.h"
#include "engine/session/condition.h"

namespace headlight {

enum class ReferenceForm { Plain, Words, WithFirst };

// A slider within a text.
struct TextSlider {
  ReferencedSetting setting = ReferencedSetting::Scale;  // Scale, Dropout, or DOut or Heads (whole numbers)
  double low = 0, high = 1;
  bool operator==(const TextSlider&) const = default;
};

inline constexpr const char* kTyped = "typed";

struct TextBranch;

// A piece of a text: words, a reference, a slider, an amount, or branches.
struct TextPiece {
  std::string words;
  std::string reason;          // of {fixed}: why the words hold; of {type}: kTyped
  std::string control;         // of {control}: its name as written; `words` may be empty
  std::optional<Index> index;  // of {index}: counted from 0, shown as the window counts
  std::optional<TextReference> reference;
  ReferenceForm form = ReferenceForm::Plain;
  std::optional<TextSlider> slider;
  std::optional<Amount> amount;
  int decimals = 4;  // of the amount
  std::vector<TextBranch> branches;
};

struct TextBranch {
  std::optional<Condition> condition;  // none: {else}
  std::vector<TextPiece> pieces;
};

// Splits a text into pieces; `sequence` and `head` apply to references that name none. Throws Error if a
// brace is not closed, a form, a name or a word is unknown, or {if} lacks its {else} or {end}.
std::vector<TextPiece> parse_text(std::string_view text, Index sequence, Index head);
// Adds everything that is wrong with a text, where parse_text() throws the first mistake.
void add_text_mistakes(std::string_view text, Index sequence, Index head, Mistakes& mistakes);

// A text as its file has it, with its pieces: parsed once, shared by copies.
class LessonText {
 public:
  LessonText() = default;
  // Throws Error as parse_text().
  LessonText(std::string written, Index sequence = 0, Index head = 0);
  LessonText(const char* written) : LessonText(std::string(written)) {}

  const std::string& written() const { return written_; }
  const std::vector<TextPiece>& pieces() const;
  bool empty() const { return written_.empty(); }
  bool operator==(const LessonText& other) const { return written_ == other.written_; }

 private:
  std::string written_;
  std::shared_ptr<const std::vector<TextPiece>> pieces_;  // null: an empty text
};

// Words as a text that holds no reference: its braces are doubled.
std::string literal_text(std::string_view words);

// The pieces that name controls, in all branches, in the order of the text. They point into `pieces`.
std::vector<const TextPiece*> control_pieces(const std::vector<TextPiece>& pieces);

// Every reference in the pieces, their conditions and all their branches.
std::vector<TextReference> references_of(const std::vector<TextPiece>& pieces);

}  // namespace headlight
