// An opened model, a folder or a GGUF file: its configuration, its weights in mapped files, and its
// tokenizer.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/architecture/config_names.h"
#include "engine/architecture/network_config.h"
#include "engine/checkpoint/adapter.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/core/error.h"
#include "engine/network/network_weights.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {

class Network {
 public:
  // A folder is one as model_place() takes it. Wrapped texts (text_config), names behind another module's,
  // GPT-2's matrices with a row for each output, and an adapter are taken as they are meant; notes() tells
  // it. Maps the files: the cost is that of their headers and the tokenizer. Reads config.json first. Throws
  // Error for what parse_network_config, Checkpoint, read_gguf_model and bind_weights reject, and if
  // config.json is missing; Stopped.
  explicit Network(const std::filesystem::path& folder_or_file, AdapterUse use = AdapterUse::Added);

  const NetworkConfig& config() const { return config_; }
  const NetworkWeights& weights() const { return weights_; }
  const Checkpoint& checkpoint() const { return *checkpoint_; }
  // Of a model of two sides: the side whose output this one attends to; else null.
  const std::shared_ptr<const Network>& encoder() const { return encoder_; }
  // How the adapter that lies in the folder is used; nullopt if there is none.
  std::optional<AdapterUse> adapter() const { return adapter_; }
  bool reads_images() const { return config_.image.channels > 0; }
  // The id that the text of a model of two sides begins with; nullopt if config.json names none.
  const std::optional<std::int32_t>& decoder_start() const { return names_.decoder_start; }
  // nullopt if the model has no usable tokenizer: texts are then given as ids.
  const std::optional<Tokenizer>& tokenizer() const { return tokenizer_.parts; }
  // Why there is no tokenizer, and how to fix it; null if there is one. The file is missing or not supported,
  // or more than a few of its tokens have no row in the embeddings.
  const Error* tokenizer_error() const { return tokenizer_.trouble ? &*tokenizer_.trouble : nullptr; }
  // What is ignored or missing, one sentence each: members of config.json, tensors, a tokenizer that cannot
  // be read, weights for predictions.
  const std::vector<std::string>& notes() const { return notes_; }
  std::string name() const { return folder_name(checkpoint_->folder()); }

  // The ids of a text; of a model of two sides the decoder's, which begin with decoder_start() and lack the
  // ids that the tokenizer adds at the end. Throws Error if there is no tokenizer, if there are no ids, or if
  // there are more than the model has positions for; Stopped.
  std::vector<std::int32_t> encode(const std::string& text) const;
  // The text of such ids.
  std::string decode(const std::vector<std::int32_t>& ids) const;
  // Throws Error if there are none, if one is outside the vocabulary, or if there are too many.
  void require_ids(const std::vector<std::int32_t>& ids) const;
  // Display text of an id: " key", or a class of a model of images; its number if it has no name.
  std::string label(std::int32_t id) const;
  // Display text of a token of its input, which is given as its id, or its number in an image: "class",
  // "patch 3,5" (row and column, from 0).
  std::string token_label(std::int32_t id) const;
  // The id of the mask token; nullopt for causal models.
  std::optional<std::int32_t> mask_token() const;
  // Whether the architecture supports backpropagation; if not, why_no_gradient() says why.
  bool has_gradients() const { return why_no_gradient(config_).empty(); }
  bool predicts() const { return !weights_.logits.empty(); }
  // Why there are no predictions: the tensor that is missing; "" if there are.
  const std::string& missing_head() const { return weights_.missing_head; }
  // Throws Error with missing_head() if there are no predictions.
  void require_predictions() const;

 private:
  struct FolderTokenizer {
    std::optional<Tokenizer> parts;
    std::optional<Error> trouble;
    bool is_missing = false;  // there is nothing to read one from
  };
  // The encoder of another one.
  Network(const Network& decoder, const NetworkConfig& config);
  struct Files {
    NetworkConfig config;
    ConfigNames names;
    std::shared_ptr<const Checkpoint> checkpoint;
    FolderTokenizer tokenizer;
    std::vector<std::string> notes;
    std::optional<AdapterUse> adapter = {};
  };
  explicit Network(Files files);
  static Files open(const std::filesystem::path& path, AdapterUse use);
  static Files open_folder(const std::filesystem::path& opened, AdapterUse use);
  // Without the tokenizer if more than a few of its tokens have no row in the embeddings.
  static FolderTokenizer checked(std::optional<Tokenizer> tokenizer, Index vocabulary,
                                 const std::string& where);
  static FolderTokenizer read_tokenizer(const std::filesystem::path& folder, Index vocabulary);
  void collect_notes();

  NetworkConfig config_;
  ConfigNames names_;
  std::shared_ptr<const Checkpoint> checkpoint_;
  NetworkWeights weights_;
  FolderTokenizer tokenizer_;
  std::shared_ptr<const Network> encoder_;
  std::vector<std::string> notes_;
  std::optional<AdapterUse> adapter_;
};

// Opens a model that reads one text. Throws Error as its constructor does, and for models of two sides and of
// images.
std::shared_ptr<const Network> open_text_model(const std::filesystem::path& folder,
                                               AdapterUse use = AdapterUse::Added);

}  // namespace headlight
