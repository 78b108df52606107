// How memory is taken from the system, and whether it goes back at once.
#pragma once

#include <cstddef>

namespace headlight {

// Makes the process retain up to 64 MB of freed memory. Every edit allocates about a hundred tiles of 0.25 MB
// and frees the previous ones; if their pages went back to the system, getting each page again would cost as
// much as the computation in it. Allocations above 8 MB, such as large matrices, still go back at once.
// Applies to the whole process; programs call it at start-up. No effect unless the C library is glibc.
void retain_freed_memory();

// Asks for pages of 2 MB in memory that was allocated and not yet written: getting it in pages of 4 KB can
// take as long as computing what it is for. The bytes stay as they are; no effect where the system has no
// such pages.
void take_large_pages(void* memory, std::size_t bytes);

}  // namespace headlight
