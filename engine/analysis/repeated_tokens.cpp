#include "engine/analysis/repeated_tokens.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/torch_stream.h"

namespace headlight {
namespace {

std::vector<std::int32_t> ordinary_tokens(const Network& network) {
  std::vector<std::int32_t> ids;
  for (std::int32_t id = 0; id < network.config().vocabulary; ++id) {
    const bool known = !network.tokenizer() || !network.tokenizer()->word(id).empty();
    if (known && !(network.tokenizer() && network.tokenizer()->is_special(id))) ids.push_back(id);
  }
  return ids;
}

std::vector<std::int32_t> ids_in_front(const Network& network) {
  if (!network.tokenizer()) return {};
  std::vector<std::int32_t> ids = network.tokenizer()->encode("");
  ids.resize(network.tokenizer()->prefix_id_count());
  return ids;
}

}  // namespace

Index most_repeated(const Network& network) {
  const auto in_front = static_cast<Index>(ids_in_front(network).size());
  return std::max<Index>(0, (network.config().positions - in_front) / 2);
}

std::vector<std::int32_t> repeated_tokens(const Network& network, const RepeatedTokens& wanted) {
  const std::vector<std::int32_t> ordinary = ordinary_tokens(network);
  if (ordinary.empty())
    throw Error("the vocabulary has no ordinary tokens", network.name(), "give a text instead");
  if (const Index most = most_repeated(network); wanted.count < 1 || wanted.count > most)
    throw Error(std::to_string(wanted.count) + " tokens cannot be said twice", "--repeated",
                "the model has room for 1 to " + std::to_string(most));
  std::vector<std::int32_t> ids = ids_in_front(network);
  const auto begin = static_cast<std::ptrdiff_t>(ids.size());
  TorchStream stream(wanted.seed);
  for (Index i = 0; i < wanted.count; ++i)
    ids.push_back(ordinary[stream.next_u32() % ordinary.size()]);
  const std::vector<std::int32_t> once(ids.begin() + begin, ids.end());
  ids.insert(ids.end(), once.begin(), once.end());
  return ids;
}

}  // namespace headlight
