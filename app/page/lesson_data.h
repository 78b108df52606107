// What a lesson's page reads: the lesson as JSON, with its texts as the program parsed them.
#pragma once

#include <string>

#include "engine/session/session.h"

namespace headlight {

// As "lesson" in a session file, with these differences. Every text is parsed (engine/session/parsed_text.h).
// "name" is the file's without its ending, "number" that of lists ("4a"); "controls" has the names on screen
// of the controls that the texts name, "labels" the words around the texts that are not English. A step has
// "start" and "kept", and a question "after", if settings that change shapes lead to it, to what "against"
// compares with, or are changed by it: the members of the session, without "attention", that are then others.
// Precondition: the session has a lesson whose steps could all be read.
std::string lesson_json(const Session& session, const std::string& name);

}  // namespace headlight
