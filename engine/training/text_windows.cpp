#include "engine/training/text_windows.h"

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

constexpr std::uint64_t kMostText = std::uint64_t{1} << 24;  // what a tokenizer takes

std::optional<std::int32_t> end_of_text(const Tokenizer& tokenizer) {
  for (const char* name : {"<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>"})
    if (const auto id = tokenizer.find(name); id && tokenizer.is_special(*id)) return id;
  return std::nullopt;
}

std::vector<std::int32_t> ids_of_file(const Tokenizer& tokenizer, const std::filesystem::path& file) {
  require_file(file, kMostText);
  try {
    return tokenizer.encode(read_text_file(file));
  } catch (const Error& error) {
    throw error.inside(file.string());
  }
}

}  // namespace

std::vector<std::int32_t> ids_of_files(const Network& network,
                                       const std::vector<std::filesystem::path>& files) {
  if (const Error* trouble = network.tokenizer_error()) throw Error(*trouble);
  const Tokenizer& tokenizer = *network.tokenizer();
  const std::optional<std::int32_t> end = end_of_text(tokenizer);
  std::vector<std::int32_t> ids;
  for (const std::filesystem::path& file : files) {
    if (end && &file != &files.front()) ids.push_back(*end);
    const std::vector<std::int32_t> more = ids_of_file(tokenizer, file);
    ids.insert(ids.end(), more.begin(), more.end());
  }
  for (const std::int32_t id : ids)
    if (id >= network.config().vocabulary)
      throw Error("the token " + std::to_string(id) + " of the texts has no embedding", network.name(),
                  "take the tokenizer.json of this model");
  return ids;
}

WindowStream::WindowStream(std::vector<std::int32_t> ids, Index length, WindowOrder order, std::int64_t seed)
    : ids_(std::move(ids)), length_(length), order_(order), stream_(seed) {
  if (static_cast<Index>(ids_.size()) <= length)
    throw Error("the texts have " + std::to_string(ids_.size()) + " tokens, and a window needs " +
                    std::to_string(length + 1),
                "texts", "give longer texts, or take shorter windows");
}

std::vector<Index> WindowStream::next_begins(Index count) {
  const auto tokens = static_cast<Index>(ids_.size());
  std::vector<Index> begins;
  if (order_ == WindowOrder::Random) {
    for (const std::int64_t begin : draw_whole(stream_, tokens - length_, static_cast<std::size_t>(count)))
      begins.push_back(static_cast<Index>(begin));
    return begins;
  }
  for (Index i = 0; i < count; ++i) {
    if (place_ + length_ + 1 > tokens) place_ = 0;
    begins.push_back(place_);
    place_ += length_;
  }
  return begins;
}

Windows WindowStream::next(Index count) {
  Windows windows;
  windows.count = count;
  for (const Index begin : next_begins(count)) {
    const auto first = ids_.begin() + begin;
    windows.ids.insert(windows.ids.end(), first, first + length_);
    windows.next.insert(windows.next.end(), first + 1, first + length_ + 1);
  }
  return windows;
}

}  // namespace headlight
