#include "app/answers/answer_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include "app/figure/plan/heatmap_figure.h"

namespace headlight {
namespace {

constexpr std::size_t kLeastColumn = 6, kWidestColumn = 12;

// Characters, not bytes.
std::size_t length_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string at_right(const std::string& text, std::size_t width) {
  const std::size_t length = length_of(text);
  return std::string(length < width ? width - length : 0, ' ') + text;
}

// The first characters of a long label.
std::string shortened(const std::string& text) {
  if (length_of(text) <= kWidestColumn) return text;
  std::string part;
  std::size_t characters = 0;
  for (const char c : text) {
    if ((c & 0xC0) != 0x80 && ++characters == kWidestColumn) break;
    part += c;
  }
  return part + "…";
}

std::vector<std::size_t> column_widths(const std::vector<std::string>& labels) {
  std::vector<std::size_t> widths;
  widths.reserve(labels.size());
  for (const std::string& label : labels)
    widths.push_back(std::max(kLeastColumn, length_of(shortened(label))));
  return widths;
}

std::string label_line(const std::vector<std::string>& labels) {
  const std::vector<std::size_t> widths = column_widths(labels);
  std::string line;
  for (std::size_t i = 0; i < labels.size(); ++i)
    line += (i > 0 ? "  " : "") + at_right(shortened(labels[i]), widths[i]);
  return line;
}

std::string guess_line(const SavedAnswer& answer, const std::vector<double>& numbers) {
  if (numbers.empty()) return {};
  std::string line;
  if (answer.kind == AnswerKind::Marks) {
    for (std::size_t i = 0; i < answer.labels.size(); ++i)
      if (numbers[i] > 0) line += (line.empty() ? "" : ", ") + answer.labels[i];
    return line.empty() ? "none" : line;
  }
  const std::vector<std::size_t> widths = column_widths(answer.labels);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    line += (i > 0 ? "  " : "") + at_right(number_text(numbers[i], 2), widths[i]);
  return line;
}

}  // namespace

std::string AnsweredQuestion::summary() const {
  return std::to_string(right_count) + " of " + std::to_string(readers.size()) + " right";
}

std::vector<AnsweredQuestion> compared_answers(const std::vector<AnswerFile>& files) {
  std::map<std::pair<std::string, int>, AnsweredQuestion> questions;
  for (const AnswerFile& file : files) {
    std::map<int, bool> seen;
    for (const SavedAnswer& answer : file.answers) {
      if (!seen.emplace(answer.step, true).second) continue;
      AnsweredQuestion& asked = questions[{file.lesson, answer.step}];
      if (asked.readers.empty()) {
        asked.lesson = file.lesson;
        asked.step = answer.step;
        asked.question = answer.question;
        asked.labels = answer.kind == AnswerKind::Numbers ? label_line(answer.labels) : "";
      }
      if (asked.right.empty()) asked.right = guess_line(answer, answer.right);
      asked.right_count += answer.is_right.value_or(false) ? 1 : 0;
      const char* const outcome = !answer.is_right ? "" : *answer.is_right ? "right" : "wrong";
      asked.readers.push_back({file.name, guess_line(answer, answer.guess), outcome});
    }
  }
  std::vector<AnsweredQuestion> all;
  all.reserve(questions.size());
  for (auto& [place, question] : questions)
    all.push_back(std::move(question));
  return all;
}

}  // namespace headlight
