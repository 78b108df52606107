// Shared by the fuzz targets. A target calls one loader with arbitrary bytes. An `Error` is correct, and so
// is a result that survives being written and read again; everything else is a bug and aborts the program.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/arrays/array.h"
#include "engine/core/error.h"
#include "engine/core/matrix.h"

namespace headlight_fuzz {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return std::string(reinterpret_cast<const char*>(data), size);
}

// Aborts the program, so that the fuzzer saves the input, unless the statement holds.
inline void require(bool holds, const char* statement) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", statement);
  std::abort();
}

// Aborts the program if the action throws: what was accepted once must be accepted again.
template <class Action>
auto must_succeed(Action action) {
  try {
    return action();
  } catch (const headlight::Error& error) {
    std::fprintf(stderr, "refused: %s\n", error.what());
    std::abort();
  }
}

// Compares with NaN equal to NaN.
inline bool same_values(const float* a, const float* b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (!(a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]))) return false;
  return true;
}
inline bool same_matrix_with_nan(const headlight::Matrix& a, const headlight::Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         same_values(a.data(), b.data(), static_cast<std::size_t>(a.size()));
}

// A file that exists in memory only, for loaders that take a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : number_(::memfd_create("fuzz", 0)) {
    require(number_ >= 0, "a file can be made in memory");
    require(::write(number_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "the file can be written");
  }
  ~MemoryFile() { ::close(number_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

// Reads at most the first 16 arrays that the catalog of a file names. `list(path)` and `read(path, name)` are
// the functions of one format.
template <class List, class Read>
int read_catalog(const std::uint8_t* data, std::size_t size, List list, Read read) {
  const MemoryFile file(text_of(data, size));
  std::vector<headlight::ArrayEntry> entries;
  try {
    entries = list(file.path());
  } catch (const headlight::Error&) {
    return 0;
  }
  entries.resize(std::min<std::size_t>(entries.size(), 16));
  for (const headlight::ArrayEntry& entry : entries) {
    try {
      const headlight::NamedArray array = read(file.path(), entry.name);
      require(!entry.problem, "what can be read has no problem in the catalog");
      require(entry.shape == array.shape, "the catalog has the shape of the array");
    } catch (const headlight::Error&) {
    }
  }
  return 0;
}

}  // namespace headlight_fuzz
