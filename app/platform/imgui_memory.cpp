#include "app/platform/imgui_memory.h"

#include <imgui.h>

#include <cstdlib>
#include <new>

namespace headlight {
namespace {

void* take(std::size_t size, void*) {
  void* memory = std::malloc(size);
  if (!memory && size > 0) throw std::bad_alloc();
  return memory;
}

void give_back(void* memory, void*) {
  std::free(memory);
}

}  // namespace

void throw_without_memory() {
  ImGui::SetAllocatorFunctions(take, give_back);
}

}  // namespace headlight
