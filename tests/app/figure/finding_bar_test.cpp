// The colour bar of an answer's figure says what its colours show.
#include <algorithm>
#include <cmath>

#include "app/export/figure_preset.h"
#include "app/export/result_files.h"
#include "app/figure/paint/cairo_painter.h"
#include "app/figure/plan/cell_marks.h"
#include "engine/core/error.h"
#include "engine/core/no_number.h"
#include "tests/app/figure/figure_support.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// A lens of five rows and 16 tokens: words, probabilities and ranks.
AnalysisResult lens_answer() {
  AnalysisResult result;
  result.title = "Logit lens: what each layer would predict if it were the last one of the model";
  for (const char* quantity : {"likeliest", "probability", "rank"}) {
    ResultTable table;
    table.name = table.quantity = quantity;
    table.row_axis = "stream into layer";
    table.column_axis = "token";
    table.rows = {"0", "1", "2", "3", "end"};
    table.columns = tokens(16);
    table.values = Matrix::Random(5, 16).cwiseAbs();
    if (result.tables.empty()) table.texts.assign(80, "word");
    result.tables.push_back(table);
  }
  return result;
}

bool has_text(const HeatmapPlan& plan, const std::string& text) {
  return !texts_named(plan, text).empty();
}

}  // namespace

TEST_CASE("figures of answers: the bar of a grid has the quantity of its table, else its name") {
  ResultTable table;
  table.name = "target_rank";
  table.row_axis = "layer";
  table.column_axis = "head";
  table.rows = {"0", "1"};
  table.columns = {"0", "1"};
  table.values = Matrix::Ones(2, 2);
  FigureOptions options;
  REQUIRE(table_figures(table, options, 0).size() == 1);
  CHECK(table_figures(table, options, 0).front().bar_title == "target rank");
  table.quantity = "rank";
  CHECK(table_figures(table, options, 0).front().bar_title == "rank");
  options.axis_names = false;
  CHECK(table_figures(table, options, 0).front().bar_title.empty());
}

TEST_CASE("figures of answers: tables of one range have one map of colours, and one bar") {
  AnalysisResult result;
  result.title = "Parts";
  result.one_range = true;
  for (const float value : {-1.0f, 5.0f}) {  // one table has negative numbers, the other has none
    ResultTable table;
    table.name = "part";
    table.signed_values = true;
    table.rows = {"0", "1"};
    table.columns = {"0", "1"};
    table.values = Matrix::Zero(2, 2);
    table.values(0, 0) = value;
    result.tables.push_back(table);
  }
  const FigureGrid figure = result_figure(result, "", FigureOptions{}, FigureFormat::Svg);
  REQUIRE(figure.plans.size() == 2);
  const HeatmapPlan &first = figure.plans[0].plan, &last = figure.plans[1].plan;
  CHECK(first.cells.colors[3] == last.cells.colors[3]);  // of 0
  CHECK(first.bars.empty());
  CHECK(last.bars.size() == 1);
}

TEST_CASE("figures of answers: tokens stand without the blanks that they begin with") {
  ResultTable table;
  table.rows = {" When", " Ann"};
  table.columns = {" to"};
  table.values = Matrix::Ones(2, 1);
  table.texts = {" the", ","};
  const HeatmapFigure figure = table_figures(table, FigureOptions{}, 16).front();
  CHECK(figure.row_labels == std::vector<std::string>{"When", "Ann"});
  CHECK(figure.column_labels == std::vector<std::string>{"to"});
  CHECK(figure.cell_texts == std::vector<std::string>{"the", ","});
  CHECK(heat_text_of(table, {}).words == std::vector<std::string>{"When", "Ann"});
}

TEST_CASE("figures of answers: quantities of their own are one table, whose bars begin at zero") {
  AnalysisResult result;
  result.title = "Measures";
  ResultTable table;
  table.kind = ResultTable::Kind::List;
  table.row_axis = "head";
  table.rows = {"L0 H0", "L0 H1"};
  table.columns = {"induction", "gain"};
  table.values.resize(2, 2);
  table.values << 0.25f, -3.0f, 0.5f, 1.0f;
  result.tables.push_back(table);
  const FigureGrid figure = result_figure(result, "", FigureOptions{}, FigureFormat::Svg);
  CHECK(figure.plans.empty());
  REQUIRE(figure.drawings.size() == 1);
  const Drawing& drawing = figure.drawings.front().drawing;
  REQUIRE(drawing.fills.size() == 4);  // column by column
  CHECK_THAT(drawing.fills[1].rect.width, WithinRel(2 * drawing.fills[0].rect.width, 1e-6));
  CHECK_THAT(drawing.fills[2].rect.width, WithinRel(3 * drawing.fills[3].rect.width, 1e-6));
  CHECK_THAT(drawing.fills[2].rect.right(), WithinAbs(drawing.fills[3].rect.x, 1e-6));
  const auto says = [&](const std::string& text) {
    return std::any_of(drawing.texts.begin(), drawing.texts.end(),
                       [&](const PlannedText& planned) { return planned.text == text; });
  };
  CHECK(says("L0 H1"));
  CHECK(says("0 to 0.500"));
  CHECK(says("\u22123 to 1"));
}

