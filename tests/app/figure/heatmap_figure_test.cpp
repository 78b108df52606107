#include "app/figure/plan/heatmap_figure.h"

#include <limits>

#include "tests/app/figure/figure_support.h"
#include "tests/support/catch.h"

using namespace headlight_test;

TEST_CASE("numbers are written with a true minus and without a locale") {
  CHECK(number_text(0.10824, 4) == "0.1082");
  CHECK(number_text(-0.07132, 4) == "\u22120.0713");
  CHECK(number_text(-0.00001, 4) == "0.0000");
  CHECK(number_text(2.5, 0) == "2");  // rounds half to even, as IEEE arithmetic does
  CHECK(number_text(1234567.0, 2) == "1.23e+06");
  CHECK(number_text(-INFINITY, 4) == "\u2212\u221E");
  CHECK(number_text(INFINITY, 4) == "\u221E");
  CHECK(number_text(NAN, 4) == "NaN");
}

TEST_CASE("colour ranges") {
  ValueRange values;
  SECTION("a diverging range is symmetric about zero") {
    values = {-0.5f, 2.0f, 4};
    const ColorRange range = color_range(values, ColormapKind::Diverging, false);
    CHECK(range.low == -2.0);
    CHECK(range.high == 2.0);
  }
  SECTION("weights begin at zero") {
    values = {0.25f, 0.5f, 4};
    const ColorRange range = color_range(values, ColormapKind::Viridis, true);
    CHECK(range.low == 0.0);
    CHECK(range.high == 0.5);
  }
  SECTION("weights that the sum made negative keep their low end") {
    values = {-0.5f, 1.5f, 4};
    CHECK(color_range(values, ColormapKind::Viridis, true).low == -0.5);
  }
  SECTION("one value, and none, still have a width") {
    values = {3.0f, 3.0f, 1};
    CHECK(color_range(values, ColormapKind::Viridis, false).high >
          color_range(values, ColormapKind::Viridis, false).low);
    values = {0.0f, 0.0f, 1};
    for (const ColormapKind kind : {ColormapKind::Viridis, ColormapKind::Diverging})
      for (const bool from_zero : {true, false})
        for (const ValueRange& range : {values, ValueRange{1, 0}})
          CHECK(color_range(range, kind, from_zero).high > color_range(range, kind, from_zero).low);
  }
}

TEST_CASE("heads that share a bar share the wider range") {
  const ValueRange both = joined(ValueRange{-1, 0.5f, 3}, ValueRange{0, 4, 2});
  CHECK(both.low == -1);
  CHECK(both.high == 4);
  CHECK(both.finite == 5);
  CHECK(joined(ValueRange{}, ValueRange{2, 3, 1}).low == 2);  // an empty range adds nothing
}

TEST_CASE("a stage's figure names its axes, its head and its colours") {
  const std::vector<std::string> words = tokens(3);
  SECTION("token by token") {
    Tile tile = ramp_tile(Stage::Weights, 3, 3, 0.1f, 0.6f);
    tile.request.head = 1;
    const HeatmapFigure figure = stage_figure(tile, words, 2, "A session");
    CHECK(figure.title == "Attention weights, head 1");
    CHECK(stage_figure(tile, words, 2, "", {}, {1}).title == "Attention weights, head 2");
    CHECK(figure.subtitle == "A session");
    CHECK(figure.row_axis == "query");
    CHECK(figure.column_axis == "key");
    CHECK(figure.column_labels == words);
    CHECK(figure.colormap == ColormapKind::BlueGreen);
    CHECK(figure.range.low == 0);
  }
  SECTION("token by dimension") {
    const HeatmapFigure figure = stage_figure(ramp_tile(Stage::Context, 3, 2, -1, 1), words, 1, "");
    CHECK(figure.title == "Context vectors");
    CHECK(figure.row_axis == "token");
    CHECK(figure.column_axis == "dimension");
    CHECK(figure.column_labels == std::vector<std::string>{"0", "1"});
    const HeatmapFigure from_one =
        stage_figure(ramp_tile(Stage::Context, 3, 2, -1, 1), words, 1, "", {}, {1});
    CHECK(from_one.column_labels == std::vector<std::string>{"1", "2"});
    CHECK(figure.colormap == ColormapKind::PurpleGreen);
    CHECK(figure.range.low == -figure.range.high);
  }
  SECTION("a pooled tile says so") {
    Tile tile = ramp_tile(Stage::Weights, 3, 3, 0, 1);
    tile.pooled = true;
    CHECK_THAT(stage_figure(tile, words, 1, "A session").subtitle, ContainsSubstring("several values"));
  }
}

TEST_CASE("labels become one visible line") {
  CHECK(visible_label("a\nb\tc") == "a\u23CEb\u21E5c");
  CHECK(visible_label(std::string("x\x01", 2)) == "xU+0001");
  CHECK(visible_label("\x7f") == "U+007F");
  CHECK(visible_label("größe") == "größe");
  CHECK(visible_label("Ġto") == "Ġto");
}

TEST_CASE("blanks at the ends of a label are seen, those inside are blanks") {
  CHECK(visible_label(" to be ") == "\u00B7to be\u00B7");
  CHECK(visible_label("  ") == "\u00B7\u00B7");
  CHECK(visible_label("").empty());
}

TEST_CASE("a token that is named alone is the word of the sentence with its position, counted as heads are") {
  const std::vector<std::string> words = {"to", "be", "", " to", " "};
  CHECK(token_name(words, 0, {0}) == "to (0)");
  CHECK(token_name(words, 3, {0}) == "to (3)");
  CHECK(token_name(words, 3, {1}) == "to (4)");
  CHECK(token_name(words, 2, {0}) == "(2)");
  CHECK(token_name(words, 4, {0}) == "\u00B7 (4)");
  CHECK(token_name(words, 5, {0}) == "(5)");  // an index of a state with more tokens
}

TEST_CASE("heads are counted from 0 or 1") {
  CHECK(head_name(0, {0}) == "head 0");
  CHECK(head_name(1, {1}) == "head 2");
  CHECK(heads_name({3}, {0}) == "head 3");
  CHECK(heads_name({0, 2}, {1}) == "heads 1, 3");
  CHECK(Counting{0}.range(2, 3) == "2");
  CHECK(Counting{1}.range(2, 5) == "3\u20135");
}

TEST_CASE("long labels lose their middle") {
  const auto fit = [](const std::string& text, double max_px) {
    return shortened(text, max_px, 10, plain_measure);
  };
  CHECK(fit("journey", 42) == "journey");
  CHECK(fit("journey", 36) == "jou\u2026ey");
  CHECK(fit("journey", 12) == "j\u2026");
  CHECK(fit("journey", 6) == "");
  CHECK(fit("überlänge", 24) == "üb\u2026e");  // no UTF-8 sequence is cut
}

TEST_CASE("rows of a pooled tile stand for blocks of the matrix") {
  Tile tile = ramp_tile(Stage::Weights, 4, 4, 0, 1);
  tile.request.row_begin = 10;
  tile.request.row_end = 22;
  CHECK(first_row(tile, 0) == 10);
  CHECK(first_row(tile, 1) == 13);
  CHECK(first_row(tile, 3) == 19);
}
