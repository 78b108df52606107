#include "engine/tokenizers/tokenizer_json.h"

#include <utility>

namespace headlight {
namespace {

constexpr const char* kLlama3Words =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
constexpr const char* kQwen2Words =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| "
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

Json in_sequence(Json first, Json second) {
  return {{"type", "Sequence"}, {"pretokenizers", Json::array({std::move(first), std::move(second)})}};
}

Json byte_level(bool adds_space, bool by_expression) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", adds_space},
          {"trim_offsets", true},
          {"use_regex", by_expression}};
}

Json cut_by(const char* expression) {
  return {
      {"type", "Split"}, {"pattern", {{"Regex", expression}}}, {"behavior", "Isolated"}, {"invert", false}};
}

}  // namespace

const Json* id_in(const Json& vocabulary, const std::string& text) {
  const auto found = vocabulary.find(text);
  return found == vocabulary.end() ? nullptr : &*found;
}

Json added_tokens(const std::vector<KnownToken>& tokens) {
  Json list = Json::array();
  for (const KnownToken& token : tokens)
    list.push_back({{"id", token.id},
                    {"content", token.text},
                    {"single_word", false},
                    {"lstrip", token.strips_left},
                    {"rstrip", false},
                    {"normalized", false},
                    {"special", token.special}});
  return list;
}

Json tokens_around(const std::vector<KnownToken>& before, const std::vector<KnownToken>& after) {
  if (before.empty() && after.empty()) return nullptr;
  Json single = Json::array(), tokens = Json::object();
  const auto add = [&](const std::vector<KnownToken>& list) {
    for (const KnownToken& token : list) {
      single.push_back({{"SpecialToken", {{"id", token.text}, {"type_id", 0}}}});
      tokens[token.text] = {
          {"id", token.text}, {"ids", Json::array({token.id})}, {"tokens", Json::array({token.text})}};
    }
  };
  add(before);
  single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  add(after);
  return {{"type", "TemplateProcessing"},
          {"single", std::move(single)},
          {"pair", Json::array()},
          {"special_tokens", std::move(tokens)}};
}

Json byte_level_cut(ByteLevelCut cut, bool adds_space) {
  switch (cut) {
    case ByteLevelCut::Llama3:
      return in_sequence(cut_by(kLlama3Words), byte_level(adds_space, false));
    case ByteLevelCut::Qwen2:
      return in_sequence(cut_by(kQwen2Words), byte_level(adds_space, false));
    case ByteLevelCut::GptDigits:
      return in_sequence({{"type", "Digits"}, {"individual_digits", true}}, byte_level(adds_space, true));
    case ByteLevelCut::Gpt2:
      break;
  }
  return byte_level(adds_space, true);
}

Json byte_level_decoder(bool adds_space) {
  return byte_level(adds_space, true);
}

Json bpe_model(BpeParts parts) {
  Json model = {{"type", "BPE"},
                {"dropout", nullptr},
                {"unk_token", parts.unknown.empty() ? Json() : Json(parts.unknown)},
                {"continuing_subword_prefix", nullptr},
                {"end_of_word_suffix", nullptr},
                {"fuse_unk", !parts.unknown.empty()},
                {"byte_fallback", parts.byte_fallback},
                {"vocab", std::move(parts.vocabulary)},
                {"merges", std::move(parts.merges)}};
  if (parts.ignore_merges) model["ignore_merges"] = true;
  return model;
}

Json tokenizer_document(TokenizerParts parts) {
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", std::move(parts.added)},
          {"normalizer", std::move(parts.normalizer)},
          {"pre_tokenizer", std::move(parts.pre_tokenizer)},
          {"post_processor", std::move(parts.post_processor)},
          {"decoder", std::move(parts.decoder)},
          {"model", std::move(parts.model)}};
}

}  // namespace headlight
