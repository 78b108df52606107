#include "engine/interpretation/first_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/core/error.h"

namespace headlight {
namespace {

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

}  // namespace

void set_first_text(OpenModel& work) {
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

}  // namespace headlight
