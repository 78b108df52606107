// Every number of the pages of a model leads on: what a click on each kind of answer shows.
#include <set>

#include "app/figure/plan/share_text.h"
#include "engine/analysis/analysis.h"
#include "tests/support/catch.h"
#include "tests/support/dictionaries.h"
#include "tests/ui/support/model_bench.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr Index kLast = 5;  // the token that predicts

// A token that begins the text and five words, in a model of three layers with six heads.
struct LeadingBench : ModelBench {
  LeadingBench() : ModelBench(source_root() + "/assets/examples/words", {1600, 900}) {
    edit(SetModelText{"Tom gave the key to"});
    model().pages_beside = true;
    REQUIRE(open().ids.size() == static_cast<std::size_t>(kLast) + 1);
  }
  // Layer 1 and head 5 are shown, of a stage that no answer leads to.
  void forget() {
    ViewState& view = fixture.view();
    view.selection.cell.reset();
    view.focused_stage = Stage::Concat;
    view.head = 5;
    model().position.reset();
    model().target.reset();
    model().part.reset();
    model().analyses.layer.reset();
    model().analyses.head.reset();
    edit(ShowLayer{LayerPlace(1)});
  }
  // "layer 2 output (3, 0)": what is shown now in the place of what forget() has set.
  std::string shown() {
    const ViewState& view = fixture.view();
    std::string text;
    if (view.focused_stage != Stage::Concat) {
      text = "layer " + std::to_string(open().layer.layer) + " " +
             std::string(stage_info(view.focused_stage).name);
      if (stage_info(view.focused_stage).per_head && view.head) text += " head " + std::to_string(*view.head);
      if (view.selection.cell)
        text += " (" + std::to_string(view.selection.cell->row) + ", " +
                std::to_string(view.selection.cell->column) + ")";
    }
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (model().part) add("part");
    if (model().position) add("position " + std::to_string(*model().position));
    if (model().target) add("target");
    return text;
  }
  // The middle of a cell of a picture whose cells have that name.
  ImVec2 cell(const std::string& name, Index row, Index column, Index rows, Index columns) {
    const Rect cells = robot().widget(name).rect;
    return {static_cast<float>(cells.x + cells.width * (static_cast<double>(column) + 0.5) /
                                             static_cast<double>(columns)),
            static_cast<float>(cells.y +
                               cells.height * (static_cast<double>(row) + 0.5) / static_cast<double>(rows))};
  }
  // What stands under the pointer there before it is clicked.
  std::string told_at(ImVec2 place) {
    robot().move_to({2, 2});  // a tooltip waits after a click until the pointer has left
    robot().frames(2);
    robot().move_to(place);
    robot().rest(0.7f);
    robot().frames(2);
    const std::string told = robot().shows("tooltip") ? robot().value("tooltip") : "";
    robot().click_at(place);
    settle();
    return told;
  }
};

// Where a click on a cell of a question's table leads.
struct Lead {
  AnalysisKind kind;
  std::string table;
  Index row, column;
  std::string shown;
};

