// The sentence as a figure for a file: all its words, the beams of the shown head, the next words.
#include "app/ui/start/sentence_figure.h"

#include <algorithm>
#include <cmath>

#include "app/figure/paint/cairo_painter.h"
#include "app/figure/plan/share_text.h"
#include "engine/network/network_pass.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;

namespace {

TextReading read(const std::string& text) {
  NetworkPass pass(std::make_shared<const Network>(headlight_test::source_root() + "/assets/examples/words"));
  return read_text(pass, text, 3);
}

FigureGrid figure_of(const TextReading& reading, const SentenceShown& shown) {
  const FigureStyle style = FigureStyle::light();
  return sentence_figure(reading, shown, Counting{0}, style, pango_measure(style.fonts));
}

std::vector<std::string> texts_of(const FigureGrid& figure) {
  std::vector<std::string> texts;
  for (const PlannedText& text : figure.drawings.at(0).drawing.texts)
    texts.push_back(text.text);
  return texts;
}

bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

}  // namespace

TEST_CASE("sentence figure: words, the share of the strongest beam and the next words are in it") {
  const TextReading reading = read("When Ann and Tom went out , Tom gave the key to");
  REQUIRE(reading.leading_head);
  const FigureGrid figure = figure_of(reading, {*reading.leading_head, 12});
  CHECK(figure.title == "Where “to” looks: layer 2, head 3");
  CHECK(figure.background == FigureStyle::light().background);
  const std::vector<std::string> texts = texts_of(figure);
  for (const char* word : {"<start>", "When", "Ann", "gave", "to", "next word", "91 %"})
    CHECK(has(texts, word));
  CHECK(has(texts, share_text(reading.next.back().front().probability)));
  // A beam has no seams: each part reaches into the next one of the same beam.
  const std::vector<PlannedLine>& parts = figure.drawings.at(0).drawing.strokes;
  REQUIRE(parts.size() >= 64);
  for (std::size_t i = parts.size() - 64; i + 2 < parts.size(); ++i)
    CHECK(std::hypot(parts[i].x2 - parts[i].x1, parts[i].y2 - parts[i].y1) >
          1.2 * std::hypot(parts[i + 1].x1 - parts[i].x1, parts[i + 1].y1 - parts[i].y1));
}

TEST_CASE("sentence figure: it shows the word and the heads that the screen shows") {
  const TextReading reading = read("When Ann and Tom went out , Tom gave the key to");
  const FigureGrid one = figure_of(reading, {{0, 1}, 9}), all = figure_of(reading, {{0, std::nullopt}, 9});
  CHECK(one.title == "Where “gave” looks: layer 0, head 1");
  CHECK(all.title == "Where “gave” looks: layer 0, all heads");
  CHECK(texts_of(one) != texts_of(all));
  CHECK(has(texts_of(one), "after “gave”"));
}

TEST_CASE("sentence figure: a long text has all its words, and everything is on the page") {
  std::string text = "When";
  for (int i = 0; i < 28; ++i)
    text += " Ann and Tom";
  const TextReading reading = read(text);
  REQUIRE_FALSE(reading.failure);
  const FigureGrid figure = figure_of(reading, {{2, 3}, reading.token_count() - 1});
  const std::vector<std::string> texts = texts_of(figure);
  CHECK(std::count(texts.begin(), texts.end(), "Ann") >= 28);
  for (const PlannedText& one : figure.drawings.at(0).drawing.texts) {
    CHECK(one.x >= 0);
    CHECK(one.x <= figure.width);
    CHECK(one.y <= figure.height);
  }
  for (const PlannedLine& line : figure.drawings.at(0).drawing.strokes) {
    CHECK(std::min(line.x1, line.y1) >= 0);
    CHECK(std::max(line.x1, line.x2) <= figure.width);
  }
}

TEST_CASE("sentence figure: what is supposed is its title, and the beam of it is dashed") {
  NetworkPass pass(std::make_shared<const Network>(headlight_test::source_root() + "/assets/examples/words"));
  const TextReading as_it_is = read_text(pass, "When Ann and Tom went out , Tom gave the key to", 3);
  const SentenceShown shown = {*as_it_is.leading_head, 12};
  const TextReading supposed = read_supposing(pass, as_it_is, {shown.head, 12, 2, 4}, 3);
  const FigureGrid figure = figure_of(supposed, shown);
  CHECK(figure.title == "Supposed: layer 2, head 3 looks at “Tom” with 95 % instead of at “Ann”");
  const std::vector<std::string> texts = texts_of(figure);
  CHECK(has(texts, "95 %"));
  CHECK(has(texts, "64 %"));
  CHECK(has(texts, "next, if so"));
  CHECK_FALSE(has(texts, "next word"));
  // Between two dashes nothing is drawn, where the parts of a whole beam reach into each other.
  const auto gaps = [](const FigureGrid& of) {
    const std::vector<PlannedLine>& parts = of.drawings.at(0).drawing.strokes;
    std::size_t count = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
      count += parts[i].width > 8 && parts[i + 1].width > 8 &&
               std::hypot(parts[i + 1].x1 - parts[i].x1, parts[i + 1].y1 - parts[i].y1) >
                   std::hypot(parts[i].x2 - parts[i].x1, parts[i].y2 - parts[i].y1) + 4;
    return count;
  };
  CHECK(gaps(figure) > 10);
  CHECK(gaps(figure_of(as_it_is, shown)) == 0);
}
