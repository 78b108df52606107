// config.json beside a layer: for any content, the layer opens as a valid model or the file is rejected.
#include "engine/array_import/array_placement.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;
using namespace headlight_fuzz;

namespace {

constexpr Index kWidth = 8;

PlacedArray square(const std::string& name, ArrayRole role) {
  constexpr auto kCount = static_cast<std::size_t>(kWidth * kWidth);
  return {{name, {kWidth, kWidth}, std::vector<float>(kCount, 0.25f)}, role, WeightLayout::OutIn, {}};
}

Model opened(const LayerConfig& config) {
  Model model;
  model.tokens = {"a", "b", "c"};
  model.embeddings.emplace_back(Matrix::Ones(3, kWidth));
  model.attention.d_out = kWidth;
  LayerHints hints;
  hints.config = config;
  // The width is ignored, so that a mismatch does not reject the rest of the config.
  hints.config->width.reset();
  return place_arrays({square("model.layers.2.self_attn.q_proj.weight", ArrayRole::QueryWeight),
                       square("model.layers.2.self_attn.k_proj.weight", ArrayRole::KeyWeight),
                       square("model.layers.2.self_attn.v_proj.weight", ArrayRole::ValueWeight),
                       square("model.layers.2.self_attn.o_proj.weight", ArrayRole::OutputWeight)},
                      std::nullopt, model, hints);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  LayerConfig config;
  try {
    config = parse_layer_config(text_of(data, size));
  } catch (const Error&) {
    return 0;
  }
  const Model model = must_succeed([&] { return opened(config); });
  require(model.head_count() >= 1 && kWidth % model.head_count() == 0, "the heads divide the width");
  return 0;
}
