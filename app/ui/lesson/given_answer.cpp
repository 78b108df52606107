#include "app/ui/lesson/given_answer.h"

#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

#include "engine/core/digits.h"

namespace headlight {
namespace {

// The numbers of a text like "2,3"; empty for any other text.
std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  const char *at = text.data(), *const end = text.data() + text.size();
  while (at != end) {
    double number = 0;
    const auto [behind, failure] = std::from_chars(at, end, number);
    if (failure != std::errc() || !std::isfinite(number) || (behind != end && *behind != ',')) return {};
    numbers.push_back(number);
    at = behind == end ? end : behind + 1;
  }
  return numbers;
}

constexpr std::string_view kRight = " right", kWrong = " wrong";

std::string answer_part(const std::string& kept) {
  for (const std::string_view ending : {kRight, kWrong})
    if (kept.ends_with(ending)) return kept.substr(0, kept.size() - ending.size());
  return kept;
}

std::string matrix_text(const Matrix& guess) {
  std::string text;
  for (Index row = 0; row < guess.rows(); ++row)
    for (Index column = 0; column < guess.cols(); ++column)
      text += (text.empty() ? "" : ",") + shortest_digits(guess(row, column));
  return text;
}

// Precondition: the question has a shape.
std::optional<GivenAnswer> shaped_answer(const LessonQuestion& question, const std::vector<double>& numbers,
                                         const Layer& layer) {
  if (!guess_exists(question, layer)) return std::nullopt;
  const GuessShape shape = guess_shape(question, layer);
  GivenAnswer given;
  given.guess = Matrix::Zero(shape.rows, shape.columns);
  if (question.word) {
    if (numbers.size() != 1 || !(numbers[0] >= 0 && numbers[0] < static_cast<double>(shape.columns)))
      return std::nullopt;
    given.guess(0, static_cast<Index>(numbers[0])) = 1;
    return given;
  }
  if (std::ssize(numbers) != shape.rows * shape.columns) return std::nullopt;
  for (Index i = 0; i < shape.rows * shape.columns; ++i) {
    const auto number = static_cast<float>(numbers[static_cast<std::size_t>(i)]);
    given.guess(i / shape.columns, i % shape.columns) = question.marks ? (number > 0 ? 1.0f : 0.0f) : number;
  }
  return given;
}

}  // namespace

Index chosen_word(const Matrix& guess) {
  for (Index i = 0; i < guess.cols(); ++i)
    if (guess(0, i) > 0) return i;
  return 0;
}

bool waits_for_try(const LessonStep& step) {
  return step.question && (step.question->change || !step.try_it.empty());
}

bool is_computed(const LessonStep& step) {
  return step.question->has_shape() ||
         (step.question->number && (step.question->change || step.try_it.empty()));
}

bool is_right(const AskedCell& asked, const CellAddress& cell) {
  return cell.stage == asked.stage && cell.head == asked.head && cell.row == asked.at[0] &&
         cell.column == asked.at[1];
}

Matrix guess_of(const LessonQuestion& question, const GivenAnswer& given) {
  return question.number ? Matrix(Matrix::Constant(1, 1, static_cast<float>(given.number))) : given.guess;
}

std::optional<std::size_t> reply_to(const LessonQuestion& question, const GivenAnswer& given,
                                    std::optional<double> number) {
  if (given.judged) return given.judged->reply;
  if (question.cell) return given.cell && is_right(*question.cell, *given.cell) ? 0u : 1u;
  if (question.has_shape()) return given.unjudged ? std::optional<std::size_t>(1) : std::nullopt;
  if (!question.number) return given.choice;
  if (!number) return std::nullopt;
  return is_near(*question.number, given.number, *number) ? 0u : 1u;
}

std::optional<bool> is_right(const LessonQuestion& question, const GivenAnswer& given) {
  if (given.judged) return given.judged->right;
  if (question.cell) return given.cell && is_right(*question.cell, *given.cell);
  if (question.has_shape() || question.number) return std::nullopt;
  return given.choice == static_cast<std::size_t>(question.right);
}

std::string earlier_answer(const LessonQuestion& question, const GivenAnswer& given) {
  if (question.cell) return std::to_string(given.cell->row) + "," + std::to_string(given.cell->column);
  if (question.number) return shortest_digits(given.number);
  if (question.word) return std::to_string(chosen_word(given.guess));
  if (question.has_shape()) return matrix_text(given.guess);
  return std::to_string(given.choice);
}

std::optional<GivenAnswer> answer_from(const LessonQuestion& question, const std::string& kept,
                                       const Layer& layer) {
  const std::vector<double> numbers = numbers_of(answer_part(kept));
  if (question.has_shape()) return shaped_answer(question, numbers, layer);
  if (numbers.size() != (question.cell ? 2u : 1u)) return std::nullopt;
  GivenAnswer given;
  if (question.cell) {
    constexpr double kMost = 1 << 24;
    for (const double number : numbers)
      if (!(number >= 0 && number < kMost)) return std::nullopt;
    given.cell = CellAddress{question.cell->stage, 0, question.cell->head, static_cast<Index>(numbers[0]),
                             static_cast<Index>(numbers[1])};
  } else if (question.number) {
    given.number = numbers[0];
  } else {
    if (!(numbers[0] >= 0 && numbers[0] < static_cast<double>(question.answers.size()))) return std::nullopt;
    given.choice = static_cast<std::size_t>(numbers[0]);
  }
  return given;
}

std::string with_outcome(const std::string& answer, std::optional<bool> right) {
  if (!right) return answer;
  return answer + std::string(*right ? kRight : kWrong);
}

std::optional<bool> outcome_of(const std::string& kept) {
  if (kept.ends_with(kRight)) return true;
  return kept.ends_with(kWrong) ? std::optional(false) : std::nullopt;
}

}  // namespace headlight
