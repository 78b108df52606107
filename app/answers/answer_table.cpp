#include "app/answers/answer_table.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "app/figure/plan/heatmap_figure.h"
#include "engine/foreign/separated_fields.h"

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

// One text for each label, in columns that fit both.
std::string columns_line(const std::vector<std::string>& labels, const std::vector<std::string>& texts) {
  std::string line;
  for (std::size_t i = 0; i < texts.size(); ++i)
    line += (i > 0 ? "  " : "") + at_right(texts[i], std::max(kLeastColumn, length_of(shortened(labels[i]))));
  return line;
}

std::string with_comma(const std::string& list, const std::string& next) {
  return list.empty() ? next : list + ", " + next;
}

// What tells two versions of a step apart: what is asked for. Marks may name other labels in each file: the
// right ones count.
std::vector<std::string> asked_for(const SavedAnswer& answer) {
  if (answer.kind == AnswerKind::Numbers) return answer.labels;
  std::vector<std::string> right;
  for (std::size_t i = 0; i < answer.right.size(); ++i)
    if (answer.right[i] > 0) right.push_back(answer.labels[i]);
  return right;
}

// Marks are judged by what is right, whether or not the change was tried; numbers only by the window, which
// knows how near is near enough.
AnswerOutcome outcome_of(const SavedAnswer& answer) {
  if (answer.is_right) return *answer.is_right ? AnswerOutcome::Right : AnswerOutcome::Wrong;
  if (answer.kind == AnswerKind::Numbers || answer.right.empty()) return AnswerOutcome::Open;
  return answer.guess == answer.right ? AnswerOutcome::Right : AnswerOutcome::Wrong;
}

// A number for each label of the question, which gets those that it does not have yet.
std::vector<double> placed(AnsweredQuestion& asked, const SavedAnswer& answer,
                           const std::vector<double>& numbers) {
  if (answer.kind == AnswerKind::Numbers) return numbers;
  std::vector<double> marks(asked.labels.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto found = std::find(asked.labels.begin(), asked.labels.end(), answer.labels[i]);
    const auto at = static_cast<std::size_t>(std::distance(asked.labels.begin(), found));
    if (found == asked.labels.end()) {
      asked.labels.push_back(answer.labels[i]);
      marks.push_back(0);
    }
    marks[at] = numbers[i];
  }
  return marks;
}

void add(AnsweredQuestion& asked, const std::string& reader, const SavedAnswer& answer) {
  if (asked.right.empty() && !answer.right.empty()) asked.right = placed(asked, answer, answer.right);
  asked.readers.push_back({reader, placed(asked, answer, answer.guess), outcome_of(answer)});
}

// Labels that were added for a later reader are marked by none of the earlier ones.
void fill_up(AnsweredQuestion& asked) {
  if (!asked.right.empty()) asked.right.resize(asked.labels.size());
  for (ReaderAnswer& reader : asked.readers)
    reader.guess.resize(asked.labels.size());
}

std::vector<std::string> told_apart(const std::vector<AnswerFile>& files) {
  std::map<std::string, int> seen;
  std::vector<std::string> names;
  for (const AnswerFile& file : files) {
    const int count = ++seen[file.name];
    names.push_back(count == 1 ? file.name : file.name + " (" + std::to_string(count) + ")");
  }
  return names;
}

std::size_t count_of(const AnsweredQuestion& asked, AnswerOutcome outcome) {
  return static_cast<std::size_t>(
      std::count_if(asked.readers.begin(), asked.readers.end(),
                    [&](const ReaderAnswer& reader) { return reader.outcome == outcome; }));
}

// Blanks between columns of the terminal are one here.
std::string in_one_cell(const std::string& line) {
  std::string text;
  for (const char c : line)
    if (c != ' ' || (!text.empty() && text.back() != ' ')) text += c;
  return text;
}

const ReaderAnswer* answer_by(const AnsweredQuestion& asked, const std::string& name) {
  const auto found = std::find_if(asked.readers.begin(), asked.readers.end(),
                                  [&](const ReaderAnswer& reader) { return reader.name == name; });
  return found == asked.readers.end() ? nullptr : &*found;
}

std::string grade_text(AnswerOutcome outcome) {
  return outcome == AnswerOutcome::Open ? "" : outcome == AnswerOutcome::Right ? "1" : "0";
}

// What a reader answered to each question, and how many are right.
std::string grades_line(const std::vector<AnsweredQuestion>& questions, const std::string& name) {
  std::string line = csv_field(name);
  int right = 0, of = 0;
  for (const AnsweredQuestion& asked : questions) {
    const ReaderAnswer* const answer = answer_by(asked, name);
    if (!answer) {
      line += ",,";
      continue;
    }
    right += answer->outcome == AnswerOutcome::Right ? 1 : 0;
    of += answer->outcome == AnswerOutcome::Open ? 0 : 1;
    line +=
        "," + grade_text(answer->outcome) + "," + csv_field(in_one_cell(guess_line(asked, answer->guess)));
  }
  return line + "," + std::to_string(right) + "," + std::to_string(of) + "\n";
}

}  // namespace

