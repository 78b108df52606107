// The words in the pictures of a handout, in the language of its lesson.
#pragma once

#include <string>
#include <vector>

#include "app/figure/plan/figure_grid.h"
#include "engine/session/lesson.h"

namespace headlight {

// Puts titles, heads, the legend and numbers into the language; words that are `labels` of tokens stay.
void put_into(const LessonLanguage& language, const std::vector<std::string>& labels, FigureGrid& figure);

}  // namespace headlight
