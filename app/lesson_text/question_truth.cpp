#include "app/lesson_text/question_truth.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/label_text.h"
#include "app/figure/plan/names.h"
#include "app/lesson_text/evaluated_runs.h"
#include "app/lesson_text/reference_text.h"

namespace headlight {
namespace {

using Numbers = std::vector<double>;

TextReference list_of(const LessonText& text) {
  return references_of(text.pieces()).front();
}

bool same(double a, double b) {
  return alike(a, b) || (std::isnan(a) && std::isnan(b));
}

// `extreme`: the largest or smallest number of the list; `before`: the number before the change.
bool meets(const RightRule& rule, double value, double before, double extreme) {
  switch (rule.kind) {
    case RightIf::Largest:
    case RightIf::Smallest:
      return value == extreme;
    case RightIf::Changed:
      return !same(value, before);
    case RightIf::Unchanged:
      return same(value, before);
    case RightIf::Less:
      return value < rule.threshold;
    case RightIf::Greater:
      return value > rule.threshold;
    case RightIf::Equal:
      return value == rule.threshold;
    case RightIf::NotEqual:
      break;
  }
  return value != rule.threshold;
}

// Which numbers of a list are right; `before`: the same list before the change, empty if the rule reads none.
std::vector<bool> right_ones(const RightRule& rule, const Numbers& now, const Numbers& before) {
  std::vector<bool> right;
  const auto least = [&](bool largest) {
    double found = std::numeric_limits<double>::quiet_NaN();
    for (const double value : now)
      if (!std::isnan(value) && (std::isnan(found) || (largest ? value > found : value < found)))
        found = value;
    return found;
  };
  const double extreme = least(rule.kind == RightIf::Largest);
  for (std::size_t i = 0; i < now.size(); ++i)
    right.push_back(meets(rule, now[i], before.empty() ? now[i] : before[i], extreme));
  return right;
}

// A row of a stage; none while it is pending or if it does not exist.
std::optional<Numbers> row_of(const ValueSource& source, Stage stage, Index sequence, Index head, Index row) {
  const Layer& layer = source.layer();
  const Index of = stage_info(stage).per_head ? head : 0;
  if (!address_exists(layer, {stage, sequence, of, row, 0})) return std::nullopt;
  const auto found = source.row({stage, sequence, of, row, stage_columns(layer, stage)});
  if (!found) return std::nullopt;
  return Numbers(found->values.begin(), found->values.end());
}

std::optional<Numbers> list_numbers(const LessonText& text, const ValueSource& source) {
  const ReferencedNumbers numbers = referenced_numbers(list_of(text), source);
  if (numbers.state != ReferencedNumbers::State::Known) return std::nullopt;
  return numbers.values;
}

Matrix row_matrix(const Numbers& numbers) {
  Matrix matrix(1, std::ssize(numbers));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    matrix(0, static_cast<Index>(i)) = static_cast<float>(numbers[i]);
  return matrix;
}

Matrix row_matrix(const std::vector<bool>& flags) {
  Matrix matrix(1, std::ssize(flags));
  for (std::size_t i = 0; i < flags.size(); ++i)
    matrix(0, static_cast<Index>(i)) = flags[i] ? 1.0f : 0.0f;
  return matrix;
}

std::optional<Matrix> right_marks(const AskedMarks& asked, const ReferencedStates& states) {
  Matrix right(std::ssize(asked.rows), std::ssize(asked.columns));
  for (Index i = 0; i < right.rows(); ++i) {
    const Index row = asked.rows[static_cast<std::size_t>(i)];
    const auto now = row_of(*states.now, asked.stage, asked.sequence, asked.head, row);
    const auto before = row_of(*states.first, asked.stage, asked.sequence, asked.head, row);
    if (!now || !before) return std::nullopt;
    Numbers offered, offered_before;
    for (const Index column : asked.columns) {
      const auto at = static_cast<std::size_t>(column);
      if (at >= now->size() || at >= before->size()) return std::nullopt;
      offered.push_back((*now)[at]);
      offered_before.push_back((*before)[at]);
    }
    right.row(i) = row_matrix(right_ones(asked.right, offered, offered_before));
  }
  return right;
}

std::optional<Matrix> right_word(const AskedWord& asked, const ReferencedStates& states) {
  const auto now = list_numbers(asked.list, *states.now), before = list_numbers(asked.list, *states.first);
  if (!now || !before || now->size() != before->size()) return std::nullopt;
  return row_matrix(right_ones(asked.right, *now, *before));
}

bool bars_are_right(const AskedBars& bars, const Matrix& guess, const Matrix& truth,
                    const ReferencedStates& states) {
  if (!bars.right.empty()) {
    ReferencedStates guessed = states;
    guessed.guess = &guess;
    return verdict(guess_condition(bars.right), guessed) == Verdict::Yes;
  }
  constexpr double kRounding = 1e-6;
  return std::all_of(bars.drawn.begin(), bars.drawn.end(), [&](Index bar) {
    if (bar >= guess.cols()) return true;  // its token was removed
    return std::abs(double{guess(0, bar)} - double{truth(0, bar)}) <= bars.near + kRounding;
  });
}

bool guess_is_right(const LessonQuestion& question, const Matrix& guess, const Matrix& truth,
                    const ReferencedStates& states) {
  if (guess.rows() != truth.rows() || guess.cols() != truth.cols()) return false;
  if (question.bars) return bars_are_right(*question.bars, guess, truth, states);
  if (question.number) return is_near(*question.number, guess(0, 0), truth(0, 0));
  if (question.marks) return guess == truth;
  return (guess.array() * truth.array()).sum() > 0;  // the chosen word is a right one
}

// The labels, each with its position where several tokens have the same.
std::vector<std::string> distinct_names(const std::vector<std::string>& labels, Counting counting) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool single = !labels[i].empty() && std::count(labels.begin(), labels.end(), labels[i]) == 1;
    names.push_back(single ? visible_label(labels[i]) : token_name(labels, static_cast<Index>(i), counting));
  }
  return names;
}

