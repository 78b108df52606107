// Blocks of quantised numbers against NumPy (tests/golden/gguf/blocks.npz, of tests/python/gguf_files.py).
#include "engine/checkpoint/quantized_blocks.h"

#include "engine/arrays/catalog.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;

TEST_CASE("quantized blocks: every type widens to the numbers of NumPy, whole and in part") {
  const std::string path = headlight_test::source_root() + "/tests/golden/gguf/blocks.npz";
  for (const TensorType type : {TensorType::Q8_0, TensorType::Q4_0, TensorType::Q4_K, TensorType::Q6_K}) {
    const std::string name = type_name(type);
    const NamedArray stored = read_array(path, name + ".bytes"),
                     numbers = read_array(path, name + ".numbers");
    std::string bytes;
    for (const float value : stored.values)
      bytes += static_cast<char>(static_cast<unsigned char>(value));
    REQUIRE(stored.shape[1] == static_cast<Index>(block_bytes(type)));
    REQUIRE(numbers.shape[1] == block_numbers(type));
    const auto size = static_cast<Index>(numbers.values.size()), block = block_numbers(type);
    for (const auto& [first, count] : {std::pair<Index, Index>{0, size},
                                       {1, size - 1},
                                       {block - 1, 2},
                                       {block, block},
                                       {block / 2, block},
                                       {size - 3, 3},
                                       {5, 0}}) {
      std::vector<float> widened_numbers(static_cast<std::size_t>(count));
      widen_blocks(type, bytes, first, count, widened_numbers.data());
      INFO(name << " from " << first << ", " << count);
      for (Index i = 0; i < count; ++i) {
        const float expected = numbers.values[static_cast<std::size_t>(first + i)];
        REQUIRE(std::abs(widened_numbers[static_cast<std::size_t>(i)] - expected) <=
                1e-6f * std::abs(expected) + 1e-6f);
      }
    }
  }
}
