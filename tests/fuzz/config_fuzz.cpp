// config.json beside a layer: for any content, the layer opens as a valid layer or the file is rejected.
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

Layer opened(const LayerConfig& config) {
  Layer layer;
  layer.tokens = {"a", "b", "c"};
  layer.embeddings.emplace_back(Matrix::Ones(3, kWidth));
  layer.attention.d_out = kWidth;
  LayerHints hints;
  hints.config = config;
  // The width is ignored, so that a mismatch does not reject the rest of the config.
  hints.config->width.reset();
  return place_arrays({square("model.layers.2.self_attn.q_proj.weight", ArrayRole::QueryWeight),
                       square("model.layers.2.self_attn.k_proj.weight", ArrayRole::KeyWeight),
                       square("model.layers.2.self_attn.v_proj.weight", ArrayRole::ValueWeight),
                       square("model.layers.2.self_attn.o_proj.weight", ArrayRole::OutputWeight)},
                      std::nullopt, layer, hints);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  LayerConfig config;
  try {
    config = parse_layer_config(text_of(data, size));
  } catch (const Error&) {
    return 0;
  }
  const Layer layer = must_succeed([&] { return opened(config); });
  require(layer.head_count() >= 1 && kWidth % layer.head_count() == 0, "the heads divide the width");
  return 0;
}
