// One query's row as bars: their positions, heights and labels.
#include "app/figure/plan/row_plan.h"

#include <algorithm>

#include "tests/app/figure/figure_support.h"
#include "tests/support/catch.h"

using namespace headlight_test;

namespace {

RowBars bars(const std::string& name, std::vector<float> values, ColorRange range) {
  RowBars made;
  made.name = name;
  made.marks.assign(values.size(), CellMark::None);
  made.values = std::move(values);
  made.range = range;
  return made;
}

RowFigure four_keys() {
  RowFigure figure;
  figure.labels = tokens(4);
  figure.stages = {bars("scores", {1.0f, -0.5f, 0.25f, 2.0f}, {-0.5, 2}),
                   bars("weights", {0.25f, 0.5f, 0.25f, 0.0f}, {0, 0.5})};
  return figure;
}

RowPlan planned_row(const RowFigure& figure, double width = 600, double height = 300) {
  return plan_row(figure, FigureStyle::dark(), width, height, plain_measure);
}

// The bar of a column in the lane of a stage.
PlannedFill bar_in(const RowPlan& plan, Index stage, Index column) {
  const Rect slot = plan.slot_rect(stage, column);
  for (const PlannedFill& fill : plan.drawing.fills) {
    const double middle = fill.rect.x + fill.rect.width / 2;
    if (middle > slot.x && middle < slot.right() && fill.rect.y >= slot.y - 0.01 &&
        fill.rect.bottom() <= slot.bottom() + 0.01)
      return fill;
  }
  FAIL("no bar in column " << column << " of stage " << stage);
  return {};
}

bool inside(const Rect& inner, const Rect& outer) {
  return inner.x >= outer.x - 0.01 && inner.y >= outer.y - 0.01 && inner.right() <= outer.right() + 0.01 &&
         inner.bottom() <= outer.bottom() + 0.01;
}

}  // namespace

TEST_CASE("row plan: bars are as high as their values, upwards and downwards from zero") {
  const RowPlan plan = planned_row(four_keys());
  const Rect one = bar_in(plan, 0, 0).rect, minus_half = bar_in(plan, 0, 1).rect,
             two = bar_in(plan, 0, 3).rect;
  CHECK_THAT(two.height, WithinAbs(2 * one.height, 0.01));
  CHECK_THAT(minus_half.height, WithinAbs(one.height / 2, 0.01));
  CHECK_THAT(minus_half.y, WithinAbs(one.bottom(), 0.01));
  CHECK_THAT(bar_in(plan, 1, 1).rect.height, WithinAbs(2 * bar_in(plan, 1, 0).rect.height, 0.01));
}

TEST_CASE("row plan: a key has one column through all stages") {
  const RowPlan plan = planned_row(four_keys());
  for (Index column = 0; column < 4; ++column) {
    const Rect above = plan.slot_rect(0, column), below = plan.slot_rect(1, column);
    CHECK(above.x == below.x);
    CHECK(above.bottom() <= below.y);
    const RowPlan::Slot slot = plan.slot_at(below.x + below.width / 2, below.y + below.height / 2);
    CHECK(slot.stage == 1);
    CHECK(slot.column == column);
  }
  CHECK(plan.slot_at(2, 150).stage == -1);
  CHECK(plan.slot_at(-5, -5).column == -1);
}

TEST_CASE("row plan: numbers stand on the bars with all decimals that fit, or not at all") {
  const auto texts_with = [](const RowPlan& plan, const std::string& text) {
    return std::count_if(plan.drawing.texts.begin(), plan.drawing.texts.end(),
                         [&](const PlannedText& planned) { return planned.text == text; });
  };
  RowFigure figure = four_keys();
  figure.stages[1].share = true;
  CHECK(texts_with(planned_row(figure), "\u22120.50") == 1);  // scores have two decimals at most
  CHECK(texts_with(planned_row(figure), "0.5000") == 1);
  CHECK(texts_with(planned_row(figure, 330), "0.50") >= 1);
  CHECK(texts_with(planned_row(figure, 110), "0.50") == 0);
  CHECK(texts_with(planned_row(figure, 600, 30), "0.5000") == 0);
}

