// Configures how the C library's allocator treats freed memory.
#pragma once

namespace headlight {

// Makes the process retain up to 64 MB of freed memory. Every edit allocates about a hundred tiles of 0.25 MB
// and frees the previous ones; if their pages went back to the system, getting each page again would cost as
// much as the computation in it. Allocations above 8 MB, such as large matrices, still go back at once.
// Applies to the whole process; programs call it at start-up. No effect unless the C library is glibc.
void retain_freed_memory();

}  // namespace headlight
