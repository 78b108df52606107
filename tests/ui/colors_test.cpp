// The popover of colours: maps, ranges and decimals of each stage, and the legend.
#include "app/ui/views/color_panel.h"

#include "app/ui/main_window/workbench.h"
#include "app/ui/picture/cell_legend.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"
#include "tests/ui/support/centre.h"

using namespace headlight;
using headlight_test::CentrePanel;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;
using headlight_test::WithinAbs;

namespace {

struct ColorsPanel : CentrePanel {
  using CentrePanel::CentrePanel;
  explicit ColorsPanel(const std::string& lesson = "20-two-heads", ImVec2 size = {1240, 800})
      : CentrePanel(lesson_session(lesson), size) {}
  StageColors& weights() { return fixture.view().picture.colors_of(Stage::Weights); }
  void open() {
    robot().click("focus.colours");
    robot().frames(3);
  }
  void choose_range(const std::string& id) {
    robot().click("colours.range");
    robot().frames(2);
    robot().click("colours.range." + id);
    robot().frames(3);
  }
  // A picture of the strip ("stage.") or a large one ("focus.").
  const HeatmapCache::Entry& picture(const std::string& name) {
    return (name.rfind("stage.", 0) == 0 ? state.strip.cache : state.stages.cache).entry(name);
  }
};

}  // namespace

TEST_CASE("colours: what is shown of several cells is chosen where matrices are large enough") {
  Session session = lesson_session("01-one-query-dot-products");
  Layer& layer = session.layer;
  constexpr Index kTokens = 200;
  layer.tokens.assign(kTokens, "t");
  layer.embeddings = {Matrix(kTokens, layer.d_in())};
  for (Index i = 0; i < layer.embeddings[0].size(); ++i)
    layer.embeddings[0].data()[i] = static_cast<float>((i * 37) % 101) / 101.0f;
  ColorsPanel panel(std::move(session));
  const auto small = [&] { return panel.picture("stage.weights.h0").tile; };
  CHECK(small()->request.pooling == Pooling::Max);
  const float largest = small()->values.sum();
  panel.open();
  panel.robot().click("colours.pooling");
  panel.robot().frames(2);
  panel.robot().click("colours.pooling.mean");
  panel.robot().frames(3);
  CHECK(small()->request.pooling == Pooling::Mean);
  CHECK(small()->values.sum() < largest);
}

TEST_CASE("colours: in small matrices a cell is drawn as one") {
  ColorsPanel panel;
  panel.open();
  CHECK(panel.robot().shows("colours.range"));
  CHECK_FALSE(panel.robot().shows("colours.pooling"));
}

TEST_CASE("colours: a map is chosen for one stage, in the strip and at large, and others keep theirs") {
  ColorsPanel panel;
  const Color before = panel.picture("focus.weights.h0").plan.cells.colors[0];
  const Color scores = panel.picture("stage.scores.h0").plan.cells.colors[0];
  CHECK(panel.robot().value("focus.colours") == "blue_green");
  panel.open();
  panel.robot().click("colours.map.grey");
  panel.robot().frames(3);
  CHECK(panel.robot().value("colours.map.grey") == "on");
  CHECK(panel.robot().value("colours.map.blue_green") == "off");
  CHECK(panel.weights().map == ColormapKind::Grey);
  CHECK(panel.picture("focus.weights.h0").plan.cells.colors[0] != before);
  CHECK(panel.picture("focus.weights.h0").plan.cells.colors[0] ==
        panel.picture("stage.weights.h0").plan.cells.colors[0]);
  CHECK(panel.picture("stage.scores.h0").plan.cells.colors[0] == scores);
  CHECK(panel.fixture.commands().empty());  // colours are no document commands
  panel.robot().click("colours.reset");
  panel.robot().frames(3);
  CHECK(panel.picture("focus.weights.h0").plan.cells.colors[0] == before);
}

