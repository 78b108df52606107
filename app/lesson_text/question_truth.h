// The right guess of a question, and whether and how far a reader's guess is right.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lesson_text/value_source.h"
#include "engine/core/counting.h"
#include "engine/core/matrix.h"
#include "engine/session/lesson.h"

namespace headlight {

// A guess is a matrix of the shape guess_shape(): numbers of bars or of a guessed number; of cells and words
// 1 for those that are marked or chosen and 0 for the others.

// Whether the layer has what is guessed.
bool guess_exists(const LessonQuestion& question, const Layer& layer);

// The right guess: the numbers of the engine in the state `now`, after the question's change; `first` is the
// state before it. None while a result is pending or if a number does not exist.
// Precondition: the question is of the kinds bars, marks, word or number.
std::optional<Matrix> right_guess(const LessonQuestion& question, const ReferencedStates& states);

// How a guess is judged: whether it is right, and the index of its reply.
struct Judgement {
  bool right = false;
  std::size_t reply = 0;
};
// `truth`: right_guess() of these states.
Judgement judge(const LessonQuestion& question, const Matrix& guess, const Matrix& truth,
                const ReferencedStates& states);

// Whether a guessed number is near the right one.
bool is_near(const AskedNumber& asked, double guess, double number);

// The names of the rows and columns of a guess: tokens, or the numbers of dimensions. A label that several
// tokens have is followed by the token's position. Empty for a number; of bars and words only columns.
struct GuessNames {
  std::vector<std::string> rows, columns;
};
GuessNames guess_names(const LessonQuestion& question, const Layer& layer, Counting counting);

// A pair of tokens: "journey → step"; the arrow goes to the left between tokens that are read from the right.
std::string pair_name(const std::string& row, const std::string& column);

// The guess in words: "Your: 0.21, journey: 0.43"; "journey → step"; "journey".
std::string guess_words(const LessonQuestion& question, const Matrix& guess, const GuessNames& names);

}  // namespace headlight
