// The data set beside the text of an open model: its rows, and questions that are asked of them.
#include "app/ui/model/set_table.h"

#include <algorithm>

#include "engine/core/file.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/model_bench.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct SetBench : ModelBench {
  TemporaryFolder folder;
  int sets = 0;

  SetBench() : ModelBench(source_root() + "/assets/examples/words") {
    open_set(read_file(source_root() + "/tests/golden/sets/pairs.tsv"));
  }
  void open_set(const std::string& content) {
    const std::string file = folder.write("set" + std::to_string(++sets) + ".tsv", content);
    edit(ChooseSet{ChosenSet{file, {}}});
    settle();
  }
  DataSetView& set() { return model().set; }
  const AnalysisResult& found() {
    const AnalysisView& view = model().analyses;
    REQUIRE(view.fresh);
    INFO((view.run->failure ? view.run->failure->what() : ""));
    REQUIRE_FALSE(view.run->failure);
    return view.run->result;
  }
  void ask(const std::string& question) {
    robot().click("model.question");
    click("model.question." + question);
  }
};

}  // namespace

TEST_CASE("set table: a row that is clicked is the text of the moment, with its target") {
  SetBench bench;
  REQUIRE(bench.set().read);
  REQUIRE(bench.set().read->all);
  const DataRow& row = bench.set().read->all->rows[1];
  bench.click("model.set.row.2");
  CHECK(bench.open().ids == row.text);
  CHECK(bench.model().target == row.target);
  CHECK(bench.model().against == row.against);
  CHECK(bench.robot().value("model.set.row.2") == "open");
  CHECK(bench.robot().value("model.set.row.1").empty());
}

TEST_CASE("set table: a click on a header sorts the rows, and another one turns their order round") {
  SetBench bench;
  const std::vector<std::optional<double>>& metrics = bench.set().read->metrics;
  REQUIRE(metrics.size() == 3);
  CHECK(bench.set_table.order == std::vector<std::size_t>{0, 1, 2});
  bench.click("model.set.column.target");  // Leo, Peter, Eve
  CHECK(bench.set_table.order == std::vector<std::size_t>{2, 0, 1});
  bench.click("model.set.column.target");
  CHECK(bench.set_table.order == std::vector<std::size_t>{1, 0, 2});
  bench.click("model.set.column.logit difference");
  const std::vector<std::size_t>& order = bench.set_table.order;
  CHECK(metrics[order[0]] <= metrics[order[1]]);
  CHECK(metrics[order[1]] <= metrics[order[2]]);
}

TEST_CASE("set table: the open row stays in sight when the rows are sorted") {
  SetBench bench;
  std::string rows = "text\ttarget\n";
  for (const char* name : {"Tom", "Leo", "Peter", "Eve", "Oscar", "Rosa", "Hanna", "Lisa", "Ben", "Max"})
    for (const char* end : {"gave the key to", "brought the pillow to"})
      rows += std::string("Mary and ") + name + " went out . Mary " + end + "\t" + name + "\n";
  bench.open_set(rows);
  REQUIRE(bench.set().read->all);
  REQUIRE(bench.set().read->all->rows.size() == 20);
  bench.click("model.set.row.1");
  for (int turn = 0; turn < 4; ++turn) {
    bench.click("model.set.column.target");
    INFO("turn " << turn);
    CHECK(bench.robot().shows("model.set.row.1"));
  }
}

TEST_CASE("set table: of rows with one text it is the opened one that stays in sight") {
  SetBench bench;
  std::string rows = "text\ttarget\n";
  for (const char* name : {"Ben", "Tom"})
    rows += std::string("Mary and Leo went out . Mary gave the key to\t") + name + "\n";
  for (const char* name : {"Leo", "Peter", "Eve", "Oscar", "Rosa", "Hanna", "Lisa", "Max", "Mary"})
    for (const char* end : {"gave the key to", "brought the pillow to"})
      rows += std::string("Peter and ") + name + " went out . Peter " + end + "\t" + name + "\n";
  bench.open_set(rows);
  REQUIRE(bench.set().read->all);
  bench.click("model.set.row.2");
  CHECK(bench.robot().value("model.set.row.2") == "open");
  CHECK(bench.robot().value("model.set.row.1").empty());
  bench.click("model.set.column.target");  // from Ben to Tom
  CHECK(bench.set_table.order.front() == 0);
  CHECK(bench.set_table.order.back() == 1);
  CHECK(bench.robot().shows("model.set.row.2"));
  CHECK_FALSE(bench.robot().shows("model.set.row.1"));
}