// Each table of each question; layer 1 and head 5 are asked about.
std::vector<Lead> leads() {
  using K = AnalysisKind;
  return {{K::Loss, "loss", 2, 0, "position 1"},
          {K::Lens, "likeliest", 1, 2, "layer 1 embeddings (2, 0), position 2"},
          {K::Lens, "target_probability", 0, 3, "layer 0 embeddings (3, 0), position 3"},
          {K::Lens, "target_rank", 3, 2, "layer 2 output (2, 0), position 2"},
          {K::Parts, "heads", 0, 4, "layer 0 weights head 4"},
          {K::Parts, "mlps", 2, 0, "neurons of layer 2"},
          {K::Parts, "rest", 0, 0, "layer 0 embeddings (5, 0)"},
          {K::Patches, "change", 2, 1, "layer 2 embeddings (1, 0)"},
          {K::Ablation, "heads", 2, 3, "layer 2 weights head 3"},
          {K::Ablation, "mlps", 2, 0, "layer 2 output"},
          {K::Measures, "measures", 8, 0, "layer 1 weights head 2"},
          {K::Circuit, "ov", 1, 0, "layer 1 values head 5 (2, 0)"},
          {K::Circuit, "qk", 2, 1, "layer 1 scores head 5 (3, 2)"},
          {K::Circuit, "copied", 0, 0, "layer 1 values head 5 (1, 0)"},
          {K::Circuit, "lowered", 3, 0, "layer 1 values head 5 (4, 0)"},
          {K::Circuit, "singular_values", 1, 0, "layer 1 weights head 5"},
          {K::Composition, "queries", 0, 2, "layer 0 weights head 2"},
          {K::Composition, "keys", 0, 3, "layer 0 weights head 3"},
          {K::Composition, "values", 0, 4, "layer 0 weights head 4"},
          {K::Composition, "random", 0, 0, "layer 1 weights head 5"},
          {K::Neurons, "neurons", 3, 0, ""},
          {K::Norms, "stream", 0, 1, "layer 0 embeddings (1, 0)"},
          {K::Norms, "attention", 2, 1, "layer 2 output (1, 0)"},
          {K::Norms, "mlps", 0, 1, "neurons of layer 0"},
          {K::Moved, "moved", 3, 1, "layer 1 weights head 5 (3, 1)"},
          {K::Moved, "weights", 2, 0, "layer 1 weights head 5 (2, 0)"},
          {K::Rollout, "rollout", 3, 1, "layer 2 weights head 5 (3, 1)"},
          {K::Rollout, "by_layer", 0, 2, "layer 0 weights head 5 (5, 2)"},
          {K::Direction, "probability", 0, 1, "target"},
          {K::Direction, "logit", 1, 0, "target"},
          {K::Score, "parts", 2, 3, "layer 0 weights head 1"},
          {K::Score, "strongest", 0, 0, "layer 0 output"},
          {K::Paths, "change", 0, 1, "layer 0 queries head 1"},
          {K::Edges, "edges", 0, 1, "layer 0 queries head 1"},
          {K::Edges, "strongest", 0, 0, "layer 0 queries head 0"},
          {K::Edges, "kept", 0, 0, "layer 2 output"},
          {K::Features, "tokens", 2, 0, "layer 1 embeddings (2, 0)"},
          {K::Features, "features", 0, 0, "layer 1 embeddings"},
          {K::Features, "activations", 3, 0, "layer 1 embeddings (3, 0)"},
          {K::Features, "steered", 0, 1, "target"}};
}

// The answer of the question, computed if it takes a button.
const AnalysisResult& answer_of(LeadingBench& bench, AnalysisKind kind) {
  AnalysisView& view = bench.model().analyses;
  bench.model().page = ModelPage::Analyses;
  view.asked.kind = kind;
  view.table = 0;
  view.edges_as_matrix = true;
  bench.settle();
  if (!view.fresh) bench.click("model.question.compute");
  REQUIRE(view.fresh);
  INFO((view.run->failure ? view.run->failure->what() : ""));
  REQUIRE_FALSE(view.run->failure);
  return view.run->result;
}

std::size_t index_of(const AnalysisResult& result, const std::string& name) {
  for (std::size_t at = 0; at < result.tables.size(); ++at)
    if (result.tables[at].name == name) return at;
  FAIL("there is no table " + name);
  return 0;
}

ImVec2 place_of(LeadingBench& bench, const ResultTable& table, const Lead& lead) {
  switch (table.kind) {
    case ResultTable::Kind::Grid:
      return bench.cell("model.question.cells", lead.row, lead.column, table.values.rows(),
                        table.values.cols());
    case ResultTable::Kind::Text:
      return bench.robot().middle_of("model.question.word." + std::to_string(lead.row));
    case ResultTable::Kind::List:
      return bench.robot().middle_of("model.question.row." + std::to_string(lead.row));
  }
  return {};
}

// What is led to shows the number, where a page has it.
void check_shown(LeadingBench& bench, const Lead& lead, const ResultTable& table) {
  const double value = double{table.values(lead.row, lead.column)};
  if (lead.kind == AnalysisKind::Lens) {
    CHECK(bench.model().page == ModelPage::Layers);
    if (lead.table == "likeliest")
      CHECK(bench.robot()
                .value("model.lens." + std::to_string(lead.row) + ".0")
                .ends_with(share_text(value, 1)));
  }
  if (lead.kind == AnalysisKind::Neurons) {  // the sum of all is there
    CHECK(bench.model().page == ModelPage::Parts);
    CHECK(bench.model().mlp_part == 1);
    CHECK_FALSE(bench.model().part);
    CHECK(bench.robot().shows("model.parts.cells"));
  }
  if (lead.kind == AnalysisKind::Moved && lead.table == "weights") {
    const CellAddress& cell = *bench.fixture.view().selection.cell;
    NetworkPass pass(bench.open().network);
    pass.set_ids(bench.open().ids);
    const Matrix weights = pass.attention_weights(bench.open().layer.layer, cell.head);
    CHECK_THAT(double{weights(cell.row, cell.column)}, WithinAbs(value, 1e-5));
  }
}

