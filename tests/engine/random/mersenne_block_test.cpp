// Blocks of the random stream against std::mt19937, number by number, for each supported instruction set.
#include "engine/random/mersenne_block.h"

#include <algorithm>
#include <random>
#include <vector>

#include "engine/random/torch_stream.h"
#include "tests/support/catch.h"

using namespace headlight;

namespace {

MersenneWords state_of(std::uint32_t seed) {
  MersenneWords state;
  state[0] = seed;
  for (std::uint32_t i = 1; i < kMersenneBlock; ++i)
    state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
  return state;
}

// The specification of the stream: one number at a time.
class ReferenceStream {
 public:
  explicit ReferenceStream(std::uint32_t seed) : engine_(seed) {}

  std::uint32_t next() { return static_cast<std::uint32_t>(engine_()); }
  float dropped(double probability) {
    const std::uint64_t high = next(), bits = high << 32 | next();
    const double fraction = static_cast<double>(bits & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
    const double keep = 1.0 - probability;
    return fraction < keep ? 1.0f / static_cast<float>(keep) : 0.0f;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace

TEST_CASE("random blocks: every output of fifty blocks") {
  for (const InstructionSet set : instruction_sets()) {
    INFO(instruction_set_name(set));
    const MersenneLoops& loops = mersenne_loops(set);
    for (const std::uint32_t seed : {0u, 1u, 123u, 0xFFFFFFFFu}) {
      ReferenceStream slow(seed);
      MersenneWords state = state_of(seed), outputs;
      std::size_t wrong = 0;
      for (int block = 0; block < 50; ++block) {
        loops.twist(state);
        loops.temper(state, outputs);
        for (const std::uint32_t output : outputs)
          wrong += output != slow.next();
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("random blocks: which draws are kept, on both sides of the threshold and at all lengths") {
  constexpr std::uint64_t kAll = std::uint64_t{1} << 53;
  for (const InstructionSet set : instruction_sets()) {
    INFO(instruction_set_name(set));
    for (const std::uint64_t threshold :
         {std::uint64_t{1}, std::uint64_t{0x80000000}, std::uint64_t{0x100000000}, kAll / 2, kAll / 10 * 9,
          (std::uint64_t{0x1234} << 32) + 0x80000001, (std::uint64_t{0x1234} << 32) + 0x7FFFFFFF, kAll - 1,
          kAll}) {
      std::vector<std::uint32_t> outputs;
      std::vector<float> expected;
      for (int i = 0; i < 40; ++i) {
        const std::uint64_t bits = (threshold + static_cast<std::uint64_t>(i % 5) - 2) % kAll;
        // The eleven bits above the lower 53 are drawn but ignored.
        outputs.push_back(static_cast<std::uint32_t>(bits >> 32) | (i % 3 == 0 ? 0xFFE00000u : 0u));
        outputs.push_back(static_cast<std::uint32_t>(bits));
        expected.push_back(bits < threshold ? 1.25f : 0.0f);
      }
      for (std::size_t count = 0; count <= expected.size(); ++count) {
        std::vector<float> noise(expected.size(), 7.0f);
        mersenne_loops(set).keep(outputs.data(), count, {threshold, 1.25f}, noise.data());
        std::vector<float> filled(expected.size(), 7.0f);
        std::copy_n(expected.begin(), count, filled.begin());
        INFO("threshold " << threshold << ", " << count << " numbers");
        CHECK(noise == filled);
      }
    }
  }
}

TEST_CASE("random blocks: dropout number by number, at odd offsets and lengths") {
  for (const double probability : {0.1, 0.5, 0.9999999, 1e-12, 0x1p-53})
    for (const std::size_t offset : {0, 1, 2, 311, 622, 623, 624, 625, 1247, 5001})
      for (const std::size_t count : {0, 1, 2, 7, 311, 312, 313, 623, 624, 625, 2000}) {
        INFO("p " << probability << ", " << count << " after " << offset);
        TorchStream stream(77), skipped(77);
        ReferenceStream slow(77);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < offset; ++i)
          wrong += stream.next_u32() != slow.next();
        skipped.skip(offset);
        // In two pieces, so that the second begins at any offset.
        std::vector<float> noise(2 * count), again(2 * count);
        draw_dropout_noise(stream, probability, noise.data(), count);
        draw_dropout_noise(stream, probability, noise.data() + count, count);
        draw_dropout_noise(skipped, probability, again.data(), 2 * count);
        for (const float multiplier : noise)
          wrong += multiplier != slow.dropped(probability);
        CHECK(wrong == 0);
        CHECK(noise == again);
        const std::uint32_t next = slow.next();
        CHECK(stream.next_u32() == next);
        CHECK(skipped.next_u32() == next);
      }
}

TEST_CASE("random blocks: skipping any number is drawing it, and rand goes on across blocks") {
  for (const std::uint64_t first : {0, 1, 623, 624, 625})
    for (const std::uint64_t count : {0, 1, 2, 622, 623, 624, 625, 1248, 1249, 70001}) {
      INFO("skipping " << first << " and " << count);
      TorchStream stream(5), drawn(5);
      stream.skip(first);
      stream.skip(count);
      for (std::uint64_t i = 0; i < first + count; ++i)
        drawn.next_u32();
      Matrix run(3, 501);
      fill_rand(stream, run);
      std::size_t wrong = 0;
      for (Index i = 0; i < run.size(); ++i)
        wrong += run.data()[i] != drawn.rand();
      CHECK(wrong == 0);
      CHECK(stream.next_u32() == drawn.next_u32());
    }
}