TEST_CASE("row plan: shares stand on an axis from none to all, in a lane higher than that of scores") {
  RowFigure figure = four_keys();
  figure.stages[1].share = figure.percent = true;
  figure.stages[1].range = {0, 1};
  const RowPlan plan = planned_row(figure);
  CHECK(plan.lanes[1].height > 3 * plan.lanes[0].height);
  const auto shown = [&](const std::string& text) {
    return std::any_of(plan.drawing.texts.begin(), plan.drawing.texts.end(),
                       [&](const PlannedText& planned) { return planned.text == text; });
  };
  for (const char* text : {"0", "25", "50", "75", "100 %", "25 %", "50 %"})
    CHECK(shown(text));
  // A half is half as high as the axis, whatever the other weights are.
  const Rect half = bar_in(plan, 1, 1).rect, quarter = bar_in(plan, 1, 0).rect;
  CHECK_THAT(half.height, WithinAbs(2 * quarter.height, 0.01));
  CHECK(half.height < 0.5 * plan.lanes[1].height);
  CHECK(half.height > 0.4 * plan.lanes[1].height);
  const auto gridlines =
      std::count_if(plan.drawing.fills.begin(), plan.drawing.fills.end(), [&](const PlannedFill& fill) {
        return fill.rect.width == plan.columns.width && fill.rect.height <= 1;
      });
  CHECK(gridlines == 5);
}

TEST_CASE("row plan: a stage with the numbers of the one before is left out, unless all are asked for") {
  const auto row = [](Stage stage, std::vector<float> values) {
    RowSummary summary;
    summary.request.stage = stage;
    summary.total = static_cast<Index>(values.size());
    summary.marks.assign(values.size(), CellMark::None);
    summary.values = std::move(values);
    return summary;
  };
  const RowSummary scores = row(Stage::Scores, {1, 2}), masked = row(Stage::Masked, {1, 2}),
                   weights = row(Stage::Weights, {0.25f, 0.75f}),
                   dropped = row(Stage::Dropped, {0.25f, 0.75f});
  const std::vector<const RowSummary*> rows = {&scores, &masked, &weights, &dropped};
  const auto names = [&](RowsShown shown) {
    std::vector<std::string> names;
    for (const RowBars& bars : bars_of_row(rows, {"a", "b"}, 4, true, shown).stages)
      names.push_back(bars.name + std::to_string(bars.row));
    return names;
  };
  CHECK(names(RowsShown::Different) == std::vector<std::string>{"scores0", "weights2"});
  CHECK(names(RowsShown::All) == std::vector<std::string>{"scores0", "masked1", "weights2", "dropped3"});
  const RowFigure figure = bars_of_row(rows, {"a", "b"}, 4, true);
  CHECK_FALSE(figure.stages[0].share);
  CHECK(figure.stages[1].share);
  CHECK((figure.stages[1].range.low == 0 && figure.stages[1].range.high == 1));
}

TEST_CASE("row plan: nothing stands out beyond the picture, whatever its size") {
  RowFigure figure = four_keys();
  figure.labels[2] = "antidisestablishmentarianism";
  figure.chosen = 3;
  for (const double width : {60.0, 150.0, 300.0, 900.0})
    for (const double height : {20.0, 60.0, 150.0, 500.0}) {
      INFO(width << " x " << height);
      const RowPlan plan = planned_row(figure, width, height);
      const Rect all = {0, 0, width, height};
      for (const PlannedFill& fill : plan.drawing.fills)
        CHECK(inside(fill.rect, all));
      for (const PlannedText& text : plan.drawing.texts) {
        if (text.anchor != Anchor::Middle) continue;
        const double half = plain_measure(text.text, text.size_px, text.face).width / 2;
        CHECK(text.x + half <= width + 0.01);
      }
    }
}

TEST_CASE("row plan: masked keys are hatched, dropped ones outlined as high as they stood") {
  RowFigure figure = four_keys();
  figure.stages[0].marks[3] = CellMark::Masked;
  figure.stages[0].values[3] = -INFINITY;
  figure.stages[1].marks[1] = CellMark::Dropped;
  figure.stages[1].values[1] = 0;
  figure.stages[1].before = {0.25f, 0.5f, 0.25f, 0.0f};
  const RowPlan plan = planned_row(figure);
  const Rect masked = plan.slot_rect(0, 3);
  REQUIRE_FALSE(plan.drawing.hatching.segments.empty());
  for (const auto& [from, to] : plan.drawing.hatching.segments) {
    CHECK(from.x >= masked.x);
    CHECK(to.x <= masked.right());
    CHECK(from.y <= masked.bottom() + 0.01);
    CHECK(to.y >= masked.y - 0.01);
  }
  const auto sign = std::find_if(plan.drawing.texts.begin(), plan.drawing.texts.end(),
                                 [](const PlannedText& text) { return text.text == "\u2212\u221e"; });
  CHECK(sign != plan.drawing.texts.end());
  REQUIRE(plan.drawing.boxes.size() == 1);
  CHECK_THAT(plan.drawing.boxes[0].rect.height, WithinAbs(2 * bar_in(plan, 1, 0).rect.height, 0.01));
}

