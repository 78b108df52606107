// SentencePiece's models (Kudo and Richardson 2018, arXiv 1808.06226): a vocabulary of pieces with scores, of
// which a text is put together by merging (BPE) or by the best sum of scores (unigram).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/json/json_document.h"
#include "engine/tokenizers/tokenizer_json.h"

namespace headlight {

enum class PieceKind { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };

struct Piece {
  std::string text;  // "▁the"; ▁ (U+2581) stands for a space
  float score = 0;
  PieceKind kind = PieceKind::Normal;
};

struct SentencePieces {
  std::vector<Piece> pieces;   // by id
  bool merges = false;         // BPE; else unigram
  bool byte_fallback = false;  // unknown characters become bytes
  bool adds_space = true;      // before a text
  bool joins_spaces = true;    // several spaces become one, and those at the ends none
  std::string char_map;        // of its normalisation; "": none

  // The piece of that kind with the lowest id.
  std::optional<std::int32_t> first_of(PieceKind kind) const;
  std::optional<std::int32_t> find(std::string_view text) const;
};

// bytes: a file such as tokenizer.model, a message ModelProto of sentencepiece_model.proto. Throws Error if
// it is malformed, if a piece is not UTF-8 or is there twice, and for models of whole words or characters.
SentencePieces parse_sentence_pieces(std::string_view bytes);
// Throws Error as above, except for the format; for pieces from another file.
void require_pieces(const SentencePieces& pieces);

// As tokenizer.json. Merges follow the scores, as the library transformers makes them: of the pairs of pieces
// that form a piece, that of the highest score first. before, after: tokens around each text.
// own_words: the text is cut at spaces, as models of the unigram kind are used; else it is one word.
struct PieceFrame {
  std::vector<KnownToken> before, after;
  bool own_words = false;
  bool first_space_only = false;   // adds a space before the text, not also after each special token in it
  std::vector<KnownToken> beside;  // tokens after the pieces
};
Json tokenizer_of_pieces(const SentencePieces& pieces, const PieceFrame& frame);

}  // namespace headlight
