// The factors of a product beside a narrow matrix: when they are shown, and the effect of their cells.
#include "tests/ui/support/centre.h"

#include "tests/support/catch.h"

using namespace headlight;
using headlight_test::CentrePanel;
using headlight_test::lesson_session;

namespace {

struct FactorsPanel : CentrePanel {
  FactorsPanel(const std::string& lesson, Stage stage, ImVec2 size = {1264, 700})
      : CentrePanel(lesson_session(lesson), size) {
    fixture.view().focused_stage = stage;
    robot().frames(6);
  }
  bool has_factors() { return robot().shows("focus.factor.left") && robot().shows("focus.factor.right"); }
};

}  // namespace

TEST_CASE("factors: queries stand beside the embeddings and the matrix of all heads") {
  FactorsPanel panel("20-two-heads", Stage::Queries);
  REQUIRE(panel.has_factors());
  CHECK(panel.robot().value("focus.factor.left") == "6 x 3");
  CHECK(panel.robot().value("focus.factor.right") == "W_query");
  const Rect result = panel.rect("focus.queries.h0"), left = panel.rect("focus.factor.left"),
             right = panel.rect("focus.factor.right");
  CHECK(left.x > panel.rect("focus.queries.h1").right());
  CHECK(right.x > left.right());
  CHECK(right.right() <= 1264);
  // The rows of X are level with those of Q, and cells have the same size.
  CHECK(std::abs(left.y - result.y) <= 1);
  CHECK(std::abs(left.height - result.height) <= 1);
  CHECK(std::abs(right.width / 2 - left.width / 3) <= 1);
}

TEST_CASE("factors: context is the weights of the head under the pointer times its values") {
  FactorsPanel panel("20-two-heads", Stage::Context);
  REQUIRE(panel.has_factors());
  panel.fixture.view().selection.cell = CellAddress{Stage::Context, 0, 1, 2, 0};
  panel.robot().frames(6);
  bool found = false;
  for (const TileRequest& tile : panel.fixture.answer()->requested.tiles)
    found |= tile.stage == Stage::Dropped && tile.head == 1;
  CHECK(found);
  CHECK(panel.robot().value("focus.factor.left") == "6 x 6");
  CHECK(panel.robot().value("focus.factor.right") == "6 x 1");
}

TEST_CASE("factors: a number of the matrix lights its cell on the left, and a click asks for it") {
  for (const WeightLayout layout : {WeightLayout::InOut, WeightLayout::OutIn}) {
    FactorsPanel panel(layout == WeightLayout::OutIn ? "20-two-heads" : "10-queries-keys-values",
                       Stage::Queries);
    REQUIRE(panel.fixture.layer().weights.layout == layout);
    INFO((layout == WeightLayout::OutIn));
    REQUIRE(panel.has_factors());
    const Rect r = panel.rect("focus.factor.right");
    // The third number of the second column, which multiplies the third dimension of X.
    panel.robot().move_to(
        {static_cast<float>(r.x + r.width * 0.75), static_cast<float>(r.y + r.height * 0.9)});
    panel.robot().frames(2);
    const auto& pointed = panel.fixture.view().selection.pointed.now;
    REQUIRE(pointed);
    CHECK(pointed->input.parameter == Parameter::Query);
    CHECK(pointed->row == (layout == WeightLayout::OutIn ? 1 : 2));
    CHECK(pointed->column == (layout == WeightLayout::OutIn ? 2 : 1));
    panel.robot().click("focus.factor.right");
    CHECK(panel.fixture.view().selection.asked);
  }
}

TEST_CASE("factors: numbers of the matrix itself come first") {
  FactorsPanel panel("20-two-heads", Stage::Context, {600, 700});
  CHECK_FALSE(panel.has_factors());
  REQUIRE_FALSE(panel.state.stages.cache.pictures().empty());
  CHECK(panel.state.stages.cache.pictures().front().numbers);
}

TEST_CASE("factors: stages that are no product have none") {
  for (const Stage stage : {Stage::Embeddings, Stage::Concat, Stage::Weights}) {
    FactorsPanel panel("20-two-heads", stage);
    CHECK_FALSE(panel.has_factors());
  }
}
