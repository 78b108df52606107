// Sessions for tests of the user interface.
#pragma once

#include <string>

#include "engine/session/session.h"

namespace headlight_test {

// The session of a lesson or an example of the program, by its file's stem.
headlight::Session lesson_session(const std::string& stem);
// A session of many tokens and many heads of four dimensions each.
headlight::Session large_session(headlight::Index tokens, headlight::Index heads);

}  // namespace headlight_test
