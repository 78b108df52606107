// tests/golden/families: one attention layer of each layer family, with PyTorch's weights and output.
#pragma once

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/arrays/npy.h"
#include "engine/attention/evaluator.h"
#include "tests/support/places.h"

namespace headlight_test {

inline constexpr std::array kFamilies = {"gpt2",   "gpt_neox", "llama", "mistral",         "qwen2",
                                         "gemma2", "bert",     "t5",    "cross_attention", "t5_decoder",
                                         "gptj"};

inline std::filesystem::path family_folder(const std::string& family) {
  return std::filesystem::path(source_root()) / "tests/golden/families" / family;
}
inline std::filesystem::path family_layer(const std::string& family) {
  return family_folder(family) / "layer.safetensors";
}

// The shape of all matrices of a stage, (B, H, rows, columns); (B, rows, columns) for `Output`.
inline std::vector<headlight::Index> stage_shape(const headlight::Evaluator& evaluator,
                                                 headlight::Stage stage) {
  using namespace headlight;
  const Layer& layer = evaluator.layer();
  const Matrix& first = evaluator.matrix(stage, 0, 0);
  if (stage == Stage::Output) return {layer.sequence_count(), first.rows(), first.cols()};
  return {layer.sequence_count(), stage_heads(layer, stage), first.rows(), first.cols()};
}

// How a stage differs from PyTorch's array and in which cell most; "" if every cell is within 1e-5.
inline std::string difference_from_pytorch(const headlight::Evaluator& evaluator, headlight::Stage stage,
                                           const std::string& family, const headlight::NamedArray& pytorch) {
  using namespace headlight;
  const std::string what = family + ", " + std::string(stage_info(stage).name);
  const std::vector<Index> shape = stage_shape(evaluator, stage);
  if (shape != pytorch.shape)
    return what + ": " + shape_text(shape) + ", of PyTorch " + shape_text(pytorch.shape);
  constexpr double kMost = 1e-5;
  double worst = 0;
  std::size_t at = 0, wrong = 0;
  std::string place;
  for (Index b = 0; b < shape.front(); ++b)
    for (Index h = 0; h < stage_heads(evaluator.layer(), stage); ++h) {
      const Matrix& made = evaluator.matrix(stage, b, h);
      for (Index r = 0; r < made.rows(); ++r)
        for (Index c = 0; c < made.cols(); ++c, ++at) {
          const double away =
              std::abs(static_cast<double>(made(r, c)) - static_cast<double>(pytorch.values[at]));
          if (away <= kMost) continue;  // NaN fails this comparison
          ++wrong;
          if (!place.empty() && !(away > worst)) continue;
          worst = away;
          char text[160];
          std::snprintf(text, sizeof text,
                        ": sequence %d, head %d, row %d, column %d is %.7g, of PyTorch %.7g",
                        static_cast<int>(b), static_cast<int>(h), static_cast<int>(r), static_cast<int>(c),
                        static_cast<double>(made(r, c)), static_cast<double>(pytorch.values[at]));
          place = text;
        }
    }
  if (wrong == 0) return {};
  return what + place + "; " + std::to_string(wrong) + " of " + std::to_string(at) + " are wrong";
}

// The same for the weights and the output. part: the prefix of the array names in expected.npz; "" for the
// layer that the import proposes, "layer1_" for the next.
inline std::string difference_from_pytorch(const headlight::Layer& layer, const std::string& family,
                                           const std::string& part = "") {
  using namespace headlight;
  const std::filesystem::path file = family_folder(family) / "expected.npz";
  const Evaluator evaluator = evaluate(layer);
  const std::string weights =
      difference_from_pytorch(evaluator, Stage::Weights, family, read_npz(file, part + "weights"));
  const std::string output =
      difference_from_pytorch(evaluator, Stage::Output, family, read_npz(file, part + "output"));
  return weights.empty() || output.empty() ? weights + output : weights + "\n" + output;
}

}  // namespace headlight_test
