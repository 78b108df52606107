// Figures against stored reference pictures, pixel by pixel. Texts are left out because they depend on the
// machine's fonts; the layout uses characters of one width, so that nothing else depends on fonts.
//
// After an intended change of a figure, write its reference again, inspect it and commit it:
//
//     HEADLIGHT_KEEP_REFERENCES=1 app_tests "reference: *"
#include <cairo/cairo.h>

#include <cstdlib>
#include <filesystem>

#include "app/export/drawing_figure.h"
#include "app/export/stage_picture.h"
#include "app/figure/paint/cairo_painter.h"
#include "app/figure/plan/figure_sheet.h"
#include "engine/core/file.h"
#include "engine/session/session.h"
#include "tests/app/figure/figure_support.h"
#include "tests/app/figure/pixels.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

namespace fs = std::filesystem;

const fs::path kFolder = source_root() + "/tests/golden/figures";
constexpr double kScale = 1.5;  // a line of one planned pixel covers 1.5 pixels of the picture

struct OpenedLesson {
  explicit OpenedLesson(const std::string& stem)
      : session(load_session(source_root() + "/assets/lessons/" + stem + ".headlight")),
        evaluator(evaluate(session.layer)) {}
  ComputedSession computed() const { return {evaluator, session.title}; }

  Session session;
  Evaluator evaluator;
};

void leave_letters_out(FigureGrid& figure) {
  figure.texts.clear();
  for (PlacedPlan& placed : figure.plans)
    placed.plan.texts.clear();
  for (PlacedDrawing& placed : figure.drawings)
    placed.drawing.texts.clear();
}

// Equal to within one level of 255: processors may round the last bit of a cell's value differently.
bool same_color(const Color& a, const Color& b) {
  return std::abs(a.r - b.r) <= 1 && std::abs(a.g - b.g) <= 1 && std::abs(a.b - b.b) <= 1;
}

void compare(FigureGrid figure, const std::string& name) {
  leave_letters_out(figure);
  const std::string bytes = png_bytes(figure, kScale);
  const fs::path kept = kFolder / (name + ".png");
  if (std::getenv("HEADLIGHT_KEEP_REFERENCES") != nullptr) write_file_atomically(kept, bytes);
  const std::string kept_bytes = read_file(kept);
  const Pixels now(bytes), before(kept_bytes);
  REQUIRE(now.width() == before.width());
  REQUIRE(now.height() == before.height());
  int differing = 0;
  for (int y = 0; y < now.height(); ++y)
    for (int x = 0; x < now.width(); ++x)
      if (!same_color(now.at(x, y), before.at(x, y)) && ++differing == 1)
        UNSCOPED_INFO("first at " << x << ", " << y);
  INFO(name << ": " << differing << " pixels differ from " << kept);
  CHECK(differing == 0);
}

FigureGrid heads_of(const OpenedLesson& lesson, Stage stage, const FigureOptions& options) {
  std::vector<Index> heads(static_cast<std::size_t>(stage_heads(lesson.session.layer, stage)));
  for (std::size_t i = 0; i < heads.size(); ++i)
    heads[i] = static_cast<Index>(i);
  return lay_out([&](Index most) { return heads_sheet(lesson.computed(), stage, 0, heads, options, most); },
                 {}, figure_style(options), plain_measure);
}

FigureOptions dark() {
  FigureOptions options;
  options.theme = StyleKind::Dark;
  return options;
}

}  // namespace

TEST_CASE("reference: the heads of a stage, with masked and dropped cells") {
  const OpenedLesson lesson("22-two-heads-with-dropout");
  compare(heads_of(lesson, Stage::Weights, {}), "weights");
  compare(heads_of(lesson, Stage::Dropped, dark()), "dropped-dark");
  FigureOptions options;
  options.colors.map = ColormapKind::Grey;
  options.grid_lines = GridLines::Always;
  options.color_bar = false;
  compare(heads_of(lesson, Stage::Masked, options), "masked-grey");
}

TEST_CASE("reference: the whole pipeline") {
  const OpenedLesson lesson("16-causal-mask");
  const FigureOptions options = dark();
  compare(lay_out([&](Index most) { return pipeline_sheet(lesson.computed(), 0, 0, options, most); }, {},
                  figure_style(options), plain_measure),
          "pipeline-dark");
}

TEST_CASE("reference: two states and what differs") {
  const OpenedLesson a("15-linear-layers"), b("16-causal-mask");
  compare(lay_out(
              [&](Index most) {
                return compare_sheet(a.computed(), b.computed(), Stage::Weights, 0, {0}, {}, most);
              },
              {}, figure_style({}), plain_measure),
          "compare");
}

TEST_CASE("reference: flow and row") {
  const OpenedLesson lesson("22-two-heads-with-dropout");
  const IndexRange all = {0, lesson.session.layer.token_count()};
  compare(flow_figure(lesson.computed(), Stage::Weights, 0, {0, 1}, 3, {}, {all, all}, {}, {}, plain_measure),
          "flow");
  compare(row_figure(lesson.computed(), 0, 1, 4, all, {}, dark(), plain_measure), "row-dark");
}

TEST_CASE("reference: 64 tokens, a page of a given width") {
  Dice dice(9);
  Session session;
  Layer& layer = session.layer;
  for (int i = 0; i < 64; ++i)
    layer.tokens.push_back(std::to_string(i));
  layer.embeddings = {dice.matrix(64, 8, 1.5)};
  layer.attention.d_out = 8;
  layer.attention.num_heads = 2;
  layer.attention.mask = MaskKind::Causal;
  const Evaluator evaluator = evaluate(layer);
  const ComputedSession computed = {evaluator, "64 tokens"};
  SheetSize size;
  size.width = 640;
  size.pixel = 1 / kScale;
  compare(lay_out(
              [&](Index most) {
                return heads_sheet(computed, Stage::Weights, 0, {0, 1}, {}, most);
              },
              size, figure_style({}), plain_measure),
          "64-tokens");
}
