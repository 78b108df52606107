// A lesson as pages to print: every step with its text, picture and question, and the answers at the end.
#pragma once

#include <string>

#include "engine/session/session.h"

namespace headlight {

// The bytes of a PDF: A4, black on white, with the numbers of the lesson as it opens and room to write. The
// answers describe the state after the change that a question asks for. `of_course`: it is one of the
// program's lessons, which are numbered. `program`: recorded as the creator. Throws Error if the session has
// no lesson with steps.
std::string handout_bytes(const Session& session, bool of_course, const std::string& program);

}  // namespace headlight
