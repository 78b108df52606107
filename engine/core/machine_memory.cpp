#include "engine/core/machine_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace headlight {

double machine_memory() {
  if (const char* const told = std::getenv("HEADLIGHT_TEST_MEMORY")) {
    const double bytes = std::strtod(told, nullptr);
    if (bytes > 0) return bytes;
  }
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

void require_address_space(std::size_t bytes) {
  void* const room = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  ::munmap(room, bytes);
}

void use_large_pages(void* begin, std::size_t bytes) {
  // The system takes the beginning of a page only. The page where the memory begins may be in use.
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(begin) % page) % page;
  if (before < bytes) ::madvise(static_cast<char*>(begin) + before, bytes - before, MADV_HUGEPAGE);
}

}  // namespace headlight
