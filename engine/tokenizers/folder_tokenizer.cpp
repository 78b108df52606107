#include "engine/tokenizers/folder_tokenizer.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/foreign_file.h"
#include "engine/core/nearest.h"
#include "engine/tokenizers/foreign_tokenizers.h"
#include "engine/tokenizers/sentence_pieces.h"
#include "engine/tokenizers/tokenizer_settings.h"
#include "engine/tokenizers/word_files.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

// Vocabularies of a quarter of a million tokens stay below it.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 27;

bool has_file(const fs::path& path) {
  std::error_code unreadable;
  return fs::is_regular_file(path, unreadable);
}

std::string read_whole(const fs::path& file, FileForm form) {
  require_file(file, kMostBytes);
  require_form(file, form);
  return read_file(file);
}

// What `read` returns; its errors are those of the file.
template <class Read>
auto of_file(const fs::path& file, Read read) {
  try {
    return read();
  } catch (const Error& failure) {
    throw failure.inside(file.string());
  }
}

Json byte_level_document(const fs::path& folder) {
  const fs::path words = folder / "vocab.json", merges = folder / "merges.txt";
  const std::string vocabulary = read_whole(words, FileForm::Json);
  const std::string lines = read_whole(merges, FileForm::Vocabulary);
  Json list = of_file(merges, [&] { return parse_merges(lines); });
  const TokenizerSettings settings = read_tokenizer_settings(folder);
  return of_file(words,
                 [&] { return byte_level_tokenizer(parse_json(vocabulary), std::move(list), settings); });
}

Tokenizer of_byte_level(const fs::path& folder) {
  const JsonTree document(byte_level_document(folder));
  return of_file(folder / "vocab.json", [&] { return Tokenizer::read(document.value); });
}

Tokenizer of_word_pieces(const fs::path& folder) {
  const fs::path file = folder / "vocab.txt";
  const std::string text = read_whole(file, FileForm::Vocabulary);
  const TokenizerSettings settings = read_tokenizer_settings(folder);
  return of_file(file, [&] {
    const JsonTree document(word_piece_tokenizer(parse_word_lines(text), settings));
    return Tokenizer::read(document.value);
  });
}

// How the library's classes frame the texts of a SentencePiece model.
struct PieceClass {
  std::string_view tokenizer_class;
  bool begins, ends;  // with the token that begins or ends a text
  bool adds_space;
  bool own_words;
  std::int32_t extra;  // tokens <extra_id_99> ... <extra_id_0> after the pieces
};
constexpr std::array kPieceClasses = {PieceClass{"LlamaTokenizer", true, false, true, false, 0},
                                      PieceClass{"GemmaTokenizer", true, false, false, false, 0},
                                      PieceClass{"T5Tokenizer", false, true, true, true, 100}};
struct ClassOfFamily {
  std::string_view model_type, tokenizer_class;
};
constexpr std::array kPieceFamilies = {
    ClassOfFamily{"llama", "LlamaTokenizer"},       ClassOfFamily{"mistral", "LlamaTokenizer"},
    ClassOfFamily{"mixtral", "LlamaTokenizer"},     ClassOfFamily{"phi3", "LlamaTokenizer"},
    ClassOfFamily{"gemma", "GemmaTokenizer"},       ClassOfFamily{"gemma2", "GemmaTokenizer"},
    ClassOfFamily{"gemma3_text", "GemmaTokenizer"}, ClassOfFamily{"t5", "T5Tokenizer"}};

const PieceClass& piece_class(const TokenizerSettings& settings) {
  std::string name = settings.tokenizer_class;
  for (const ClassOfFamily& one : kPieceFamilies)
    if (name.empty() && settings.model_type == one.model_type) name = one.tokenizer_class;
  for (const PieceClass& one : kPieceClasses)
    if (name == one.tokenizer_class) return one;
  throw Error(name.empty() ? "neither tokenizer_config.json nor config.json says how its pieces are used"
                           : "how a " + name + " uses its pieces is not known here",
              "",
              "give ids instead of a text, or make a tokenizer.json in Python: "
              "AutoTokenizer.from_pretrained(folder).save_pretrained(folder)");
}

KnownToken required_piece(const SentencePieces& model, const std::string& text) {
  if (const auto id = model.find(text)) return {text, *id};
  throw Error("it has no piece \"" + text + "\", which each text needs", "",
              "take all files of the tokenizer from one model");
}

Json piece_tokenizer(SentencePieces model, const TokenizerSettings& settings) {
  const PieceClass& kind = piece_class(settings);
  PieceFrame frame;
  frame.own_words = kind.own_words;
  frame.beside = settings.added;
  std::erase_if(frame.beside, [&](const KnownToken& token) {
    return static_cast<std::size_t>(token.id) < model.pieces.size();
  });
  const auto size = static_cast<std::int32_t>(model.pieces.size());
  const std::int32_t extra = frame.beside.empty() ? kind.extra : 0;
  for (std::int32_t i = 0; i < extra; ++i)
    frame.beside.push_back({"<extra_id_" + std::to_string(kind.extra - 1 - i) + ">", size + i});
  frame.first_space_only = !settings.flag("legacy", true);
  model.adds_space = settings.flag("add_prefix_space", kind.adds_space);
  const std::string begin = kind.tokenizer_class == "GemmaTokenizer" ? "<bos>" : "<s>";
  const std::string end = kind.tokenizer_class == "GemmaTokenizer" ? "<eos>" : "</s>";
  if (settings.flag("add_bos_token", kind.begins))
    frame.before = {required_piece(model, settings.token("bos_token", begin))};
  if (settings.flag("add_eos_token", kind.ends))
    frame.after = {required_piece(model, settings.token("eos_token", end))};
  return tokenizer_of_pieces(model, frame);
}

