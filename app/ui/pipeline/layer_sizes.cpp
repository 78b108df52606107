#include "app/ui/pipeline/layer_sizes.h"

#include <vector>

namespace headlight {
namespace {

// A size of the layer: its letter, as papers and notebooks have it, and what it counts.
struct LayerSize {
  std::string letter;
  Index value = 0;
  std::string one, many;  // "sequence", "sequences"
};

std::vector<LayerSize> layer_sizes(const Layer& layer) {
  std::vector<LayerSize> items = {{"B", layer.sequence_count(), "sequence", "sequences"}};
  if (layer.self_attention()) {
    items.push_back({"T", layer.token_count(), "token", "tokens"});
  } else {
    items.push_back({"queries", layer.token_count(), "token that asks", "tokens that ask"});
    items.push_back({"keys", layer.key_count(), "token attended to", "tokens attended to"});
  }
  if (!layer.embeddings.empty())
    items.push_back({"d_in", layer.d_in(), "number in each embedding", "numbers in each embedding"});
  items.push_back({"d_out", layer.d_out(), "number in each output", "numbers in each output"});
  items.push_back({"H", layer.head_count(), "head", "heads"});
  if (layer.kv_head_count() != layer.head_count())
    items.push_back(
        {"key/value heads", layer.kv_head_count(), "head of keys and values", "heads of keys and values"});
  items.push_back({"dₖ", layer.d_k(), "number in each query and key", "numbers in each query and key"});
  if (layer.d_v() != layer.d_k())
    items.push_back({"dᵥ", layer.d_v(), "number in each value", "numbers in each value"});
  return items;
}

}  // namespace

std::string sizes_text(const Layer& layer) {
  std::string text;
  for (const LayerSize& size : layer_sizes(layer))
    text += (text.empty() ? "" : "\n") + size.letter + ": " + std::to_string(size.value) + " " +
            (size.value == 1 ? size.one : size.many);
  return text;
}

}  // namespace headlight
