#include "app/ui/lesson/given_answer.h"

#include <charconv>
#include <cmath>
#include <iterator>
#include <vector>

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

}  // namespace

bool waits_for_try(const LessonStep& step) {
  return step.question && (step.question->change || !step.try_it.empty());
}

bool is_right(const AskedCell& asked, const CellAddress& cell) {
  return cell.stage == asked.stage && cell.head == asked.head && cell.row == asked.at[0] &&
         cell.column == asked.at[1];
}

bool is_near(const AskedNumber& asked, double guess, double number) {
  return std::abs(guess - number) <= kNearGuess * (asked.high - asked.low);
}

std::optional<std::size_t> reply_to(const LessonQuestion& question, const GivenAnswer& given,
                                    std::optional<double> number) {
  if (question.cell) return given.cell && is_right(*question.cell, *given.cell) ? 0u : 1u;
  if (!question.number) return given.choice;
  if (!number) return std::nullopt;
  return is_near(*question.number, given.number, *number) ? 0u : 1u;
}

std::string earlier_answer(const LessonQuestion& question, const GivenAnswer& given) {
  if (question.cell) return std::to_string(given.cell->row) + "," + std::to_string(given.cell->column);
  if (question.number) {
    char digits[32];
    const auto [end, failure] = std::to_chars(std::begin(digits), std::end(digits), given.number);
    return failure == std::errc() ? std::string(digits, end) : "";
  }
  return std::to_string(given.choice);
}

std::optional<GivenAnswer> answer_from(const LessonQuestion& question, const std::string& kept) {
  const std::vector<double> numbers = numbers_of(kept);
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

}  // namespace headlight
