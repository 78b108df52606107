#include "engine/session/lesson.h"

#include <algorithm>

namespace headlight {
namespace {

bool contains(const std::vector<Index>& list, Index value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

bool LessonStep::points_at(Index row, Index column) const {
  for (const auto& [cell_row, cell_column] : cells)
    if (cell_row == row && cell_column == column) return true;
  if (rows.empty() && columns.empty()) return false;
  return (rows.empty() || contains(rows, row)) && (columns.empty() || contains(columns, column));
}

std::vector<LessonText> LessonStep::texts() const {
  std::vector<LessonText> texts = {text, try_it};
  if (!question) return texts;
  texts.push_back(question->text);
  if (question->number) texts.push_back(question->number->number);
  if (question->bars) texts.push_back(question->bars->list);
  if (question->word) texts.push_back(question->word->list);
  texts.insert(texts.end(), question->replies.begin(), question->replies.end());
  return texts;
}

GuessShape guess_shape(const LessonQuestion& question, const Layer& layer) {
  if (question.marks)
    return {static_cast<Index>(question.marks->rows.size()),
            static_cast<Index>(question.marks->columns.size())};
  if (!question.bars && !question.word) return {1, 1};
  const TextReference list =
      references_of((question.bars ? question.bars->list : question.word->list).pieces()).front();
  return {1, list.every_row ? stage_rows(layer, list.stage) : stage_columns(layer, list.stage)};
}

const Condition& guess_condition(const LessonText& text) {
  return *text.pieces().front().branches.front().condition;
}

}  // namespace headlight
