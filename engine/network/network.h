// A model's folder, opened: its shape, its weights where they lie in the files, and its tokenizer.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/checkpoint/checkpoint.h"
#include "engine/core/error.h"
#include "engine/network/network_config.h"
#include "engine/network/network_weights.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {

class Network {
 public:
  // Files are mapped: this costs their headers and the tokenizer. What the model is comes first: Throws Error
  // for what parse_network_config, Checkpoint and bind_weights refuse, and when config.json is missing;
  // Stopped.
  explicit Network(const std::filesystem::path& folder);

  const NetworkConfig& config() const { return config_; }
  const NetworkWeights& weights() const { return weights_; }
  const Checkpoint& checkpoint() const { return checkpoint_; }
  // None where the folder has no tokenizer.json, or one that cannot be used: texts are given as ids then.
  const std::optional<Tokenizer>& tokenizer() const { return tokenizer_.parts; }
  // Why there is none, and how to mend it; null where there is one. It is not understood, or more than a few
  // of its words have no row in the embeddings.
  const Error* tokenizer_trouble() const { return tokenizer_.trouble ? &*tokenizer_.trouble : nullptr; }
  // What is left out of the folder, a sentence each: members of config.json, tensors, a tokenizer that cannot
  // be read, predictions that there are no weights for.
  const std::vector<std::string>& notes() const { return notes_; }
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
  // Why it predicts none: the tensor that is missing. "" where it does.
  const std::string& missing_head() const { return weights_.missing_head; }
  // Throws Error with that.
  void require_predictions() const;

 private:
  struct FolderTokenizer {
    std::optional<Tokenizer> parts;
    std::optional<Error> trouble;
  };
  static FolderTokenizer read_tokenizer(const std::filesystem::path& folder, Index vocabulary);
  void collect_notes();

  NetworkConfig config_;
  Checkpoint checkpoint_;
  NetworkWeights weights_;
  FolderTokenizer tokenizer_;
  std::vector<std::string> notes_;
};

}  // namespace headlight
