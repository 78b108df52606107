// The strip: the layout of its plan, and its widgets.
#include "app/ui/pipeline/pipeline_plan.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/ui/support/centre.h"

using namespace headlight;
using headlight_test::CentrePanel;
using headlight_test::lesson_session;

namespace {

constexpr PipelineArea kUsual = {1240, 160, 1, 28, 14, 0};

struct PipelinePanel : CentrePanel {
  explicit PipelinePanel(const std::string& lesson, ImVec2 size = {1264, 700})
      : CentrePanel(lesson_session(lesson), size) {}
  const AttentionSettings& settings() const { return fixture.model().attention; }
  void click(const std::string& name) {
    robot().click(name);
    robot().frames(3);
  }
  const PipelineNode& node(Stage stage) const {
    return *std::find_if(state.strip.nodes.begin(), state.strip.nodes.end(),
                         [&](const PipelineNode& node) { return node.stage == stage; });
  }
};

// The areas that must not overlap: pictures, chips, settings.
std::vector<Rect> solid(const PipelinePlan& plan) {
  std::vector<Rect> rects;
  for (const PipelineNode& node : plan.nodes)
    rects.push_back(node.place);
  for (const PipelineSlot& slot : plan.slots)
    rects.push_back(slot.place);
  return rects;
}

void check_plan(const Model& model, const PipelineArea& room) {
  const PipelinePlan plan = plan_pipeline(model, room);
  REQUIRE_FALSE(plan.names_only);
  const std::vector<Rect> rects = solid(plan);
  for (std::size_t i = 0; i < rects.size(); ++i) {
    INFO(i);
    CHECK(rects[i].x >= 0);
    CHECK(rects[i].y >= 0);
    CHECK(rects[i].right() <= room.width + 0.5);
    CHECK(rects[i].bottom() <= room.height + 0.5);
    for (std::size_t j = 0; j < i; ++j) {
      INFO(j);
      CHECK_FALSE(overlap(rects[i], rects[j]));
    }
  }
  for (const PipelineNode& node : plan.nodes) {
    if (!node.stage) continue;
    INFO(stage_info(*node.stage).name);
    CHECK(node.caption.bottom() <= room.height + 0.5);
    for (const PipelineNode& other : plan.nodes) {
      if (&other == &node) continue;
      CHECK_FALSE(overlap(node.caption, other.place));
      if (other.stage) CHECK_FALSE(overlap(node.caption, other.caption));
    }
  }
  for (const PipelineWire& wire : plan.wires)
    CHECK(wire.from.x < wire.to.x);
  for (const Stage stage : stages_in_use(model))
    CHECK(std::any_of(plan.nodes.begin(), plan.nodes.end(),
                      [&](const PipelineNode& node) { return node.stage == stage; }));
}

}  // namespace

TEST_CASE("pipeline: every lesson and every golden layer fits, and nothing covers anything") {
  for (const char* folder : {"/assets/lessons", "/tests/golden/layers"})
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(HEADLIGHT_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != ".headlight") continue;
      INFO(entry.path().stem().string());
      const Model model = load_session(entry.path()).model;
      check_plan(model, kUsual);
      check_plan(model, {1880, 220, 1, 28, 14, 0});
      check_plan(model, {2520, 340, 2, 56, 28, 0});
    }
}

TEST_CASE("pipeline: queries and keys meet in the scores, and values go round to the context") {
  const Model model = lesson_session("20-two-heads").model;
  const PipelinePlan plan = plan_pipeline(model, kUsual);
  REQUIRE(plan.joins.size() == 2);
  CHECK(plan.joins[0].makes == Stage::Scores);
  CHECK(plan.joins[1].makes == Stage::Context);
  for (const PipelineJoin& join : plan.joins)
    CHECK(std::count_if(plan.wires.begin(), plan.wires.end(), [&](const PipelineWire& wire) {
            return wire.joins && wire.leads_to == join.makes && wire.to.x == join.at.x &&
                   wire.to.y == join.at.y;
          }) == 2);
}

TEST_CASE("pipeline: heads stand in the middle of their place, as large as it allows") {
  const Model model = lesson_session("20-two-heads").model;
  PipelineArea room = kUsual;
  const auto scores = [&] {
    const PipelinePlan plan = plan_pipeline(model, room);
    return std::find_if(plan.nodes.begin(), plan.nodes.end(),
                        [](const PipelineNode& node) { return node.stage == Stage::Scores; })
        ->place;
  };
  const Rect both = scores();
  CHECK(both.width > 1.9 * both.height);
  room.heads = 1;
  const Rect one = scores();
  CHECK(one.width == one.height);
  CHECK(one.height > both.height);
  CHECK(std::abs(one.y + one.height / 2 - (both.y + both.height / 2)) <= 1);
}

TEST_CASE("pipeline: a step is idle when it hands on what it is given") {
  Model model = lesson_session("20-two-heads").model;
  AttentionSettings& settings = model.attention;
  CHECK_FALSE(is_idle(model, Stage::Scaled));
  CHECK_FALSE(is_idle(model, Stage::Masked));
  CHECK_FALSE(is_idle(model, Stage::Concat));
  CHECK_FALSE(is_idle(model, Stage::Output));
  CHECK(is_idle(model, Stage::Dropped));
  settings.dropout = {0.5, true, 1};
  CHECK_FALSE(is_idle(model, Stage::Dropped));
  settings.dropout.training = false;
  CHECK(is_idle(model, Stage::Dropped));
  settings.scale.kind = ScaleKind::None;
  settings.mask = MaskKind::None;
  settings.num_heads = 1;
  settings.output_projection = false;
  for (const Stage stage : {Stage::Scaled, Stage::Masked, Stage::Concat, Stage::Output})
    CHECK(is_idle(model, stage));
  CHECK_FALSE(is_idle(model, Stage::Weights));
}

