#include "engine/network/network.h"

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/foreign/foreign_file.h"
#include "engine/tokenizers/foreign_tokenizers.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

// Larger ones are no texts of settings; vocabularies of a quarter of a million words stay below.
constexpr std::uint64_t kMostText = std::uint64_t{1} << 27;

constexpr Index kWordsForOneWithoutRow = 50;

std::string read_text(const fs::path& file) {
  require_file(file, kMostText);
  require_form(file, FileForm::Json);
  return read_file(file);
}

NetworkConfig read_config(const fs::path& folder) {
  const fs::path file = folder / "config.json";
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    throw Error("there is no config.json in it", folder.string(),
                "choose the folder that config.json and model.safetensors lie in");
  const std::string text = read_text(file);
  try {
    return parse_network_config(text);
  } catch (const Error& failure) {
    throw failure.inside(file.string());
  }
}

// The folder, whose family is known: nobody converts weights of one that is refused afterwards.
const fs::path& judged(const fs::path& folder) {
  std::error_code error;
  if (fs::is_regular_file(folder / "config.json", error)) read_config(folder);
  return folder;
}

std::optional<Tokenizer> read_tokenizer(const fs::path& folder, Index vocabulary) {
  const fs::path file = folder / "tokenizer.json";
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  Tokenizer tokenizer = Tokenizer::parse(read_text(file), file.string());
  // Some checkpoints have a word or two more than rows; a text that uses one of them is refused.
  const Index without_row = tokenizer.size() - vocabulary;
  if (without_row * kWordsForOneWithoutRow > tokenizer.size())
    throw Error("its ids go up to " + std::to_string(tokenizer.size() - 1) + ", but the embeddings have " +
                    std::to_string(vocabulary) + " rows",
                file.string(), "copy tokenizer.json of this model again, or remove it and give ids");
  return tokenizer;
}

}  // namespace

Network::Network(const fs::path& folder)
    : checkpoint_(judged(folder)),
      config_(read_config(folder)),
      weights_(bind_weights(checkpoint_, config_)),
      tokenizer_(read_tokenizer(folder, config_.vocabulary)) {}

std::vector<std::int32_t> Network::encode(const std::string& text) const {
  if (!tokenizer_) throw missing_tokenizer(checkpoint_.folder());
  std::vector<std::int32_t> ids = tokenizer_->encode(text);
  if (ids.empty()) throw Error("the text has no tokens", "text", "give at least one character");
  require_ids(ids);
  return ids;
}

void Network::require_ids(const std::vector<std::int32_t>& ids) const {
  if (ids.empty()) throw Error("there are no ids", "ids", "give at least one");
  if (static_cast<Index>(ids.size()) > config_.positions)
    throw Error("there are " + std::to_string(ids.size()) + " tokens, but the model has positions for " +
                    std::to_string(config_.positions),
                "text", "give a shorter text");
  require_token_count(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0 || ids[i] >= config_.vocabulary)
      throw Error("id " + std::to_string(ids[i]) + " is outside the vocabulary",
                  "ids[" + std::to_string(i) + "]",
                  "ids of this model go from 0 to " + std::to_string(config_.vocabulary - 1));
}

std::string Network::label(std::int32_t id) const {
  const std::string text = tokenizer_ ? tokenizer_->text_of(id) : "";
  return text.empty() ? std::to_string(id) : text;
}

std::optional<std::int32_t> Network::mask_token() const {
  return tokenizer_ && !config_.causal ? tokenizer_->mask_token() : std::nullopt;
}

}  // namespace headlight
