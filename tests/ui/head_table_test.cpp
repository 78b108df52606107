// The table of heads: its numbers, its order, and its actions.
#include "app/ui/views/head_table.h"

#include <algorithm>

#include "app/ui/views/head_sorting.h"
#include "engine/attention/measured_heads.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct Table {
  bool open = true;
  PanelFixture fixture;

  explicit Table(const std::string& lesson = "induction-head")
      : fixture(lesson_session(lesson), [this](UiContext& ui) {
          if (open) open = head_table(ui, true);
        }) {
    robot().frames(4);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  void choose(const std::string& box, const std::string& choice) {
    robot().click(box);
    robot().frames(2);
    robot().click(box + "." + choice);
    robot().frames(4);
  }
  // The heads from top to bottom.
  std::vector<Index> order() {
    std::vector<Index> heads;
    for (Index head = 0; head < fixture.layer().head_count(); ++head)
      heads.push_back(head);
    std::sort(heads.begin(), heads.end(), [&](Index a, Index b) { return top_of(a) < top_of(b); });
    return heads;
  }

 private:
  double top_of(Index head) { return robot().widget("heads.row.h" + std::to_string(head)).rect.y; }
};

}  // namespace

TEST_CASE("head table: every head with every measure, as the engine has them") {
  Table table;
  const Evaluator evaluator = evaluate(table.fixture.layer());
  for (Index head = 0; head < table.fixture.layer().head_count(); ++head) {
    const HeadMeasures measures = measures_of(evaluator, nullptr, {0, head, {}});
    for (const HeadMeasureInfo& info : head_measure_table()) {
      INFO(head << " " << info.name);
      CHECK(table.robot().value("heads.h" + std::to_string(head) + "." + std::string(info.name)) ==
            measure_text(info.measure, measures.of(info.measure)));
    }
  }
}

TEST_CASE("head table: a click on a title sorts by it, a second one turns the order round") {
  Table table;
  table.robot().click("heads.column.induction");
  table.robot().frames(4);
  CHECK(table.robot().value("heads.column.induction") == "descending");
  const std::vector<Index> down = table.order();
  table.robot().click("heads.column.induction");
  table.robot().frames(4);
  std::vector<Index> up = table.order();
  CHECK(table.robot().value("heads.column.induction") == "ascending");
  std::reverse(up.begin(), up.end());
  CHECK(up == down);
  const Evaluator evaluator = evaluate(table.fixture.layer());
  const auto induction = [&](Index head) {
    return *measures_of(evaluator, nullptr, {0, head, {}}).of(HeadMeasure::Induction);
  };
  CHECK(std::is_sorted(down.begin(), down.end(),
                       [&](Index a, Index b) { return induction(a) > induction(b); }));
  table.robot().click("heads.column.number");
  table.robot().frames(4);
  CHECK(table.order() == std::vector<Index>{0, 1, 2, 3});
}

TEST_CASE("head table: heads are compared with the picture that is chosen") {
  Table table;
  CHECK(table.robot().value("heads.h2.like_picture") == "no picture");
  table.choose("heads.picture", "head");
  table.choose("heads.picture.head", "2");
  CHECK(table.robot().value("heads.h2.like_picture") == "1.000");
  CHECK(table.robot().value("heads.h1.like_picture") != "1.000");

  table.fixture.view().baseline = {std::make_shared<const Layer>(table.fixture.layer()), "A"};
  table.robot().frames(2);
  table.choose("heads.picture", "same_in_a");
  for (int head = 0; head < 4; ++head)
    CHECK(table.robot().value("heads.h" + std::to_string(head) + ".like_picture") == "1.000");
  table.choose("heads.picture", "head_of_a");
  CHECK(table.robot().value("heads.h2.like_picture") == "1.000");
  table.fixture.view().baseline = {};  // state A is deleted
  table.robot().frames(4);
  CHECK(table.robot().value("heads.h2.like_picture") == "no picture");
}

TEST_CASE("head table: a mean over few queries is quiet, and its column says over how many") {
  Table table;
  const std::size_t count = table.fixture.layer().tokens.size();
  REQUIRE(count > 5);
  CHECK_FALSE(table.robot().shows("heads.h1.diagonal.few"));
  for (std::size_t token = count; token-- > 3;)
    table.fixture.document().run(RemoveToken{static_cast<Index>(token)});
  table.robot().frames(4);
  CHECK(table.robot().value("heads.h1.diagonal.few") == "n = 3");
  table.robot().hover("heads.column.diagonal");
  table.robot().rest(0.7f);
  table.robot().frames(2);
  CHECK_THAT(table.robot().value("tooltip"), headlight_test::ContainsSubstring("Here n = 3"));
}

TEST_CASE("head table: a click on a head shows its weights alone") {
  Table table;
  table.fixture.view().focused_stage = Stage::Output;
  table.robot().click("heads.row.h2");
  table.robot().frames(2);
  CHECK_FALSE(table.open);
  CHECK(table.fixture.view().head == Index{2});
  CHECK(table.fixture.view().focused_stage == Stage::Weights);
}

TEST_CASE("head table: it is copied and saved") {
  Table table;
  table.robot().click("heads.copy");
  REQUIRE(table.fixture.actions().size() == 1);
  CHECK(table.fixture.actions()[0].action == Action::CopyHeads);
  CHECK(table.open);
  table.robot().click("heads.json");
  table.robot().frames(2);
  REQUIRE(table.fixture.actions().size() == 2);
  CHECK(table.fixture.actions()[1].action == Action::SaveHeads);
  CHECK(table.fixture.actions()[1].format == FileFormat::Json);
  CHECK_FALSE(table.open);  // the file dialog replaces it
}

TEST_CASE("head table: Escape closes it") {
  Table table;
  table.robot().key(Key::Escape);
  table.robot().frames(2);
  CHECK_FALSE(table.open);
}
