#include "engine/core/torch_stream.h"
#include "tests/support/catch.h"
#include "tests/support/golden_cases.h"

using namespace headlight;
using namespace headlight_test;

namespace {
const json& vectors(const char* name) {
  return goldens().at("rng").at(name);
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

TEST_CASE("random: the engine's outputs, for seeds of all sizes") {
  REQUIRE(!vectors("engine").empty());
  for (const json& v : vectors("engine")) {
    const auto seed = static_cast<std::int64_t>(v.at("seed").get<std::int64_t>());
    INFO("seed " << seed);
    TorchStream stream(seed), floats(seed);
    for (const json& expected : v.at("u32"))
      CHECK(stream.next_u32() == expected.get<std::uint32_t>());
    for (const json& expected : v.at("low24"))
      CHECK(floats.rand() * 0x1p24f == expected.get<float>());
  }
}

TEST_CASE("random: torch.rand bit for bit") {
  for (const json& v : vectors("rand")) {
    TorchStream stream(v.at("seed").get<std::int64_t>());
    Matrix m(1, v.at("n").get<Index>());
    fill_rand(stream, m);
    if (v.contains("values")) {
      const std::vector<float> expected = flat(v.at("values"));
      for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(m.data()[i] == expected[i]);
    } else {
      CHECK(crc32_of(m.data(), static_cast<std::size_t>(m.size())) == v.at("crc32").get<std::uint32_t>());
      CHECK(m(0, m.cols() - 1) == v.at("last").get<float>());
    }
  }
}

TEST_CASE("random: nn.Linear's weight and bias bit for bit, and where the stream goes on") {
  for (const json& v : vectors("linear")) {
    const Index d_in = v.at("d_in"), d_out = v.at("d_out");
    INFO("seed " << v.at("seed") << ", " << d_in << " to " << d_out);
    TorchStream stream(v.at("seed").get<std::int64_t>());
    Matrix weight(d_out, d_in), bias(1, d_out);
    fill_linear_weight(stream, weight);
    if (v.contains("weight_crc32")) {
      fill_linear_bias(stream, d_in, bias);
      CHECK(crc32_of(weight.data(), static_cast<std::size_t>(weight.size())) ==
            v.at("weight_crc32").get<std::uint32_t>());
      CHECK(crc32_of(bias.data(), static_cast<std::size_t>(bias.size())) ==
            v.at("bias_crc32").get<std::uint32_t>());
      continue;
    }
    const std::vector<float> expected = flat(v.at("weight")), expected_bias = flat(v.at("bias"));
    for (std::size_t i = 0; i < expected.size(); ++i)
      CHECK(weight.data()[i] == expected[i]);
    if (!expected_bias.empty()) fill_linear_bias(stream, d_in, bias);
    for (std::size_t i = 0; i < expected_bias.size(); ++i)
      CHECK(bias.data()[i] == expected_bias[i]);
    CHECK(stream.rand() == v.at("next_rand").get<float>());
  }
}

TEST_CASE("random: dropout's multipliers and where the stream goes on") {
  for (const json& v : vectors("dropout")) {
    const double p = v.at("p");
    std::vector<float> noise(v.at("n").get<std::size_t>());
    INFO("seed " << v.at("seed") << ", p " << p);
    TorchStream stream(v.at("seed").get<std::int64_t>());
    draw_dropout_noise(stream, p, noise.data(), noise.size());
    if (v.contains("crc32")) {
      CHECK(crc32_of(noise.data(), noise.size()) == v.at("crc32").get<std::uint32_t>());
      continue;
    }
    const std::string keep = v.at("keep");
    for (std::size_t i = 0; i < noise.size(); ++i) {
      const float expected = keep[i] == '1' ? v.at("scale").get<float>() : 0.0f;
      CHECK(noise[i] == expected);
    }
    CHECK(stream.rand() == v.at("next_rand").get<float>());
  }
}

TEST_CASE("random: dropout of nothing and of everything draws nothing") {
  for (const double p : {0.0, 1.0}) {
    TorchStream stream(123), untouched(123);
    std::vector<float> noise(10, 7.0f);
    draw_dropout_noise(stream, p, noise.data(), noise.size());
    for (float value : noise)
      CHECK(value == (p == 0.0 ? 1.0f : 0.0f));
    CHECK(stream.next_u32() == untouched.next_u32());
  }
}

TEST_CASE("random: dropout as PyTorch's wheels with MKL draw it, in one call over several matrices") {
  REQUIRE(!vectors("dropout_mkl_variant").empty());
  for (const json& v : vectors("dropout_mkl_variant")) {
    const double p = v.at("p");
    INFO("seed " << v.at("seed") << ", p " << p);
    TorchStream torch(v.at("seed").get<std::int64_t>());
    MklStream stream(torch.next_u32());
    std::vector<float> noise(v.at("n").get<std::size_t>());
    const std::size_t first = noise.size() / 3;  // the stream continues across matrices
    draw_dropout_noise(stream, p, noise.data(), first);
    draw_dropout_noise(stream, p, noise.data() + first, noise.size() - first);
    const std::string keep = v.at("keep");
    for (std::size_t i = 0; i < noise.size(); ++i)
      CHECK(noise[i] == (keep[i] == '1' ? 1.0f / static_cast<float>(1 - p) : 0.0f));
  }
  for (const std::uint32_t seed : {0u, 0x7FFFFFFFu, 0xFFFFFFFEu})  // the state is never 0: it would stay 0
    CHECK(MklStream(seed).next_uniform() == 1.0 / 0x7FFFFFFF);
}

TEST_CASE("random: dropout number by number, at odd offsets and lengths") {
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

TEST_CASE("random: skipping any number is drawing it") {
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