// Four decimals, or the digits of a whole number.
std::string exact(float value) {
  char text[32];
  std::snprintf(text, sizeof text, value == std::round(value) ? "%.0f" : "%.4f",
                static_cast<double>(std::abs(value)));
  return text;
}

}  // namespace

TEST_CASE("answers lead on: a click on a number of each question shows where it comes from") {
  LeadingBench bench;
  bench.fixture.view().baseline.work = bench.model().work;
  bench.edit(SetModelText{"Ann gave the key to"});
  bench.edit(SetModelText{"Tom gave the key to"});
  const TemporaryFolder folder;
  Analysis& asked = bench.model().analyses.asked;
  asked.dictionary = folder / "dictionary.npz";
  asked.feature = 3;
  write_identity_dictionary(asked.dictionary, bench.open().network->config().width);
  std::set<std::pair<AnalysisKind, std::string>> covered;
  for (const Lead& lead : leads()) {
    covered.emplace(lead.kind, lead.table);
    INFO(analysis_info(lead.kind).name << ", " << lead.table);
    bench.forget();
    const std::size_t at = index_of(answer_of(bench, lead.kind), lead.table);
    bench.model().analyses.table = at;
    bench.settle();
    const ResultTable table = bench.model().analyses.run->result.tables[at];
    const std::string told = bench.told_at(place_of(bench, table, lead));
    INFO(told);
    CHECK_THAT(told, ContainsSubstring(exact(table.values(lead.row, lead.column))));
    CHECK_THAT(told, ContainsSubstring("A click shows it"));
    if (const std::size_t from = told.rfind(", from "); from != std::string::npos) {
      const std::string words = told.substr(from + 7, told.rfind(". A click") - from - 7);
      CHECK_THAT(told.substr(0, from), !ContainsSubstring(words));  // the place is named once
    }
    if (table.kind == ResultTable::Kind::Grid) CHECK_THAT(told, ContainsSubstring(table.row_axis + " "));
    const AnalysisView& view = bench.model().analyses;
    const bool neurons = view.asked.kind != lead.kind;
    if (neurons)
      CHECK("neurons of layer " + std::to_string(view.layer.value_or(-1)) == lead.shown);
    else
      CHECK(bench.shown() == lead.shown);
    CHECK(view.fresh);  // the answer stays, or that of the neurons is there
    check_shown(bench, lead, table);
  }
  for (const AnalysisInfo& info : analysis_table()) {
    bench.forget();
    for (const ResultTable& table : answer_of(bench, info.kind).tables) {
      INFO(info.name << ", " << table.name);
      CHECK(covered.count({info.kind, table.name}) == 1);
    }
  }
}

TEST_CASE("answers lead on: numbers of a transcoder's features show the MLP that it writes for") {
  LeadingBench bench;
  const TemporaryFolder folder;
  Analysis& asked = bench.model().analyses.asked;
  asked.dictionary = folder / "transcoder.npz";
  write_identity_transcoder(asked.dictionary, bench.open().network->config().width);
  using K = AnalysisKind;
  for (const Lead& lead : {Lead{K::Features, "tokens", 2, 0, ""}, Lead{K::Features, "features", 0, 0, ""},
                           Lead{K::Features, "activations", 3, 0, ""}}) {
    INFO(lead.table);
    bench.forget();
    const std::size_t at = index_of(answer_of(bench, lead.kind), lead.table);
    bench.model().analyses.table = at;
    bench.settle();
    CHECK(bench.robot().value("model.question.place") == "mlp");
    const ResultTable table = bench.model().analyses.run->result.tables[at];
    CHECK_THAT(bench.told_at(place_of(bench, table, lead)), ContainsSubstring("the MLP of"));
    CHECK(bench.shown() == "layer 1 output");
  }
  CHECK_THAT(bench.model().analyses.run->result.about, ContainsSubstring(R"("place":"mlp")"));
  CHECK_FALSE(asked.place);  // nothing was chosen
}

TEST_CASE("answers lead on: a text of a set becomes the open one, and the answer about the set stays") {
  LeadingBench bench;
  const TemporaryFolder folder;
  folder.write("texts.txt", "Tom gave the key\nAnn gave the key to\n");
  bench.model().analyses.texts_file = folder / "texts.txt";
  answer_of(bench, AnalysisKind::Loss);
  bench.click("model.question.row.1");
  CHECK_THAT(bench.open().text, ContainsSubstring("Ann gave the key to"));
  CHECK(bench.model().analyses.fresh);
  CHECK(bench.robot().shows("model.question.row.0"));
}

