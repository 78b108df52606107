// Text in any script, as pictures and in figures. DejaVu Sans, which the program requires, has Arabic, Hebrew
// and some emoji; no font has U+0378, which is not assigned.
#include "app/figure/paint/text_picture.h"

#include <algorithm>
#include <string>

#include "app/figure/paint/figure_file.h"
#include "tests/support/catch.h"

using namespace headlight;

namespace {

std::vector<std::string> pieces(const std::string& text) {
  std::vector<std::string> all;
  for (const std::string_view piece : text_pieces(text))
    all.emplace_back(piece);
  return all;
}

// The number of pixels that are at least half covered.
std::ptrdiff_t ink(const TextPicture& picture) {
  return std::count_if(picture.pixels.begin(), picture.pixels.end(), [](Color c) { return c.a >= 128; });
}

const std::string kUnassigned = "\u0378";

}  // namespace

TEST_CASE("text is cut where nothing is torn apart") {
  CHECK(pieces("ab") == std::vector<std::string>{"a", "b"});
  CHECK(pieces("e\u0301t") == std::vector<std::string>{"e\u0301", "t"});
  CHECK(pieces("日本") == std::vector<std::string>{"日", "本"});
  CHECK(pieces("a مرحبا بك b") == std::vector<std::string>{"a", " ", "مرحبا بك", " ", "b"});
  CHECK(pieces("👩\u200D👧😀") == std::vector<std::string>{"👩\u200D👧", "😀"});
  CHECK(pieces("👍🏽👍") == std::vector<std::string>{"👍🏽", "👍"});
  CHECK(pieces("🇩🇪🇫🇷") == std::vector<std::string>{"🇩🇪", "🇫🇷"});
  CHECK(pieces("❤\uFE0F") == std::vector<std::string>{"❤\uFE0F"});
  CHECK(pieces("a\xFF\xE6") == std::vector<std::string>{"a", "\xFF", "\xE6"});
  CHECK(pieces("").empty());
}

TEST_CASE("what no font has is told by its code point") {
  CHECK(with_code_points("größe ⏎⇥·") == "größe ⏎⇥·");
  CHECK(with_code_points("سلام") == "سلام");
  CHECK(with_code_points("😀") == "😀");
  CHECK(with_code_points(kUnassigned + "a") == "U+0378a");
  CHECK(with_code_points("a\u0301") == "a\u0301");
  CHECK(with_code_points(kUnassigned + "\u200D" + kUnassigned) == "U+0378U+0378");
}

TEST_CASE("text becomes a picture that is white and as high as its letters") {
  const TextPicture small = text_picture("Ab", 20), large = text_picture("Ab", 40);
  CHECK(small.rise > 10);
  CHECK(small.rise < 24);
  CHECK(small.pixels.size() == static_cast<std::size_t>(small.width * small.height));
  CHECK(ink(small) > 20);
  CHECK(ink(large) > 3 * ink(small));
  CHECK_FALSE(small.colored);
  CHECK(std::abs(large.advance - 2 * small.advance) < 1);
  CHECK(text_advance("Ab", 20) == small.advance);
  CHECK(text_picture("", 20).pixels.empty());
  CHECK(text_picture(" ", 20).advance > 0);
}

TEST_CASE("the letters of Arabic are joined") {
  // An isolated letter has its final tail: the joined word is narrower than its letters.
  const std::string word = "بببب";
  CHECK(text_advance(word, 40) < 0.8 * 4 * text_advance("ب", 40));
}
