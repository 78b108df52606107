// .npz files: every array of the catalog is read.
#include <algorithm>

#include "engine/formats/npy.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;
using namespace headlight_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(text_of(data, size));
  std::vector<ArrayEntry> entries;
  try {
    entries = list_npz(file.path());
  } catch (const Error&) {
    return 0;
  }
  entries.resize(std::min<std::size_t>(entries.size(), 16));
  for (const ArrayEntry& entry : entries) {
    try {
      const NamedArray array = read_npz(file.path(), entry.name, std::uint64_t{1} << 22);
      require(!entry.problem, "what can be read has no problem in the catalog");
      require(entry.shape == array.shape, "the catalog has the shape of the array");
    } catch (const Error&) {
    }
  }
  return 0;
}
