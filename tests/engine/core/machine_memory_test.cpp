#include "engine/core/machine_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace headlight;

namespace {

// Whether the system was asked for large pages at that address.
bool asked_for_large_pages(const void* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    if (const std::size_t space = line.find(' '); line.find('-') < space && line.find(':') > space) {
      std::size_t dash = 0;
      const std::uintptr_t begin = std::stoull(line, &dash, 16);
      inside = begin <= address && address < std::stoull(line.substr(dash + 1), nullptr, 16);
    } else if (inside && line.starts_with("VmFlags:")) {
      return (line + " ").find(" hg ") != std::string::npos;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("machine memory: large pages are asked for from any address on, and nothing is lost") {
  const bool known = ::madvise(nullptr, 0, MADV_HUGEPAGE) == 0;  // to the system
  std::vector<char> room(4 * kOwnPages, 7);
  CHECK_FALSE(asked_for_large_pages(room.data() + kOwnPages));
  use_large_pages(room.data() + 5, 2 * kOwnPages);
  CHECK(asked_for_large_pages(room.data() + kOwnPages) == known);
  CHECK_FALSE(asked_for_large_pages(room.data() + 3 * kOwnPages));
  use_large_pages(room.data() + 1, 0);
  use_large_pages(room.data() + 1, 2);
  CHECK(room == std::vector<char>(room.size(), 7));
}
