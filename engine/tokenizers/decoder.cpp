#include "engine/tokenizers/decoder.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "engine/core/stopping.h"
#include "engine/tokenizers/byte_letters.h"
#include "engine/tokenizers/pattern.h"
#include "engine/tokenizers/typed_fields.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

using Words = std::vector<std::string>;
using DecoderSteps = std::vector<DecoderStep>;
using DecoderReader = void (*)(const Json& value, const std::string& place, DecoderSteps& steps);
using Change = std::function<std::string(const std::string& word, const Allowance& allowance)>;

void read_steps(const Json& value, const std::string& place, DecoderSteps& steps);

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words)
    text += word;
  return text;
}

// A step that changes each word by itself, at any position.
DecoderStep changing(const Change& change) {
  return {[change](Words words, Allowance& allowance) {
            for (std::string& word : words) {
              word = change(word, allowance);
              allowance.spend(word.size(), 0, "decoder");
            }
            return words;
          },
          [change](const std::string& word) { return change(word, Allowance(word.size())); }};
}

void read_sequence(const Json& value, const std::string& place, DecoderSteps& steps) {
  const PartFields fields(value, place, {"type", "decoders"});
  const std::string within = fields.place("decoders");
  const Json::array_t& list = list_value(fields.require("decoders", "write a list"), within);
  for (std::size_t i = 0; i < list.size(); ++i)
    read_steps(list[i], place_in_list(within, i), steps);
}

// The bytes of a word in GPT-2's letters; the word itself if it has any other character.
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

void read_byte_level(const Json& value, const std::string& place, DecoderSteps& steps) {
  const PartFields fields(value, place, {"type", "add_prefix_space", "trim_offsets", "use_regex"});
  steps.push_back({[](Words words, Allowance&) {
                     std::transform(words.begin(), words.end(), words.begin(), bytes_of_letters);
                     return Words{lossy_utf8(joined(words))};
                   },
                   bytes_of_letters});
}

std::string replaced_first(const std::string& word, const std::string& prefix) {
  return word.starts_with(prefix) ? word.substr(prefix.size()) : word;
}

std::string with_all_replaced(const std::string& text, std::string_view from, std::string_view to) {
  std::string made;
  std::size_t done = 0;
  for (std::size_t at = 0; (at = text.find(from, done)) != std::string::npos; done = at + from.size())
    made.append(text, done, at - done) += to;
  return made.append(text, done);
}

// English as usually written: "is n't ." becomes "isn't."
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
    word = with_all_replaced(word, from, to);
  return word;
}

