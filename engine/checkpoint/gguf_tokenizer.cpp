#include "engine/checkpoint/gguf_tokenizer.h"

#include <array>
#include <optional>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/tokenizers/sentence_pieces.h"
#include "engine/tokenizers/tokenizer_json.h"

namespace headlight {
namespace {

constexpr const char *kModel = "tokenizer.ggml.model", *kTokens = "tokenizer.ggml.tokens",
                     *kMerges = "tokenizer.ggml.merges", *kPre = "tokenizer.ggml.pre";
constexpr const char* kGiveIds = "give ids instead of a text";

// By "tokenizer.ggml.pre": how byte-level BPE cuts a text. whole_words: words of the vocabulary are not put
// together by merges. composes: a text is normalised to NFC.
struct TextCut {
  std::string_view name;
  ByteLevelCut cut;
  bool whole_words = false, composes = false;
};
constexpr std::array kTextCuts = {TextCut{"gpt-2", ByteLevelCut::Gpt2},
                                  TextCut{"olmo", ByteLevelCut::Gpt2},
                                  TextCut{"mpt", ByteLevelCut::Gpt2},
                                  TextCut{"phi-2", ByteLevelCut::Gpt2},
                                  TextCut{"llama-bpe", ByteLevelCut::Llama3, true},
                                  TextCut{"llama3", ByteLevelCut::Llama3, true},
                                  TextCut{"llama-v3", ByteLevelCut::Llama3, true},
                                  TextCut{"smaug-bpe", ByteLevelCut::Llama3},
                                  TextCut{"dbrx", ByteLevelCut::Llama3},
                                  TextCut{"qwen2", ByteLevelCut::Qwen2, false, true},
                                  TextCut{"deepseek-r1-qwen", ByteLevelCut::Qwen2, false, true},
                                  TextCut{"smollm", ByteLevelCut::GptDigits},
                                  TextCut{"starcoder", ByteLevelCut::GptDigits},
                                  TextCut{"refact", ByteLevelCut::GptDigits}};

const std::vector<std::string>& required_texts(const GgufMetadata& metadata, const char* key) {
  if (const auto* texts = metadata.texts_if(key)) return *texts;
  throw Error("the file does not have it", key, kGiveIds);
}

// The kind of each token; all normal where the file does not say it.
std::vector<PieceKind> token_kinds(const GgufMetadata& metadata, std::size_t count) {
  constexpr const char* kKinds = "tokenizer.ggml.token_type";
  std::vector<PieceKind> kinds(count, PieceKind::Normal);
  const auto* numbers = metadata.numbers_if(kKinds);
  if (!numbers) return kinds;
  if (numbers->size() != count)
    throw Error("there are " + std::to_string(numbers->size()) + " for " + std::to_string(count) + " tokens",
                kKinds, kGiveIds);
  for (std::size_t i = 0; i < count; ++i) {
    const double number = (*numbers)[i];
    if (!(number >= 1 && number <= 6))
      throw Error("the kind of token " + std::to_string(i) + " is none from 1 to 6", kKinds, kGiveIds);
    kinds[i] = static_cast<PieceKind>(static_cast<int>(number));
  }
  return kinds;
}

// The token that the setting names, if the flag (or its default) says that each text gets it.
std::vector<KnownToken> around(const GgufMetadata& metadata, const std::vector<std::string>& tokens,
                               const std::string& flag, const std::string& id, bool by_default) {
  if (!metadata.flag_if(flag).value_or(by_default)) return {};
  const auto number = metadata.whole_if(id, 0, static_cast<std::int64_t>(tokens.size()) - 1);
  if (!number) throw Error("the file does not say it, but each text gets that token", id, kGiveIds);
  return {{tokens[static_cast<std::size_t>(*number)], static_cast<std::int32_t>(*number)}};
}

std::vector<KnownToken> before_text(const GgufMetadata& metadata, const std::vector<std::string>& tokens,
                                    bool by_default) {
  return around(metadata, tokens, "tokenizer.ggml.add_bos_token", "tokenizer.ggml.bos_token_id", by_default);
}

std::vector<KnownToken> after_text(const GgufMetadata& metadata, const std::vector<std::string>& tokens) {
  return around(metadata, tokens, "tokenizer.ggml.add_eos_token", "tokenizer.ggml.eos_token_id", false);
}

SentencePieces pieces_in(const GgufMetadata& metadata) {
  constexpr const char* kScores = "tokenizer.ggml.scores";
  const std::vector<std::string>& tokens = required_texts(metadata, kTokens);
  const std::vector<PieceKind> kinds = token_kinds(metadata, tokens.size());
  const auto* scores = metadata.numbers_if(kScores);
  if (!scores || scores->size() != tokens.size())
    throw Error("there is no score for each token", kScores, kGiveIds);
  SentencePieces model;
  model.merges = true;
  model.joins_spaces = metadata.flag_if("tokenizer.ggml.remove_extra_whitespaces").value_or(false);
  model.adds_space = metadata.flag_if("tokenizer.ggml.add_space_prefix").value_or(true);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    model.pieces.push_back({tokens[i], static_cast<float>((*scores)[i]), kinds[i]});
    model.byte_fallback = model.byte_fallback || kinds[i] == PieceKind::Byte;
  }
  try {
    require_pieces(model);
  } catch (const Error& failure) {
    throw failure.inside(kTokens);
  }
  return model;
}

Json piece_document(const GgufMetadata& metadata) {
  const std::vector<std::string>& tokens = required_texts(metadata, kTokens);
  return tokenizer_of_pieces(
      pieces_in(metadata),
      {before_text(metadata, tokens, true), after_text(metadata, tokens), false, false, {}});
}

const TextCut& text_cut(const GgufMetadata& metadata) {
  const std::string* name = metadata.text_if(kPre);
  std::vector<std::string> known;
  for (const TextCut& cut : kTextCuts) {
    if (name && cut.name == *name) return cut;
    known.emplace_back(cut.name);
  }
  throw Error(name ? "texts cut as " + in_quotes(*name) + " are not known here"
                   : "the file does not say how a text is cut into words",
              kPre, std::string(kGiveIds) + "; known are " + listed(known));
}

Json byte_level_document(const GgufMetadata& metadata) {
  const TextCut& cut = text_cut(metadata);
  const std::vector<std::string>& tokens = required_texts(metadata, kTokens);
  const std::vector<PieceKind> kinds = token_kinds(metadata, tokens.size());
  SentencePieces checked;  // for the checks of its tokens
  for (const std::string& token : tokens)
    checked.pieces.push_back({token});
  try {
    require_pieces(checked);
  } catch (const Error& failure) {
    throw failure.inside(kTokens);
  }
  Json vocabulary = Json::object();
  std::vector<KnownToken> added;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    vocabulary[tokens[i]] = i;
    const bool special = kinds[i] == PieceKind::Control || kinds[i] == PieceKind::Unknown;
    if (special || kinds[i] == PieceKind::UserDefined)
      added.push_back({tokens[i], static_cast<std::int32_t>(i), special});
  }
  TokenizerParts parts;
  if (cut.composes) parts.normalizer = {{"type", "NFC"}};
  parts.pre_tokenizer =
      byte_level_cut(cut.cut, metadata.flag_if("tokenizer.ggml.add_space_prefix").value_or(false));
  parts.post_processor =
      tokens_around(before_text(metadata, tokens, cut.whole_words), after_text(metadata, tokens));
  parts.decoder = byte_level_decoder();
  parts.added = added_tokens(added);
  parts.model =
      bpe_model({std::move(vocabulary), Json(required_texts(metadata, kMerges)), "", false, cut.whole_words});
  return tokenizer_document(std::move(parts));
}

}  // namespace

Tokenizer gguf_tokenizer(const GgufMetadata& metadata) {
  const std::string* model = metadata.text_if(kModel);
  if (!model) throw Error("the file has no tokenizer", kModel, kGiveIds);
  if (*model != "gpt2" && *model != "llama")
    throw Error("a tokenizer of the kind " + in_quotes(*model) + " is not known here", kModel,
                std::string(kGiveIds) + "; known are gpt2 and llama");
  const JsonTree document(*model == "gpt2" ? byte_level_document(metadata) : piece_document(metadata));
  return Tokenizer::read(document.value);
}

}  // namespace headlight