TEST_CASE("colours: ranges are those of the engine's numbers") {
  ColorsPanel panel;
  panel.open();
  panel.choose_range("robust");
  const ColorRange robust = panel.picture("focus.weights.h0").range;
  CHECK(robust.above);
  panel.choose_range("log");
  CHECK(panel.picture("focus.weights.h0").range.logarithmic);
  CHECK(panel.picture("focus.weights.h1").range == panel.picture("focus.weights.h0").range);
  panel.robot().click("colours.without_first");
  panel.robot().frames(3);
  CHECK(panel.picture("focus.weights.h0").range.above);  // the first query's weight of 1 exceeds the range
  panel.choose_range("whole");
  CHECK(panel.picture("focus.weights.h0").range.high < 1);
}

TEST_CASE("colours: weights may be shown without the first key, instead of by value") {
  ColorsPanel panel;
  panel.fixture.view().picture.by_value = true;
  panel.open();
  panel.robot().click("colours.first_key");
  panel.robot().frames(3);
  CHECK(panel.fixture.view().picture.without_first);
  CHECK_FALSE(panel.fixture.view().picture.by_value);
  const Tile& shown = *panel.picture("focus.weights.h0").tile;
  CHECK(shown.request.content == TileContent::WithoutFirst);
  const Index last = shown.values.rows() - 1;
  CHECK(shown.mark(last, 0) == CellMark::Masked);
  CHECK_THAT(shown.values.row(last).sum(), WithinAbs(1, 1e-5));
  panel.fixture.view().focused_stage = Stage::Scores;
  panel.robot().frames(3);
  CHECK_FALSE(panel.robot().shows("colours.first_key"));
}

TEST_CASE("colours: a head may have its own range, with its own bar") {
  ColorsPanel panel;
  CHECK(panel.picture("stage.scores.h0").range == panel.picture("stage.scores.h1").range);
  panel.fixture.view().focused_stage = Stage::Scores;
  panel.robot().frames(3);
  panel.open();
  panel.robot().click("colours.shared");
  panel.robot().frames(4);
  CHECK_FALSE(panel.picture("focus.scores.h0").range == panel.picture("focus.scores.h1").range);
  CHECK(panel.picture("focus.scores.h0").plan.bars.size() == 1);
  CHECK(panel.picture("focus.scores.h1").plan.bars.size() == 1);
}

TEST_CASE("colours: a range by hand begins with what is on screen, and bad numbers change nothing") {
  ColorsPanel panel;
  panel.open();
  panel.choose_range("hand");
  CHECK(panel.weights().low == 0);
  CHECK(panel.weights().high == 1);
  panel.robot().double_click("colours.high");
  panel.robot().type("0.5");
  panel.robot().key(Key::Enter);
  panel.robot().frames(3);
  CHECK(panel.weights().high == 0.5);
  CHECK(panel.picture("focus.weights.h0").range == ColorRange{0, 0.5, false, false, true, true});
  panel.robot().double_click("colours.high");
  panel.robot().type("much");
  panel.robot().key(Key::Enter);
  panel.robot().frames(3);
  CHECK(panel.weights().high == 0.5);
  CHECK_FALSE(panel.state.stages.colors.high.message.empty());
}

TEST_CASE("colours: a range that is the wrong way round says so and still draws") {
  ColorsPanel panel;
  panel.open();
  panel.choose_range("hand");
  panel.weights().low = 2;
  panel.robot().frames(3);
  CHECK(panel.robot().shows("colours.message"));
  CHECK(panel.picture("focus.weights.h0").range.high > panel.picture("focus.weights.h0").range.low);
}

TEST_CASE("colours: decimals are those of the numbers in the cells") {
  ColorsPanel panel("16-causal-mask");
  const auto shows = [&](const std::string& text) {
    for (const PlannedText& planned : panel.picture("focus.weights.h0").plan.texts)
      if (planned.text == text) return true;
    return false;
  };
  panel.open();
  panel.robot().click("colours.decimals");
  panel.robot().frames(2);
  panel.robot().click("colours.decimals.1");
  panel.robot().frames(3);
  CHECK(panel.fixture.view().picture.decimals == 1);
  CHECK(shows("1.0"));
  panel.fixture.view().picture.decimals = 0;
  panel.robot().frames(3);
  CHECK(shows("1"));
}

