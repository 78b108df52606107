// Simulates a machine on which no more threads can be started.
#pragma once

#include <pthread.h>

#include <stdexcept>

namespace headlight_test {

// While it exists, starting a thread fails: the default stack, 2^48 bytes, exceeds the address space.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge = before_;
    if (pthread_attr_setstacksize(&huge, std::size_t{1} << 48) != 0 || pthread_setattr_default_np(&huge) != 0)
      throw std::runtime_error("the default size of stacks cannot be set");
  }
  ~NoThreads() { pthread_setattr_default_np(&before_); }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_;
};

}  // namespace headlight_test
