#include "engine/tokenizers/sentence_pieces.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/core/stopping.h"
#include "engine/tokenizers/wire_format.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

constexpr const char* kSpace = "\xE2\x96\x81";  // U+2581
constexpr const char* kCopyModel = "copy or download the file again";
constexpr std::size_t kLongestPiece = 2048;  // bytes
constexpr std::size_t kMostPieces = 10'000'000;

Piece read_piece(std::string_view bytes) {
  constexpr std::uint32_t kText = 1, kScore = 2, kKind = 3;
  Piece piece;
  WireMessage message(bytes);
  while (const auto field = message.next()) {
    if (field->number == kText) piece.text = field->text();
    if (field->number == kScore) piece.score = field->real();
    if (field->number != kKind) continue;
    const std::int64_t kind = field->integer();
    if (kind < 1 || kind > 6)
      throw Error("a piece is of the kind " + std::to_string(kind) + ", which is not known", "", kCopyModel);
    piece.kind = static_cast<PieceKind>(kind);
  }
  return piece;
}

void read_trainer(std::string_view bytes, SentencePieces& model) {
  constexpr std::uint32_t kModelType = 3, kSpaceBehind = 24, kByteFallback = 35;
  WireMessage message(bytes);
  while (const auto field = message.next()) {
    if (field->number == kByteFallback) model.byte_fallback = field->flag();
    if (field->number == kSpaceBehind && field->flag())
      throw Error(
          "its pieces have their space behind them (treat_whitespace_as_suffix), which is not read here", "",
          "give ids instead of a text");
    if (field->number != kModelType) continue;
    const std::int64_t type = field->integer();
    if (type != 1 && type != 2)
      throw Error("it is a model of whole words or of characters, which is not read here", "",
                  "give ids instead of a text");
    model.merges = type == 2;
  }
}

void read_normalizer(std::string_view bytes, SentencePieces& model) {
  constexpr std::uint32_t kCharMap = 2, kAddsSpace = 3, kJoinsSpaces = 4, kEscapes = 5;
  WireMessage message(bytes);
  while (const auto field = message.next()) {
    if (field->number == kCharMap) model.char_map = field->text();
    if (field->number == kAddsSpace) model.adds_space = field->flag();
    if (field->number == kJoinsSpaces) model.joins_spaces = field->flag();
    if (field->number == kEscapes && !field->flag())
      throw Error("it leaves spaces as they are (escape_whitespaces), which is not read here", "",
                  "give ids instead of a text");
  }
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= count ? kLetters[bits >> (18 - 6 * i) & 63u] : '=';
  }
  return text;
}

using IdsByText = std::unordered_map<std::string_view, std::int32_t>;

struct PieceMerge {
  float score;
  std::size_t left_length, right_length;  // in characters
  std::string_view left, right;
};

// Each way to put a piece together of two others, of one piece in the order of their ids.
void add_merges(const Piece& piece, const IdsByText& ids, std::vector<PieceMerge>& merges) {
  const std::size_t length = character_count(piece.text), first = merges.size();
  std::size_t at = 0;
  for (std::size_t left = 1; left < length; ++left) {
    next_character(piece.text, at);
    const std::string_view text = piece.text, before = text.substr(0, at), after = text.substr(at);
    if (ids.contains(before) && ids.contains(after))
      merges.push_back({piece.score, left, length - left, before, after});
  }
  std::sort(merges.begin() + static_cast<std::ptrdiff_t>(first), merges.end(),
            [&](const PieceMerge& a, const PieceMerge& b) {
              return std::pair(ids.at(a.left), ids.at(a.right)) < std::pair(ids.at(b.left), ids.at(b.right));
            });
}

Json merges_of(const std::vector<Piece>& pieces) {
  IdsByText ids;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    ids.emplace(pieces[i].text, static_cast<std::int32_t>(i));
  std::vector<PieceMerge> merges;
  for (const Piece& piece : pieces) {
    throw_if_stopped();
    if (piece.kind == PieceKind::Normal || piece.kind == PieceKind::UserDefined)
      add_merges(piece, ids, merges);
  }
  std::stable_sort(merges.begin(), merges.end(), [](const PieceMerge& a, const PieceMerge& b) {
    return std::tuple(a.score, a.left_length, a.right_length) >
           std::tuple(b.score, b.left_length, b.right_length);
  });
  Json list = Json::array();
  for (const PieceMerge& merge : merges)
    list.push_back({std::string(merge.left), std::string(merge.right)});
  return list;
}

std::string unknown_text(const SentencePieces& model) {
  const auto unknown = model.first_of(PieceKind::Unknown);
  return unknown ? model.pieces[static_cast<std::size_t>(*unknown)].text : "";
}

Json merging_model(const SentencePieces& model) {
  Json vocabulary = Json::object();
  for (std::size_t i = 0; i < model.pieces.size(); ++i)
    vocabulary[model.pieces[i].text] = i;
  return bpe_model(
      {std::move(vocabulary), merges_of(model.pieces), unknown_text(model), model.byte_fallback, false});
}

Json scoring_model(const SentencePieces& model) {
  Json vocabulary = Json::array();
  for (const Piece& piece : model.pieces)
    vocabulary.push_back({piece.text, piece.score});
  const auto unknown = model.first_of(PieceKind::Unknown);
  return {{"type", "Unigram"},
          {"unk_id", unknown ? Json(*unknown) : Json()},
          {"vocab", std::move(vocabulary)},
          {"byte_fallback", model.byte_fallback}};
}

