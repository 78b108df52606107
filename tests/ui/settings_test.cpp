// The settings bar: each control sends the change that it names.
#include "app/ui/pipeline/settings_bar.h"

#include <variant>

#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct SettingsBench {
  SettingsBarState state;
  PanelFixture fixture;

  explicit SettingsBench(const std::string& lesson, ImVec2 size = {1256, 400})
      : fixture(
            lesson_session(lesson), [this](UiContext& ui) { settings_bar(ui, state); }, size) {
    robot().frames(2);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  const AttentionSettings& settings() const { return fixture.layer().attention; }
  void choose(const std::string& name, const std::string& choice) {
    robot().click(name);
    robot().click(name + "." + choice);
    robot().frames(2);
  }
  void enter(const std::string& name, const std::string& text) {
    robot().click(name);
    robot().frames(1);
    robot().key(Key::A, {true, false});
    robot().type(text);
    robot().key(Key::Enter);
    robot().frames(2);
  }
};

}  // namespace

TEST_CASE("settings: each choice changes the model") {
  SettingsBench panel("20-two-heads");
  panel.choose("settings.mask", "none");
  CHECK(panel.settings().mask == MaskKind::None);
  panel.choose("settings.scale", "none");
  CHECK(panel.settings().scale.kind == ScaleKind::None);
  panel.choose("settings.normalization", "naive_softmax");
  CHECK(panel.settings().normalization == Normalization::NaiveSoftmax);
  panel.choose("settings.heads", "1");
  CHECK(panel.settings().num_heads == 1);
  panel.choose("settings.projection", "none");
  CHECK(panel.settings().projection == Projection::None);
  CHECK(panel.fixture.errors().empty());
}

TEST_CASE("settings: the build of PyTorch whose zeros are drawn is switched, and undo switches it back") {
  SettingsBench panel("22-two-heads-with-dropout");
  panel.enter("settings.seed", "5");
  CHECK(panel.settings().dropout.build == DropoutBuild::Default);
  panel.robot().click("settings.dropout_build");
  panel.robot().frames(2);
  CHECK(panel.settings().dropout.build == DropoutBuild::Mkl);
  panel.fixture.document().undo();
  panel.robot().frames(2);
  CHECK(panel.settings().dropout.build == DropoutBuild::Default);
}

TEST_CASE("settings: heads offer the divisors of d_out only") {
  SettingsBench panel("21-two-heads-of-two");
  REQUIRE(panel.fixture.layer().d_out() == 4);
  panel.robot().click("settings.heads");
  CHECK(panel.robot().shows("settings.heads.1"));
  CHECK(panel.robot().shows("settings.heads.2"));
  CHECK_FALSE(panel.robot().shows("settings.heads.3"));
  CHECK(panel.robot().shows("settings.heads.4"));
}

TEST_CASE("settings: a scale of one's own starts where the scale was") {
  SettingsBench panel("16-causal-mask");
  const float before = panel.fixture.layer().scale_factor();
  panel.choose("settings.scale", "number");
  CHECK(panel.fixture.layer().scale_factor() == before);
  panel.enter("settings.scale_number", "0.25");
  CHECK(panel.fixture.layer().scale_factor() == 0.25f);
}

TEST_CASE("settings: dropout is a probability, and drawing again takes the next seed") {
  SettingsBench panel("16-causal-mask");
  CHECK_FALSE(panel.robot().shows("settings.draw_again"));
  panel.enter("settings.dropout", "0.1");
  CHECK(panel.settings().dropout.probability == 0.1);  // the double, not its float32
  CHECK_FALSE(panel.settings().dropout.seed);
  panel.enter("settings.dropout", "\u22120");  // a minus sign as the window itself writes it
  CHECK(panel.settings().dropout.probability == 0);
  panel.enter("settings.dropout", "0.1");
  panel.robot().click("settings.draw_again");
  panel.robot().frames(2);
  CHECK(panel.settings().dropout.seed == 1);
  panel.enter("settings.seed", "123");
  CHECK(panel.settings().dropout.seed == 123);
  panel.robot().click("settings.training");
  panel.robot().frames(2);
  CHECK_FALSE(panel.settings().dropout.training);
}

TEST_CASE("settings: text that is no value is refused and changes nothing") {
  SettingsBench panel("16-causal-mask");
  const AttentionSettings before = panel.settings();
  panel.enter("settings.dropout", "1.5");
  CHECK(panel.settings() == before);
  CHECK_FALSE(panel.state.probability.message.empty());
}

TEST_CASE("settings: what typed values are refused for") {
  CHECK(refuse_probability("0").empty());
  CHECK(refuse_probability("1").empty());
  CHECK_FALSE(refuse_probability("-0.1").empty());
  CHECK_FALSE(refuse_probability("half").empty());
  CHECK(refuse_seed("").empty());
  CHECK(refuse_seed("-1").empty());
  CHECK_FALSE(refuse_seed("1.5").empty());
  CHECK_FALSE(refuse_seed("12 3").empty());
  CHECK(refuse_scale("1e-3").empty());
  CHECK_FALSE(refuse_scale("nan").empty());
}

TEST_CASE("settings: the groups flow onto a second line when there is no room") {
  float wide_height = 0;
  {
    const SettingsBench wide("18-dropout-after-the-weights", {1800, 120});
    wide_height = wide.state.height_px;
  }
  SettingsBench narrow("18-dropout-after-the-weights", {640, 200});
  CHECK(narrow.state.height_px > wide_height);
  for (const ProbedWidget& widget : narrow.robot().probe().widgets()) {
    INFO(widget.name);
    CHECK(widget.rect.right() <= 640);
  }
}
