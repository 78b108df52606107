#include "engine/tokenizers/decoder.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "engine/tokenizers/byte_letters.h"
#include "engine/tokenizers/pattern.h"
#include "engine/tokenizers/typed_fields.h"
#include "engine/tokenizers/unicode.h"

namespace headlight {
namespace {

using Words = std::vector<std::string>;
using Steps = std::vector<DecoderStep>;
using Reader = void (*)(const Json& value, const std::string& place, Steps& steps);
using Change = std::function<std::string(const std::string&)>;

void read_steps(const Json& value, const std::string& place, Steps& steps);

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words)
    text += word;
  return text;
}

// Each word by itself, wherever it stands.
DecoderStep changing(const Change& change) {
  return {[change](Words words) {
            std::transform(words.begin(), words.end(), words.begin(), change);
            return words;
          },
          change};
}

void read_sequence(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place, {"type", "decoders"});
  const std::string within = fields.place("decoders");
  const Json::array_t& list = list_value(fields.require("decoders", "write a list"), within);
  for (std::size_t i = 0; i < list.size(); ++i)
    read_steps(list[i], place_in_list(within, i), steps);
}

// The bytes of a word in GPT-2's letters; the word itself when another letter is in it.
std::string bytes_of_letters(const std::string& word) {
  std::string bytes;
  bool all = true;
  for_each_character(word, [&](char32_t letter, std::string_view) {
    const std::optional<unsigned char> byte = byte_of_letter(letter);
    all = all && byte;
    if (byte) bytes += static_cast<char>(*byte);
  });
  return all ? bytes : word;
}

void read_byte_level(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place, {"type", "add_prefix_space", "trim_offsets", "use_regex"});
  steps.push_back({[](Words words) {
                     std::transform(words.begin(), words.end(), words.begin(), bytes_of_letters);
                     return Words{lossy_utf8(joined(words))};
                   },
                   bytes_of_letters});
}

std::string replaced_first(const std::string& word, const std::string& prefix) {
  return word.starts_with(prefix) ? word.substr(prefix.size()) : word;
}

// English as one writes it: "is n't ." becomes "isn't."
std::string cleaned(std::string word) {
  static constexpr std::array<std::array<std::string_view, 2>, 11> kChanges = {{{" .", "."},
                                                                                {" ?", "?"},
                                                                                {" !", "!"},
                                                                                {" ,", ","},
                                                                                {" ' ", "'"},
                                                                                {" n't", "n't"},
                                                                                {" 'm", "'m"},
                                                                                {" do not", " don't"},
                                                                                {" 's", "'s"},
                                                                                {" 've", "'ve"},
                                                                                {" 're", "'re"}}};
  for (const auto& [from, to] : kChanges)
    for (std::size_t at = 0; (at = word.find(from, at)) != std::string::npos; at += to.size())
      word.replace(at, from.size(), to);
  return word;
}

void read_word_piece(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place, {"type", "prefix", "cleanup"});
  const std::string prefix = fields.text("prefix", "##");
  const bool cleans = fields.flag("cleanup", true);
  steps.push_back({[prefix, cleans](Words words) {
                     for (std::size_t i = 0; i < words.size(); ++i) {
                       if (i > 0)
                         words[i] =
                             words[i].starts_with(prefix) ? words[i].substr(prefix.size()) : " " + words[i];
                       if (cleans) words[i] = cleaned(words[i]);
                     }
                     return words;
                   },
                   [prefix](const std::string& word) { return replaced_first(word, prefix); }});
}

void read_replace(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place, {"type", "pattern", "content"});
  const Pattern pattern =
      Pattern::read(fields.require("pattern", "say what is replaced"), fields.place("pattern"));
  const std::string content = required_text(fields, "content", "say what it is replaced by");
  steps.push_back(
      changing([pattern, content](const std::string& word) { return pattern.replaced(word, content); }));
}

// The byte of "<0xE2>".
std::optional<char> byte_of_word(std::string_view word) {
  if (word.size() != 6 || !word.starts_with("<0x") || word.back() != '>') return std::nullopt;
  unsigned byte = 0;
  const auto [end, error] = std::from_chars(word.data() + 3, word.data() + 5, byte, 16);
  if (error != std::errc() || end != word.data() + 5) return std::nullopt;
  return static_cast<char>(byte);
}

