#include "engine/network/network.h"

#include <algorithm>

#include "engine/architecture/family.h"
#include "engine/checkpoint/adapter.h"
#include "engine/checkpoint/gguf_model.h"
#include "engine/checkpoint/model_place.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/foreign_file.h"
#include "engine/core/nearest.h"
#include "engine/json/json_document.h"
#include "engine/network/known_families.h"
#include "engine/network/saving_class.h"
#include "engine/tokenizers/folder_tokenizer.h"
#include "engine/tokenizers/foreign_tokenizers.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

// Size limit of the JSON files; vocabularies of a quarter of a million tokens stay below it.
constexpr std::uint64_t kMostText = std::uint64_t{1} << 27;

constexpr Index kWordsForOneWithoutRow = 50;

std::string read_text(const fs::path& file) {
  require_file(file, kMostText);
  require_form(file, FileForm::Json);
  return read_file(file);
}

constexpr const char *kConfig = "config.json", *kTokenizer = "tokenizer.json";

std::string saved_with_head(const NetworkConfig& config) {
  const std::string usual(config.family->saved_by);
  return usual == "AutoModelForMaskedLM" && config.causal ? "AutoModelForCausalLM" : usual;
}

// For a family that is not known, with pickled weights: the hint of `unknown` applies only after they are
// converted.
Error with_conversion(const Error& unknown, const std::string& text) {
  return {
      unknown.summary(), unknown.where(),
      unknown.hint() + ", once its pickled weights are converted; " + converting_hint(saving_class(text))};
}

std::string read_config_text(const fs::path& folder) {
  std::error_code error;
  if (fs::is_regular_file(folder / kConfig, error)) return read_text(folder / kConfig);
  const Checkpoint weights(folder);  // if the weights are missing as well, this error comes first
  throw Error("there is no config.json in it", folder.string(),
              "choose the folder that config.json and model.safetensors lie in");
}

// Checks the family before the weights: errors about missing files depend on it.
NetworkConfig read_config(const fs::path& folder, const std::string& text) {
  try {
    return parse_network_config(text);
  } catch (const Error& failure) {
    const bool converts = failure.where() == "model_type" && has_only_pickled(folder);
    throw(converts ? with_conversion(failure, text) : failure).inside((folder / kConfig).string());
  }
}

// The config of a text model inside that of a model that also sees or hears, which is not known as a whole.
std::string text_part(const std::string& text, std::vector<std::string>& notes) {
  const Json whole = Json::parse(text, nullptr, false);  // what is wrong with it is told where it is read
  const auto inner = whole.is_object() ? whole.find("text_config") : whole.end();
  if (!whole.is_object() || inner == whole.end() || !inner->is_object()) return text;
  const auto type = whole.find("model_type");
  if (type != whole.end() && type->is_string() && find_family(type->get<std::string>())) return text;
  Json part = *inner;
  if (const auto tied = whole.find("tie_word_embeddings");
      tied != whole.end() && !part.contains("tie_word_embeddings"))
    part["tie_word_embeddings"] = *tied;
  std::vector<std::string> others;
  for (const auto& [name, value] : whole.items())
    if (value.is_object() && name.ends_with("_config") && name != "text_config" &&
        name != "quantization_config")
      others.push_back(name);
  notes.push_back("the text model in text_config is opened" +
                  (type != whole.end() && type->is_string() ? " of this " + type->get<std::string>() : "") +
                  (others.empty() ? "" : ", without what " + listed(others) + " describes"));
  return part.dump();
}

// Without a quantization_config that was left behind although no matrix is quantised.
std::string without_stale_quantization(const std::string& text, const Checkpoint& checkpoint,
                                       std::vector<std::string>& notes) {
  Json config = Json::parse(text, nullptr, false);
  const auto found = config.is_object() ? config.find("quantization_config") : config.end();
  const bool says_how =
      config.is_object() && found != config.end() && found->is_object() && found->contains("quant_method");
  if (!says_how || !checkpoint.has_plain_numbers()) return text;
  config.erase("quantization_config");
  notes.push_back(
      "quantization_config in config.json is left aside: all matrices are stored as plain numbers");
  return config.dump();
}