const char* outcome_text(AnswerOutcome outcome) {
  switch (outcome) {
    case AnswerOutcome::Right:
      return "right";
    case AnswerOutcome::Wrong:
      return "wrong";
    case AnswerOutcome::Open:
      break;
  }
  return "not tried";
}

std::string AnsweredQuestion::place() const {
  return "step " + std::to_string(step) + (version > 1 ? " of another version" : "");
}

std::string AnsweredQuestion::summary() const {
  const std::size_t open = count_of(*this, AnswerOutcome::Open);
  std::string text = std::to_string(count_of(*this, AnswerOutcome::Right)) + " of " +
                     std::to_string(readers.size() - open) + " right";
  if (open > 0) text += ", " + std::to_string(open) + " not tried";
  return text;
}

std::vector<double> AnsweredQuestion::tally() const {
  std::vector<double> sums(labels.size());
  for (const ReaderAnswer& reader : readers)
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += reader.guess[i];
  if (kind == AnswerKind::Numbers)
    for (double& sum : sums)
      sum /= static_cast<double>(readers.size());
  return sums;
}

std::vector<AnsweredQuestion> compared_answers(const std::vector<AnswerFile>& files) {
  // By lesson and step, each version in the order of the files.
  std::map<std::tuple<std::string, int>, std::vector<std::pair<std::vector<std::string>, AnsweredQuestion>>>
      questions;
  const std::vector<std::string> names = told_apart(files);
  for (std::size_t f = 0; f < files.size(); ++f) {
    std::set<int> seen;
    for (const SavedAnswer& answer : files[f].answers) {
      if (!seen.insert(answer.step).second) continue;
      auto& versions = questions[{files[f].lesson, answer.step}];
      const std::vector<std::string> asked_of = asked_for(answer);
      auto version = std::find_if(versions.begin(), versions.end(), [&](const auto& known) {
        return known.second.kind == answer.kind && (known.first == asked_of || asked_of.empty());
      });
      if (version == versions.end()) {
        AnsweredQuestion asked;
        asked.lesson = files[f].lesson;
        asked.question = answer.question;
        asked.step = answer.step;
        asked.version = static_cast<int>(versions.size()) + 1;
        asked.kind = answer.kind;
        asked.labels = answer.labels;
        version = versions.insert(versions.end(), {asked_of, std::move(asked)});
      }
      add(version->second, names[f], answer);
    }
  }
  std::vector<AnsweredQuestion> all;
  for (auto& [place, versions] : questions)
    for (auto& [asked_of, question] : versions) {
      fill_up(question);
      all.push_back(std::move(question));
    }
  return all;
}

std::string label_line(const AnsweredQuestion& question) {
  if (question.kind == AnswerKind::Marks) return {};
  std::vector<std::string> texts;
  for (const std::string& label : question.labels)
    texts.push_back(shortened(label));
  return columns_line(question.labels, texts);
}

std::string guess_line(const AnsweredQuestion& question, const std::vector<double>& numbers) {
  if (numbers.empty()) return {};
  if (question.kind == AnswerKind::Marks) {
    std::string line;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] > 0) line = with_comma(line, question.labels[i]);
    return line.empty() ? "none" : line;
  }
  std::vector<std::string> texts;
  for (const double number : numbers)
    texts.push_back(number_text(number, 2));
  return columns_line(question.labels, texts);
}

std::string tally_line(const AnsweredQuestion& question) {
  const std::vector<double> tally = question.tally();
  if (question.kind == AnswerKind::Numbers) return guess_line(question, tally);
  std::vector<std::size_t> order(tally.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tally[a] > tally[b]; });
  std::string line;
  for (const std::size_t at : order)
    if (tally[at] > 0) line = with_comma(line, question.labels[at] + " " + number_text(tally[at], 0));
  return line.empty() ? "none" : line;
}

std::string grades_csv(const std::vector<AnsweredQuestion>& questions) {
  std::vector<std::string> names;
  std::string text = "name";
  for (const AnsweredQuestion& asked : questions) {
    const std::string title = asked.lesson + ", " + asked.place();
    text += "," + csv_field(title) + "," + csv_field(title + ": answer");
    for (const ReaderAnswer& reader : asked.readers)
      if (std::find(names.begin(), names.end(), reader.name) == names.end()) names.push_back(reader.name);
  }
  text += ",right,of\n";
  for (const std::string& name : names)
    text += grades_line(questions, name);
  return text;
}

}  // namespace headlight