Json replaced(Json pattern, const char* by) {
  return {{"type", "Replace"}, {"pattern", std::move(pattern)}, {"content", by}};
}

// Whether the pre-tokenizer, not the normalizer, turns spaces into their sign.
bool cuts_spaces(const PieceFrame& frame) {
  return frame.own_words || frame.first_space_only;
}

Json normalizer_of(const SentencePieces& model, const PieceFrame& frame) {
  const bool own_words = frame.own_words;
  Json steps = Json::array();
  if (!model.char_map.empty())
    steps.push_back({{"type", "Precompiled"}, {"precompiled_charsmap", base64(model.char_map)}});
  if (own_words || model.joins_spaces) {
    steps.push_back({{"type", "Strip"}, {"strip_left", !own_words}, {"strip_right", true}});
    steps.push_back(replaced({{"Regex", " {2,}"}}, own_words ? kSpace : " "));
  }
  if (!cuts_spaces(frame) && model.adds_space) steps.push_back({{"type", "Prepend"}, {"prepend", kSpace}});
  if (!cuts_spaces(frame)) steps.push_back(replaced({{"String", " "}}, kSpace));
  return {{"type", "Sequence"}, {"normalizers", std::move(steps)}};
}

Json metaspace(const SentencePieces& model, const PieceFrame& frame) {
  const char* added = frame.first_space_only ? "first" : "always";
  return {{"type", "Metaspace"},
          {"replacement", kSpace},
          {"prepend_scheme", model.adds_space ? added : "never"},
          {"split", frame.own_words}};
}

Json decoder_of(const SentencePieces& model) {
  Json steps =
      Json::array({replaced({{"String", kSpace}}, " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}});
  if (model.adds_space) steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  return {{"type", "Sequence"}, {"decoders", std::move(steps)}};
}

}  // namespace

std::optional<std::int32_t> SentencePieces::first_of(PieceKind kind) const {
  const auto found =
      std::find_if(pieces.begin(), pieces.end(), [&](const Piece& piece) { return piece.kind == kind; });
  return found == pieces.end() ? std::nullopt
                               : std::optional(static_cast<std::int32_t>(found - pieces.begin()));
}

std::optional<std::int32_t> SentencePieces::find(std::string_view text) const {
  const auto found =
      std::find_if(pieces.begin(), pieces.end(), [&](const Piece& piece) { return piece.text == text; });
  return found == pieces.end() ? std::nullopt
                               : std::optional(static_cast<std::int32_t>(found - pieces.begin()));
}

void require_pieces(const SentencePieces& model) {
  if (model.pieces.empty()) throw Error("it has no pieces", "", kCopyModel);
  if (model.pieces.size() > kMostPieces)
    throw Error("it has " + std::to_string(model.pieces.size()) + " pieces, more than are read", "",
                kCopyModel);
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const Piece& piece = model.pieces[i];
    const std::string what = "piece " + std::to_string(i);
    if (piece.text.empty()) throw Error(what + " is empty", "", kCopyModel);
    if (piece.text.size() > kLongestPiece)
      throw Error(what + " has more than " + std::to_string(kLongestPiece) + " bytes", "", kCopyModel);
    if (first_bad_byte(piece.text) != std::string_view::npos)
      throw Error(what + " is not UTF-8", "", kCopyModel);
    if (!std::isfinite(piece.score)) throw Error("the score of " + what + " is no number", "", kCopyModel);
    if (!seen.insert(piece.text).second)
      throw Error(what + ", " + in_quotes(piece.text) + ", is there twice", "", kCopyModel);
  }
}

SentencePieces parse_sentence_pieces(std::string_view bytes) {
  constexpr std::uint32_t kPiece = 1, kTrainer = 2, kNormalizer = 3;
  SentencePieces model;
  WireMessage message(bytes);
  while (const auto field = message.next()) {
    throw_if_stopped();
    if (field->number == kPiece) model.pieces.push_back(read_piece(field->text()));
    if (field->number == kTrainer) read_trainer(field->text(), model);
    if (field->number == kNormalizer) read_normalizer(field->text(), model);
  }
  require_pieces(model);
  return model;
}

Json tokenizer_of_pieces(const SentencePieces& model, const PieceFrame& frame) {
  std::vector<KnownToken> added;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const Piece& piece = model.pieces[i];
    const bool special = piece.kind == PieceKind::Control || piece.kind == PieceKind::Unknown;
    if (special || piece.kind == PieceKind::UserDefined)
      added.push_back({piece.text, static_cast<std::int32_t>(i), special});
  }
  added.insert(added.end(), frame.beside.begin(), frame.beside.end());
  TokenizerParts parts;
  parts.model = model.merges ? merging_model(model) : scoring_model(model);
  parts.added = added_tokens(added);
  parts.normalizer = normalizer_of(model, frame);
  if (cuts_spaces(frame)) parts.pre_tokenizer = metaspace(model, frame);
  parts.post_processor = tokens_around(frame.before, frame.after);
  parts.decoder = decoder_of(model);
  return tokenizer_document(std::move(parts));
}

}  // namespace headlight