TEST_CASE("set table: questions are asked of the rows that are on, or of the open text") {
  SetBench bench;
  bench.click("model.page.questions");
  bench.ask("parts");
  CHECK(bench.found().rows.size() == 3);
  CHECK(bench.found().tables[0].error.size() > 0);
  bench.click("model.set.on.3");
  CHECK(bench.open().set->off == std::vector<Index>{2});
  CHECK(bench.found().rows.size() == 2);
  CHECK_THAT(bench.robot().value("model.set"), ContainsSubstring("2 of 3 rows"));
  CHECK_THAT(bench.robot().value("model.question.notes"), ContainsSubstring("2 rows"));
  bench.click("model.question.set");
  CHECK(bench.found().rows.empty());
  bench.click("model.question.set");
  bench.click("model.set.on.3");
  CHECK(bench.found().rows.size() == 3);
}

TEST_CASE("set table: patches need no kept text, as each row has its own") {
  SetBench bench;
  bench.click("model.page.questions");
  bench.ask("patches");
  bench.click("model.question.compute");
  CHECK(bench.found().tables[0].columns == bench.set().rows->names);
  CHECK(bench.found().rows.size() == 3);
}

TEST_CASE("set table: the other text of a row is A by one click, and follows the rows") {
  SetBench bench;
  const std::vector<DataRow> rows = bench.set().read->all->rows;
  bench.click("model.set.row.1");
  bench.click("model.page.patches");
  CHECK_FALSE(bench.robot().shows("model.patches.keep"));
  CHECK_THAT(bench.robot().value("model.page.note"), ContainsSubstring("row 1"));
  bench.click("model.patches.row");
  const Baseline& kept = bench.fixture.view().baseline;
  REQUIRE(kept.work);
  REQUIRE(kept.layer);
  CHECK(kept.work->ids == rows[0].from);
  CHECK(bench.open().ids == rows[0].text);
  CHECK(bench.robot().shows("model.estimate"));
  CHECK_FALSE(bench.robot().shows("model.patches.row"));
  bench.click("model.set.row.2");
  CHECK(bench.open().ids == rows[1].text);
  CHECK(kept.work->ids == rows[1].from);
  // A state that was kept by hand stays, and the row's text is offered beside it.
  bench.click("model.set.row.1");
  bench.fixture.view().baseline.work = bench.fixture.document().session().work;
  bench.click("model.set.row.2");
  CHECK(kept.work->ids == rows[0].text);
  bench.click("model.patches.row");
  CHECK(kept.work->ids == rows[1].from);
}

TEST_CASE("set table: of rows with one text the other text is that of the row that was opened") {
  SetBench bench;
  const std::string text = "Mary and Tom went out . Mary gave the key to";
  std::string content = "text\tfrom\ttarget\n";
  for (const char* name : {"Tom", "Leo", "Rosa"})
    content += text + "\tMary and " + name + " went out . " + name + " gave the key to\tTom\n";
  bench.open_set(content);
  REQUIRE(bench.set().read->all);
  const std::vector<DataRow> rows = bench.set().read->all->rows;
  REQUIRE(rows.size() == 3);
  REQUIRE(rows[0].text == rows[2].text);
  const Baseline& kept = bench.fixture.view().baseline;
  bench.click("model.set.row.2");
  bench.click("model.page.patches");
  CHECK_THAT(bench.robot().value("model.page.note"), ContainsSubstring("row 2"));
  bench.click("model.patches.row");
  REQUIRE(kept.work);
  CHECK(kept.work->ids == rows[1].from);
  for (const std::size_t row : {std::size_t{2}, std::size_t{0}, std::size_t{1}}) {
    INFO("row " << row);
    bench.click("model.set.row." + std::to_string(row + 1));
    CHECK(kept.work->ids == rows[row].from);
    CHECK_FALSE(bench.robot().shows("model.patches.row"));
  }
  // A set that is opened anew does not say which of them the text was.
  bench.click("model.set.close");
  bench.open_set(content);
  CHECK(bench.robot().value("model.set.row.1") == "open");
  bench.click("model.set.row.3");
  CHECK(kept.work->ids == rows[2].from);
  // From another text A does not follow, and that of the row is offered.
  bench.edit(SetModelText{"Mary and Tom went out . Tom gave the key to"});
  bench.click("model.set.row.2");
  CHECK(kept.work->ids == rows[2].from);
  bench.click("model.patches.row");
  CHECK(kept.work->ids == rows[1].from);
}

TEST_CASE("set table: below a set the maps of few layers have rows that can be read") {
  SetBench bench;
  bench.click("model.set.row.1");
  bench.click("model.page.patches");
  bench.click("model.patches.row");
  bench.click("model.patches.compute");
  const Rect estimated = bench.robot().widget("model.estimate.cells").rect,
             each = bench.robot().widget("model.patches.cells").rect;
  const double rows = 4;  // three layers, and the stream behind them
  CHECK(estimated.height >= 15 * rows);
  CHECK(each.height == estimated.height);
}