// What stands before the family's names in all names of the files: "_orig_mod.", "language_model."; "" if
// nothing does.
std::string prefix_of_names(const Checkpoint& checkpoint, const NetworkConfig& config) {
  const TensorNames& names = config.tensors;
  const std::string first = names.class_token.empty() ? names.tokens + ".weight" : names.class_token;
  for (const std::string& prefix : names.prefixes)
    if (checkpoint.has(prefix + first)) return "";
  std::string found;
  const auto of_text = [](const std::string& prefix) {
    return prefix.find("language") != std::string::npos || prefix.find("text") != std::string::npos;
  };
  for (const std::string& name : checkpoint.names())
    for (const std::string& prefix : names.prefixes) {
      const std::string whole = prefix + first;
      if (!name.ends_with("." + whole)) continue;
      const std::string before = name.substr(0, name.size() - whole.size());
      const bool better = of_text(before) != of_text(found) ? of_text(before) : before.size() < found.size();
      if (found.empty() || better) found = before;
    }
  return found;
}

// Whether matrices lie the other way than the family's library stores them, as the one between the stream and
// an MLP shows, which is not square.
bool lies_transposed(const Checkpoint& checkpoint, const NetworkConfig& c) {
  const TensorNames& names = c.tensors;
  if (c.layers == 0 || names.up.empty() || !names.gate_up.empty() || c.experts.count > 0 ||
      c.mlp_width == c.width)
    return false;
  for (const std::string& prefix : names.prefixes) {
    const std::string name = prefix + c.layer_name(0) + names.up + ".weight";
    if (!checkpoint.has(name)) continue;
    const std::vector<Index> usual =
        names.columns ? std::vector{c.width, c.mlp_width} : std::vector{c.mlp_width, c.width};
    return checkpoint.require(name).shape == std::vector{usual[1], usual[0]};
  }
  return false;
}

// Hints about the folder's other files do not help with a file that has everything in it.
NetworkConfig parse_gguf_config(const std::string& text) {
  try {
    return parse_network_config(text);
  } catch (const Error& failure) {
    throw Error(failure.summary(), failure.where(),
                failure.hint() == kMendConfig
                    ? "take the model's folder as the hub has it, or convert it again"
                    : failure.hint());
  }
}

// Some checkpoints have slightly more tokens than embedding rows; a text that uses one of these is rejected.
void require_rows(const Tokenizer& tokenizer, Index vocabulary, const std::string& where) {
  const Index without_row = tokenizer.size() - vocabulary;
  if (without_row * kWordsForOneWithoutRow > tokenizer.size())
    throw Error("its ids go up to " + std::to_string(tokenizer.size() - 1) + ", but the embeddings have " +
                    std::to_string(vocabulary) + " rows",
                where, "copy the tokenizer's files of this model again");
}

Error with_ids_instead(const Error& failure) {
  constexpr const char* kIds = "give ids instead of a text";
  const std::string& hint = failure.hint();
  return {failure.summary(), failure.where(),
          hint.starts_with(kIds) ? hint : kIds + (hint.empty() ? "" : "; " + hint)};
}

}  // namespace

Network::FolderTokenizer Network::checked(std::optional<Tokenizer> tokenizer, Index vocabulary,
                                          const std::string& where) {
  try {
    if (tokenizer) require_rows(*tokenizer, vocabulary, where);
    return {std::move(tokenizer), {}};
  } catch (const Error& failure) {
    return {{}, with_ids_instead(failure)};
  }
}

