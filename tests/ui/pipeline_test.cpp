// The strip's widgets.
#include "app/ui/pipeline/pipeline_panel.h"

#include <algorithm>

#include "tests/support/catch.h"
#include "tests/ui/support/centre.h"

using namespace headlight;
using headlight_test::CentrePanel;
using headlight_test::lesson_session;

namespace {

struct PipelinePanel : CentrePanel {
  explicit PipelinePanel(const std::string& lesson, ImVec2 size = {1264, 800})
      : CentrePanel(lesson_session(lesson), size) {}
  const AttentionSettings& settings() const { return fixture.layer().attention; }
  void click(const std::string& name) {
    robot().click(name);
    robot().frames(3);
  }
  const PipelineNode& node(Stage stage) const {
    return *std::find_if(state.strip.nodes.begin(), state.strip.nodes.end(),
                         [&](const PipelineNode& node) { return node.stage == stage; });
  }
};

}  // namespace

TEST_CASE("pipeline: without room for pictures there is a diagram of names") {
  PipelinePanel panel("20-two-heads", {720, 800});
  CHECK_FALSE(panel.robot().shows("stage.scores.h0"));
  CHECK(panel.robot().shows("settings.mask"));
  panel.click("stage.scores");
  CHECK(panel.fixture.view().focused_stage == Stage::Scores);
  CHECK(panel.state.strip.nodes.size() == 11);  // all but `dropped`, which does nothing
}

TEST_CASE("pipeline: without room for names there is a list of all stages") {
  PipelinePanel panel("20-two-heads", {300, 700});
  CHECK_FALSE(panel.robot().shows("stage.scores"));
  panel.click("strip.stage");
  panel.click("strip.stage.masked");
  CHECK(panel.fixture.view().focused_stage == Stage::Masked);
  panel.click("strip.settings");
  CHECK(panel.robot().shows("settings.mask"));
}

TEST_CASE("pipeline: in a low window the settings are folded behind a button") {
  PipelinePanel panel("20-two-heads", {760, 400});
  CHECK_FALSE(panel.robot().shows("settings.mask"));
  panel.click("strip.settings");
  REQUIRE(panel.robot().shows("settings.mask"));
  CHECK(panel.robot().shows("settings.softcap"));
  panel.click("settings.qkv_bias");
  CHECK(panel.settings().qkv_bias);
}

TEST_CASE("pipeline: one click switches a step on that a lesson points at") {
  PipelinePanel panel("24-why-the-square-root");
  REQUIRE(panel.node(Stage::Scaled).idle);
  panel.click("strip.scaled.on");
  CHECK(panel.settings().scale.kind == ScaleKind::InverseSqrtDk);
  CHECK_FALSE(panel.node(Stage::Scaled).idle);
  CHECK(panel.robot().shows("stage.scaled.h0"));
}

TEST_CASE("pipeline: + adds the steps that a lesson does not have") {
  PipelinePanel panel("01-one-query-dot-products");
  const auto add = [&](const std::string& id) {
    panel.click("strip.add");
    panel.click("strip.add." + id);
  };
  for (const char* setting : {"settings.scale", "settings.mask", "settings.normalization", "settings.dropout",
                              "settings.projection", "settings.heads", "settings.output_projection",
                              "settings.position", "settings.softcap", "stage.masked", "stage.queries"}) {
    INFO(setting);
    CHECK_FALSE(panel.robot().shows(setting));
  }
  add("scale");
  CHECK(panel.settings().scale.kind == ScaleKind::InverseSqrtDk);
  add("mask");
  CHECK(panel.settings().mask == MaskKind::Causal);
  CHECK(panel.robot().shows("stage.masked.h0"));
  add("dropout");
  CHECK(panel.settings().dropout.probability == 0.5);
  add("projection");
  CHECK(panel.settings().projection == Projection::Linear);
  CHECK(panel.robot().shows("stage.queries"));
  add("heads");
  CHECK(panel.fixture.layer().head_count() == 3);  // the least that divides d_out
  add("output");
  CHECK(panel.settings().output_projection);
  for (const char* asked : {"normalization", "kv_heads", "positions", "softcap"})
    add(asked);
  for (const char* setting : {"settings.normalization", "settings.kv_heads", "settings.position",
                              "settings.softcap", "settings.mask", "settings.heads"}) {
    INFO(setting);
    CHECK(panel.robot().shows(setting));
  }
  CHECK_FALSE(panel.robot().shows("strip.add"));  // everything is there
  CHECK(panel.fixture.errors().empty());
}

TEST_CASE("pipeline: a setting that is switched off stays where it is") {
  PipelinePanel panel("16-causal-mask");
  panel.click("settings.mask");
  panel.click("settings.mask.none");
  CHECK(panel.settings().mask == MaskKind::None);
  CHECK(panel.robot().shows("settings.mask"));
  CHECK(panel.node(Stage::Masked).idle);
}

TEST_CASE("pipeline: a stage that is drawn large is in the strip") {
  PipelinePanel panel("01-one-query-dot-products");
  panel.fixture.view().focused_stage = Stage::Queries;
  panel.robot().frames(3);
  CHECK(panel.robot().shows("stage.queries"));
  CHECK(panel.robot().shows("stage.values"));
}

TEST_CASE("pipeline: a chip brings its matrix to the front") {
  PipelinePanel panel("20-two-heads");
  panel.robot().click("strip.W_key");
  panel.robot().frames(1);
  REQUIRE(panel.fixture.view().selection.asked);
  CHECK(panel.fixture.view().selection.asked->input.parameter == Parameter::Key);
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
  panel.robot().frames(20);  // the strip moves for a moment too
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
