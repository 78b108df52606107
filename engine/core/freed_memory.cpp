#include "engine/core/freed_memory.h"

#include <cstdlib>

#include "engine/core/machine_memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace headlight {

void retain_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(kOwnPages));
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

}  // namespace headlight
