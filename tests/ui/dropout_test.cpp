// The large pictures of dropout: before, noise and after, and the mean over draws while it plays.
#include "app/ui/views/dropout_play.h"
#include "app/ui/views/stages_panel.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct DropoutPanel {
  StagesPanelState state;
  PanelFixture fixture;

  explicit DropoutPanel(const Dropout& dropout)
      : fixture(session_with(dropout), [this](UiContext& ui) { stages_panel(ui, state); }, {640, 680}) {
    fixture.view().focused_stage = Stage::Dropped;
    robot().frames(4);
  }
  static Session session_with(const Dropout& dropout) {
    Session session = lesson_session("16-causal-mask");
    session.layer.attention.dropout = dropout;
    return session;
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  std::shared_ptr<const Tile> tile(TileContent content) {
    for (const auto& tile : fixture.answer()->tiles)
      if (tile && tile->request.stage == Stage::Dropped && tile->request.content == content) return tile;
    return nullptr;
  }
  void play(float seconds) {
    for (float passed = 0; passed < seconds; passed += 0.1f)
      robot().rest(0.1f);
  }
};

}  // namespace

TEST_CASE("dropout: before, noise and after stand side by side") {
  DropoutPanel panel({0.5, true, 123});
  for (const char* name : {".before", ".noise", ""})
    CHECK(panel.robot().value(std::string("focus.dropped.h0") + name) == "6 x 6");
  CHECK_FALSE(panel.robot().shows("focus.dropped.h0.mean"));
  const auto noise = panel.tile(TileContent::Noise);
  REQUIRE(noise);
  CHECK(((noise->values.array() == 0.0f) || (noise->values.array() == 2.0f)).all());
}

TEST_CASE("dropout: while it plays the mean takes in more and more draws, and pausing keeps them") {
  DropoutPanel panel({0.5, true, 123});
  panel.robot().click("focus.play");
  CHECK(panel.state.play.playing);
  panel.play(1);
  const Index some = panel.state.play.draws;
  CHECK(some > 2);
  CHECK(panel.robot().shows("focus.dropped.h0.mean"));
  panel.play(1);
  CHECK(panel.state.play.draws > some);
  panel.robot().click("focus.play");
  const Index paused = panel.state.play.draws;
  panel.play(1);
  CHECK(panel.state.play.draws == paused);
  const auto mean = panel.tile(TileContent::MeanDropped);
  REQUIRE(mean);
  CHECK(mean->draws == paused);
  CHECK(panel.robot().value("focus.dropped.h0.mean.caption").find("mean of " + std::to_string(paused)) == 0);
}

TEST_CASE("dropout: it plays up to its last draw and stops by itself, close to the weights") {
  DropoutPanel panel({0.5, true, 123});
  panel.robot().click("focus.play");
  panel.play(12);
  CHECK_FALSE(panel.state.play.playing);
  const auto mean = panel.tile(TileContent::MeanDropped);
  REQUIRE(mean);
  CHECK(mean->draws == kMostDraws);
  for (const auto& weights : panel.fixture.answer()->tiles)
    if (weights && weights->request.stage == Stage::Weights)
      CHECK((weights->values - mean->values).cwiseAbs().maxCoeff() < 0.06f);  // six standard deviations
}

TEST_CASE("dropout: drawing again starts the mean anew") {
  DropoutPanel panel({0.5, true, 123});
  panel.robot().click("focus.play");
  panel.play(2);
  panel.robot().click("focus.play");
  panel.robot().click("focus.draw_again");
  panel.robot().frames(2);
  CHECK(panel.fixture.layer().attention.dropout.seed == 124);
  CHECK(panel.state.play.draws == 0);
  CHECK_FALSE(panel.robot().shows("focus.dropped.h0.mean"));
}

TEST_CASE("dropout: without dropout and in evaluation there is nothing to draw") {
  for (const Dropout& idle : {Dropout{0.0, true, 1}, Dropout{0.5, false, 1}}) {
    DropoutPanel panel(idle);
    CHECK_FALSE(panel.robot().widget("focus.play").enabled);
    CHECK_FALSE(panel.robot().widget("focus.draw_again").enabled);
    REQUIRE(panel.tile(TileContent::Noise));
    CHECK(panel.tile(TileContent::Noise)->values == Matrix::Ones(6, 6));
  }
}

TEST_CASE("dropout: a click on the picture before dropout keeps the three pictures") {
  DropoutPanel panel({0.5, true, 123});
  panel.robot().click("focus.dropped.h0.before");
  panel.robot().frames(2);
  REQUIRE(panel.fixture.view().selection.cell);
  CHECK(panel.fixture.view().selection.cell->stage == Stage::Weights);
  CHECK(panel.fixture.view().focused_stage == Stage::Dropped);
}

TEST_CASE("dropout: draws grow one by one, then faster, up to the last") {
  CHECK(next_draws(0) == 1);
  CHECK(next_draws(7) == 8);
  CHECK(next_draws(800) == 1000);
  CHECK(next_draws(kMostDraws - 1) == kMostDraws);
}

TEST_CASE("dropout: where a step has more draws than fit into one answer, it goes on with what has come") {
  bool drawn = false;
  DropoutPlay play;
  PanelFixture fixture(DropoutPanel::session_with({0.5, true, 123}), [&](UiContext& ui) {
    if (drawn) return;
    drawn = true;
    continue_playing(ui, play, std::nullopt);  // stores the settings
    play.playing = true;
    play.draws = 50;
    continue_playing(ui, play, 44);
  });
  CHECK(play.draws == 44);
  CHECK(play.playing);
}

TEST_CASE("dropout: the pointer on the mean is told the mean") {
  DropoutPanel panel({0.5, true, 123});
  panel.robot().click("focus.play");
  panel.play(1);
  const auto mean = panel.tile(TileContent::MeanDropped);
  REQUIRE(mean);
  panel.robot().hover("focus.dropped.h0.mean");
  panel.robot().frames(3);
  const Rect r = panel.robot().widget("focus.dropped.h0.mean").rect;
  panel.robot().move_to({static_cast<float>(r.x + r.width / 12), static_cast<float>(r.y + r.height / 12)});
  panel.robot().frames(3);
  const auto now = panel.tile(TileContent::MeanDropped);
  CHECK(panel.robot().value("focus.dropped.h0.mean.caption") ==
        "mean " + number_text(now->values(0, 0), 4) + " here");
}