TEST_CASE("pipeline: without room for a drawing there is a line of names") {
  const Model model = lesson_session("20-two-heads").model;
  CHECK(plan_pipeline(model, {600, 160, 1, 28, 14, 0}).names_only);
  CHECK(plan_pipeline(model, {1240, 90, 1, 28, 14, 0}).names_only);
  PipelinePanel panel("20-two-heads", {620, 700});
  CHECK_FALSE(panel.robot().shows("stage.scores.h0"));
  CHECK(panel.robot().shows("settings.mask"));
  panel.click("stage.scores");
  CHECK(panel.fixture.view().focused_stage == Stage::Scores);
  CHECK(panel.state.strip.nodes.size() == stages_in_use(panel.fixture.model()).size());
}

TEST_CASE("pipeline: in a low window the settings are folded behind a button") {
  PipelinePanel panel("20-two-heads", {620, 500});
  CHECK_FALSE(panel.robot().shows("settings.mask"));
  panel.click("strip.settings");
  REQUIRE(panel.robot().shows("settings.mask"));
  panel.click("settings.qkv_bias");
  CHECK(panel.settings().qkv_bias);
}

TEST_CASE("pipeline: one click switches a step on that does nothing") {
  PipelinePanel panel("01-one-query-dot-products");
  const bool scaled = panel.settings().scale.kind != ScaleKind::None;
  if (!scaled) {
    CHECK(panel.node(Stage::Scaled).idle);
    panel.click("strip.scaled.on");
    CHECK(panel.settings().scale.kind == ScaleKind::InverseSqrtDk);
    CHECK_FALSE(panel.node(Stage::Scaled).idle);
  }
  panel.click("strip.masked.on");
  CHECK(panel.settings().mask == MaskKind::Causal);
  CHECK(panel.robot().shows("stage.masked.h0"));
  panel.click("strip.dropped.on");
  CHECK(panel.settings().dropout.probability == 0.5);
  panel.click("strip.output.on");
  CHECK(panel.settings().output_projection);
  CHECK(panel.fixture.errors().empty());
}

TEST_CASE("pipeline: a chip brings its matrix to the front") {
  PipelinePanel panel("20-two-heads");
  panel.robot().click("strip.W_key");
  panel.robot().frames(1);
  REQUIRE(panel.fixture.view().asked_input);
  CHECK(panel.fixture.view().asked_input->input.parameter == Parameter::Key);
}

TEST_CASE("pipeline: an edit runs along the lines of the stages that it reaches, and of no others") {
  PipelinePanel panel("20-two-heads");
  AttentionSettings settings = panel.settings();
  settings.mask = MaskKind::None;
  panel.fixture.document().run(SetAttention{settings});
  panel.robot().frames(4);
  const PipelineRun& run = panel.state.strip.run;
  const auto reached = [&](Stage stage) { return run.reached[static_cast<std::size_t>(stage)]; };
  CHECK(run.began >= 0);
  CHECK(reached(Stage::Weights));
  CHECK(reached(Stage::Context));
  CHECK_FALSE(reached(Stage::Queries));
  CHECK_FALSE(reached(Stage::Scores));
  CHECK(panel.fixture.wakes_within().has_value());
  panel.robot().rest(1);
  panel.robot().frames(2);
  CHECK_FALSE(panel.fixture.wakes_within().has_value());
}

TEST_CASE("pipeline: nothing runs where motion is off") {
  PipelinePanel panel("20-two-heads");
  panel.robot().rest(1);
  panel.fixture.preferences().motion = false;
  AttentionSettings settings = panel.settings();
  settings.mask = MaskKind::None;
  panel.fixture.document().run(SetAttention{settings});
  panel.robot().frames(4);
  CHECK_FALSE(panel.fixture.wakes_within().has_value());
}

TEST_CASE("settings: parts stand below what they set, in order and apart") {
  const SettingsPlaces widths = {300, 100, 80, 0, 200, 100}, at = {0, 200, 400, 600, 900, 1200};
  const auto places = placed_parts(widths, at, 10, 1240);
  REQUIRE(places);
  CHECK((*places)[0] == 0);
  CHECK((*places)[1] == 310);   // after the first
  CHECK((*places)[2] == 420);   // after the second
  CHECK((*places)[4] == 800);   // centred at 900
  CHECK((*places)[5] == 1140);  // moved left, inside the bar
}

TEST_CASE("settings: parts move to the left for those behind them, or are not placed") {
  const SettingsPlaces widths = {300, 100, 100, 100, 200, 300}, at = {0, 200, 400, 600, 900, 1200};
  const auto places = placed_parts(widths, at, 10, 1160);
  REQUIRE(places);
  for (std::size_t i = 1; i < kSettingsParts; ++i)
    CHECK((*places)[i] >= (*places)[i - 1] + widths[i - 1] + 10);
  CHECK((*places)[5] + widths[5] == 1160);
  CHECK_FALSE(placed_parts(widths, at, 10, 1149));
}

TEST_CASE("settings: the output projection is set below it, dropout below its number") {
  PipelinePanel panel("22-two-heads-with-dropout");
  const auto middle = [&](const char* name) {
    const Rect r = panel.robot().widget(name).rect;
    return r.x + r.width / 2;
  };
  CHECK(middle("settings.output_projection") > panel.node(Stage::Context).place.x);
  CHECK(middle("settings.seed") > panel.node(Stage::Masked).place.x);
  CHECK(middle("settings.heads") < panel.node(Stage::Masked).place.x);
}
