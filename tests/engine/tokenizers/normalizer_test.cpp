#include "engine/tokenizers/normalizer.h"

#include "engine/unicode/unicode.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::string normalized(const std::string& json, const std::string& text) {
  const Json value = parse_json(json);
  return Normalizer::read(&value).apply(text);
}

}  // namespace

TEST_CASE("normalizer: none leaves a text as it is") {
  CHECK(Normalizer::read(nullptr).apply("Aé ") == "Aé ");
  CHECK(normalized(R"({"type": "Sequence", "normalizers": []})", "Aé ") == "Aé ");
}

TEST_CASE("normalizer: the forms of Unicode") {
  CHECK(normalized(R"({"type": "NFC"})", "e\u0301 \uFB01") == "\u00E9 \uFB01");
  CHECK(normalized(R"({"type": "NFD"})", "\u00E9 \uFB01 \uD55C") == "e\u0301 \uFB01 \u1112\u1161\u11AB");
  CHECK(normalized(R"({"type": "NFKC"})", "e\u0301 \uFB01 \u00BD") == "\u00E9 fi 1\u20442");
  CHECK(normalized(R"({"type": "NFKD"})", "\u00E9 \uFB01") == "e\u0301 fi");
  // Marks are put in canonical order; those of one class keep their order.
  CHECK(normalized(R"({"type": "NFD"})", "a\u0301\u0323\u0300") == "a\u0323\u0301\u0300");
}

TEST_CASE("normalizer: a hundred thousand marks in a row are put in order") {
  std::string text = "a";
  for (int i = 0; i < 50'000; ++i)
    text += "\u0301\u0323";
  const std::string ordered = normalized(R"({"type": "NFD"})", text);
  CHECK(ordered.size() == text.size());
  CHECK(ordered.substr(0, 5) == "a\u0323\u0323");
}

TEST_CASE("normalizer: letters in small and without accents") {
  CHECK(normalized(R"({"type": "Lowercase"})", "ÅNG \u0130 ΣΑΣ") == "ång i\u0307 σασ");
  CHECK(normalized(R"({"type": "StripAccents"})", "e\u0301 \u00E9 a\u20DD") == "e \u00E9 a");
}

TEST_CASE("normalizer: white space at the ends, text in front, texts replaced") {
  CHECK(normalized(R"({"type": "Strip", "strip_left": true, "strip_right": true})", " \u00A0a b\n") == "a b");
  CHECK(normalized(R"({"type": "Strip", "strip_left": false, "strip_right": true})", " a ") == " a");
  CHECK(normalized(R"({"type": "Strip", "strip_left": true, "strip_right": false})", " a ") == "a ");
  CHECK(normalized(R"({"type": "Strip", "strip_left": true, "strip_right": true})", " \t ") == "");
  CHECK(normalized(R"({"type": "Prepend", "prepend": "▁"})", "a") == "▁a");
  CHECK(normalized(R"({"type": "Prepend", "prepend": "▁"})", "") == "");
  CHECK(normalized(R"({"type": "Replace", "pattern": {"String": "."}, "content": "!!"})", "a.b.") ==
        "a!!b!!");
  CHECK(normalized(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})", "a   b c") ==
        "a b c");
  CHECK(normalized(R"({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"},
                       {"type": "Lowercase"}]})",
                   "\u00C9a") == "ea");
}

TEST_CASE("normalizer: BERT's") {
  const auto bert = [](const std::string& members, const std::string& text) {
    return normalized(
        R"({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true)" + members + "}",
        text);
  };
  CHECK(bert(R"(, "strip_accents": null, "lowercase": true)", "\u00C9a\tb\x01\uFFFD\u200Bc") == "ea bc");
  CHECK(bert(R"(, "strip_accents": null, "lowercase": false)", "\u00C9a") == "\u00C9a");
  CHECK(bert(R"(, "strip_accents": false, "lowercase": true)", "\u00C9a") == "\u00E9a");
  CHECK(bert(R"(, "strip_accents": true, "lowercase": false)", "\u00C9a") == "Ea");
  CHECK(bert(R"(, "lowercase": true)", "a\u65E5b\u306E") == "a \u65E5 b\u306E");
}

TEST_CASE("normalizer: characters that Unicode 9 does not have stay, and stand between others") {
  // Dives Akuru of Unicode 13; and a mark of Unicode 16 between two marks that would otherwise be swapped.
  CHECK(normalized(R"({"type": "NFC"})", "\U00011935\U00011930") == "\U00011935\U00011930");
  CHECK(normalized(R"({"type": "NFD"})", "\U00011938") == "\U00011938");
  CHECK(normalized(R"({"type": "NFKD"})", "\U00010781") == "\U00010781");
  CHECK(normalized(R"({"type": "NFD"})", "a\u0301\u0897\u0323") == "a\u0301\u0897\u0323");
  CHECK(normalized(R"({"type": "StripAccents"})", "a\u0301\u0897") == "a\u0897");
}

TEST_CASE("normalizer: Nmt and letters for bytes") {
  CHECK(normalized(R"({"type": "Nmt"})", "a\x01\t\u200Bb\u2581\x7F") == "a  b ");
  CHECK(normalized(R"({"type": "ByteLevel"})", "a é") == "aĠÃ©");
}

TEST_CASE("unicode: bytes that are no text") {
  CHECK(first_bad_byte("aé日🙂") == std::string::npos);
  CHECK(first_bad_byte("a\xC0\x80") == 1);
  CHECK(first_bad_byte("\xF4\x90\x80\x80") == 0);
  CHECK(first_bad_byte("\xE6\x97") == 0);
  CHECK(lossy_utf8("a\xE6\x97z\xFF\xFE") == "a\uFFFDz\uFFFD\uFFFD");
  CHECK(lossy_utf8("\xF0\x9F\x99") == "\uFFFD");
  CHECK(lossy_utf8("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");
  CHECK(escaped_utf8("é\xE2\x82") == "é\\xE2\\x82");
}
