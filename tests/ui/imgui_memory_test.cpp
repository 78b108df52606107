#include "app/platform/imgui_memory.h"

#include <imgui.h>

#include <cstdint>
#include <new>

#include "tests/support/catch.h"

TEST_CASE("imgui: memory that is not there is told, not written to") {
  headlight::throw_without_memory();
  CHECK_THROWS_AS(ImGui::MemAlloc(SIZE_MAX / 2), std::bad_alloc);
  void* memory = ImGui::MemAlloc(16);
  CHECK(memory != nullptr);
  ImGui::MemFree(memory);
}