TEST_CASE("set table: the loss of a target and that of a text have two names") {
  SetBench bench;
  bench.model().set.metric = Metric::Loss;
  bench.settle();
  CHECK(bench.robot().shows("model.set.column.target loss"));
  bench.click("model.page.questions");
  bench.ask("ablation");
  bench.click("model.question.compute");
  CHECK_THAT(bench.robot().value("model.question.notes"), ContainsSubstring("loss of the text"));
  CHECK(bench.found().tables[0].quantity == "change of the loss of the text");
  bench.open_set("text\nMary met Tom\nTom met Mary\n");
  CHECK(bench.robot().shows("model.set.column.loss of the text"));
}

TEST_CASE("set table: in answers the loss of a target has the metric's own name") {
  SetBench bench;
  bench.model().set.metric = Metric::Loss;
  bench.settle();
  bench.click("model.page.questions");
  bench.ask("direction");
  if (bench.robot().shows("model.question.compute")) bench.click("model.question.compute");
  const std::vector<ResultTable>& tables = bench.found().tables;
  const auto target = std::find_if(tables.begin(), tables.end(),
                                   [](const ResultTable& table) { return table.name == "target"; });
  REQUIRE(target != tables.end());
  CHECK(target->rows == std::vector<std::string>{"loss"});
  CHECK(target->quantity == "loss");
}

TEST_CASE("set table: its numbers have a true minus sign, and ranks no decimals") {
  SetBench bench;
  bench.model().set.metric = Metric::LogProbability;
  bench.settle();
  CHECK(bench.robot().value("model.set.mean").starts_with("−"));
  CHECK(bench.robot().value("model.set.mean").find('-') == std::string::npos);
  CHECK(bench.robot().value("model.set.number.1").starts_with("−"));
  bench.model().set.metric = Metric::Rank;
  bench.settle();
  CHECK(bench.robot().value("model.set.number.1").find('.') == std::string::npos);
}

TEST_CASE("set table: a head is put at its mean over the rows that are on, by its menu") {
  SetBench bench;
  const auto choose = [&](const std::string& entry) {
    bench.robot().right_click("model.head.0.2");
    bench.robot().frames(2);
    bench.click("model.head.menu." + entry);
  };
  choose("set_mean");
  REQUIRE(bench.open().on.interventions.size() == 1);
  const Intervention mean = *bench.open().on.interventions.front();
  CHECK(mean.place == InterventionPlace::Head);
  CHECK(mean.how == InterventionHow::Mean);
  CHECK(mean.units == std::vector<Index>{2});
  CHECK(mean.texts == bench.set().rows->texts());
  CHECK_THAT(bench.robot().value("model.head.0.2"), ContainsSubstring("its mean over 3 texts"));
  choose("off");
  CHECK(bench.open().on.interventions.empty());
  CHECK_THAT(bench.robot().value("model.head.0.2"), ContainsSubstring("off"));
  choose("set_mean");
  choose("on");
  CHECK(bench.open().on.interventions.empty());
  CHECK(bench.robot().value("model.head.0.2").empty());
}

TEST_CASE("set table: what one click in the menu of a head does is undone at once") {
  SetBench bench;
  const auto choose = [&](const std::string& entry) {
    bench.robot().right_click("model.head.0.2");
    bench.robot().frames(2);
    bench.click("model.head.menu." + entry);
  };
  const auto undone = [&](const std::string& entry) {
    INFO(entry);
    const OpenModel before = bench.open();
    choose(entry);
    CHECK_FALSE(bench.open().on == before.on);
    bench.fixture.document().undo();
    bench.settle();
    CHECK(bench.open().on == before.on);
    CHECK(bench.open().off == before.off);
  };
  choose("off");
  undone("set_mean");
  choose("set_mean");
  undone("mean");
  undone("off");
  bench.click("model.set.on.3");
  undone("set_mean");
}

TEST_CASE("set table: heads are ablated together, at their means over the set") {
  SetBench bench;
  bench.click("model.page.questions");
  bench.ask("ablation");
  const auto choose_several = [&] {
    CHECK_FALSE(bench.robot().shows("model.question.together"));
    bench.robot().click("model.question.ablation");
    bench.click("model.question.ablation.together");
  };
  const auto type = [&](const std::string& heads) {
    bench.robot().click("model.question.together");
    bench.robot().key(Key::A, {.ctrl = true});
    if (heads.empty()) bench.robot().key(Key::Backspace);
    bench.robot().type(heads);
    bench.robot().key(Key::Enter);
    bench.settle();
  };
  choose_several();
  type("1.0,2.1");
  bench.click("model.question.compute");
  REQUIRE(bench.found().tables.size() == 1);
  CHECK(bench.found().tables[0].name == "together");
  CHECK(bench.found().rows.size() == 3);
  const std::vector<HeadPlace> two = {{1, 0}, {2, 1}};
  CHECK(bench.model().analyses.asked.together == two);
  type("");
  CHECK(bench.model().analyses.asked.together.empty());
  choose_several();
  type("1.0,9.9");
  CHECK(bench.model().analyses.asked.together.empty());
}