TEST_CASE("colours: only what suits a stage is offered") {
  ColorsPanel panel;
  panel.fixture.view().focused_stage = Stage::Output;
  panel.robot().frames(3);
  panel.open();
  CHECK_FALSE(panel.robot().shows("colours.without_first"));
  CHECK_FALSE(panel.robot().shows("colours.shared"));
  panel.robot().click("colours.range");
  panel.robot().frames(2);
  CHECK(panel.robot().shows("colours.range.robust"));
  CHECK_FALSE(panel.robot().shows("colours.range.log"));
}

TEST_CASE("colours: all like this is for the stages of the same kind") {
  ColorsPanel panel;
  panel.open();
  panel.robot().click("colours.map.grey");
  panel.robot().click("colours.alike");
  panel.robot().frames(2);
  CHECK(panel.fixture.view().picture.colors_of(Stage::Dropped).map == ColormapKind::Grey);
  CHECK_FALSE(panel.fixture.view().picture.colors_of(Stage::Scores).map);
}

TEST_CASE("legend: the popover has all kinds of cells, the foot of a large picture those that occur") {
  ColorsPanel panel("18-dropout-after-the-weights", {900, 700});
  panel.fixture.view().opened_stage = Stage::Weights;
  panel.robot().frames(4);
  CHECK(panel.robot().shows("focus.legend.masked"));
  CHECK_FALSE(panel.robot().shows("focus.legend.nan"));
  CHECK_FALSE(panel.robot().shows("focus.legend.beyond"));
  panel.open();
  for (const char* kind : {"masked", "dropped", "nan", "infinite", "beyond"})
    CHECK(panel.robot().shows(std::string("colours.legend.") + kind));
  panel.choose_range("robust");
  CHECK(panel.robot().shows("focus.legend.beyond"));
}

TEST_CASE("legend: kinds are told from the numbers that are counted") {
  ValueRange range;
  range.finite = 4;
  CHECK(occurring_kinds(range, {}).empty());
  range.masked = range.nan = range.vanished = 1;
  CHECK(occurring_kinds(range, {0, 1, false, true, false}) ==
        std::vector<CellKind>{CellKind::Masked, CellKind::NotANumber, CellKind::Beyond, CellKind::Vanished});
}

TEST_CASE("colours: numbers of a range are read with a true minus and exponents, and nothing else") {
  CHECK(parse_range_end("0.25") == 0.25);
  CHECK(parse_range_end("\u22121e-3") == -1e-3);
  CHECK(parse_range_end(" +2 ") == 2.0);
  for (const char* bad : {"", "1,5", "nan", "inf", "1e999", "two", "1 2x"})
    CHECK_FALSE(parse_range_end(bad));
}

TEST_CASE("colours: maps, ranges and decimals stand in the palette") {
  WorkbenchState state;
  PanelFixture fixture(lesson_session("20-two-heads"), [&](UiContext& ui) { workbench(ui, state); });
  const auto command = [&](const std::string& query, const std::string& expected) {
    fixture.robot().key(Key::P, {.ctrl = true});
    fixture.robot().frames(2);
    fixture.robot().type(query);
    CHECK(fixture.robot().value("palette.item.0") == expected);
    fixture.robot().key(Key::Enter);
    fixture.robot().frames(3);
  };
  command("blues", "colours: Blues");
  CHECK(fixture.view().picture.colors_of(Stage::Weights).map == ColormapKind::Blues);
  command("range log", "range: logarithmic");
  CHECK(fixture.view().picture.colors_of(Stage::Weights).range == RangeKind::Logarithmic);
  command("decimals 2", "decimals: 2");
  CHECK(fixture.view().picture.decimals == 2);
  command("leave the first", "range: leave the first token out");
  CHECK(fixture.view().picture.colors_of(Stage::Weights).without_first);
}

