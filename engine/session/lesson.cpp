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
  texts.insert(texts.end(), question->replies.begin(), question->replies.end());
  return texts;
}

}  // namespace headlight
