#include "engine/tokenizers/word_files.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/core/ascii.h"
#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

// Calls action(line, number from 1 on) for each line, without its end.
template <class Action>
void for_each_line(std::string_view text, Action action) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    action(line, number);
  }
}

std::string line_place(std::size_t number) {
  return "line " + std::to_string(number);
}

void require_utf8(std::string_view line, std::size_t number) {
  if (first_bad_byte(line) != std::string_view::npos)
    throw Error("it is not UTF-8", line_place(number), "copy or download the file again");
}

// The ways in which the library's classes use byte-level BPE.
struct ByteLevelKind {
  std::string_view tokenizer_class;
  ByteLevelCut cut;
  bool composes;  // the text is normalised to NFC
  bool framed;    // a text stands between the tokens <s> and </s>
};
constexpr std::array kByteLevelKinds = {ByteLevelKind{"GPT2Tokenizer", ByteLevelCut::Gpt2, false, false},
                                        ByteLevelKind{"CodeGenTokenizer", ByteLevelCut::Gpt2, false, false},
                                        ByteLevelKind{"RobertaTokenizer", ByteLevelCut::Gpt2, false, true},
                                        ByteLevelKind{"BartTokenizer", ByteLevelCut::Gpt2, false, true},
                                        ByteLevelKind{"LongformerTokenizer", ByteLevelCut::Gpt2, false, true},
                                        ByteLevelKind{"Qwen2Tokenizer", ByteLevelCut::Qwen2, true, false}};
struct KindOfFamily {
  std::string_view model_type, tokenizer_class;
};
constexpr std::array kClassOfFamily = {
    KindOfFamily{"gpt2", "GPT2Tokenizer"},       KindOfFamily{"gpt_neo", "GPT2Tokenizer"},
    KindOfFamily{"gptj", "GPT2Tokenizer"},       KindOfFamily{"opt", "GPT2Tokenizer"},
    KindOfFamily{"codegen", "CodeGenTokenizer"}, KindOfFamily{"roberta", "RobertaTokenizer"},
    KindOfFamily{"bart", "BartTokenizer"},       KindOfFamily{"qwen2", "Qwen2Tokenizer"},
    KindOfFamily{"qwen3", "Qwen2Tokenizer"}};

const ByteLevelKind& byte_level_kind(const TokenizerSettings& settings) {
  std::string name = settings.tokenizer_class;
  for (const KindOfFamily& one : kClassOfFamily)
    if (name.empty() && settings.model_type == one.model_type) name = one.tokenizer_class;
  for (const ByteLevelKind& kind : kByteLevelKinds)
    if (name == kind.tokenizer_class) return kind;
  throw Error(name.empty() ? "neither tokenizer_config.json nor config.json says how vocab.json is used"
                           : "how a " + name + " uses vocab.json is not known here",
              "",
              "give ids instead of a text, or make a tokenizer.json in Python: "
              "AutoTokenizer.from_pretrained(folder).save_pretrained(folder)");
}

std::optional<KnownToken> known(const Json& vocabulary, const std::vector<KnownToken>& added,
                                const std::string& text) {
  for (const KnownToken& token : added)
    if (token.text == text) return token;
  const Json* id = id_in(vocabulary, text);
  if (!id || !id->is_number_integer()) return std::nullopt;
  return KnownToken{text, id->get<std::int32_t>()};
}

KnownToken required(const Json& vocabulary, const std::vector<KnownToken>& added, const std::string& text) {
  if (auto token = known(vocabulary, added, text)) return *token;
  throw Error("the vocabulary has no token " + in_quotes(text) + ", which each text needs", "",
              "copy or download the tokenizer's files again, all of one model");
}

// The tokens that the settings add, and those of the vocabulary that they name.
std::vector<KnownToken> special_tokens(const Json& vocabulary, const TokenizerSettings& settings,
                                       const std::vector<std::string>& usual) {
  std::vector<KnownToken> tokens = settings.added;
  const auto add = [&](const std::string& text) {
    const auto token = known(vocabulary, tokens, text);
    const auto same = [&](const KnownToken& other) { return other.text == text; };
    if (token && std::none_of(tokens.begin(), tokens.end(), same)) {
      tokens.push_back(*token);
      tokens.back().strips_left = text == "<mask>";
    }
  };
  for (const auto& [name, text] : settings.named)
    add(text);
  for (const std::string& text : usual)
    add(text);
  return tokens;
}

}  // namespace