TEST_CASE(
    "answers lead on: a page that is the large picture itself stays where one of its numbers is clicked") {
  LeadingBench bench;
  bench.forget();
  bench.model().page = ModelPage::Layers;
  bench.settle();
  bench.model().pages_beside = false;
  bench.fixture.view().focus_view = FocusView::Model;
  const std::string told = bench.told_at(bench.robot().middle_of("model.lens.2.0"));
  CHECK_THAT(told, ContainsSubstring("from the stream"));
  CHECK_THAT(told, !ContainsSubstring("A click"));
  CHECK(bench.fixture.view().focus_view == FocusView::Model);
  CHECK(bench.model().page == ModelPage::Layers);
  CHECK(bench.model().target.has_value());
  CHECK_FALSE(bench.fixture.view().selection.cell.has_value());
}

TEST_CASE("answers lead on: cells and rows of the pages show the head, the layer or the token") {
  LeadingBench bench;
  const auto on = [&](ModelPage page) {
    bench.forget();
    bench.model().page = page;
    bench.settle();
  };
  const auto clicked = [&](const std::string& name) {
    bench.told_at(bench.robot().middle_of(name));
    return bench.shown();
  };
  on(ModelPage::Heads);
  CHECK(clicked("model.head.2.3") == "layer 2 weights head 3");
  on(ModelPage::Heads);
  bench.fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 5, 3, 2};
  bench.settle();
  const std::string strongest = clicked("model.strongest.0");
  CHECK(strongest.ends_with("(3, 2)"));
  CHECK_FALSE(strongest.starts_with("layer 1 weights head 5"));
  on(ModelPage::Layers);
  CHECK(clicked("model.lens.2.0") == "layer 2 embeddings (5, 0), target");
  CHECK(bench.model().page == ModelPage::Layers);  // which has the number
  on(ModelPage::Text);
  CHECK(clicked("model.prediction.1") == "target");
  CHECK(clicked("model.token.2") == "position 2, target");
  // Rows: the embedding, three layers, the last biases. Columns: six heads, the MLP, other biases.
  const auto part = [&](Index row, Index column) {
    on(ModelPage::Parts);
    const std::string told = bench.told_at(bench.cell("model.parts.cells", row, column, 5, 8));
    CHECK_THAT(told, ContainsSubstring("A click"));
    return bench.shown();
  };
  CHECK(part(0, 7) == "layer 0 embeddings (5, 0)");
  CHECK(part(2, 7) == "layer 1 output (5, 0)");
  CHECK(part(4, 7) == "layer 2 output (5, 0)");
  CHECK(part(3, 6).empty());
  CHECK(bench.model().page == ModelPage::Analyses);
  CHECK(bench.model().analyses.asked.kind == AnalysisKind::Neurons);
  CHECK(bench.model().analyses.layer == 2);
  CHECK(part(3, 3) == "layer 2 weights head 3, part");
  CHECK(clicked("model.source.0").starts_with("layer 2 weights head 3 (5, "));
  on(ModelPage::Parts);
  CHECK(clicked("model.embedding.0").starts_with("layer 0 embeddings"));
}

TEST_CASE("answers lead on: the estimate of a patch shows what it replaces, a computed one is kept") {
  LeadingBench bench;
  bench.fixture.view().baseline.work = bench.model().work;
  bench.edit(SetModelText{"Ann gave the key to"});
  bench.forget();
  bench.model().page = ModelPage::Patches;
  bench.settle();
  const std::string told = bench.told_at(bench.cell("model.estimate.cells", 2, 5, 4, 6));
  CHECK_THAT(told, ContainsSubstring("the stream into layer 2 at “to”"));
  CHECK(bench.shown() == "layer 2 embeddings (5, 0)");
  // Another token's row would make the logit another one's: the layer is shown alone.
  bench.forget();
  bench.told_at(bench.cell("model.estimate.cells", 1, 2, 4, 6));
  CHECK(bench.shown() == "layer 1 embeddings");
  bench.click("model.patches.compute");
  bench.told_at(bench.cell("model.patches.cells", 1, 2, 4, 6));
  REQUIRE(bench.open().on.patches.size() == 1);
  CHECK(bench.open().on.patches.front().layer == 1);
  CHECK(bench.open().on.patches.front().row == 2);
}

