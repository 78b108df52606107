// The part of exports that the window and the command line share: choices and their names, presets, options
// as words, formats, and the preview.
#include "app/export/figure_choice.h"

#include <cmath>

#include "app/export/figure_preset.h"
#include "app/export/figure_preview.h"
#include "app/export/option_text.h"
#include "app/export/stage_numbers.h"
#include "app/export/stage_picture.h"
#include "app/figure/paint/file_format.h"
#include "engine/core/error.h"
#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::WithinAbs;

namespace {

Session lesson() {
  return load_session(std::filesystem::path(headlight_test::source_root()) / "assets" / "lessons" /
                      "20-two-heads.headlight");
}

struct Computed {
  Session session = lesson();
  Evaluator evaluator = evaluate(session.layer);
  ComputedSession computed() const { return {evaluator, session.title}; }
};

PreviewRequest order_of(FigureKind kind, FileFormat format = FileFormat::Pdf) {
  PreviewRequest order;
  order.choice.kind = kind;
  order.format = format;
  order.width_px = 400;
  order.height_px = 300;
  return order;
}

FigurePreview preview_of(const Computed& state, const PreviewRequest& order,
                         const ComputedSession* compared = nullptr) {
  FigureGrid figure;
  return preview_figure(order, state.computed(), compared, figure);
}

}  // namespace

TEST_CASE("flow figure: it has the lines from a threshold on, and the marks that are chosen") {
  const Computed lesson;
  FigureChoice choice;
  choice.kind = FigureKind::Flow;
  const auto drawn = [&] {
    const FigureGrid figure = make_figure(choice, lesson.computed(), nullptr, {}, FigureFormat::Svg);
    return figure.drawings.back().drawing;
  };
  const std::size_t all = drawn().bands.size();
  choice.lines.least = 0.5;
  const std::size_t strong = drawn().bands.size();
  CHECK(strong < all);
  CHECK(strong >= 12);  // the strongest of each query in both heads stays
  choice.lines = {};
  choice.query = 3;
  const std::size_t of_query = drawn().texts.size();
  choice.lines.key = 1;
  CHECK(drawn().texts.size() < of_query);  // one line has its number in place of a row
}

TEST_CASE("exports: a choice has one name, in the window and on the command line") {
  FigureChoice choice;
  CHECK(choice_name(choice) == "weights");
  choice.part.heads = {0, 2};
  choice.part.sequence = 1;
  CHECK(choice_name(choice) == "weights-sequence1-head0-2");
  CHECK(export_name("two", choice, "svg") == "two-weights-sequence1-head0-2.svg");
  choice = {FigureKind::Flow, {Stage::Weights, {}, 0}, 3};
  CHECK(choice_name(choice) == "weights-flow-query3");
  CHECK(choice_name({FigureKind::Compare, {Stage::Scores, {}, 0}, {}}) == "scores-compared");
  CHECK(choice_name({FigureKind::Pipeline, {}, {}}) == "pipeline");
  CHECK(choice_name({FigureKind::Row, {}, 2}) == "row-query2");
  CHECK_FALSE(choice_for({Stage::Weights, std::vector<Index>{1}, 0}, Stage::Output).heads.has_value());
}

TEST_CASE("exports: a format is known by its ending, in small or capital letters") {
  CHECK(file_format("a.PNG")->format == FileFormat::Png);
  CHECK(file_format("a.tex")->format == FileFormat::Latex);
  CHECK(file_format("a.tar.gz") == nullptr);
  CHECK(file_format("png") == nullptr);
  for (const FileFormatInfo& info : file_format_table()) {
    CHECK(&file_format_info(info.format) == &info);
    CHECK_FALSE((info.figure && info.text));
  }
}

