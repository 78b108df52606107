// Tokenizers that need unbounded work: each is rejected before much is computed. Texts that stay within the
// bounds show that these are not too strict.
#include "tests/engine/tokenizers/tokenizer_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::string repeated(const std::string& item, std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i)
    list += (i > 0 ? "," : "") + item;
  return list;
}

std::string sequence(const std::string& member, const std::string& item, std::size_t count) {
  return R"({"type": "Sequence", ")" + member + "\": [" + repeated(item, count) + "]}";
}

const char* const kDouble = R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"})";

void check_refused(const TokenizerText& text, const std::string& what, const std::string& where) {
  check_error([&] { text.tokenizer(); }, what, "tokenizer.json: " + where, "");
}

}  // namespace

TEST_CASE("tokenizer bounds: templates") {
  TokenizerText text;
  const auto templated = [&](std::size_t pieces, const std::string& ids, const std::string& tokens) {
    text.post_processor = R"({"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}},)" +
                          repeated(R"({"SpecialToken": {"id": "x"}})", pieces) +
                          R"(], "special_tokens": {"x": {"id": "x", "ids": [)" + ids + R"(], "tokens": [)" +
                          tokens + "]}}}";
  };
  templated(10'000, repeated("1", 1000), repeated(R"("a")", 1000));
  check_refused(text, "more than 10000 ids", "post_processor.single");
  templated(100'000, "1", R"("a")");
  check_refused(text, "more than 10000 ids", "post_processor.single");
  templated(1, repeated("1", 20'000), repeated(R"("a")", 20'000));
  check_refused(text, "more than 10000 ids", "post_processor.special_tokens[\"x\"].ids");
  templated(9'000, "1", R"("a")");
  CHECK(text.tokenizer().encode("b").size() == 9'001);
  text.post_processor =
      sequence("processors", R"({"type": "BertProcessing", "sep": ["a", 1], "cls": ["b", 2]})", 100'000);
  check_refused(text, "more than 1000 steps", "post_processor.processors");
}

TEST_CASE("tokenizer bounds: steps that make a text longer are stopped while they do") {
  TokenizerText text;
  text.normalizer = sequence("normalizers", kDouble, 30);
  const Tokenizer doubling = text.tokenizer();
  check_error([&] { doubling.encode("a"); }, "grows beyond 1 MiB", "normalizer", "shorter");
  check_error([&] { doubling.encode(std::string(100'000, 'a')); }, "grows beyond 2 MiB", "normalizer",
              "shorter");
  text.normalizer = sequence("normalizers", kDouble, 4);
  CHECK(text.tokenizer().encode(std::string(10'000, 'a')).size() == 160'000);
}

// Each round grows the text to half a megabyte and shrinks it again.
TEST_CASE("tokenizer bounds: steps that make and take away are counted together") {
  TokenizerText text;
  std::string steps;
  for (int i = 0; i < 40; ++i)
    steps += (i > 0 ? "," : "") + repeated(kDouble, 19) +
             R"(, {"type": "Replace", "pattern": {"Regex": "a+"}, "content": "a"})";
  text.normalizer = R"({"type": "Sequence", "normalizers": [)" + steps + "]}";
  const Tokenizer growing = text.tokenizer();
  check_error([&] { growing.encode("a"); }, "ever more", "normalizer", "fewer steps");
  text.normalizer = "null";
  text.decoder = R"({"type": "Sequence", "decoders": [)" + steps + "]}";
  const Tokenizer decoding = text.tokenizer();
  check_error([&] { decoding.decode({1}); }, "ever more", "decoder", "fewer steps");
}

TEST_CASE("tokenizer bounds: all parts between added tokens share what one text may become") {
  TokenizerText text;
  text.normalizer = sequence("normalizers", kDouble, 19);
  text.added_tokens = R"([{"id": 9, "content": "|", "special": true}])";
  const Tokenizer tokenizer = text.tokenizer();
  CHECK(tokenizer.encode("a|a|a").size() == 3 * (1u << 19) + 2);
  std::string parts;
  for (int i = 0; i < 200; ++i)
    parts += "a|";
  check_error([&] { tokenizer.encode(parts); }, "ever more", "normalizer", "fewer steps");
}

TEST_CASE("tokenizer bounds: added tokens that the normalizer makes longer") {
  TokenizerText text;
  text.normalizer = sequence("normalizers", kDouble, 19);
  std::string tokens;
  for (int i = 0; i < 200; ++i)
    tokens += (i > 0 ? "," : "") + std::string(R"({"id": )") + std::to_string(100 + i) +
              R"(, "content": "a)" + std::to_string(i) + R"(", "normalized": true})";
  text.added_tokens = "[" + tokens + "]";
  check_refused(text, "ever more", "normalizer");
}

TEST_CASE("tokenizer bounds: parts of more steps than anybody writes") {
  TokenizerText text;
  text.normalizer = sequence("normalizers", R"({"type": "NFC"})", 1001);
  check_refused(text, "more than 1000 steps", "normalizer");
  text.normalizer = "null";
  text.pre_tokenizer = sequence("pretokenizers", R"({"type": "WhitespaceSplit"})", 1001);
  check_refused(text, "more than 1000 steps", "pre_tokenizer");
  text.pre_tokenizer = "null";
  text.decoder = sequence("decoders", R"({"type": "Fuse"})", 1001);
  check_refused(text, "more than 1000 steps", "decoder");
  text.decoder = sequence("decoders", R"({"type": "Fuse"})", 1000);
  CHECK(text.tokenizer().decode({1, 2}) == "ab");
}

TEST_CASE("tokenizer bounds: words that begin alike are not read to their end from everywhere") {
  const std::string a(20'000, 'a');
  TokenizerText text;
  text.model = R"({"type": "WordPiece", "unk_token": "?", "max_input_chars_per_word": 100000,
                   "vocab": {"?": 0, "a": 1, "##a": 2, "##)" +
               a + R"(b": 3}})";
  const Tokenizer pieces = text.tokenizer();
  CHECK(pieces.encode(std::string(300, 'a')).size() == 300);
  check_error([&] { pieces.encode(a); }, "begin alike", "model.vocab", "shorter");
  text.model = R"({"type": "Unigram", "unk_id": 0, "vocab": [["?", 0], ["a", -1], [")" + a + R"(b", -1]]})";
  const Tokenizer unigram = text.tokenizer();
  CHECK(unigram.encode(std::string(300, 'a')).size() == 300);
  check_error([&] { unigram.encode(a); }, "begin alike", "model.vocab", "shorter");
  text = {};
  text.added_tokens = R"([{"id": 9, "content": ")" + a + R"(b", "special": true}])";
  const Tokenizer added = text.tokenizer();
  CHECK(added.encode(a + "b") == Ids{9});
  check_error([&] { added.encode(a + a); }, "begin alike", "added_tokens", "shorter");
}

TEST_CASE("tokenizer bounds: white space behind added tokens is read once") {
  TokenizerText text;
  text.added_tokens = R"([{"id": 9, "content": " ", "special": true, "rstrip": true}])";
  CHECK(text.tokenizer().encode("a" + std::string(1'000'000, ' ') + "b").size() == 1'000'002);
}

TEST_CASE("tokenizer bounds: English is cleaned in one walk for each change") {
  TokenizerText text;
  text.decoder =
      R"({"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "WordPiece", "prefix": "##"}]})";
  text.model = model_of({" .", "x"});
  const std::string decoded = text.tokenizer().decode(Ids(1'000'000, 0));
  CHECK(decoded == std::string(1'000'000, '.'));
}