Network::FolderTokenizer Network::read_tokenizer(const fs::path& folder, Index vocabulary) {
  try {
    std::optional<Tokenizer> tokenizer = read_folder_tokenizer(folder);
    if (!tokenizer) return {{}, missing_tokenizer(folder), true};
    const fs::path file = folder / kTokenizer;
    std::error_code error;
    return checked(std::move(tokenizer), vocabulary,
                   (fs::is_regular_file(file, error) ? file : folder).string());
  } catch (const Error& failure) {
    return {{}, with_ids_instead(failure)};
  }
}

Network::Files Network::open_folder(const fs::path& opened, AdapterUse use) {
  const ModelPlace place = model_place(opened);
  Files files;
  files.notes = place.notes;
  std::string text = text_part(read_config_text(place.folder), files.notes);
  if (text.find("\"quantization_config\"") != std::string::npos)
    text = without_stale_quantization(text, Checkpoint(place.folder, saving_class(text)), files.notes);
  files.config = read_config(place.folder, text);
  files.names = names_in_config(text);
  auto checkpoint = std::make_shared<Checkpoint>(place.folder, saving_class(text));
  if (const std::string prefix = prefix_of_names(*checkpoint, files.config); !prefix.empty()) {
    checkpoint->strip_prefix(prefix);
    files.notes.push_back("the names of the tensors begin with " + in_quotes(prefix) + ", which is left out");
  }
  if (lies_transposed(*checkpoint, files.config)) {
    files.config.tensors.columns = !files.config.tensors.columns;
    files.notes.push_back(std::string("the matrices are transposed: they have a ") +
                          (files.config.tensors.columns ? "column" : "row") +
                          " for each output, not as the library of this family stores them");
  }
  if (place.adapter) {
    files.notes.push_back(apply_adapter(*place.adapter, *checkpoint, use));
    files.adapter = use;
    checkpoint->found_at(*place.adapter);
  }
  files.notes.insert(files.notes.end(), checkpoint->notes().begin(), checkpoint->notes().end());
  files.checkpoint = std::move(checkpoint);
  files.tokenizer = read_tokenizer(place.folder, files.config.vocabulary);
  return files;
}

Network::Files Network::open(const fs::path& path, AdapterUse use) {
  const std::optional<fs::path> gguf = gguf_of_model(path);
  if (!gguf) return open_folder(path, use);
  GgufModel model = read_gguf_model(*gguf);
  try {
    NetworkConfig config = parse_gguf_config(model.config);
    FolderTokenizer tokenizer = checked(std::move(model.tokenizer), config.vocabulary, gguf->string());
    if (model.tokenizer_error) tokenizer.trouble = with_ids_instead(*model.tokenizer_error);
    tokenizer.is_missing = !model.has_tokenizer;
    return {std::move(config),
            names_in_config(model.config),
            std::make_shared<const Checkpoint>(std::move(model.weights), *gguf),
            std::move(tokenizer),
            {}};
  } catch (const Error& failure) {
    throw failure.where().starts_with(gguf->string()) ? failure : failure.inside(gguf->string());
  }
}

Network::Network(const fs::path& folder_or_file, AdapterUse use) : Network(open(folder_or_file, use)) {}

Network::Network(Files files)
    : config_(std::move(files.config)),
      names_(std::move(files.names)),
      checkpoint_(std::move(files.checkpoint)),
      weights_(bind_weights(*checkpoint_, config_)),
      tokenizer_(std::move(files.tokenizer)),
      notes_(std::move(files.notes)),
      adapter_(files.adapter) {
  if (config_.encoder) encoder_.reset(new Network(*this, *config_.encoder));
  collect_notes();
}

Network::Network(const Network& decoder, const NetworkConfig& config)
    : config_(config),
      checkpoint_(decoder.checkpoint_),
      weights_(bind_weights(*checkpoint_, config_)),
      tokenizer_(decoder.tokenizer_) {}

