#include "engine/core/freed_memory.h"

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

}  // namespace headlight
