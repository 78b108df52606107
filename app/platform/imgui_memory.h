// Dear ImGui does not check whether an allocation has failed, and then writes to address zero.
#pragma once

namespace headlight {

// Makes failed allocations of Dear ImGui throw std::bad_alloc. Call before its context is created.
void throw_without_memory();

}  // namespace headlight
