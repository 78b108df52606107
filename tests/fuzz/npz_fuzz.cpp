// .npz files: reads the arrays in the catalog.
#include "engine/arrays/npy.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return headlight_fuzz::read_catalog(data, size, list_npz, [](const auto& path, const std::string& name) {
    return read_npz(path, name, std::uint64_t{1} << 22);
  });
}
