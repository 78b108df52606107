#include "engine/core/visible_text.h"

#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("visible text: what steers a terminal or turns letters round is named") {
  CHECK(visible_text("plain größe 東京 🙂 \u200d\u200c") == "plain größe 東京 🙂 \u200d\u200c");
  CHECK(visible_text("\x1b[31mred\x07\x7f") == "U+001B[31mredU+0007U+007F");
  CHECK(visible_text(std::string("a\0b", 3)) == "aU+0000b");
  CHECK(visible_text("a\nb\tc\r") == "aU+000AbU+0009cU+000D");
  CHECK(visible_text("a\nb\tc\r", "\n\t") == "a\nb\tcU+000D");
  CHECK(visible_text("\u0085\u009b31m") == "U+0085U+009B31m");
  CHECK(visible_text("abc\u202Edef\u2066\u200F\u061C\u200B\uFEFF\u2028") ==
        "abcU+202EdefU+2066U+200FU+061CU+200BU+FEFFU+2028");
  CHECK(visible_text("\U000E0041") == "U+E0041");
  CHECK(visible_text("a\xff\xc3\x28\xe2\x82") == "a\\xFF\\xC3(\\xE2\\x82");
  CHECK(visible_text("\xed\xa0\x80\xc0\xaf") == "\\xED\\xA0\\x80\\xC0\\xAF");  // surrogate, overlong "/"
}

TEST_CASE("visible text: no two bytes of controls or of bad UTF-8 are left, whatever the text") {
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second), 'x'};
      const std::string visible = visible_text(text);
      CHECK(visible_text(visible) == visible);
      for (const char letter : visible)
        if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) FAIL("a control character is left");
    }
}

TEST_CASE("visible text: how many bytes of a character are there already") {
  CHECK(unfinished_bytes("") == 0);
  CHECK(unfinished_bytes("abc") == 0);
  CHECK(unfinished_bytes("ab\xc3") == 1);
  CHECK(unfinished_bytes("ab\xe2\x80") == 2);
  CHECK(unfinished_bytes("ab\xf0\x9f\x99") == 3);
  CHECK(unfinished_bytes("ab\xf0\x9f\x99\x82") == 0);
  CHECK(unfinished_bytes("ab\x80\x80\x80\x80") == 0);
}
