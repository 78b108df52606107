#include "engine/core/machine_memory.h"

#include <unistd.h>

#include <cstdlib>

namespace headlight {

double machine_memory() {
  if (const char* const told = std::getenv("HEADLIGHT_TEST_MEMORY")) {
    const double bytes = std::strtod(told, nullptr);
    if (bytes > 0) return bytes;
  }
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

}  // namespace headlight
