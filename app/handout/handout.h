// A lesson as pages to print: every step with its text, its picture and its question, and the answers at the
// end.
#pragma once

#include <string>

#include "engine/session/session.h"

namespace headlight {

// The bytes of a PDF, A4, black on white, with the numbers of the lesson as it opens; the answers tell what
// there is to see when what is asked was done. `program` is named in the file as its maker. Throws Error when
// the session has no lesson with steps.
std::string handout_bytes(const Session& session, const std::string& program);

}  // namespace headlight
