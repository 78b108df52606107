// The machine's memory, its pages, and the process's limit on address space.
#pragma once

#include <cstddef>

namespace headlight {

// In bytes. The environment variable HEADLIGHT_TEST_MEMORY overrides it, so that tests can simulate less.
double machine_memory();

// Throws std::bad_alloc if the process cannot map that many more bytes, which `ulimit -v` can limit. Called
// before libraries that abort the program when an allocation fails.
void require_address_space(std::size_t bytes);

// Bytes from which on an allocation shares no page with others (retain_freed_memory sets it).
constexpr std::size_t kOwnPages = std::size_t{8} << 20;

// Asks the system for large pages in memory that nothing has been written to. The first write to a page costs
// a microsecond or more, for small pages about as much as computing the numbers in them. Only a hint.
void use_large_pages(void* begin, std::size_t bytes);

}  // namespace headlight
