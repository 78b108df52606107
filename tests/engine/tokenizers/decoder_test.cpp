#include "engine/tokenizers/decoder.h"

#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Words = std::vector<std::string>;

Decoder decoder(const std::string& json) {
  const Json value = parse_json(json);
  return Decoder::read(&value);
}

const char* const kSentence = R"({"type": "Sequence", "decoders": [
    {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})";

}  // namespace

TEST_CASE("decoder: none puts spaces between words") {
  CHECK(Decoder::read(nullptr).text_of({"a", "b"}) == "a b");
  CHECK(Decoder::read(nullptr).text_of({}) == "");
  CHECK(Decoder::read(nullptr).label("▁a") == "▁a");
}

TEST_CASE("decoder: letters for bytes") {
  const Decoder bytes = decoder(R"({"type": "ByteLevel"})");
  CHECK(bytes.text_of({"Ġa", "Ã", "©", "Ã"}) == " aé\uFFFD");
  CHECK(bytes.text_of({"a b"}) == "a b");  // not a byte letter, so an added token
  CHECK(bytes.label("ĠÃ©") == " é");
  CHECK(bytes.label("âĢ") == "\\xE2\\x80");
}

TEST_CASE("decoder: bytes to fall back on") {
  const Decoder sentence = decoder(kSentence);
  CHECK(sentence.text_of({"▁a", "▁", "▁b", "<0xC3>", "<0xA9>", "<0xC3>", "c"}) == "a  b\uFFFD\uFFFD\uFFFDc");
  CHECK(sentence.text_of({"▁a", "<0xC3>", "<0xA9>"}) == "aé");
  CHECK(sentence.text_of({"<0xZZ>"}) == "<0xZZ>");
  CHECK(sentence.label("▁a") == " a");
  CHECK(sentence.label("<0xC3>") == "\\xC3");
}

TEST_CASE("decoder: word pieces") {
  const Decoder pieces = decoder(R"({"type": "WordPiece", "prefix": "##", "cleanup": true})");
  CHECK(pieces.text_of({"the", "key", "##s", ".", "do", "n't"}) == "the keys. don't");
  CHECK(pieces.label("##s") == "s");
  CHECK(decoder(R"({"type": "WordPiece", "prefix": "##", "cleanup": false})").text_of({"a", "."}) == "a .");
}

TEST_CASE("decoder: Metaspace and Strip") {
  const Decoder always = decoder(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"})");
  CHECK(always.text_of({"▁a", "▁b"}) == "a b");
  CHECK(always.label("▁a") == " a");
  CHECK(decoder(R"({"type": "Metaspace", "replacement": "▁", "add_prefix_space": false})").text_of({"▁a"}) ==
        " a");
  const Decoder strip = decoder(R"({"type": "Strip", "content": "x", "start": 1, "stop": 2})");
  CHECK(strip.text_of({"xxaxxx", "x", "ax"}) == "xaxa");
}

// The expected texts are those of the Rust library.
TEST_CASE("decoder: ends of words, and what speech models write") {
  const Decoder ends = decoder(R"({"type": "BPEDecoder", "suffix": "</w>"})");
  CHECK(ends.text_of({"th", "e</w>", "cat</w>"}) == "the cat");
  CHECK(ends.label("e</w>") == "e ");
  const Words spoken = {"<pad>", "h", "h", "<pad>", "e", "l", "<pad>", "l", "o", "|", "|", "y", "|", "."};
  const Decoder speech = decoder(R"({"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|"})");
  CHECK(speech.text_of(spoken) == "hello y .");
  CHECK(speech.label("|") == " ");
  CHECK(decoder(R"({"type": "CTC", "cleanup": false})").text_of({"a", "a", "|", "b"}) == "a|b");
}
