// Models of SentencePiece against its own ids (tests/golden/generate_sentence_pieces.py), and malformed ones.
#include "engine/tokenizers/sentence_pieces.h"

#include "engine/core/file.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/tokenizers/wire_format.h"
#include "tests/support/format_support.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kPiecesFolder = source_root() + "/tests/golden/models/tokenizers/pieces_";

Tokenizer tokenizer_of(const SentencePieces& model, const PieceFrame& frame) {
  return Tokenizer::read(tokenizer_of_pieces(model, frame));
}

// A field of Bytes.
std::string field(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
}
std::string piece(const std::string& text, int kind = 1, float score = 0) {
  std::string score_bytes(4, '\0');
  std::memcpy(score_bytes.data(), &score, 4);
  return field(1, field(1, text) + "\x15" + score_bytes + "\x18" + static_cast<char>(kind));
}

void refused(const std::string& bytes, const std::string& what) {
  INFO(what);
  check_error([&] { parse_sentence_pieces(bytes); }, what, "", "");
}

}  // namespace

TEST_CASE("sentence pieces: texts have the ids that SentencePiece gives them") {
  for (const std::string kind : {"bpe", "unigram"}) {
    const SentencePieces model = parse_sentence_pieces(read_file(kPiecesFolder + kind + ".model"));
    const bool merges = kind == "bpe";
    CHECK(model.merges == merges);
    CHECK(model.byte_fallback == merges);
    CHECK(model.joins_spaces != merges);
    CHECK(model.char_map.empty() == merges);
    const PieceFrame frame = merges ? PieceFrame{{{"<s>", *model.find("<s>")}}, {}, false, false, {}}
                                    : PieceFrame{{}, {{"</s>", *model.find("</s>")}}, true, false, {}};
    const Tokenizer tokenizer = tokenizer_of(model, frame);
    const Json cases = parse_json(read_file(kPiecesFolder + kind + ".texts.json"));
    REQUIRE(cases.size() == 13);
    for (const Json& one : cases) {
      INFO(kind << ": " << one["text"]);
      CHECK(tokenizer.encode(one["text"].get<std::string>()) == one["ids"].get<std::vector<std::int32_t>>());
    }
  }
}

TEST_CASE("sentence pieces: kinds of pieces are kinds of tokens") {
  const SentencePieces model = parse_sentence_pieces(piece("<unk>", 2) + piece("<s>", 3) + piece("<own>", 4) +
                                                     piece("a") + piece("▁"));
  CHECK(model.first_of(PieceKind::Unknown) == 0);
  CHECK(model.find("▁") == 4);
  const Tokenizer tokenizer = tokenizer_of(model, {});
  CHECK(tokenizer.is_special(1));
  CHECK_FALSE(tokenizer.is_special(2));
  CHECK(tokenizer.encode("a<own>") == std::vector<std::int32_t>{4, 3, 2});
}

TEST_CASE("sentence pieces: malformed models are refused") {
  const std::string good = piece("<unk>", 2) + piece("a");
  CHECK(parse_sentence_pieces(good).pieces.size() == 2);
  refused("", "no pieces");
  refused(good + piece("a"), "piece 2, \"a\", is there twice");
  refused(good + piece(""), "piece 2 is empty");
  refused(good + piece("\xff"), "piece 2 is not UTF-8");
  refused(good + piece("b", 7), "of the kind 7");
  refused(good + piece("b", 0), "of the kind 0");
  refused(good + piece("b", 1, INFINITY), "no number");
  refused(good + field(2, "\x18\x03"), "whole words or of characters");
  refused(good + field(2, std::string("\xc0\x01\x01")), "treat_whitespace_as_suffix");
  refused(good + field(3, std::string("\x28\x00", 2)), "escape_whitespaces");
  refused(good + field(1, std::string("\x0d\0\0\0\0", 5)), "field 1 is of another kind");
  refused(good + "\x0a", "ends within a field");
  refused(good + "\x0a\x7f", "ends within a field");
  refused(good + "\x0b", "of the kind 3");
  refused(good + std::string("\x02\x00", 2), "number 0");
  refused(good + "\x08" + std::string(11, '\xff'), "more than ten bytes");
  for (std::size_t size = 1; size < good.size(); ++size) {
    try {
      parse_sentence_pieces(good.substr(0, size));
    } catch (const Error&) {  // refused, or the pieces before the cut
    }
  }
}

TEST_CASE("wire format: fields of every kind") {
  WireMessage message(std::string_view(
      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x11\1\0\0\0\0\0\0\0\x1a\2hi\x25\0\0\x80\x3f", 29));
  CHECK(message.next()->integer() == -1);
  const auto bits = message.next();
  CHECK(bits->whole == 1);
  CHECK_THROWS_AS(bits->integer(), Error);
  CHECK(message.next()->text() == "hi");
  const auto real = message.next();
  CHECK(real->number == 4);
  CHECK(real->real() == 1);
  CHECK_THROWS_AS(real->text(), Error);
  CHECK_FALSE(message.next());
}
