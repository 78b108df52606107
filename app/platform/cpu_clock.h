// The processor time of the calling thread, which does not depend on other load of the machine.
#pragma once

#include <ctime>

namespace headlight {

inline double thread_cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace headlight
