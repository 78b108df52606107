#include "app/shell/model_session.h"

#include <algorithm>

#include "engine/checkpoint/checkpoint_series.h"
#include "engine/checkpoint/gguf_model.h"
#include "engine/core/error.h"
#include "engine/session/model_folder_field.h"

namespace headlight {
namespace {

constexpr const char* kConfig = "config.json";

// 13 words: eight words of the vocabulary, each one token, and the first five again, so that induction heads
// (which look for what followed the same word earlier) have something to attend to. "" if the vocabulary has
// fewer than eight.
std::string said_twice(const Network& network) {
  constexpr Index kWords = 8, kAgain = 5;
  std::vector<std::string> words;
  for (std::int32_t id = 0; id < network.config().vocabulary; ++id) {
    const std::string label = network.label(id);
    const bool is_word =
        label.size() > 1 && label.front() == ' ' &&
        std::all_of(label.begin() + 1, label.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (is_word) words.push_back(label);
  }
  if (words.size() < kWords) return "";
  std::string text;
  for (Index i = 0; i < kWords + kAgain; ++i)
    text += words[static_cast<std::size_t>(i % kWords) * words.size() / kWords];
  return text.substr(1);
}

// The first ids of the vocabulary; of a decoder behind the one that it begins with.
std::vector<std::int32_t> first_ids(const Network& network) {
  constexpr std::size_t kCount = 8;
  std::vector<std::int32_t> ids;
  if (network.decoder_start()) ids.push_back(*network.decoder_start());
  for (std::int32_t id = 0; id < network.config().vocabulary && ids.size() < kCount; ++id)
    ids.push_back(id);
  return ids;
}

// The source is a text; the decoder's begins with what its family begins with, or with one token.
void begin_with_two_texts(OpenModel& work) {
  const Network& network = *work.network;
  if (!network.tokenizer()) {
    set_ids(work, first_ids(*network.encoder()), Side::Encoder);
    return set_ids(work, first_ids(network));
  }
  try {
    set_text(work, "The cat sat on the mat.", Side::Encoder);
    set_text(work, network.decoder_start() ? "" : "The");
  } catch (const Error&) {  // the vocabulary lacks these words
    set_ids(work, {0}, Side::Encoder);
    set_ids(work, {network.decoder_start().value_or(0)});
  }
}

// Without a tokenizer, uses the first ids of the vocabulary.
void begin_with_text(OpenModel& work) {
  const Network& network = *work.network;
  if (network.reads_images()) return set_image(work, first_image(network));
  if (network.encoder()) return begin_with_two_texts(work);
  if (!network.tokenizer()) return set_ids(work, first_ids(network));
  constexpr std::size_t kFew = 27;  // tokens for nine words; more: the model was not trained on such text
  const auto mask = network.mask_token();
  try {
    set_text(work, mask ? "The capital of France is " + network.tokenizer()->word(*mask) + "."
                        : "The cat sat on the mat because the cat");
    if (const std::string own = work.ids.size() > kFew ? said_twice(network) : ""; !own.empty())
      set_text(work, own);
  } catch (const Error&) {
    set_ids(work, {0});  // the vocabulary lacks these words
  }
}

// Of a folder that only holds checkpoints the last one.
std::filesystem::path weights_folder(const std::filesystem::path& path) {
  if (path.filename() == kConfig) return path.parent_path();
  std::error_code unreadable;
  if (std::filesystem::exists(path / kConfig, unreadable)) return path;
  const std::vector<SavedStep> steps = checkpoints_in(path);
  return steps.empty() ? path : steps.back().folder;
}

// One of the checkpoints in a folder is named step-100 or so: what it is of, the folder says.
std::string title_of(const Network& network) {
  const std::filesystem::path& folder = network.checkpoint().folder();
  const CheckpointSeries series = series_of(folder);
  const std::filesystem::path parent = std::filesystem::absolute(folder).lexically_normal().parent_path();
  const bool one_of_many = !series.steps.empty() && !series.inside && parent.filename() != "snapshots";
  return one_of_many ? folder_name(parent) : network.name();
}

}  // namespace

bool is_model(const std::filesystem::path& path) {
  std::error_code unreadable;
  return path.filename() == kConfig || std::filesystem::is_directory(path, unreadable) || is_gguf_file(path);
}

Session model_session(const std::filesystem::path& path, const std::string& text) {
  OpenModel work;
  work.network = std::make_shared<const Network>(weights_folder(path));
  begin_with_text(work);
  if (!text.empty() && work.network->tokenizer())
    set_text(work, text, work.network->encoder() ? Side::Encoder : Side::Own);
  return session_of_model(std::move(work));
}

Session session_of_model(OpenModel work) {
  Session session;
  session.title = title_of(*work.network);
  session.layer = shown_layer(work);
  session.work = std::make_shared<const OpenModel>(std::move(work));
  return session;
}

}  // namespace headlight