TEST_CASE(
    "figures of answers: the first rank has the strongest colour, and cells beside words have their size") {
  AnalysisResult result;
  result.title = "Lens";
  for (const char* quantity : {"probability", "rank"}) {
    ResultTable table;
    table.name = table.quantity = quantity;
    table.rows = {"0", "1"};
    table.columns = {"a", "b", "c"};
    table.values.resize(2, 3);
    table.values << 1, 2, 3, 4, 5, 6;
    if (result.tables.empty()) table.texts = {"u", "v", "w", "x", "y", "z"};
    result.tables.push_back(table);
  }
  const FigureGrid figure = result_figure(result, "", FigureOptions{}, FigureFormat::Svg);
  REQUIRE(figure.plans.size() == 2);
  const HeatmapPlan &words = figure.plans[0].plan, &ranks = figure.plans[1].plan;
  CHECK(words.cells.rect.width == ranks.cells.rect.width);
  CHECK(words.cells.rect.height == ranks.cells.rect.height);
  const auto light = [](Color color) { return int{color.r} + int{color.g} + int{color.b}; };
  CHECK(light(words.cells.colors[0]) > light(words.cells.colors[5]));  // on white, more is darker
  CHECK(light(ranks.cells.colors[0]) < light(ranks.cells.colors[5]));
}

TEST_CASE(
    "figures of answers: the names of a table's columns are slanted where they are wide, and none is cut") {
  AnalysisResult result;
  result.title = "Measures";
  ResultTable table;
  table.kind = ResultTable::Kind::List;
  table.row_axis = "head";
  table.rows = {"L0 H0"};
  table.columns = {"previous token", "duplicate token", "induction", "entropy"};
  table.values = Matrix::Constant(1, 4, 0.5f);
  result.tables.push_back(table);
  FigureOptions options;
  options.width = Length{300, LengthUnit::Pixels};
  const FigureGrid figure = result_figure(result, "", options, FigureFormat::Svg);
  REQUIRE(figure.drawings.size() == 1);
  const auto& texts = figure.drawings.front().drawing.texts;
  for (const std::string& name : table.columns) {
    const auto at =
        std::find_if(texts.begin(), texts.end(), [&](const PlannedText& text) { return text.text == name; });
    REQUIRE(at != texts.end());
    CHECK(at->angle_deg == 45);
  }
}

TEST_CASE("figures of answers: a long subtitle has a line more where it was cut") {
  AnalysisResult result;
  result.title = "Measures";
  ResultTable table;
  table.rows = {"0", "1"};
  table.columns = {"0", "1"};
  table.values = Matrix::Ones(2, 2);
  result.tables.push_back(table);
  FigureOptions options;
  options.width = Length{400, LengthUnit::Pixels};
  const std::string text(40, 'a'), name(40, 'b');
  const FigureGrid figure = result_figure(result, text + " · " + name, options, FigureFormat::Svg);
  for (const std::string& part : {text, name})
    CHECK(std::any_of(figure.texts.begin(), figure.texts.end(),
                      [&](const PlannedText& planned) { return planned.text == part; }));
}

TEST_CASE("figures of answers: a cell where there can be no number is empty, and NaN is a fault") {
  ResultTable table;
  table.name = "change";
  table.signed_values = true;
  table.rows = {"L0 H0", "L0 H1"};
  table.columns = {"L1 H0 queries", "logits"};
  table.values.resize(2, 2);
  table.values << kNoNumber, NAN, -1.0f, 2.0f;
  const HeatmapFigure figure = table_figures(table, FigureOptions{}, 16).front();
  CHECK(figure.tile->mark(0, 0) == CellMark::Empty);
  CHECK(figure.tile->mark(0, 1) == CellMark::None);
  CHECK(figure.tile->range.nan == 1);
  const FigureStyle style = FigureStyle::light();
  const Colormap map = Colormap::of(figure.colormap, style.neutral);
  const std::vector<Color> colors = cell_colors(figure, map, style, 4, 4, plain_measure);
  CHECK(colors[0] == style.neutral);
  CHECK(colors[1] == style.error);
  // Several cells in one are empty only if all are.
  CHECK(table_figures(table, FigureOptions{}, 1).front().tile->mark(0, 0) == CellMark::None);
}

