// A model's folder, opened: its shape, its weights where they lie in the files, and its tokenizer.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/checkpoint/checkpoint.h"
#include "engine/network/network_config.h"
#include "engine/network/network_weights.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {

class Network {
 public:
  // Files are mapped: this costs their headers and the tokenizer. Throws Error for what Checkpoint,
  // parse_network_config, bind_weights and Tokenizer refuse, when config.json is missing, and when more than
  // a few words of the tokenizer have no row in the embeddings; Stopped.
  explicit Network(const std::filesystem::path& folder);

  const NetworkConfig& config() const { return config_; }
  const NetworkWeights& weights() const { return weights_; }
  const Checkpoint& checkpoint() const { return checkpoint_; }
  // None where the folder has no tokenizer.json: texts are given as ids then.
  const std::optional<Tokenizer>& tokenizer() const { return tokenizer_; }
  std::string name() const { return folder_name(checkpoint_.folder()); }

  // The ids of a text. Throws Error when there is no tokenizer, when there are no ids, and when there are
  // more than the model has positions for; Stopped.
  std::vector<std::int32_t> encode(const std::string& text) const;
  // Throws Error when there are none, one is outside the vocabulary, or there are too many.
  void require_ids(const std::vector<std::int32_t>& ids) const;
  // What stands at an id, for people: " key"; without a tokenizer its number.
  std::string label(std::int32_t id) const;
  // The id that a masked word has in a text; none where the model continues texts.
  std::optional<std::int32_t> mask_token() const;
  bool predicts() const { return !weights_.logits.empty(); }

 private:
  Checkpoint checkpoint_;
  NetworkConfig config_;
  NetworkWeights weights_;
  std::optional<Tokenizer> tokenizer_;
};

}  // namespace headlight