TEST_CASE("exports: lengths and ranges read back as they are written") {
  CHECK(length_in("89mm") == Length{89, LengthUnit::Millimetres});
  CHECK(length_in("1200") == Length{1200, LengthUnit::Pixels});
  CHECK_FALSE(length_in("89 mm").has_value());
  CHECK_FALSE(length_in("mm").has_value());
  for (const char* text : {"89mm", "3.5in", "1200px", "0.6cm", "17pt"})
    CHECK(length_text(*length_in(text)) == text);
  StageColors colors;
  for (const char* text : {"whole", "robust", "symmetric", "log", "-0.5:0.25"}) {
    REQUIRE(read_range(text, colors));
    CHECK(range_text(colors) == text);
  }
  const StageColors before = colors;
  CHECK_FALSE(read_range("hand", colors));
  CHECK_FALSE(read_range("0:", colors));
  CHECK(colors == before);
}

TEST_CASE("exports: every preset makes a figure of its size, and is left by any change of it") {
  const Computed state;
  for (const FigurePreset& preset : figure_preset_table()) {
    INFO(preset.id);
    CHECK(figure_preset(preset.id) == &preset);
    PreviewRequest order = order_of(FigureKind::Heads, FileFormat::Png);
    order.options.theme = StyleKind::Dark;
    apply_preset(order.options, preset);
    CHECK(follows_preset(order.options, preset));
    const FigurePreview preview = preview_of(state, order);
    CHECK(preview.failure == "");
    if (preset.id == "slide") {
      CHECK(preview.width_px == 1920);
      CHECK(preview.height_px == 1080);
    }
    if (preset.id == "one_column") CHECK_THAT(preview.width_mm, WithinAbs(89, 0.1));
    if (preset.id == "readme") CHECK(preview.width_px == 1600);
    order.options.font_size_pt += 1;
    CHECK_FALSE(follows_preset(order.options, preset));
  }
  CHECK(figure_preset("gone") == nullptr);
}

TEST_CASE("exports: the preview is the figure in small, of every kind") {
  const Computed state;
  const ComputedSession itself = state.computed();
  for (const FigureKind kind :
       {FigureKind::Heads, FigureKind::Pipeline, FigureKind::Compare, FigureKind::Flow, FigureKind::Row}) {
    const PreviewRequest order = order_of(kind);
    const FigureGrid figure =
        make_figure(order.choice, state.computed(), &itself, order.options, FigureFormat::Pdf);
    const FigurePreview preview = preview_of(state, order, &itself);
    CHECK(preview.failure == "");
    CHECK(preview.width_px == std::ceil(figure.width));
    CHECK(preview.height_px == std::ceil(figure.height));
    CHECK_THAT(static_cast<double>(preview.pixels.width) / preview.pixels.height,
               WithinAbs(figure.width / figure.height, 0.02));
    CHECK(preview.pixels.width <= 401);
    CHECK(preview.pixels.height <= 301);
    const bool drawn = kind == FigureKind::Flow || kind == FigureKind::Row;
    CHECK(preview.cells.has_value() == !drawn);
  }
}

TEST_CASE("exports: figures have the map and the range of the window") {
  const Computed state;
  const auto shown = [&](Stage stage) { return state.evaluator.tile(picture_request(stage, 0, 0)).range; };
  for (const Stage stage : {Stage::Embeddings, Stage::Queries, Stage::Scores, Stage::Weights}) {
    CAPTURE(stage_info(stage).name);
    const FigureSheet sheet = heads_sheet(state.computed(), stage, 0, {0}, {}, kMaxPictureCells);
    const StageColors on_screen = picture_colors({}, stage, shown(stage));
    REQUIRE(sheet.figures.size() == 1);
    CHECK(sheet.figures[0].colormap == colormap_of(on_screen, stage));
    CHECK(sheet.figures[0].range == color_range(ValueStatistics{shown(stage), {}, 0}, on_screen, stage));
  }
  // Embeddings without a value below zero: from the smallest number, in green.
  const HeatmapFigure positive =
      heads_sheet(state.computed(), Stage::Embeddings, 0, {0}, {}, kMaxPictureCells).figures[0];
  REQUIRE(shown(Stage::Embeddings).low >= 0);
  CHECK(positive.colormap == ColormapKind::Green);
  CHECK(positive.range.low == static_cast<double>(shown(Stage::Embeddings).low));

  const FigureSheet every = pipeline_sheet(state.computed(), 0, 0, {}, kMaxPictureCells);
  CHECK(every.figures[0].colormap == ColormapKind::Green);
  CHECK(every.figures[0].range == positive.range);
}