void Network::collect_notes() {
  notes_.insert(notes_.end(), config_.notes.begin(), config_.notes.end());
  notes_.insert(notes_.end(), weights_.notes.begin(), weights_.notes.end());
  std::vector<const NetworkWeights*> sides = {&weights_};
  if (encoder_) sides.push_back(&encoder_->weights());
  const std::string unused = unused_tensors(*checkpoint_, config_, sides);
  if (!unused.empty()) notes_.push_back(unused);
  if (tokenizer_.trouble && !tokenizer_.is_missing && !reads_images())
    notes_.push_back(std::string("texts are given as ids: ") + tokenizer_.trouble->what());
  if (!predicts()) notes_.push_back("there are no predictions: " + weights_.missing_head);
  if (!encoder_) names_.decoder_start.reset();
  if (decoder_start() && (*decoder_start() < 0 || *decoder_start() >= config_.vocabulary)) {
    notes_.push_back("the decoder's text begins without decoder_start_token_id, " +
                     std::to_string(*decoder_start()) + ", which is no id of the vocabulary");
    names_.decoder_start.reset();
  }
}

void Network::require_predictions() const {
  if (predicts()) return;
  throw Error("it predicts no tokens: " + weights_.missing_head, name(),
              "save the model with its language-model head (" + saved_with_head(config_) +
                  "); everything but predictions is there all the same");
}

std::vector<std::int32_t> Network::encode(const std::string& text) const {
  if (tokenizer_.trouble) throw Error(*tokenizer_.trouble);
  std::vector<std::int32_t> ids = tokenizer_.parts->encode(text);
  if (encoder_) ids.resize(ids.size() - std::min(ids.size(), tokenizer_.parts->suffix_id_count()));
  if (decoder_start()) ids.insert(ids.begin(), *decoder_start());
  if (ids.empty()) throw Error("the text has no tokens", "text", "give at least one character");
  require_ids(ids);
  return ids;
}

void Network::require_ids(const std::vector<std::int32_t>& ids) const {
  if (ids.empty()) throw Error("there are no ids", "ids", "give at least one");
  if (static_cast<Index>(ids.size()) > config_.positions && config_.dynamic == 0)
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

std::shared_ptr<const Network> open_text_model(const fs::path& folder, AdapterUse use) {
  auto network = std::make_shared<const Network>(folder, use);
  if (network->encoder())
    throw Error("a model of type " + std::string(family_name(network->config())) +
                    " has two sides, which this command does not show",
                folder.string(),
                "open it in the window and save a session, or run: headlight compute FOLDER --ids ... "
                "--decoder-ids ... -o out.npz");
  if (network->reads_images())
    throw Error("a model of type " + std::string(family_name(network->config())) +
                    " reads images, which this command does not show",
                folder.string(),
                "open it in the window and save a session, or run: headlight compute FOLDER --image FILE -o "
                "out.npz");
  return network;
}

std::string Network::decode(const std::vector<std::int32_t>& ids) const {
  if (!tokenizer()) return "";
  const bool started = decoder_start() && !ids.empty() && ids.front() == *decoder_start();
  return tokenizer()->decode({ids.begin() + (started ? 1 : 0), ids.end()});
}

std::string Network::token_label(std::int32_t id) const {
  if (!reads_images()) return label(id);
  if (id == 0) return "class";
  const auto patch = static_cast<Index>(id) - 1, columns = config_.image.columns();
  return "patch " + std::to_string(patch / columns) + "," + std::to_string(patch % columns);
}

std::string Network::label(std::int32_t id) const {
  if (const auto named = names_.labels.find(id); reads_images() && named != names_.labels.end())
    return named->second;
  const std::string text = tokenizer() ? tokenizer()->text_of(id) : "";
  return text.empty() ? std::to_string(id) : text;
}

std::optional<std::int32_t> Network::mask_token() const {
  return tokenizer() && !config_.causal ? tokenizer()->mask_token() : std::nullopt;
}

}  // namespace headlight