void read_word_piece_decoder(const Json& value, const std::string& place, DecoderSteps& steps) {
  const PartFields fields(value, place, {"type", "prefix", "cleanup"});
  const std::string prefix = fields.text("prefix", "##");
  const bool cleans = fields.flag("cleanup", true);
  steps.push_back({[prefix, cleans](Words words, Allowance&) {
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

void read_replace(const Json& value, const std::string& place, DecoderSteps& steps) {
  const PartFields fields(value, place, {"type", "pattern", "content"});
  const Pattern pattern =
      Pattern::read(fields.require("pattern", "say what is replaced"), fields.place("pattern"));
  const std::string content = required_text(fields, "content", "say what it is replaced by");
  steps.push_back(changing([pattern, content](const std::string& word, const Allowance& allowance) {
    return pattern.replaced(word, content, allowance);
  }));
}

// The byte for which a word such as "<0xE2>" stands.
std::optional<char> byte_of_word(std::string_view word) {
  if (word.size() != 6 || !word.starts_with("<0x") || word.back() != '>') return std::nullopt;
  unsigned byte = 0;
  const auto [end, error] = std::from_chars(word.data() + 3, word.data() + 5, byte, 16);
  if (error != std::errc() || end != word.data() + 5) return std::nullopt;
  return static_cast<char>(byte);
}

// Consecutive bytes become one word; if they are not UTF-8, one U+FFFD each.
Words with_bytes_joined(const Words& words, Allowance&) {
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

void read_byte_fallback(const Json& value, const std::string& place, DecoderSteps& steps) {
  const PartFields fields(value, place, {"type"});
  steps.push_back({with_bytes_joined, [](const std::string& word) {
                     const std::optional<char> byte = byte_of_word(word);
                     return byte ? std::string(1, *byte) : word;
                   }});
}

void read_fuse(const Json& value, const std::string& place, DecoderSteps& steps) {
  const PartFields fields(value, place, {"type"});
  steps.push_back({[](const Words& words, Allowance&) { return Words{joined(words)}; }, nullptr});
}

// Removes `content` up to `start` times at the beginning and up to `stop` times at the end.
std::string stripped(std::string_view word, const std::string& content, std::int64_t start,
                     std::int64_t stop) {
  for (std::int64_t i = 0; i < start && word.starts_with(content); ++i)
    word.remove_prefix(content.size());
  for (std::int64_t i = 0; i < stop && word.ends_with(content); ++i)
    word.remove_suffix(content.size());
  return std::string(word);
}

// A field of one character. Throws `Error` for anything else.
std::string required_character(const JsonFields& fields, const std::string& key) {
  std::string text = required_text(fields, key, "write one character");
  if (character_count(text) != 1)
    throw Error(in_quotes(text) + " is not one character", fields.place(key), "write one character");
  return text;
}

void read_strip(const Json& value, const std::string& place, DecoderSteps& steps) {
  constexpr std::int64_t kMost = 1'000'000;
  const PartFields fields(value, place, {"type", "content", "start", "stop"});
  const std::string content = required_character(fields, "content");
  const std::int64_t start = fields.whole("start", 0, 0, kMost), stop = fields.whole("stop", 0, 0, kMost);
  DecoderStep step = changing([content, start, stop](const std::string& word, const Allowance&) {
    return stripped(word, content, start, stop);
  });
  step.label = nullptr;  // it applies to the ends of the text
  steps.push_back(step);
}

bool metaspace_adds(const JsonFields& fields) {
  static constexpr std::array<Word<bool>, 3> kAdds = {{{"always", true}, {"never", false}, {"first", true}}};
  return fields.choice("prepend_scheme", kAdds, fields.flag("add_prefix_space", true));
}

void read_metaspace(const Json& value, const std::string& place, DecoderSteps& steps) {
  const PartFields fields(value, place,
                          {"type", "replacement", "str_rep", "add_prefix_space", "prepend_scheme", "split"});
  const Pattern mark = Pattern::literal(required_character(fields, "replacement"), place);
  const bool added = metaspace_adds(fields);
  steps.push_back(
      {[mark, added](Words words, Allowance& allowance) {
         for (std::size_t i = 0; i < words.size(); ++i)
           words[i] = mark.replaced(words[i], i == 0 && added ? "" : " ", allowance);
         return words;
       },
       [mark](const std::string& word) { return mark.replaced(word, " ", Allowance(word.size())); }});
}

void read_bpe_decoder(const Json& value, const std::string& place, DecoderSteps& steps) {
  const PartFields fields(value, place, {"type", "suffix"});
  const std::string suffix = fields.text("suffix", "</w>");
  if (suffix.empty())
    throw Error("is empty", fields.place("suffix"), "write what a word ends with, as \"</w>\"");
  const Pattern end = Pattern::literal(suffix, fields.place("suffix"));
  steps.push_back(
      {[end](Words words, Allowance& allowance) {
         for (std::size_t i = 0; i < words.size(); ++i)
           words[i] = end.replaced(words[i], i + 1 < words.size() ? " " : "", allowance);
         return words;
       },
       [end](const std::string& word) { return end.replaced(word, " ", Allowance(word.size())); }});
}

// For speech models, which write a letter for each moment of sound, and a pad word for none.
struct CtcRules {
  std::string pad, delimiter;
  bool cleans;

  std::string text_of(const std::string& word) const {
    const std::string text = with_all_replaced(word, pad, "");
    return cleans ? with_all_replaced(cleaned(text), delimiter, " ") : text;
  }
};

void read_ctc(const Json& value, const std::string& place, DecoderSteps& steps) {
  const PartFields fields(value, place, {"type", "pad_token", "word_delimiter_token", "cleanup"});
  const CtcRules rules{fields.text("pad_token", "<pad>"), fields.text("word_delimiter_token", "|"),
                       fields.flag("cleanup", true)};
  for (const char* key : {"pad_token", "word_delimiter_token"})
    if (fields.text(key, "x").empty()) throw Error("is empty", fields.place(key), "write the token");
  steps.push_back({[rules](Words words, Allowance&) {
                     words.erase(std::unique(words.begin(), words.end()), words.end());
                     for (std::string& word : words)
                       word = rules.text_of(word);
                     std::erase(words, "");
                     return words;
                   },
                   [rules](const std::string& word) { return rules.text_of(word); }});
}

void read_steps(const Json& value, const std::string& place, DecoderSteps& steps) {
  static constexpr std::array<TypeReader<DecoderReader>, 10> kReaders = {
      {{"Sequence", read_sequence},
       {"ByteLevel", read_byte_level},
       {"WordPiece", read_word_piece_decoder},
       {"Replace", read_replace},
       {"ByteFallback", read_byte_fallback},
       {"Fuse", read_fuse},
       {"Strip", read_strip},
       {"Metaspace", read_metaspace},
       {"BPEDecoder", read_bpe_decoder},
       {"CTC", read_ctc}}};
  reader_of_type(value, place, kReaders)(value, place, steps);
  require_few_steps(steps.size(), place);
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
  const auto bytes = [&] {
    std::size_t sum = 0;
    for (const std::string& word : words)
      sum += word.size();
    return sum;
  };
  Allowance allowance(bytes());
  for (const DecoderStep& step : steps_) {
    throw_if_stopped();
    words = step.words(std::move(words), allowance);
    allowance.spend(bytes(), words.size(), "decoder");
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
