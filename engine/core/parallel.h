// Work on several threads at once.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "engine/core/matrix.h"

namespace headlight {

// A thread that lives as long as who starts it. Throws Error where the machine has no more threads to give:
// `what` is not possible then.
std::thread start_thread(const std::string& what, std::function<void()> work);

// How many threads the machine runs at once; at least 1.
Index thread_count();

// Calls body(0), ..., body(count - 1) in no fixed order, each once, and returns when all are done. They run
// on several threads when `work`, the number of cells that all of them touch together, pays for waking them;
// a call from within another one, or beside one, runs on its own thread alone. The first exception that a
// call throws is thrown here, after the others have ended.
void for_each_index(Index count, double work, const std::function<void(Index)>& body);

}  // namespace headlight
