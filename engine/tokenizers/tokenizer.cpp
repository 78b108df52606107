#include "engine/tokenizers/tokenizer.h"

#include <algorithm>
#include <unordered_map>

#include "engine/core/stopping.h"
#include "engine/tokenizers/added_tokens.h"
#include "engine/tokenizers/allowance.h"
#include "engine/tokenizers/bpe.h"
#include "engine/tokenizers/decoder.h"
#include "engine/tokenizers/foreign_tokenizers.h"
#include "engine/tokenizers/normalizer.h"
#include "engine/tokenizers/post_processor.h"
#include "engine/tokenizers/pre_tokenizer.h"
#include "engine/tokenizers/typed_fields.h"
#include "engine/tokenizers/unigram.h"
#include "engine/tokenizers/vocabulary.h"
#include "engine/tokenizers/word_level.h"
#include "engine/tokenizers/word_piece.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

using Ids = std::vector<std::int32_t>;

// The ids of earlier words of one text; each text has a separate cache, so that threads share nothing.
class WordCache {
 public:
  WordCache(const WordEncoder& encoder, Ids& ids) : encoder_(encoder), ids_(ids) {}

  void add(const std::string& word) {
    constexpr std::size_t kLongest = 100;  // bytes; longer words rarely recur
    if (word.size() > kLongest) return encoder_(word, ids_);
    const auto [known, is_new] = known_.try_emplace(word);
    Place& place = known->second;
    if (is_new) {
      place.begin = ids_.size();
      encoder_(word, ids_);
      place.count = ids_.size() - place.begin;
    } else {
      for (std::size_t i = 0; i < place.count; ++i)
        ids_.push_back(ids_[place.begin + i]);
    }
  }

 private:
  struct Place {
    std::size_t begin = 0;
    std::size_t count = 0;
  };
  const WordEncoder& encoder_;
  Ids& ids_;
  std::unordered_map<std::string, Place> known_;  // position of a word's ids in ids_
};

// In files older than model types, the members determine the type.
std::string model_type(const Json& model) {
  if (const Json* type = given(model, "type")) return text_value(*type, "model.type");
  if (model.contains("merges")) return "BPE";
  if (model.contains("max_input_chars_per_word")) return "WordPiece";
  if (model.contains("unk_id")) return "Unigram";
  throw Error("\"type\" is missing", "model.type", "say what kind it is, such as \"BPE\"");
}

std::shared_ptr<const Vocabulary> read_vocabulary(const Json& model) {
  const Json* words = given(model, "vocab");
  if (!words) throw Error("\"vocab\" is missing", "model.vocab", "write {\"word\": 0, ...}");
  if (words->is_array() && model_type(model) != "Unigram")
    throw Error("is a list, expected an object of words", "model.vocab", "write {\"word\": 0, ...}");
  return std::make_shared<const Vocabulary>(*words, "model.vocab");
}

WordEncoder read_model(const Json& model, const std::shared_ptr<const Vocabulary>& vocabulary) {
  using Reader = WordEncoder (*)(const Json&, const std::shared_ptr<const Vocabulary>&);
  static constexpr std::array<TypeReader<Reader>, 4> kReaders = {{{"BPE", read_bpe},
                                                                  {"WordPiece", read_word_piece},
                                                                  {"WordLevel", read_word_level},
                                                                  {"Unigram", read_unigram}}};
  return reader_named(model_type(model), "model", kReaders)(model, vocabulary);
}

const Json& required_model(const Json& json) {
  const JsonFields fields(json, "",
                          {"version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer",
                           "post_processor", "decoder", "model"});
  const Json& model = fields.require("model", "this is not a tokenizer.json");
  if (!model.is_object())
    throw Error("is " + json_kind(model) + ", expected an object", "model", "this is not a tokenizer.json");
  return model;
}

TokenNames read_names(const Json& json, const Json& model, const Normalizer& normalizer) {
  TokenNames names;
  names.vocabulary = read_vocabulary(model);
  names.added = std::make_shared<const AddedTokens>(given(json, "added_tokens"), *names.vocabulary,
                                                    [&](std::string content, Allowance& allowance) {
                                                      return normalizer.apply(std::move(content), allowance);
                                                    });
  return names;
}

}  // namespace