std::vector<std::string> column_names(const Layer& layer, Stage stage, Counting counting) {
  if (stage_info(stage).columns == StageColumns::Tokens) return distinct_names(layer.key_labels(), counting);
  std::vector<std::string> names;
  for (Index column = 0; column < stage_columns(layer, stage); ++column)
    names.push_back(std::to_string(column + counting.first));
  return names;
}

std::vector<std::string> picked(const std::vector<std::string>& names, const std::vector<Index>& lines) {
  std::vector<std::string> some;
  some.reserve(lines.size());
  for (const Index line : lines)
    some.push_back(static_cast<std::size_t>(line) < names.size() ? names[static_cast<std::size_t>(line)]
                                                                 : "");
  return some;
}

std::string listed_words(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text.empty() ? "none" : text;
}

}  // namespace

bool guess_exists(const LessonQuestion& question, const Layer& layer) {
  if (question.marks) {
    const AskedMarks& marks = *question.marks;
    return stage_exists(layer, marks.stage) &&
           address_exists(layer, {marks.stage, marks.sequence, marks.head,
                                  *std::max_element(marks.rows.begin(), marks.rows.end()),
                                  *std::max_element(marks.columns.begin(), marks.columns.end())});
  }
  const LessonText& list = question.bars   ? question.bars->list
                           : question.word ? question.word->list
                                           : question.number->number;
  return reference_exists(list_of(list), layer);
}

std::optional<Matrix> right_guess(const LessonQuestion& question, const ReferencedStates& states) {
  if (!guess_exists(question, states.now->layer())) return std::nullopt;
  if (question.marks) return right_marks(*question.marks, states);
  if (question.word) return right_word(*question.word, states);
  const auto numbers =
      list_numbers(question.bars ? question.bars->list : question.number->number, *states.now);
  return numbers ? std::optional(row_matrix(*numbers)) : std::nullopt;
}

bool is_near(const AskedNumber& asked, double guess, double number) {
  return std::abs(guess - number) <= kNearGuess * (asked.high - asked.low);
}

Judgement judge(const LessonQuestion& question, const Matrix& guess, const Matrix& truth,
                const ReferencedStates& states) {
  if (guess_is_right(question, guess, truth, states)) return {true, 0};
  ReferencedStates guessed = states;
  guessed.guess = &guess;
  for (std::size_t i = 0; i < question.wrong.size(); ++i)
    if (verdict(guess_condition(question.wrong[i]), guessed) == Verdict::Yes) return {false, 2 + i};
  return {false, 1};
}

GuessNames guess_names(const LessonQuestion& question, const Layer& layer, Counting counting) {
  if (question.marks) {
    const Stage stage = question.marks->stage;
    return {picked(distinct_names(row_labels(layer, stage), counting), question.marks->rows),
            picked(column_names(layer, stage, counting), question.marks->columns)};
  }
  if (!question.bars && !question.word) return {};
  const TextReference list = list_of(question.bars ? question.bars->list : question.word->list);
  return {{},
          list.every_row ? distinct_names(row_labels(layer, list.stage), counting)
                         : column_names(layer, list.stage, counting)};
}

std::string pair_name(const std::string& row, const std::string& column) {
  return row + (reads_from_right(row) ? " ← " : " → ") + column;
}

std::string guess_words(const LessonQuestion& question, const Matrix& guess, const GuessNames& names) {
  const auto name = [](const std::vector<std::string>& of, Index at) {
    return static_cast<std::size_t>(at) < of.size() ? of[static_cast<std::size_t>(at)] : std::string("?");
  };
  if (question.number) return number_text(guess(0, 0), 2);
  std::vector<std::string> parts;
  if (question.bars) {
    for (const Index bar : question.bars->drawn)
      if (bar < guess.cols())
        parts.push_back(name(names.columns, bar) + ": " + number_text(guess(0, bar), 2));
    return listed_words(parts);
  }
  for (Index row = 0; row < guess.rows(); ++row)
    for (Index column = 0; column < guess.cols(); ++column)
      if (guess(row, column) > 0)
        parts.push_back(question.marks ? pair_name(name(names.rows, row), name(names.columns, column))
                                       : name(names.columns, column));
  return listed_words(parts);
}

}  // namespace headlight