TEST_CASE("figures of answers: rows and columns have one form of names, and a list is a table of bars") {
  AnalysisResult result;
  ResultTable table;
  table.kind = ResultTable::Kind::List;
  table.rows = {"L0 H0", "L0 MLP"};
  table.columns = {"L1 H0 queries"};
  table.values.resize(2, 1);
  table.values << 1.0f, -2.0f;
  CHECK(table_figures(table, FigureOptions{}, 16).front().row_labels == table.rows);
  result.tables.push_back(table);
  const FigureGrid figure = result_figure(result, "", FigureOptions{}, FigureFormat::Svg);
  CHECK(figure.plans.empty());
  REQUIRE(figure.drawings.size() == 1);
  CHECK(figure.drawings.front().drawing.fills.size() == 2);
}

TEST_CASE("figures of answers: on every preset the names of rows and axes are whole") {
  const AnalysisResult result = lens_answer();
  for (const FigurePreset& preset : figure_preset_table()) {
    INFO(preset.id);
    FigureOptions options;
    apply_preset(options, preset);
    const FigureGrid figure = result_figure(result, "", options, FigureFormat::Svg);
    REQUIRE(figure.plans.size() == 3);
    const MeasureText measure = pango_measure(figure.fonts);
    if (preset.height) continue;  // of a slide the page says how high rows are
    for (const PlacedPlan& placed : figure.plans) {
      CHECK(has_text(placed.plan, "end"));
      CHECK(has_text(placed.plan, "2"));
      const auto names = texts_named(placed.plan, "stream into layer");
      REQUIRE(names.size() == 1);
      const PlannedText& name = *names.front();
      const double width = measure(name.text, name.size_px, name.face).width;
      CHECK(name.y + (name.anchor == Anchor::Middle ? width / 2 : width) <= placed.plan.height + 1);
    }
    CHECK(has_text(figure.plans.front().plan, "word"));
  }
}

TEST_CASE("figures of answers: a page that is too narrow says how wide it has to be") {
  FigureOptions options;
  options.width = Length{30, LengthUnit::Pixels};
  try {
    result_figure(lens_answer(), "", options, FigureFormat::Svg);
    FAIL("it has no room");
  } catch (const Error& error) {
    CHECK_THAT(error.summary(), ContainsSubstring("they need a width of "));
  }
}

TEST_CASE("figures of answers: the sum does not set the range of its parts' colours") {
  AnalysisResult result;
  result.one_range = true;
  ResultTable heads;
  heads.name = "heads";
  heads.signed_values = true;
  heads.rows = heads.columns = {"0", "1"};
  heads.values.resize(2, 2);
  heads.values << 1.0f, -1.0f, 0.5f, 0.0f;
  ResultTable rest = heads;
  rest.kind = ResultTable::Kind::List;
  rest.rows = {"embedding", "logit: the sum"};
  rest.columns = {"logit"};
  rest.values.resize(2, 1);
  rest.values << 0.5f, 14.0f;
  rest.sum_last = true;
  result.tables = {heads, rest};
  const FigureGrid figure = result_figure(result, "", FigureOptions{}, FigureFormat::Svg);
  REQUIRE(figure.plans.size() == 2);
  const HeatmapPlan &parts = figure.plans[0].plan, &sums = figure.plans[1].plan;
  CHECK(parts.cells.colors[0] == sums.cells.colors[1]);  // the largest part has the full colour
  CHECK(parts.cells.colors[2] == sums.cells.colors[0]);
  const HeatmapFigure alone = table_figures(rest, FigureOptions{}, 16).front();
  CHECK(alone.range.high < 14);
  CHECK(alone.range.above);
}

TEST_CASE("figures of answers: one row of signed numbers has colours from zero") {
  ResultTable table;
  table.signed_values = true;
  table.rows = {"logit difference"};
  table.columns = {"x 0", "x 1"};
  table.values.resize(1, 2);
  table.values << 12.44f, 12.42f;
  const HeatmapFigure figure = table_figures(table, FigureOptions{}, 16).front();
  CHECK(figure.range.low <= 0);
  CHECK(figure.range.high >= 12.4);
}

TEST_CASE("figures of answers: the first, the last and the strongest row keep their names") {
  ResultTable table;
  for (int row = 0; row < 30; ++row)
    table.rows.push_back("L" + std::to_string(row) + " MLP");
  table.columns = {"a", "b"};
  table.values = Matrix::Constant(30, 2, 0.1f);
  table.values(17, 1) = -3;
  HeatmapFigure figure = table_figures(table, FigureOptions{}, 64).front();
  figure.row_axis = "part of the query, by its layer";
  PlanLimits limits;
  limits.cell_px = 5;
  const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::light(), limits, plain_measure);
  for (const char* name : {"L0 MLP", "L17 MLP", "L29 MLP"})
    CHECK(has_text(plan, name));
  CHECK_FALSE(has_text(plan, "L16 MLP"));
  const auto axis = texts_named(plan, figure.row_axis);
  REQUIRE(axis.size() == 1);
  const PlannedText& name = *axis.front();
  const double width = plain_measure(name.text, name.size_px, name.face).width;
  REQUIRE(width > plan.cells.rect.height);  // it begins below the cells, on the page
  CHECK(name.y + width <= plan.height);
}