// Bytes in a row become one word; when they are no text, a U+FFFD for each.
Words with_bytes_joined(const Words& words) {
  Words made;
  std::string bytes;
  const auto finish = [&] {
    if (first_bad_byte(bytes) == std::string::npos) {
      if (!bytes.empty()) made.push_back(bytes);
    } else {
      made.insert(made.end(), bytes.size(), "\xEF\xBF\xBD");
    }
    bytes.clear();
  };
  for (const std::string& word : words) {
    if (const std::optional<char> byte = byte_of_word(word)) {
      bytes += *byte;
      continue;
    }
    finish();
    made.push_back(word);
  }
  finish();
  return made;
}

void read_byte_fallback(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place, {"type"});
  steps.push_back({with_bytes_joined, [](const std::string& word) {
                     const std::optional<char> byte = byte_of_word(word);
                     return byte ? std::string(1, *byte) : word;
                   }});
}

void read_fuse(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place, {"type"});
  steps.push_back({[](const Words& words) { return Words{joined(words)}; }, nullptr});
}

// Without up to `start` of the characters at its beginning and up to `stop` at its end.
std::string stripped(std::string_view word, const std::string& content, std::int64_t start,
                     std::int64_t stop) {
  for (std::int64_t i = 0; i < start && word.starts_with(content); ++i)
    word.remove_prefix(content.size());
  for (std::int64_t i = 0; i < stop && word.ends_with(content); ++i)
    word.remove_suffix(content.size());
  return std::string(word);
}

// One character. Throws Error.
std::string required_character(const JsonFields& fields, const std::string& key) {
  std::string text = required_text(fields, key, "write one character");
  if (character_count(text) != 1)
    throw Error(in_quotes(text) + " is not one character", fields.place(key), "write one character");
  return text;
}

void read_strip(const Json& value, const std::string& place, Steps& steps) {
  constexpr std::int64_t kMost = 1'000'000;
  const JsonFields fields(value, place, {"type", "content", "start", "stop"});
  const std::string content = required_character(fields, "content");
  const std::int64_t start = fields.whole("start", 0, 0, kMost), stop = fields.whole("stop", 0, 0, kMost);
  DecoderStep step = changing(
      [content, start, stop](const std::string& word) { return stripped(word, content, start, stop); });
  step.label = nullptr;  // it is for the ends of the text
  steps.push_back(step);
}

bool metaspace_adds(const JsonFields& fields) {
  static constexpr std::array<Word<bool>, 3> kAdds = {{{"always", true}, {"never", false}, {"first", true}}};
  return fields.choice("prepend_scheme", kAdds, fields.flag("add_prefix_space", true));
}

void read_metaspace(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place,
                          {"type", "replacement", "str_rep", "add_prefix_space", "prepend_scheme", "split"});
  const Pattern mark = Pattern::literal(required_character(fields, "replacement"), place);
  const bool added = metaspace_adds(fields);
  steps.push_back({[mark, added](Words words) {
                     for (std::size_t i = 0; i < words.size(); ++i)
                       words[i] = mark.replaced(words[i], i == 0 && added ? "" : " ");
                     return words;
                   },
                   [mark](const std::string& word) { return mark.replaced(word, " "); }});
}

void read_steps(const Json& value, const std::string& place, Steps& steps) {
  static constexpr std::array<TypeReader<Reader>, 8> kReaders = {{{"Sequence", read_sequence},
                                                                  {"ByteLevel", read_byte_level},
                                                                  {"WordPiece", read_word_piece},
                                                                  {"Replace", read_replace},
                                                                  {"ByteFallback", read_byte_fallback},
                                                                  {"Fuse", read_fuse},
                                                                  {"Strip", read_strip},
                                                                  {"Metaspace", read_metaspace}}};
  reader_of_type(value, place, kReaders)(value, place, steps);
}

}  // namespace

Decoder Decoder::read(const Json* value) {
  Decoder decoder;
  if (value) read_steps(*value, "decoder", decoder.steps_);
  return decoder;
}

std::string Decoder::text_of(std::vector<std::string> words) const {
  if (steps_.empty())
    for (std::size_t i = 1; i < words.size(); ++i)
      words[i].insert(0, " ");
  for (const DecoderStep& step : steps_) {
    words = step.words(std::move(words));
    std::size_t bytes = 0;
    for (const std::string& word : words)
      bytes += word.size();
    require_room(bytes, "decoder");
  }
  return joined(words);
}

std::string Decoder::label(const std::string& word) const {
  std::string bytes = word;
  for (const DecoderStep& step : steps_)
    if (step.label && first_bad_byte(bytes) == std::string::npos) bytes = step.label(bytes);
  return escaped_utf8(bytes);
}

}  // namespace headlight
