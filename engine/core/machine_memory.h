// How much memory the machine has.
#pragma once

#include <cstddef>

namespace headlight {

// In bytes. Where the environment has HEADLIGHT_TEST_MEMORY, that many: so a test sees what a smaller machine
// would do.
double machine_memory();

// Throws std::bad_alloc where this process may not take so many bytes more of its address space, which the
// system can limit (ulimit -v). For libraries that end the program when they are refused memory.
void require_address_space(std::size_t bytes);

}  // namespace headlight
