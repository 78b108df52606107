// The packed form of a right factor, kept from one product to the next: products with it read memory in one
// long stream. It takes as much memory as the factor in its file.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>

namespace headlight {

// Thread-safe.
class KeptPanels {
 public:
  KeptPanels() = default;
  ~KeptPanels();
  KeptPanels(const KeptPanels&) = delete;
  KeptPanels& operator=(const KeptPanels&) = delete;

  // Null until fill() has succeeded; the same from then on.
  const char* data() const { return data_.load(std::memory_order_acquire); }
  // Has `write` fill so many bytes of memory, unless they are there already. False if there is no memory
  // for them: all that are kept share a quarter of the machine's. An exception of `write` leaves them
  // missing.
  bool fill(std::size_t bytes, const std::function<void(char* to)>& write);

  static double bytes_of_all();  // of the process
  static double most_bytes();    // that they may take together

 private:
  std::mutex filling_;
  std::atomic<char*> data_{nullptr};
  std::size_t bytes_ = 0;
};

}  // namespace headlight
