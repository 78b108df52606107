// Thread creation and parallel loops.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "engine/core/matrix.h"

namespace headlight {

// Starts a thread, which the caller must join. Throws Error, with the task `what`, if that is not possible.
std::thread start_thread(const std::string& what, std::function<void()> work);

// The number of hardware threads; at least 1.
Index thread_count();

// Calls body(0), ..., body(count - 1), each once and in no fixed order, and returns after all have returned.
// Uses the thread pool if `work`, the total number of cells that the calls touch, outweighs the cost of
// waking threads; nested and concurrent calls run on the calling thread alone. Rethrows the first exception
// after all calls have ended.
void for_each_index(Index count, double work, const std::function<void(Index)>& body);

}  // namespace headlight
