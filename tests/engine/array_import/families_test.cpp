// Layers as in checkpoints of real model families, placed by their tensor names and config.json: the weights
// and the output equal those of PyTorch.
#include "tests/support/family_cases.h"

#include <utility>

#include "engine/array_import/array_placement.h"
#include "engine/array_import/array_sets.h"
#include "engine/arrays/catalog.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// A model unlike any family: no projection, scale or mask, and a dropout of 0.5.
Layer plain_model() {
  Layer layer;
  layer.tokens.assign(6, "t");
  layer.embeddings.emplace_back(Matrix::Zero(6, 3));
  layer.attention.d_out = 3;
  layer.attention.scale.kind = ScaleKind::None;
  layer.attention.dropout.probability = 0.5;
  return layer;
}

struct Renamed {  // a part of a tensor name and what other checkpoints use instead
  std::string from, to;
};

std::string renamed(std::string name, const Renamed& part) {
  const std::size_t at = name.find(part.from);
  return part.from.empty() || at == std::string::npos ? name : name.replace(at, part.from.size(), part.to);
}

enum class Input { OfTheFile, None };

// Imports the first layer of the file into the model with all options as proposed.
Layer opened(const std::string& family, const Layer& layer, const Renamed& part = {},
             Input input = Input::OfTheFile) {
  const std::filesystem::path file = family_layer(family);
  std::vector<ArrayEntry> originals = list_arrays(file);
  if (input == Input::None)
    std::erase_if(originals,
                  [](const ArrayEntry& entry) { return entry.name.find('.') == std::string::npos; });
  std::vector<ArrayEntry> entries = originals;
  for (ArrayEntry& entry : entries)
    entry.name = renamed(entry.name, part);
  const std::vector<ArraySet> sets = find_array_sets(entries, layer);
  REQUIRE_FALSE(sets.empty());
  std::vector<PlacedArray> arrays;
  for (const ArraySet::Member& member : sets.front().members) {
    NamedArray array = read_array(file, originals[member.entry].name);
    array.name = entries[member.entry].name;
    arrays.push_back({std::move(array), member.proposal.role, member.proposal.layout, {}});
  }
  LayerHints hints;
  hints.config = read_layer_config(file);
  return place_arrays(std::move(arrays), std::nullopt, layer, hints);
}

}  // namespace

TEST_CASE("families: weights and output are those of PyTorch") {
  for (const std::string family : kFamilies)
    CHECK(difference_from_pytorch(opened(family, plain_model()), family) == "");
}

TEST_CASE("families: nothing of the layer that was there before stays") {
  for (const std::string before : kFamilies) {
    const Layer layer = opened(before, plain_model());
    for (const std::string family : kFamilies) {
      INFO("after " << before);
      CHECK(difference_from_pytorch(opened(family, layer), family) == "");
    }
  }
}

TEST_CASE("families: a layer is known by what other programs call it, too") {
  const std::pair<const char*, Renamed> cases[] = {
      {"gpt2", {"h.0.", "transformer.h.0."}},      {"gpt2", {"h.0.attn.c", "c"}},
      {"gpt_neox", {"gpt_neox.layers", "layers"}}, {"gpt_neox", {"gpt_neox.layers.0.", ""}},
      {"llama", {"model.layers", "layers"}},       {"llama", {"model.layers", "language_model.model.layers"}},
      {"mistral", {"model.layers.0.", ""}},        {"mistral", {"model.layers.0.self_attn.", ""}},
      {"qwen2", {"model.", "module.model."}},      {"gemma2", {"model.layers", "layers"}},
      {"bert", {"bert.encoder", "encoder"}},       {"bert", {"bert.encoder.layer.0.", ""}},
      {"t5", {"encoder.block.0.layer.0.", ""}},    {"cross_attention", {"decoder.block.0.layer.1.", ""}},
  };
  for (const auto& [family, part] : cases) {
    INFO(family << ": " << part.from << " is called " << part.to);
    CHECK(difference_from_pytorch(opened(family, plain_model(), part), family) == "");
  }
}

TEST_CASE("families: a checkpoint without the layer's input brings the same settings") {
  for (const std::string family : kFamilies) {
    INFO(family);
    const Layer with = opened(family, plain_model());
    const Layer without = opened(family, plain_model(), {}, Input::None);
    CHECK(without.tokens == plain_model().tokens);
    CHECK(without.d_in() == with.d_in());
    AttentionSettings expected = with.attention;
    if (family == "bert") expected.mask = MaskKind::None;  // its padding mask is part of the input
    CHECK(without.attention == expected);
    CHECK_NOTHROW(evaluate(without));
  }
}