TEST_CASE("exports: cells smaller than a pixel of the preview are averaged, not left out") {
  constexpr Index kTokens = 300;
  for (const Index key : {0, 1, 2, 150, 151, 299}) {
    // All attention goes to one token: a single bright column in the figure.
    Layer layer;
    layer.embeddings = {Matrix::Ones(kTokens, 1)};
    layer.embeddings[0](key, 0) = 50;
    for (Index i = 0; i < kTokens; ++i)
      layer.tokens.push_back(std::to_string(i));
    layer.attention.projection = Projection::None;
    layer.attention.d_out = layer.attention.num_heads = 1;
    layer.attention.output_projection = false;
    const Evaluator evaluator = evaluate(layer);
    PreviewRequest order = order_of(FigureKind::Heads);
    order.width_px = order.height_px = 80;
    order.options.labels = order.options.axis_names = order.options.color_bar = order.options.numbers = false;
    order.options.title = order.options.subtitle = "";
    order.options.theme = StyleKind::Dark;
    FigureGrid figure;
    const FigurePreview preview = preview_figure(order, {evaluator, ""}, nullptr, figure);
    REQUIRE(preview.failure == "");
    CHECK(preview_file_text(preview, FileFormat::Pdf) == "PDF · one raster image inside vector labels");
    const Colormap map = Colormap::of(ColormapKind::BlueGreen, FigureStyle::dark().neutral);
    const auto middle = static_cast<std::size_t>(preview.pixels.width * (preview.pixels.height / 2));
    int bright = 0;
    for (int x = 0; x < preview.pixels.width; ++x) {
      const Color color = preview.pixels.pixels[middle + static_cast<std::size_t>(x)];
      bright += color.b < 200 && color.g > map.at(0).g + 25 ? 1 : 0;
    }
    INFO(key);
    CHECK(bright >= 1);
  }
}

TEST_CASE("exports: a figure that cannot be made is told, not thrown") {
  const Computed state;
  PreviewRequest order = order_of(FigureKind::Heads);
  order.options.width = Length{12, LengthUnit::Millimetres};
  order.options.height = Length{12, LengthUnit::Millimetres};
  order.options.font_size_pt = 40;
  CHECK_THAT(preview_of(state, order).failure, ContainsSubstring("no room"));
  order.options.font = "No such family";
  CHECK_THAT(preview_of(state, order).failure, ContainsSubstring("No such family"));
}

TEST_CASE("exports: numbers are previewed as their file begins, with its size") {
  const Computed state;
  PreviewRequest order = order_of(FigureKind::Heads, FileFormat::Csv);
  const FigurePreview csv = preview_numbers(order, state.computed());
  CHECK(csv.text == table_bytes(stage_table_of(state.computed(), order.choice.part), FileFormat::Csv));
  CHECK(csv.file_size == csv.text.size());
  order.format = FileFormat::Npy;
  CHECK_THAT(preview_numbers(order, state.computed()).text, ContainsSubstring("2 × 6 × 6"));
  order.choice.kind = FigureKind::Pipeline;
  CHECK_THAT(preview_numbers(order, state.computed()).text, ContainsSubstring("dropped"));
  order.choice = {FigureKind::Heads, {Stage::Weights, std::vector<Index>{7}, 0}, {}};
  CHECK_THAT(preview_numbers(order, state.computed()).failure, ContainsSubstring("no head 7"));
}

TEST_CASE("exports: sizes of files are told in three digits at most") {
  CHECK(file_size_text(812) == "812 bytes");
  CHECK(file_size_text(1234) == "1.2 kB");
  CHECK(file_size_text(21400) == "21 kB");
  CHECK(file_size_text(999'600) == "1.0 MB");
  CHECK(file_size_text(3'400'000) == "3.4 MB");
}