Tokenizer of_pieces(const fs::path& folder, const fs::path& file) {
  const std::string bytes = read_whole(file, FileForm::Vocabulary);
  const TokenizerSettings settings = read_tokenizer_settings(folder);
  return of_file(file, [&] {
    const JsonTree document(piece_tokenizer(parse_sentence_pieces(bytes), settings));
    return Tokenizer::read(document.value);
  });
}

// The ids that frame a text, as the library's class builds them anew when a tokenizer is loaded, whatever
// tokenizer.json has: a template with the tokens that add_bos_token and add_eos_token ask for; nullopt for
// classes that leave it as it is.
std::optional<Json> frame_by_class(const TokenizerSettings& settings) {
  constexpr std::array<std::string_view, 5> kClasses = {
      "LlamaTokenizer", "CodeLlamaTokenizer", "GemmaTokenizer", "CohereTokenizer", "MistralTokenizer"};
  const bool known = std::find(kClasses.begin(), kClasses.end(), settings.tokenizer_class) != kClasses.end();
  if (!known || (!settings.flags.contains("add_bos_token") && !settings.flags.contains("add_eos_token")))
    return std::nullopt;
  Json pieces = Json::array({Json{{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}), specials = Json::object();
  const auto add = [&](const std::string& name, const std::string& usual, bool before) {
    const std::string text = settings.token(name, usual);
    pieces.insert(before ? pieces.begin() : pieces.end(),
                  Json{{"SpecialToken", {{"id", text}, {"type_id", 0}}}});
    specials[text] = text;
  };
  if (settings.flag("add_bos_token", true)) add("bos_token", "<s>", true);
  if (settings.flag("add_eos_token", false)) add("eos_token", "</s>", false);
  return Json{{"type", "TemplateProcessing"},
              {"single", pieces},
              {"pair", Json::array()},
              {"special_tokens", specials}};
}

// The id of a token in a tokenizer.json; nullopt if it has none.
std::optional<std::int64_t> id_of_token(const Json& document, const std::string& text) {
  if (const auto added = document.find("added_tokens"); added != document.end() && added->is_array())
    for (const Json& token : *added)
      if (token.is_object() && token.value("content", Json()) == Json(text) && token.contains("id") &&
          token["id"].is_number_integer())
        return token["id"].get<std::int64_t>();
  const auto model = document.find("model");
  if (model == document.end() || !model->is_object()) return std::nullopt;
  const auto vocabulary = model->find("vocab");
  if (vocabulary == model->end() || !vocabulary->is_object()) return std::nullopt;
  const auto found = vocabulary->find(text);
  return found != vocabulary->end() && found->is_number_integer() ? std::optional(found->get<std::int64_t>())
                                                                  : std::nullopt;
}

// The document of a tokenizer.json with the ids that frame a text by the class.
Json framed_document(const std::string& text, Json frame) {
  require_json_text(text);
  JsonTree document(parse_json(text));
  for (auto& [token, special] : frame["special_tokens"].items()) {
    const std::optional<std::int64_t> id =
        document.value.is_object() ? id_of_token(document.value, token) : std::nullopt;
    if (!id)
      throw Error(
          in_quotes(token) + ", with which tokenizer_config.json lets each text begin or end, is no token",
          "added_tokens", "take all files of the tokenizer from one model");
    special = {{"id", token}, {"ids", {*id}}, {"tokens", {token}}};
  }
  if (document.value.is_object()) document.value["post_processor"] = std::move(frame);
  return std::move(document.value);
}

Tokenizer of_json(const fs::path& folder, const fs::path& file) {
  const std::string text = read_whole(file, FileForm::Json);
  std::optional<Json> frame = frame_by_class(read_tokenizer_settings(folder));
  if (!frame) return Tokenizer::parse(text, file.string());
  return of_file(file, [&] {
    const JsonTree document(framed_document(text, std::move(*frame)));
    return Tokenizer::read(document.value);
  });
}

Json json_document(const fs::path& folder, const fs::path& file) {
  const std::string text = read_whole(file, FileForm::Json);
  std::optional<Json> frame = frame_by_class(read_tokenizer_settings(folder));
  return of_file(file, [&] { return frame ? framed_document(text, std::move(*frame)) : parse_json(text); });
}

bool has_byte_level_files(const fs::path& folder) {
  return has_file(folder / "vocab.json") && has_file(folder / "merges.txt");
}

}  // namespace

const std::vector<std::string>& tokenizer_file_names() {
  static const std::vector<std::string> names = {"tokenizer.json",
                                                 "tokenizer_config.json",
                                                 "special_tokens_map.json",
                                                 "vocab.json",
                                                 "merges.txt",
                                                 "tokenizer.model",
                                                 "spiece.model",
                                                 "vocab.txt",
                                                 "added_tokens.json"};
  return names;
}

std::optional<Tokenizer> read_folder_tokenizer(const fs::path& folder) {
  if (const fs::path file = folder / "tokenizer.json"; has_file(file)) return of_json(folder, file);
  if (has_byte_level_files(folder)) return of_byte_level(folder);
  for (const char* name : {"tokenizer.model", "spiece.model"})
    if (has_file(folder / name)) return of_pieces(folder, folder / name);
  if (has_file(folder / "vocab.txt")) return of_word_pieces(folder);
  return std::nullopt;
}

Json folder_tokenizer_document(const fs::path& folder) {
  if (const fs::path file = folder / "tokenizer.json"; has_file(file)) return json_document(folder, file);
  return has_byte_level_files(folder) ? byte_level_document(folder) : Json();
}

}  // namespace headlight