TEST_CASE("row plan: hundreds of keys make few lines of hatching and no numbers") {
  RowFigure figure;
  const std::size_t count = 400;
  figure.stages = {bars("weights", std::vector<float>(count, 0.01f), {0, 0.02})};
  for (std::size_t i = 0; i < count; ++i) {
    figure.labels.push_back("t" + std::to_string(i));
    if (i >= 200) figure.stages[0].marks[i] = CellMark::Masked;
  }
  const RowPlan plan = planned_row(figure, 1200, 200);
  CHECK(plan.drawing.fills.size() == 200);
  CHECK_FALSE(plan.drawing.hatching.segments.empty());
  CHECK(plan.drawing.hatching.segments.size() < 200);
  CHECK(plan.drawing.texts.size() < 110);
}

TEST_CASE("row plan: not a number and infinity are signs, not bars") {
  RowFigure figure = four_keys();
  figure.stages[0].values[0] = NAN;
  figure.stages[0].values[1] = INFINITY;
  const RowPlan plan = planned_row(figure);
  std::vector<std::string> texts;
  for (const PlannedText& text : plan.drawing.texts)
    texts.push_back(text.text);
  CHECK(std::count(texts.begin(), texts.end(), "NaN") == 1);
  CHECK(std::count(texts.begin(), texts.end(), "\u221e") == 1);
  CHECK(plan.drawing.fills.size() == 6);
}

TEST_CASE("row plan: an empty figure is an empty picture") {
  CHECK(planned_row({}).drawing.texts.empty());
  RowFigure figure = four_keys();
  figure.labels.clear();
  CHECK(planned_row(figure).lanes.empty());
}

TEST_CASE("row plan: each line of bars has a value axis, whose ticks stand where the values do") {
  RowFigure figure = four_keys();
  const RowPlan plan = planned_row(figure);
  std::vector<double> zeros, halves;
  for (const PlannedText& label : plan.drawing.texts) {
    if (label.anchor != Anchor::End || label.text.starts_with("\u2212")) continue;
    if (std::stod(label.text) == 0) zeros.push_back(label.y);
    if (std::stod(label.text) == 0.5) halves.push_back(label.y);
  }
  REQUIRE(zeros.size() == 2);  // one per stage
  CHECK_THAT(zeros[0], WithinAbs(bar_in(plan, 0, 3).rect.bottom(), 0.01));
  CHECK_THAT(zeros[1], WithinAbs(bar_in(plan, 1, 1).rect.bottom(), 0.01));
  CHECK_THAT(halves.at(halves.size() - 1), WithinAbs(bar_in(plan, 1, 1).rect.y, 0.01));
  for (const PlannedText& label : plan.drawing.texts)
    if (label.anchor == Anchor::End && label.angle_deg == 0) CHECK(label.x < plan.columns.x);
  figure.value_axis = false;
  const RowPlan without = planned_row(figure);
  CHECK(without.columns.x < plan.columns.x);
  CHECK(planned_row(four_keys(), 600, 70).columns.x == without.columns.x);  // the area is too low for ticks
}

TEST_CASE("row plan: where numbers have no room the tallest bars have token and number") {
  RowFigure figure;
  std::vector<float> values(200, 0.01f);
  values[20] = 0.5f;
  values[22] = 0.3f;  // its number would touch that of the tallest bar
  values[150] = 0.25f;
  for (int i = 0; i < 200; ++i)
    figure.labels.push_back("t" + std::to_string(i));
  figure.stages = {bars("weights", values, {0, 0.5})};
  const auto named = [](const RowPlan& plan, const std::string& text) {
    return std::count_if(plan.drawing.texts.begin(), plan.drawing.texts.end(),
                         [&](const PlannedText& planned) { return planned.text == text; });
  };
  const RowPlan plan = planned_row(figure, 700, 200);
  CHECK(named(plan, "t20  0.50") == 1);
  CHECK(named(plan, "t150  0.25") == 1);
  CHECK(named(plan, "t22  0.30") == 0);
  for (const PlannedText& text : plan.drawing.texts)
    if (text.text == "t20  0.5000")
      CHECK(text.y + line_height(text.size_px) / 2 <= bar_in(plan, 0, 20).rect.y + 0.01);
  figure.numbers = false;
  CHECK(named(planned_row(figure, 700, 200), "t20  0.5000") == 0);
}
