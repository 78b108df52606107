// Labels that are shortened to fit, of any length.
#include "app/figure/plan/label_text.h"

#include "app/figure/paint/cairo_painter.h"
#include "app/figure/paint/pango_text.h"
#include "app/figure/paint/text_picture.h"
#include "app/figure/plan/heatmap_figure.h"
#include "tests/app/figure/figure_support.h"
#include "tests/support/catch.h"

using namespace headlight;

namespace {

// A measure of ten pixels a byte that counts its calls and their bytes.
struct Counter {
  std::size_t calls = 0, bytes = 0;
  MeasureText measure() {
    return [this](const std::string& text, double, FontFace) -> TextSize {
      ++calls;
      bytes += text.size();
      return {static_cast<double>(text.size()) * 10, 12};
    };
  }
};

}  // namespace

TEST_CASE("labels: shortening a million letters measures a few thousand") {
  Counter counter;
  const std::string shown = shortened(std::string(1'000'000, 'x'), 200, 12, counter.measure());
  CHECK(shown.size() <= 20);
  CHECK(shown.size() >= 16);
  CHECK(shown.find("\u2026") != std::string::npos);
  CHECK(counter.calls <= 16);
  CHECK(counter.bytes < 10'000);
}

TEST_CASE("labels: a shortened name keeps its numbers") {
  Counter counter;
  const MeasureText measure = counter.measure();
  CHECK(shortened_name("L2 H1 queries", 130, 12, measure) == "L2 H1 queries");
  CHECK(shortened_name("L2 H1 queries", 110, 12, measure) == "L2 H1 q\u2026s");
  CHECK(shortened_name("L2 H3 queries", 110, 12, measure) == "L2 H3 q\u2026s");
  CHECK(shortened_name("layer 2, head 3", 140, 12, measure) == "l\u2026 2, head 3");
  CHECK(shortened_name("embedding", 60, 12, measure) == shortened("embedding", 60, 12, measure));
  CHECK(shortened_name("L2 H1 queries", 40, 12, measure) == shortened("L2 H1 queries", 40, 12, measure));
}

TEST_CASE("labels: a title is broken at a blank, and only its last line is shortened") {
  Counter counter;
  const MeasureText measure = counter.measure();
  using Lines = std::vector<std::string>;
  CHECK(wrapped("one two", 2, 70, 12, measure) == Lines{"one two"});
  CHECK(wrapped("one two three", 2, 70, 12, measure) == Lines{"one two", "three"});
  CHECK(wrapped("one two three four", 2, 70, 12, measure) ==
        Lines{"one two", shortened("three four", 70, 12, measure)});
  CHECK(wrapped("unbreakable", 2, 70, 12, measure) == Lines{shortened("unbreakable", 70, 12, measure)});
  CHECK(wrapped("", 2, 70, 12, measure) == Lines{""});
}

TEST_CASE("labels: what is capped keeps its ends and whole characters") {
  CHECK(capped("short", 8) == "short");
  CHECK(capped("0123456789", 8) == "0123\u20266789");
  CHECK(capped("012é456é89", 8) == "012\u2026é89");  // the first cut would split é
  CHECK(capped(std::string(1'000'000, 'x'), 100).size() == 103);
}

TEST_CASE("labels: a token of a million letters is seen by its ends") {
  const std::string label = visible_label("begin\n" + std::string(1'000'000, 'x') + "\tend");
  CHECK(label.size() < 300);
  CHECK(label.starts_with("begin\u23CEx"));
  CHECK(label.ends_with("x\u21E5end"));
}

TEST_CASE("labels: a figure with a title of millions of letters gives few of them to be shaped") {
  const std::string long_text(20'000'000, 'T');
  Counter counter;
  HeatmapFigure figure;
  figure.tile = std::make_shared<const Tile>(headlight_test::ramp_tile(Stage::Weights, 3, 3, 0, 1));
  figure.range = {0, 1};
  figure.row_labels = figure.column_labels = {long_text, "b", long_text};
  figure.title = figure.subtitle = figure.row_axis = figure.column_axis = long_text;
  plan_heatmap(figure, FigureStyle::dark(), {}, counter.measure());
  CHECK(counter.bytes < 400'000);
}

TEST_CASE("labels: of an endless line Pango is given its ends") {
  const MeasureText measure = pango_measure();
  const std::string part(2 * kMostMeasured, 'x');
  const double width = measure(part, 12, FontFace::Text).width;
  CHECK(width > 10'000);
  CHECK(measure(std::string(20'000'000, 'x'), 12, FontFace::Text).width < 1.01 * width);
  CHECK(shaped_part("short") == "short");
  CHECK(shaped_part(std::string(20'000'000, 'x')).size() < part.size() + 8);
  CHECK(with_code_points(std::string(20'000'000, 'x')).size() < part.size() + 8);
  // Text of a joined script is one picture; its width is limited to that of a texture.
  std::string joined;
  for (int i = 0; i < 20'000; ++i)
    joined += "\u0645\u0631\u062D\u0628\u0627";
  CHECK(text_picture(joined, 24).width <= 16'384);
}