TEST_CASE("set table: a question about two texts offers the row's other text too") {
  SetBench bench;
  bench.click("model.set.row.1");
  bench.click("model.page.questions");
  bench.ask("patches");
  bench.click("model.question.set");
  CHECK_THAT(bench.robot().value("model.page.note"), ContainsSubstring("row 1"));
  bench.click("model.patches.row");
  CHECK_FALSE(bench.robot().shows("model.patches.row"));
  bench.click("model.question.compute");
  CHECK(bench.found().rows.empty());
}

TEST_CASE("set table: a question that the set cannot answer is of the open text, and the switch says why") {
  SetBench bench;
  bench.open_set("text\nMary met Tom\nTom met Mary\n");
  bench.click("model.page.questions");
  CHECK(bench.found().rows.size() == 2);
  CHECK(bench.robot().widget("model.question.set").enabled);
  bench.ask("circuit");
  CHECK(bench.found().rows.empty());
  CHECK_FALSE(bench.robot().widget("model.question.set").enabled);
  CHECK_THAT(why_not_of_set(bench.model()), ContainsSubstring("names"));
  bench.ask("patches");
  CHECK_FALSE(bench.robot().widget("model.question.set").enabled);
  CHECK_THAT(bench.robot().value("model.page.note"), ContainsSubstring("Keep the present text"));
  CHECK_THAT(why_not_of_set(bench.model()), ContainsSubstring("from"));
  bench.ask("loss");
  CHECK(bench.found().rows.size() == 2);
}

TEST_CASE("set table: in the window no refusal of a question about a set names an option") {
  SetBench bench;
  bench.click("model.page.questions");
  for (const AnalysisInfo& info : analysis_table()) {
    bench.model().analyses.asked.kind = info.kind;
    bench.settle();
    if (bench.robot().shows("model.question.compute")) bench.click("model.question.compute");
    INFO(info.name);
    const std::shared_ptr<const AnalysisRun>& run = bench.model().analyses.run;
    if (run && run->failure) CHECK_THAT(run->failure->what(), !ContainsSubstring("--"));
    if (bench.robot().shows("model.page.note"))
      CHECK_THAT(bench.robot().value("model.page.note"), !ContainsSubstring("--"));
  }
}

TEST_CASE("set table: it is folded to a line, and closed") {
  SetBench bench;
  CHECK(bench.robot().shows("model.set.row.1"));
  bench.click("model.set.fold");
  CHECK_FALSE(bench.robot().shows("model.set.row.1"));
  CHECK(bench.robot().shows("model.set.mean"));
  bench.click("model.set.close");
  CHECK_FALSE(bench.open().set.has_value());
  CHECK_FALSE(bench.robot().shows("model.set"));
}

TEST_CASE("set table: with the set goes the target of its last row, unless another one was chosen") {
  SetBench bench;
  bench.click("model.set.row.2");
  REQUIRE(bench.model().target);
  REQUIRE(bench.model().against);
  bench.edit(SetModelText{"Mary and Tom went out"});
  CHECK(bench.model().target);
  bench.click("model.set.close");
  CHECK_FALSE(bench.model().target);
  CHECK_FALSE(bench.model().against);
  bench.open_set(read_file(source_root() + "/tests/golden/sets/pairs.tsv"));
  bench.click("model.set.row.2");
  bench.model().target = 5;
  bench.click("model.set.close");
  CHECK(bench.model().target == 5);
}

TEST_CASE("set table: over a set the words beside a question are of its rows") {
  SetBench bench;
  bench.click("model.set.row.1");
  bench.click("model.page.questions");
  bench.ask("parts");
  CHECK(bench.robot().value("model.question.targets") == "target, against: of each row");
  CHECK_FALSE(bench.robot().shows("model.question.target"));
  CHECK_FALSE(bench.robot().shows("model.against"));
  bench.click("model.question.set");
  CHECK_FALSE(bench.robot().shows("model.question.targets"));
  CHECK(bench.robot().shows("model.question.target"));
  CHECK(bench.robot().value("model.against") == std::to_string(bench.model().against.value_or(-1)));
}

TEST_CASE("set table: a file that is no data set says why") {
  SetBench bench;
  bench.folder.write("wrong.tsv", "text\t@S\nMary met Mary\tMary\n");
  bench.edit(ChooseSet{ChosenSet{bench.folder / "wrong.tsv", {}}});
  bench.settle();
  CHECK_THAT(bench.robot().value("model.set.note"), ContainsSubstring("row 1, column @S"));
  bench.click("model.page.questions");
  CHECK_FALSE(bench.robot().shows("model.question.set"));
}
