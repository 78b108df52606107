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

std::vector<LayerSize> layer_sizes(const Model& model) {
  std::vector<LayerSize> items = {{"B", model.sequence_count(), "sequence", "sequences"}};
  if (model.self_attention()) {
    items.push_back({"T", model.token_count(), "token", "tokens"});
  } else {
    items.push_back({"queries", model.token_count(), "token that asks", "tokens that ask"});
    items.push_back({"keys", model.key_count(), "token attended to", "tokens attended to"});
  }
  if (!model.embeddings.empty())
    items.push_back({"d_in", model.d_in(), "number in each embedding", "numbers in each embedding"});
  items.push_back({"d_out", model.d_out(), "number in each output", "numbers in each output"});
  items.push_back({"H", model.head_count(), "head", "heads"});
  if (model.kv_head_count() != model.head_count())
    items.push_back(
        {"key/value heads", model.kv_head_count(), "head of keys and values", "heads of keys and values"});
  items.push_back({"dₖ", model.d_k(), "number in each query and key", "numbers in each query and key"});
  if (model.d_v() != model.d_k())
    items.push_back({"dᵥ", model.d_v(), "number in each value", "numbers in each value"});
  return items;
}

}  // namespace

std::string sizes_text(const Model& model) {
  std::string text;
  for (const LayerSize& size : layer_sizes(model))
    text += (text.empty() ? "" : "\n") + size.letter + ": " + std::to_string(size.value) + " " +
            (size.value == 1 ? size.one : size.many);
  return text;
}

}  // namespace headlight
