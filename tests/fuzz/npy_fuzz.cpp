// .npy files: the catalog entry agrees with the array, and the array survives being written and read.
#include "engine/arrays/npy.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;
using namespace headlight_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = text_of(data, size);
  const ArrayEntry entry = npy_entry(bytes, bytes.size(), "fuzz");
  NamedArray array;
  try {
    array = parse_npy(bytes, "fuzz");
  } catch (const Error&) {
    return 0;  // the header does not show a value beyond float32
  }
  require(!entry.problem, "what can be read has no problem in the catalog");
  require(entry.shape == array.shape, "the catalog has the shape of the array");
  if (!array.texts.empty()) return 0;  // only numbers can be written
  const NamedArray back = must_succeed([&] { return parse_npy(npy_bytes(array), "written"); });
  require(back.shape == array.shape && back.values.size() == array.values.size() &&
              same_values(back.values.data(), array.values.data(), array.values.size()),
          "an array is read as it was written");
  return 0;
}
