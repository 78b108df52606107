// Dear ImGui does not ask whether it was given the memory that it asked for: it writes to address zero.
#pragma once

namespace headlight {

// From now on Dear ImGui's memory is there or std::bad_alloc is thrown. Before its context is created.
void throw_without_memory();

}  // namespace headlight
