// One picture of what a class answered to a question: guessed numbers as thin marks over the right bars, and
// marks as cells or bars by how many made them.
#pragma once

#include "app/figure/plan/figure_grid.h"
#include "app/lesson_text/answer_table.h"

namespace headlight {

// At most kTextWidth wide and a page high; of many labels those that are right or were marked most.
FigureGrid class_picture(const AnsweredQuestion& asked, const FigureStyle& style, const MeasureText& measure);

// What its marks mean, in a line; "" where it speaks for itself.
std::string class_picture_legend(const AnsweredQuestion& asked);

}  // namespace headlight
