// A Hugging Face tokenizer.json: converts texts to ids as the Rust library `tokenizers` does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/json/json_document.h"

namespace headlight {

// Immutable, cheap to copy, and thread-safe.
class Tokenizer {
 public:
  // json: the text of a tokenizer.json; source: its name in messages. Throws `Error` for content that is not
  // supported, with a place such as "normalizer.normalizers[1].type"; `Stopped`.
  static Tokenizer parse(const std::string& json, const std::string& source);
  // parse() for a parsed document; places in messages do not name its source.
  static Tokenizer read(const Json& document);

  // The ids of a text, with those that the template adds. 1 MB takes less than a second. Throws `Error` when
  // the text is not UTF-8 or longer than 16 MiB, when an expression takes too long, or when the tokenizer's
  // steps produce too much (see Allowance); `Stopped`.
  std::vector<std::int32_t> encode(std::string_view text) const;
  // How many ids encode() adds before a text and after it.
  std::size_t prefix_id_count() const;
  std::size_t suffix_id_count() const;

  // The text of ids without special tokens, as the library decodes it; unknown ids are left out. Invalid
  // UTF-8 becomes U+FFFD. Throws `Error` as Allowance does.
  std::string decode(const std::vector<std::int32_t>& ids) const;

  std::string word(std::int32_t id) const;     // as the vocabulary writes it: "Ġkey", "##ing"; "" if unknown
  std::string text_of(std::int32_t id) const;  // for labels: " key", "ing"; invalid UTF-8 as "\xE2"
  std::optional<std::int32_t> find(std::string_view word) const;  // the id of a word as word() returns it
  std::int32_t size() const;                                      // largest id + 1
  bool is_special(std::int32_t id) const;
  std::optional<std::int32_t> mask_token() const;  // the added token "[MASK]" or "<mask>"

 private:
  class Parts;
  explicit Tokenizer(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

  std::shared_ptr<const Parts> parts_;
};

}  // namespace headlight