Json parse_merges(const std::string& text) {
  Json merges = Json::array();
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    if (line.empty() || (number == 1 && line.starts_with("#version"))) return;
    require_utf8(line, number);
    const std::size_t space = line.find(' ');
    const bool two = space != std::string_view::npos && space > 0 && space + 1 < line.size() &&
                     line.find(' ', space + 1) == std::string_view::npos;
    if (!two)
      throw Error(in_quotes(line) + " is not two words with a space between them", line_place(number),
                  "copy or download merges.txt again");
    merges.push_back(std::string(line));
  });
  return merges;
}

Json parse_word_lines(const std::string& text) {
  Json words = Json::object();
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    require_utf8(line, number);
    words[std::string(line)] = number - 1;
  });
  if (words.empty()) throw Error("it has no words", "", "copy or download vocab.txt again");
  return words;
}

Json byte_level_tokenizer(Json vocabulary, Json merges, const TokenizerSettings& settings) {
  if (!vocabulary.is_object())
    throw Error("it is " + json_kind(vocabulary) + ", expected words with their ids", "",
                "copy or download the file again");
  const ByteLevelKind& kind = byte_level_kind(settings);
  const std::vector<std::string> usual =
      kind.framed ? std::vector<std::string>{"<s>", "<pad>", "</s>", "<unk>", "<mask>"}
                  : std::vector<std::string>{"<|endoftext|>"};
  const std::vector<KnownToken> special = special_tokens(vocabulary, settings, usual);
  const bool opt = settings.model_type == "opt";
  const std::string begin = settings.token("bos_token", kind.framed ? "<s>" : opt ? "</s>" : "<|endoftext|>");
  std::vector<KnownToken> before, after;
  if (kind.framed) {
    before = {required(vocabulary, special, settings.token("cls_token", "<s>"))};
    after = {required(vocabulary, special, settings.token("sep_token", "</s>"))};
  } else if (settings.flag("add_bos_token", opt)) {
    before = {required(vocabulary, special, begin)};
  }
  TokenizerParts parts;
  if (kind.composes) parts.normalizer = {{"type", "NFC"}};
  parts.pre_tokenizer = byte_level_cut(kind.cut, settings.flag("add_prefix_space", false));
  parts.decoder = byte_level_decoder();
  parts.added = added_tokens(special);
  parts.post_processor = tokens_around(before, after);
  parts.model = bpe_model({std::move(vocabulary), std::move(merges), "", false, false});
  return tokenizer_document(std::move(parts));
}

Json word_piece_tokenizer(Json vocabulary, const TokenizerSettings& settings) {
  const std::vector<KnownToken> special =
      special_tokens(vocabulary, settings, {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"});
  // Where the settings are missing, capital letters in the vocabulary tell that texts are not lowered.
  const bool capitals =
      std::any_of(vocabulary.items().begin(), vocabulary.items().end(), [](const auto& word) {
        const std::string& text = word.key();
        return !text.starts_with('[') && std::any_of(text.begin(), text.end(), is_capital);
      });
  const auto accents = settings.flags.find("strip_accents");
  TokenizerParts parts;
  parts.normalizer = {{"type", "BertNormalizer"},
                      {"clean_text", true},
                      {"handle_chinese_chars", settings.flag("tokenize_chinese_chars", true)},
                      {"strip_accents", accents == settings.flags.end() ? Json() : Json(accents->second)},
                      {"lowercase", settings.flag("do_lower_case", !capitals)}};
  parts.pre_tokenizer = {{"type", "BertPreTokenizer"}};
  parts.post_processor = tokens_around({required(vocabulary, special, settings.token("cls_token", "[CLS]"))},
                                       {required(vocabulary, special, settings.token("sep_token", "[SEP]"))});
  parts.added = added_tokens(special);
  parts.decoder = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
  parts.model = {{"type", "WordPiece"},
                 {"unk_token", settings.token("unk_token", "[UNK]")},
                 {"continuing_subword_prefix", "##"},
                 {"max_input_chars_per_word", 100},
                 {"vocab", std::move(vocabulary)}};
  return tokenizer_document(std::move(parts));
}

}  // namespace headlight