class Tokenizer::Parts {
 public:
  // json: the whole file.
  explicit Parts(const Json& json)
      : normalizer_(Normalizer::read(given(json, "normalizer"))),
        pre_tokenizer_(PreTokenizer::read(given(json, "pre_tokenizer"))),
        names_(read_names(json, required_model(json), normalizer_)),
        encoder_(read_model(required_model(json), names_.vocabulary)),
        around_(read_post_processor(given(json, "post_processor"), names_)),
        decoder_(Decoder::read(given(json, "decoder"))) {}

  const PostProcessor& around() const { return around_; }
  const TokenNames& names() const { return names_; }
  const Decoder& decoder() const { return decoder_; }

  // text: UTF-8
  Ids encode(std::string_view text) const {
    Ids ids = around_.before;
    WordCache cache(encoder_, ids);
    Allowance allowance(text.size());
    for (const TextPart& part : names_.added->as_typed().cut(text))
      if (part.id)
        ids.push_back(*part.id);
      else
        add_normalized(text.substr(part.begin, part.end - part.begin), part.begin == 0, allowance, cache,
                       ids);
    ids.insert(ids.end(), around_.after.begin(), around_.after.end());
    return ids;
  }

 private:
  void add_normalized(std::string_view typed, bool begins_text, Allowance& allowance, WordCache& cache,
                      Ids& ids) const {
    const std::string text = normalizer_.apply(std::string(typed), allowance);
    for (const TextPart& part : names_.added->normalized().cut(text)) {
      if (part.id) {
        ids.push_back(*part.id);
        continue;
      }
      const Fragment whole{text.substr(part.begin, part.end - part.begin), begins_text && part.begin == 0};
      for (const Fragment& word : pre_tokenizer_.cut(whole, allowance)) {
        throw_if_stopped();
        cache.add(word.text);
      }
    }
  }

  Normalizer normalizer_;
  PreTokenizer pre_tokenizer_;
  TokenNames names_;
  WordEncoder encoder_;
  PostProcessor around_;
  Decoder decoder_;
};

Tokenizer Tokenizer::parse(const std::string& json, const std::string& source) {
  try {
    require_json_text(json);
    const JsonTree document(parse_json(json));
    return read(document.value);
  } catch (const Error& problem) {
    throw problem.inside(source);
  }
}

Tokenizer Tokenizer::read(const Json& document) {
  require_tokenizer(document);
  return Tokenizer(std::make_shared<const Parts>(document));
}

Ids Tokenizer::encode(std::string_view text) const {
  if (const std::size_t bad = first_bad_byte(text); bad != std::string_view::npos)
    throw Error("byte " + std::to_string(bad + 1) + " of the text is not UTF-8", "",
                "save the text as UTF-8, or remove that byte");
  if (constexpr std::size_t kMost = std::size_t{1} << 24; text.size() > kMost)
    throw Error("the text has more than 16 MiB", "", "use a shorter text");
  return parts_->encode(text);
}

std::size_t Tokenizer::prefix_id_count() const {
  return parts_->around().before.size();
}

std::size_t Tokenizer::suffix_id_count() const {
  return parts_->around().after.size();
}

std::string Tokenizer::decode(const Ids& ids) const {
  std::vector<std::string> words;
  words.reserve(ids.size());
  for (const std::int32_t id : ids) {
    const std::string* word = parts_->names().word(id);
    if (word && !is_special(id)) words.push_back(*word);
  }
  return parts_->decoder().text_of(std::move(words));
}

std::string Tokenizer::word(std::int32_t id) const {
  const std::string* word = parts_->names().word(id);
  return word ? *word : std::string();
}

std::string Tokenizer::text_of(std::int32_t id) const {
  const std::string* word = parts_->names().word(id);
  if (!word) return {};
  return is_special(id) ? *word : parts_->decoder().label(*word);
}

std::optional<std::int32_t> Tokenizer::find(std::string_view word) const {
  return parts_->names().find(word);
}

std::int32_t Tokenizer::size() const {
  return std::max(parts_->names().vocabulary->size(), parts_->names().added->size());
}

bool Tokenizer::is_special(std::int32_t id) const {
  const AddedToken* token = parts_->names().added->token(id);
  return token && token->special;
}

std::optional<std::int32_t> Tokenizer::mask_token() const {
  for (const char* content : {"[MASK]", "<mask>"})
    if (const AddedToken* token = parts_->names().added->find(content)) return token->id;
  return std::nullopt;
}

}  // namespace headlight
