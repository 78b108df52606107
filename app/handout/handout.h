// A lesson as pages to print: every step with its text, picture and question, and the answers at the end.
#pragma once

#include <string>
#include <vector>

#include "app/figure/plan/figure_grid.h"
#include "engine/session/session.h"

namespace headlight {

// A4, black on white, with the numbers of the lesson as it opens, empty frames of what is to be drawn, and
// room to write. The answers describe the state after the change that a question asks for. `of_course`: it is
// one of the program's lessons, which are numbered. Throws Error if the session has no lesson with steps.
std::vector<FigureGrid> handout_pages(const Session& session, bool of_course);
// handout_pages() as the bytes of a PDF. `program`: recorded as the creator.
std::string handout_bytes(const Session& session, bool of_course, const std::string& program);

}  // namespace headlight
