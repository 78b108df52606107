#include "engine/core/freed_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace headlight {

void retain_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMegabyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 8 * kMegabyte);
  mallopt(M_TRIM_THRESHOLD, 64 * kMegabyte);
#endif
}

void take_large_pages(void* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kLarge = std::uintptr_t{2} << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + kLarge - 1) / kLarge * kLarge,
                       end = (begin + bytes) / kLarge * kLarge;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#else
  (void)memory, (void)bytes;
#endif
}

}  // namespace headlight