namespace {

// The whole window, in which an edit can be sent as a grid sends it.
struct HeldWindow {
  WorkbenchState state;
  std::optional<Command> pending;
  PanelFixture fixture;
  explicit HeldWindow(bool motion)
      : fixture(lesson_session("01-one-query-dot-products"),
                [this](UiContext& ui) {
                  if (pending) ui.send(*std::exchange(pending, std::nullopt));
                  workbench(ui, state);
                },
                {1600, 1000}) {
    fixture.preferences().motion = motion;
    fixture.view().focused_stage = Stage::Scores;
    robot().frames(6);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  const HeatmapCache::Entry& scores() { return state.stages.cache.entry("focus.scores.h0"); }
  bool held() { return fixture.view().picture.held_ranges.held(); }
  void edit() { pending = SetCells{{InputKind::Embeddings}, 1, 1, Matrix::Constant(1, 1, 5.0f), 7}; }
};

}  // namespace

TEST_CASE("colours: an edit holds the range, with a mark on the bar; at rest it is fitted, with motion") {
  HeldWindow window(true);
  const ColorRange before = window.scores().range;
  CHECK_FALSE(window.robot().shows("focus.scores.h0.ghost"));
  window.edit();
  window.robot().frames(5);
  CHECK(window.held());
  CHECK(window.scores().range.high == before.high);
  CHECK(window.robot().shows("focus.scores.h0.ghost"));
  CHECK(window.robot().value("focus.scores.h0.bar") == "held");
  window.robot().frames(90);
  CHECK_FALSE(window.held());
  CHECK_FALSE(window.robot().shows("focus.scores.h0.ghost"));
  CHECK(window.scores().range.high > before.high);
}

TEST_CASE("colours: without motion a range is fitted as soon as nothing is in use") {
  HeldWindow window(false);
  const ColorRange before = window.scores().range;
  window.edit();
  window.robot().frames(5);
  CHECK_FALSE(window.held());
  CHECK(window.scores().range.high > before.high);
}

TEST_CASE("colours: a click on the bar fits a held range") {
  HeldWindow window(true);
  const ColorRange before = window.scores().range;
  window.edit();
  window.robot().frames(1);
  window.fixture.view().picture.held_ranges.hold(ImGui::GetTime() + 100);  // as if something were played
  window.robot().frames(5);
  CHECK(window.scores().range.high == before.high);
  CHECK(window.robot().value("focus.scores.h0.bar") == "held");
  window.robot().click("focus.scores.h0.bar");
  window.robot().frames(4);
  CHECK(window.robot().value("focus.scores.h0.bar") == "");
  CHECK(window.held());
  CHECK(window.scores().range.high > before.high);
}

TEST_CASE("colours: opening other numbers holds nothing") {
  HeldWindow window(true);
  Layer layer = window.fixture.layer();
  layer.embeddings[0] *= 3;
  window.fixture.document().run(ReplaceLayer{std::make_shared<const Layer>(layer), "another"});
  window.robot().frames(4);
  CHECK_FALSE(window.held());
}

namespace {

// Random causal weights of `tokens` tokens: the scores differ by about one, as in models.
Session causal_session(Index tokens, Index heads) {
  headlight_test::Dice dice(tokens);
  Session session;
  Layer& layer = session.layer;
  for (Index i = 0; i < tokens; ++i)
    layer.tokens.push_back("t" + std::to_string(i));
  layer.embeddings = {dice.matrix(tokens, 8, 1.0)};
  layer.attention.d_out = 8;
  layer.attention.num_heads = heads;
  layer.attention.projection = Projection::None;
  layer.attention.mask = MaskKind::Causal;
  return session;
}

// The share of the open cells that differ from a weight of zero by a visible step, as painted.
double visible_share(const HeatmapCache::Entry& entry, Color zero) {
  constexpr double kVisibleStep = 0.08;  // in OKLab: several times what can just be told apart
  const Tile& tile = *entry.tile;
  int open = 0, visible = 0;
  for (std::size_t i = 0; i < tile.marks.size(); ++i) {
    if (tile.marks[i] != CellMark::None) continue;
    ++open;
    visible += difference(entry.plan.cells.colors[i], zero) >= kVisibleStep ? 1 : 0;
  }
  return open > 0 ? double{1} * visible / open : 0;
}

}  // namespace

TEST_CASE("colours: causal weights of 6 to 2,048 tokens show their pattern as they open") {
  const Index tokens = GENERATE(6, 40, 512, 2048);
  ColorsPanel panel(causal_session(tokens, tokens == 2048 ? 1 : 4));
  panel.robot().frames(6);
  for (const ThemeKind kind : {ThemeKind::Dark, ThemeKind::Light}) {
    const FigureStyle style = kind == ThemeKind::Dark ? FigureStyle::dark() : FigureStyle::light();
    HeatmapCache::Entry entry = panel.picture("focus.weights.h0");
    REQUIRE(entry.tile);
    HeatmapFigure figure = stage_figure(entry.tile, {}, 1, "");
    figure.range = entry.range;
    PlanLimits limits;
    limits.cell_px = 2;
    entry.plan =
        plan_heatmap(figure, style, limits, [](const std::string&, double, FontFace) { return TextSize{}; });
    INFO(tokens << " tokens");
    CHECK(visible_share(entry, Colormap::of(entry.map, style.neutral).at(0)) >= 0.3);
    CHECK(visible_share(entry, style.background) >= 0.3);
  }
  CHECK(panel.picture("focus.weights.h0").tile->request.pooling == Pooling::Max);
  if (tokens > kMostLinear) CHECK(panel.robot().value("focus.scale") == "log scale ▸");
}

TEST_CASE("colours: a chip says that the range is logarithmic, and a click switches to the whole range") {
  ColorsPanel panel(causal_session(20, 1));
  panel.robot().frames(6);
  CHECK(panel.robot().value("focus.scale") == "log scale ▸");
  panel.robot().click("focus.scale");
  panel.robot().frames(4);
  CHECK(panel.weights().range == RangeKind::Whole);
  CHECK(panel.robot().value("focus.scale") == "whole range ▸");
  CHECK_FALSE(panel.picture("focus.weights.h0").range.logarithmic);
  panel.robot().click("focus.scale");
  panel.robot().frames(4);
  CHECK(panel.weights().range == RangeKind::Automatic);
}

TEST_CASE("colours: a token of any size leaves the weights of up to 16 keys at 0 to 100 %") {
  const float size = GENERATE(1e-30f, 0.3f, 9.0f, 1000.0f, 1e30f);
  Session session = causal_session(6, 1);
  session.layer.attention.mask = GENERATE(MaskKind::None, MaskKind::Causal);
  session.layer.embeddings[0].row(0).setConstant(size);
  ColorsPanel panel(std::move(session));
  panel.robot().frames(6);
  INFO(size);
  CHECK(panel.picture("focus.weights.h0").range == ColorRange{0, 1});
  CHECK_FALSE(panel.robot().shows("focus.scale"));
  // Leaving the first token out is a choice.
  panel.open();
  panel.robot().click("colours.without_first");
  panel.robot().frames(3);
  CHECK(panel.weights().range == RangeKind::Whole);
  CHECK(panel.weights().without_first);
  panel.choose_range("auto");
  CHECK_FALSE(panel.weights().without_first);
  CHECK(panel.picture("focus.weights.h0").range == ColorRange{0, 1});
}

TEST_CASE("colours: a head that is off is grey, its neighbour and their common bar are not") {
  Session session = lesson_session("20-two-heads");
  session.layer.attention.disabled_heads = {0};
  ColorsPanel panel(std::move(session));
  panel.robot().frames(4);
  const auto most_chroma = [&](const std::string& name) {
    double most = 0;
    for (const Color color : panel.picture(name).plan.cells.colors)
      if (color != FigureStyle::dark().neutral) most = std::max(most, hue_of(color).chroma);
    return most;
  };
  for (const std::string prefix : {"focus.weights.", "stage.weights."}) {
    CHECK(most_chroma(prefix + "h0") < 0.002);
    CHECK(most_chroma(prefix + "h1") > 0.05);
  }
  const std::vector<PlannedBar>& bars = panel.picture("focus.weights.h1").plan.bars;
  REQUIRE(bars.size() == 1);
  CHECK(hue_of(bars.front().colors.front()).chroma > 0.05);
}