TEST_CASE("patches: what a click has put in is named on the page, and taken out there") {
  LeadingBench bench;
  bench.model().page = ModelPage::Patches;
  bench.settle();
  bench.click("model.patches.keep");
  CHECK(bench.robot().shows("model.patches.next"));  // what is to be done next, not a map of zeros
  CHECK_FALSE(bench.robot().shows("model.estimate"));
  bench.edit(SetModelText{"Ann gave the key to"});
  bench.settle();
  CHECK_FALSE(bench.robot().shows("model.patches.next"));
  bench.click("model.patches.stage");
  bench.click("model.patches.stage.mlp_added");
  bench.click("model.patches.compute");
  CHECK_FALSE(bench.robot().shows("model.patches.put_in"));
  bench.told_at(bench.cell("model.patches.cells", 1, 2, 3, 6));
  REQUIRE(bench.open().on.patches.size() == 1);
  CHECK(bench.robot().value("model.patches.put_in") ==
        "Put in: what the MLP adds at gave (2) in layer 1, from the kept text “Tom gave the key to”");
  bench.click("model.patches.compute");
  bench.told_at(bench.cell("model.patches.cells", 2, 4, 3, 6));
  REQUIRE(bench.open().on.patches.size() == 2);
  CHECK_THAT(bench.robot().value("model.patches.put_in"), ContainsSubstring("key (4) in layer 2"));
  CHECK(bench.robot().value("model.patches.put_in").ends_with("(and 1 before it)"));
  bench.click("model.patches.undo");
  bench.settle();
  REQUIRE(bench.open().on.patches.size() == 1);
  CHECK_THAT(bench.robot().value("model.patches.put_in"), ContainsSubstring("gave (2) in layer 1"));
  bench.click("model.patches.undo");
  bench.settle();
  CHECK(bench.open().on.patches.empty());
  CHECK_FALSE(bench.robot().shows("model.patches.put_in"));
  CHECK_FALSE(bench.robot().shows("model.patches.undo"));
}

TEST_CASE("answers lead on: a layer without the stage that a number comes from shows its weights") {
  ModelBench bench("qwen3");  // its queries and keys are given, behind their norms
  bench.model().pages_beside = true;
  REQUIRE_FALSE(stage_exists(bench.fixture.layer(), Stage::Embeddings));
  bench.click("model.page.layers");
  bench.click("model.lens.1.0");
  CHECK(bench.open().layer.layer == 1);
  CHECK(bench.fixture.view().focused_stage == Stage::Weights);
  CHECK_FALSE(bench.fixture.view().selection.cell);
}

TEST_CASE("answers lead on: a map of many tokens is zoomed by the wheel, moved and shown whole again") {
  LeadingBench bench;
  TokenIds& tokens = bench.model().analyses.asked.tokens;
  for (std::int32_t id = 0; id < 200; ++id)
    tokens.push_back(id);
  bench.forget();
  const ResultTable whole = answer_of(bench, AnalysisKind::Circuit).tables[0];
  const std::string cells = "model.question.cells", all = "rows 0 to 199, columns 0 to 199";
  CHECK(bench.robot().value(cells) == all);
  const ImVec2 place = bench.cell(cells, 150, 20, 200, 200);
  for (int step = 0; step < 14; ++step)
    bench.robot().wheel_at(place, 1);
  const std::string near = bench.robot().value(cells);
  CHECK(near != all);
  // What is pointed at is a number of the part that is seen, and near the one that was.
  int row = 0, row_end = 0, column = 0, column_end = 0;
  REQUIRE(std::sscanf(near.c_str(), "rows %d to %d, columns %d to %d", &row, &row_end, &column,
                      &column_end) == 4);
  const Rect seen = bench.robot().widget(cells).rect;
  const auto at = [](double share, int begin, int end) {
    return begin + static_cast<int>(share * (end + 1 - begin));
  };
  const Index pointed = at((double{place.y} - seen.y) / seen.height, row, row_end),
              across = at((double{place.x} - seen.x) / seen.width, column, column_end);
  CHECK(std::abs(pointed - 150) < 20);
  CHECK(std::abs(across - 20) < 20);
  CHECK_THAT(bench.told_at(place), ContainsSubstring(exact(whole.values(pointed, across))));
  const Rect rect = bench.robot().widget(cells).rect;
  const ImVec2 from = {static_cast<float>(rect.x + rect.width / 2),
                       static_cast<float>(rect.y + rect.height / 2)};
  bench.robot().stroke_middle(from, {from.x, from.y + 200});
  CHECK(bench.robot().value(cells) != near);
  bench.robot().move_to(from);
  bench.robot().key(Key::Home);
  bench.robot().frames(2);
  CHECK(bench.robot().value(cells) == all);
  bench.robot().move_to(place);
  bench.robot().double_click(cells);
  bench.robot().frames(2);
  CHECK(bench.robot().value(cells) != all);
  // Another table begins whole.
  bench.model().analyses.table = 1;
  bench.settle();
  CHECK(bench.robot().value(cells) == all);
}
