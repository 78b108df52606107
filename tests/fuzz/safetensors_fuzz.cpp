// .safetensors files: reads the tensors in the catalog.
#include "engine/arrays/safetensors.h"

#include "tests/fuzz/fuzz_support.h"

using namespace headlight;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return headlight_fuzz::read_catalog(data, size, list_safetensors, read_safetensors);
}
