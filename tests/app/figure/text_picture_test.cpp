// Text in any script, as pictures and in figures. DejaVu Sans, which the program requires, has Arabic, Hebrew
// and some emoji; no font has U+0378, which is not assigned.
#include "app/figure/paint/text_picture.h"

#include <algorithm>
#include <array>
#include <string>

#include "app/figure/paint/figure_file.h"
#include "app/figure/paint/svg_painter.h"
#include "tests/support/catch.h"

using namespace headlight;
using headlight_test::ContainsSubstring;

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

std::string svg_of(const std::string& words, FontFace face) {
  HeatmapPlan plan;
  plan.width = plan.height = 100;
  PlannedText text;
  text.text = words;
  text.face = face;
  plan.texts.push_back(text);
  FigureGrid figure;
  figure.width = figure.height = 100;
  figure.plans.push_back({0, 0, plan});
  return svg_text(figure, CellsForm::Rectangles, {});
}

}  // namespace

TEST_CASE("text is cut where nothing is torn apart") {
  CHECK(pieces("ab") == std::vector<std::string>{"a", "b"});
  CHECK(pieces("e\u0301t") == std::vector<std::string>{"e\u0301", "t"});
  CHECK(pieces("日本") == std::vector<std::string>{"日", "本"});
  CHECK(pieces("a مرحبا بك b") == std::vector<std::string>{"a", " ", "مرحبا بك", " ", "b"});
  CHECK(pieces("خطوة 2 من 4.") == std::vector<std::string>{"خطوة 2 من 4."});
  CHECK(pieces("‹ חזרה") == std::vector<std::string>{"‹ חזרה"});
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

TEST_CASE("an SVG keeps the text of every script, with families that have it, whatever is installed") {
  const std::vector<std::array<std::string, 2>> scripts = {
      {"注意力", "Noto Sans CJK SC"},  {"ひらがな", "Noto Sans CJK JP"}, {"한국어", "Noto Sans CJK KR"},
      {"سلام", "Noto Sans Arabic"},    {"नमस्ते", "Noto Sans Devanagari"}, {"👩\u200D👧", "Noto Color Emoji"},
      {"❤\uFE0F", "Noto Color Emoji"}, {"ไทย", "Noto Sans Thai"},        {"ሰላም", "sans-serif"}};
  for (const auto& [text, family] : scripts)
    for (const FontFace face : {FontFace::Text, FontFace::Number}) {
      INFO(text);
      const std::string svg = svg_of(text, face);
      CHECK_THAT(svg, ContainsSubstring(">" + text + "</text>"));
      CHECK_THAT(svg, ContainsSubstring(family));
      CHECK(svg.find("U+") == std::string::npos);
    }
  CHECK_THAT(svg_of("cat", FontFace::Text), ContainsSubstring(">cat</text>"));
  CHECK(svg_of("cat", FontFace::Text).find("Noto") == std::string::npos);
  CHECK_THAT(svg_of(kUnassigned + "a\uE000", FontFace::Text), ContainsSubstring(">U+0378aU+E000</text>"));
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
