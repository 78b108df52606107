#include "engine/tokenizers/foreign_tokenizers.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/core/ascii.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

const char* const kMakeOne =
    "in Python, AutoTokenizer.from_pretrained(\"MODEL\").save_pretrained(\"FOLDER\") writes the "
    "tokenizer.json of a "
    "model; or give ids instead of a text";

bool all_of(const Json& document, bool (Json::*is)() const noexcept) {
  return !document.empty() &&
         std::all_of(document.begin(), document.end(), [&](const Json& value) { return (value.*is)(); });
}

bool is_keras(const Json& document) {
  // to_json() returns text, which json.dump() writes within quotation marks.
  if (document.is_string())
    return document.get_ref<const std::string&>().find("\"class_name\"") != std::string::npos;
  return document.is_object() && document.contains("class_name") && document.contains("config");
}

bool is_all_numbers(const Json& document) {
  constexpr auto kIsNumber = &Json::is_number;
  return document.is_object() && all_of(document, kIsNumber);
}

bool is_all_texts(const Json& document) {
  return document.is_structured() && all_of(document, &Json::is_string);
}

bool is_list_of_words(const Json& document) {
  return document.is_array() && is_all_texts(document);
}

// {"0": "the", "1": "cat"}
bool is_words_by_id(const Json& document) {
  if (!document.is_object() || !is_all_texts(document)) return false;
  return std::all_of(document.items().begin(), document.items().end(), [](const auto& member) {
    return !member.key().empty() && member.key().find_first_not_of("0123456789") == std::string::npos;
  });
}

template <std::size_t N>
bool has_one_of(const Json& document, const std::array<const char*, N>& keys) {
  return document.is_object() && !document.contains("model") &&
         std::any_of(keys.begin(), keys.end(), [&](const char* key) { return document.contains(key); });
}

bool is_tokenizer_config(const Json& document) {
  return has_one_of(document, std::array{"tokenizer_class", "added_tokens_decoder", "model_max_length"});
}

bool is_model_config(const Json& document) {
  return has_one_of(document, std::array{"model_type", "architectures"});
}

bool is_special_tokens_map(const Json& document) {
  return has_one_of(document, std::array{"bos_token", "eos_token", "unk_token", "pad_token", "cls_token"});
}

struct Foreign {
  bool (*is)(const Json& document);
  const char* what;
};
constexpr std::array<Foreign, 7> kForeign = {{
    {is_keras, "this is Keras's text tokenizer, not a tokenizer.json of the Hugging Face library"},
    {is_all_numbers,
     "this is a vocabulary alone, words and their ids: how a text is cut into them is not in it"},
    {is_words_by_id,
     "this is a vocabulary alone, ids and their words: how a text is cut into them is not in it"},
    {is_list_of_words, "this is a list of words alone: how a text is cut into them is not in it"},
    {is_tokenizer_config, "this is a tokenizer_config.json, which has no words in it"},
    {is_model_config, "this is the config.json of a model, which has no words in it"},
    {is_special_tokens_map, "this is a special_tokens_map.json, which has no vocabulary in it"},
}};

// The files of slow tokenizers, from which the library makes a fast one.
constexpr std::array<const char*, 9> kSlowFiles = {
    "vocab.txt",    "vocab.json",      "merges.txt", "encoder.json",           "vocab.bpe",
    "spiece.model", "tokenizer.model", "source.spm", "sentencepiece.bpe.model"};

}  // namespace

void require_json_text(const std::string& text) {
  if (text.starts_with("version https://git-lfs."))
    throw Error("this is a Git LFS pointer, which stands for the file, not the file itself", "",
                "fetch it with \"git lfs pull\", or download the file again");
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text.compare(first, 3, "\xEF\xBB\xBF") == 0) return;
  const bool is_bracketed_word = text[first] == '[' && first + 1 < text.size() && is_capital(text[first + 1]);
  if (is_bracketed_word || std::string_view("{[\"").find(text[first]) == std::string_view::npos)
    throw Error("this is no JSON, so it is no tokenizer.json", "", kMakeOne);
}

void require_tokenizer(const Json& document) {
  for (const Foreign& foreign : kForeign)
    if (foreign.is(document)) throw Error(foreign.what, "", kMakeOne);
}

Error missing_tokenizer(const fs::path& folder) {
  std::string there;
  std::error_code error;
  for (const char* name : kSlowFiles)
    if (fs::is_regular_file(folder / name, error)) there += (there.empty() ? "" : ", ") + std::string(name);
  const std::string what = "the folder has no tokenizer.json, so a text cannot be cut into tokens";
  if (there.empty())
    return {what, folder.string(), "give ids instead of a text, or copy tokenizer.json into the folder"};
  return {what + ": " + there + " is a slow tokenizer's", folder.string(),
          "in Python, AutoTokenizer.from_pretrained(\"" + folder.string() + "\").save_pretrained(\"" +
              folder.string() + "\") makes tokenizer.json of it; or give ids instead of a text"};
}

}  // namespace headlight
