// Text with characters that the window's fonts lack.
#include "app/platform/text_glyphs.h"

#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/text_fit.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;
using headlight_test::PanelRobot;

namespace {

// The number of characters of a UTF-8 text.
std::ptrdiff_t length(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

unsigned char_of(const std::string& text) {
  unsigned character = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    character = i == 0 ? byte & 0x0Fu : character << 6 | (byte & 0x3Fu);  // lead byte of three
  }
  return character;
}

}  // namespace

TEST_CASE("text glyphs: text that the fonts have is drawn as it stands") {
  const PanelRobot robot;
  for (const char* text : {"", "journey", "größe", "αβγ → ⏎ ⇥ ·", "Жук", "▁to", "\xFF"})
    CHECK(drawn_text(text) == text);
}

TEST_CASE(
    "text glyphs: Latin letters beyond the window's fonts are asked for, and are there in the next ones") {
  PanelRobot robot;
  const std::string letters = "ơưșțəƒǎɐʃɲ";
  CHECK(drawn_text(letters) == letters);
  robot.renew_fonts();
  for (const unsigned number : {0x1A1, 0x1B0, 0x219, 0x21B, 0x259, 0x192, 0x1CE, 0x250, 0x283, 0x272})
    CHECK(has_glyph(robot.theme().fonts.text, number));
}

TEST_CASE("text glyphs: what only the large fonts lack is drawn in them, and as before in the others") {
  PanelRobot robot;
  const Fonts& fonts = robot.theme().fonts;
  const std::string text = "Жук ∇ ⊙ β";
  for (ImFont* large : {fonts.sentence, fonts.headline})
    for (const unsigned letter : {0x416, 0x2207, 0x2299, 0x3B2})
      CHECK_FALSE(has_glyph(large, letter));
  const float in_text = drawn_width(fonts.text, text);
  CHECK(drawn_text(text) == text);
  CHECK_FALSE(glyphs_pending());
  CHECK(drawn_text(text, fonts.sentence) == text);
  CHECK(drawn_text(text, fonts.headline) == text);
  REQUIRE(glyphs_pending());
  const float measured = drawn_width(fonts.sentence, text);
  robot.renew_fonts();
  CHECK_FALSE(glyphs_pending());
  for (ImFont* large : {fonts.sentence, fonts.headline})
    for (const unsigned letter : {0x416, 0x2207, 0x2299, 0x3B2})
      CHECK(has_glyph(large, letter));
  CHECK(text_width(fonts.sentence, text) == measured);
  CHECK(text_width(fonts.text, text) == in_text);
  CHECK(drawn_text(text, fonts.sentence) == text);
  CHECK_FALSE(glyphs_pending());
}

TEST_CASE("text glyphs: a word whose letters join is one glyph, an emoji another, and once is enough") {
  const PanelRobot robot;
  const std::string drawn = drawn_text("سلام 😀");
  CHECK(length(drawn) == 3);
  CHECK(drawn_text("سلام 😀") == drawn);
  CHECK(drawn_text(drawn) == drawn);
}

TEST_CASE("text glyphs: what no font has is told by its code point") {
  const PanelRobot robot;
  CHECK(drawn_text("a\u0378") == "aU+0378");
}

TEST_CASE("text glyphs: a field has a character for each character, and gives them back") {
  const PanelRobot robot;
  // Here the characters that replace others in fields occur themselves.
  const std::string text = "a سلام 😀👩\u200D👧 \uE000\uE001\uA000 é";
  const std::string field = field_text(text);
  CHECK(length(field) == length(text));
  CHECK(typed_text(field) == text);
  CHECK(field_character('a') == 'a');
  CHECK(field_character(0x1F600) <= 0xFFFF);
  CHECK(typed_text(field_text("😀")) == "😀");
}

TEST_CASE("text glyphs: the fonts are made anew with what was drawn, as wide as was measured") {
  PanelRobot robot;
  const std::string word = drawn_text("מנורה"), flag = drawn_text("😼");
  REQUIRE(glyphs_pending());
  const float measured = drawn_width(robot.theme().fonts.text, "מנורה");
  robot.renew_fonts();
  CHECK_FALSE(glyphs_pending());
  ImFont* font = robot.theme().fonts.text;
  for (const std::string& text : {word, flag}) {
    REQUIRE(has_glyph(font, char_of(text)));
    const ImFontGlyph& glyph = *find_glyph(font, char_of(text));
    CHECK(glyph.AdvanceX > 4);
    CHECK(glyph.Y0 >= -1);
    CHECK(glyph.Y1 <= font_size(font) + 2);
    CHECK(glyph.U1 > glyph.U0);
  }
  CHECK(find_glyph(font, char_of(word))->AdvanceX == measured);
  CHECK(text_width(font, word) == measured);
  CHECK(drawn_text("מנורה") == word);
  CHECK_FALSE(glyphs_pending());
}

TEST_CASE("text glyphs: an emoji that is typed into a field reaches the token") {
  std::string text = "x😀";
  PanelFixture fixture(lesson_session("16-causal-mask"), [&text](UiContext& ui) {
    ImGui::SetNextItemWidth(200);
    text_entry(ui, "field", text, kMostLabel);
    ui.probe.mark("field", text);
  });
  fixture.robot().click("field");
  fixture.robot().key(Key::End);
  ImGui::GetIO().AddInputCharacter(field_character(0x1F601));
  fixture.robot().frames(2);
  fixture.robot().type("y");
  CHECK(text == "x😀😁y");
}
