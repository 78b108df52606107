// The page *Questions*: what is asked of the open model, and the answers in the window.
#include "app/export/about.h"
#include "engine/analysis/edge_attribution.h"
#include "engine/interpretation/predictions.h"
#include "tests/support/catch.h"
#include "tests/support/dictionaries.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/model_bench.h"

using namespace headlight;
using namespace headlight_test;

namespace {

void ask(ModelBench& bench, const std::string& question) {
  bench.robot().click("model.question");
  bench.click("model.question." + question);
}

const AnalysisResult& found(ModelBench& bench) {
  const AnalysisView& view = bench.model().analyses;
  REQUIRE(view.fresh);
  INFO((view.run->failure ? view.run->failure->what() : ""));
  REQUIRE_FALSE(view.run->failure);
  return view.run->result;
}

std::string words_folder() {
  return source_root() + "/assets/examples/words";
}

void type_in(ModelBench& bench, const std::string& field, const std::string& text) {
  bench.robot().click(field);
  bench.robot().key(Key::A, {.ctrl = true});
  bench.robot().type(text);
  bench.robot().key(Key::Enter);
  bench.settle();
}

struct QuestionsBench : ModelBench {
  explicit QuestionsBench(const std::string& family = "gpt2") : ModelBench(family) {
    click("model.page.questions");
  }
};

}  // namespace

TEST_CASE("analyses page: each question is answered at once, or when it is told to") {
  QuestionsBench bench;
  const TemporaryFolder folder;
  const std::string dictionary = folder / "dictionary.npz";
  write_identity_dictionary(dictionary, bench.open().network->config().width);
  bench.model().analyses.asked.dictionary = dictionary;
  for (const AnalysisInfo& info : analysis_table()) {
    if (info.of_other) continue;
    INFO(info.name);
    if (info.kind != AnalysisKind::Loss) ask(bench, std::string(info.name));
    if (info.kind == AnalysisKind::Composition) {
      CHECK_THAT(bench.robot().value("model.page.note"), ContainsSubstring("no heads before it"));
      bench.robot().click("model.question.layer");
      bench.click("model.question.layer.1");
    }
    CHECK(bench.robot().shows("model.question.compute") == info.takes_long);
    if (info.takes_long) bench.click("model.question.compute");
    CHECK_FALSE(bench.robot().shows("model.question.compute"));  // it is answered
    CHECK(!found(bench).tables.empty());
    CHECK(bench.robot().shows("model.question.answer"));
  }
}

TEST_CASE("analyses page: the loss is that of the open text, follows changes, and stands beside A's") {
  QuestionsBench bench;
  const auto own_loss = [&] {
    NetworkPass pass(bench.open().network);
    take_state(pass, state_of(bench.open()));
    return token_losses(pass);
  };
  CHECK_THAT(found(bench).tables[0].values(1, 0), WithinAbs(own_loss()[0].loss, 1e-4));
  bench.fixture.view().baseline.work = bench.model().work;
  const double before = own_loss()[1].loss;
  bench.edit(SetHead{0, 0, HeadState::Off});
  const ResultTable& table = found(bench).tables[0];
  CHECK_THAT(table.values(2, 0), WithinAbs(own_loss()[1].loss, 1e-4));
  CHECK_THAT(table.values(2, 3), WithinAbs(before, 1e-4));
}

TEST_CASE("analyses page: a target that is typed stays, until it is emptied") {
  QuestionsBench bench;
  ask(bench, "parts");
  const std::int32_t likeliest = bench.model().logit_choice().id;
  const std::int32_t other = likeliest == 7 ? 8 : 7;
  bench.robot().click("model.question.target");
  bench.robot().type("#" + std::to_string(other));
  bench.robot().key(Key::Enter);
  bench.settle();
  CHECK(bench.model().target == other);
  CHECK(bench.model().analyses.run->analysis.target == other);
  CHECK_THAT(bench.robot().value("model.question.notes"), ContainsSubstring("id " + std::to_string(other)));
  bench.robot().click("model.question.target");
  bench.robot().type("#999999999");
  bench.robot().key(Key::Enter);
  bench.settle();
  CHECK(bench.model().target == other);
}

TEST_CASE("analyses page: a target that is no token, or several, is refused in sight on every page") {
  ModelBench bench(words_folder());
  const TextFieldState& field = bench.pages.analyses.target.target;
  for (const std::string page : {"parts", "patches"}) {
    INFO(page);
    bench.click("model.page." + page);
    type_in(bench, "model.question.target", "xyzzy");
    CHECK_FALSE(bench.model().target);
    CHECK_THAT(field.message, ContainsSubstring("no token of the vocabulary, but several"));
    type_in(bench, "model.question.target", "#123456");
    CHECK_FALSE(bench.model().target);
    CHECK_THAT(field.message, ContainsSubstring("no id of the vocabulary"));
    type_in(bench, "model.question.target", " Mary");
    CHECK(bench.model().target == typed_target(*bench.open().network, " Mary").id);
    CHECK(field.message.empty());
    bench.model().target.reset();
  }
}

TEST_CASE("analyses page: the token against the target is typed, and is never the target itself") {
  ModelBench bench(words_folder());
  const std::int32_t mary = typed_target(*bench.open().network, " Mary").id,
                     tom = typed_target(*bench.open().network, " Tom").id;
  bench.model().target = mary;
  for (const std::string page : {"parts", "patches"}) {
    INFO(page);
    bench.click("model.page." + page);
    bench.robot().click("model.against");
    bench.click("model.against.other");
    type_in(bench, "model.against.typed", " Mary");
    CHECK_FALSE(bench.model().against);
    CHECK_THAT(bench.pages.analyses.target.against.message, ContainsSubstring("less itself"));
    type_in(bench, "model.against.typed", " Tom");
    CHECK(bench.model().against == tom);
    CHECK(bench.robot().value("model.against") == std::to_string(tom));
    CHECK_THAT(bench.robot().value("model.target"), ContainsSubstring("Tom"));
    bench.robot().click("model.against");
    bench.click("model.against.none");
    CHECK_FALSE(bench.model().against);
  }
}

TEST_CASE("analyses page: the likeliest token is not told against itself") {
  ModelBench bench("gpt2");
  bench.click("model.page.parts");
  const std::int32_t likeliest = bench.expected().front().id;
  bench.model().target = bench.expected()[1].id;
  bench.model().against = likeliest;
  bench.settle();
  CHECK_THAT(bench.robot().value("model.target"), ContainsSubstring("−"));
  bench.model().target.reset();
  bench.settle();
  CHECK(bench.model().logit_choice().id == likeliest);
  CHECK_FALSE(bench.model().logit_choice().other);
  CHECK_THAT(bench.robot().value("model.target"), !ContainsSubstring("−"));
  CHECK(bench.robot().value("model.against") == "none");
  bench.robot().click("model.against");
  bench.robot().frames(2);
  CHECK(bench.robot().shows("model.against." + std::to_string(bench.expected()[1].id)));
  CHECK_FALSE(bench.robot().shows("model.against." + std::to_string(likeliest)));
  bench.click("model.against.none");
  bench.model().against = likeliest;
  bench.click("model.page.questions");
  ask(bench, "parts");
  CHECK_FALSE(bench.model().analyses.run->analysis.against);
}

TEST_CASE("analyses page: patches and directions need a kept text") {
  QuestionsBench bench;
  ask(bench, "patches");
  CHECK_THAT(bench.robot().value("model.page.note"), ContainsSubstring("Keep the present text"));
  bench.fixture.view().baseline.work = bench.model().work;
  bench.edit_ids([](std::vector<std::int32_t>& ids) { ids[1] = (ids[1] + 3) % 20; });
  bench.click("model.question.compute");
  CHECK(found(bench).tables[0].row_axis == "layer");
  bench.click("model.question.normalized");
  CHECK_FALSE(bench.model().analyses.fresh);
  bench.click("model.question.compute");
  CHECK_THAT(found(bench).notes.back(), ContainsSubstring("normalized"));
  ask(bench, "direction");
  CHECK(found(bench).tables[0].columns.size() == 4);
}

TEST_CASE("analyses page: a file of texts is averaged over, and its faults are told by line") {
  QuestionsBench bench;
  const TemporaryFolder folder;
  folder.write("texts.txt", "the key\nthe cabinet\n");
  folder.write("bad.txt", "the key\n\nthe cabinet\n");
  bench.model().analyses.texts_file = folder / "texts.txt";
  bench.settle();
  CHECK_FALSE(bench.model().analyses.fresh);
  bench.click("model.question.compute");
  CHECK(found(bench).tables[0].rows.size() == 2);
  bench.model().analyses.texts_file = folder / "bad.txt";
  bench.settle();
  bench.click("model.question.compute");
  CHECK_THAT(bench.robot().value("model.page.note"), ContainsSubstring("line 2"));
  bench.model().analyses.texts_file = folder / "none.txt";
  bench.settle();
  bench.click("model.question.compute");
  CHECK_THAT(bench.robot().value("model.page.note"), ContainsSubstring("none.txt"));
}

TEST_CASE("analyses page: lists of choices are as wide as their widest one, and notes are whole somewhere") {
  QuestionsBench bench;
  const auto room = [&](const std::string& name, const char* label) {
    const float text = text_width(bench.robot().theme().fonts.text, label);
    return bench.robot().widget(name).rect.width - double{text};
  };
  ask(bench, "path");
  CHECK(room("model.question.mlps", "MLPs between recomputed") > 0);
  ask(bench, "ablation");
  CHECK(room("model.question.ablation", "by each text's mean") > 0);
  CHECK(room("model.question.measured", "loss of the text") > 0);
  bench.click("model.question.compute");
  // The page is too low for long notes: pointing at them shows all.
  AnalysisResult longer = found(bench);
  for (int i = 0; i < 60; ++i)
    longer.notes.push_back("the number " + std::to_string(i) + " is -12.3429 ± 0.9876");
  AnalysisRun run = *bench.model().analyses.run;
  run.result = longer;
  bench.model().analyses.run = std::make_shared<const AnalysisRun>(std::move(run));
  bench.robot().frames(2);
  bench.robot().hover("model.question.notes");
  bench.robot().rest(0.7f);
  bench.robot().frames(2);
  CHECK_THAT(bench.robot().value("tooltip"), ContainsSubstring("the number 59 is"));
}

TEST_CASE("analyses page: what a head gathers is its context in words, and --stage output in a command") {
  Analysis analysis;
  analysis.kind = AnalysisKind::Patches;
  analysis.stage = PatchStage::Context;
  const AskedHow how = asked_how(analysis, "");
  CHECK_THAT(asked_in_words(analysis, how), ContainsSubstring("context (z)"));
  CHECK_THAT(asked_in_words(analysis, how), !ContainsSubstring("output"));
  analysis.stage = PatchStage::Queries;
  CHECK_THAT(asked_in_words(analysis, how), ContainsSubstring("stage queries"));
}

TEST_CASE("analyses page: rows of a set are its texts, shortened, and answers behind tabs are targets") {
  QuestionsBench bench(source_root() + "/assets/examples/words");
  const TemporaryFolder folder;
  std::string longer = "Ann gave the key to";
  for (int i = 0; i < 7; ++i)
    longer += " Bob and Ann gave the key to";
  folder.write("texts.txt", longer + "\tBob\nthe key to\tAnn\n");
  bench.model().analyses.texts_file = folder / "texts.txt";
  bench.settle();
  bench.click("model.question.compute");
  CHECK_THAT(bench.robot().value("model.question.notes"), ContainsSubstring("behind a tab"));
  const std::string row = bench.robot().value("model.question.row.0");
  CHECK(row.starts_with("1 "));
  CHECK_THAT(row, ContainsSubstring("Ann gave the key"));
  CHECK(row.size() < longer.size());
  CHECK_THAT(bench.robot().value("model.question.row.1"), ContainsSubstring("the key to"));
  ask(bench, "parts");
  bench.click("model.question.compute");
  CHECK_THAT(bench.robot().value("model.question.notes"), ContainsSubstring("the answer behind its tab"));
  CHECK(bench.model().analyses.fresh);
}

TEST_CASE(
    "questions page: measures are taken on random tokens said twice, and doubted where queries are few") {
  QuestionsBench bench(source_root() + "/assets/examples/words");
  bench.edit(SetModelText{"Ann gave Ann the key"});
  ask(bench, "measures");
  CHECK_THAT(bench.robot().value("model.question.answer"), ContainsSubstring("induction (n = 1)"));
  bench.robot().click("model.question.source");
  bench.click("model.question.source.repeated");
  CHECK_THAT(bench.robot().value("model.question.notes"), ContainsSubstring("40 random ordinary tokens"));
  CHECK_THAT(bench.robot().value("model.question.answer"), !ContainsSubstring("n = "));
  CHECK(bench.robot().value("model.question.row.1") == "L0 H1");
  CHECK(found(bench).tables[0].rows[1] == "L0 H1");  // as in files
  NetworkPass pass(bench.open().network);
  pass.set_ids(repeated_tokens(*bench.open().network, {40, 0}));
  const HeadsOverview own = overview_of_heads(pass, 1, [](Index, Index) {});
  const auto column = static_cast<Index>(HeadMeasure::Induction);
  const Matrix& measured = found(bench).tables[0].values;
  for (Index head = 0; head < own.heads; ++head)
    CHECK_THAT(measured(own.heads + head, column),
               WithinAbs(*own.of(1, head).measures.of(HeadMeasure::Induction), 1e-5));
  ask(bench, "norms");
  CHECK(found(bench).tables[0].columns.size() == bench.open().ids.size());
}

TEST_CASE("analyses page: the answer is saved in every format that is offered") {
  QuestionsBench bench;
  for (const char* question : {"loss", "lens", "neurons"}) {
    if (bench.model().analyses.asked.kind != *analysis_named(question)) ask(bench, question);
    for (const FileFormat format : {FileFormat::Png, FileFormat::Svg, FileFormat::Pdf, FileFormat::Csv,
                                    FileFormat::Json, FileFormat::Npz}) {
      const std::string bytes = AnalysisController::result_file(*bench.model().analyses.run, {}, format);
      CHECK(bytes.size() > 100);
    }
  }
  CHECK(AnalysisController::result_name(*bench.model().analyses.run) == "gpt2-neurons-layer0");
  CHECK_THAT(AnalysisController::result_file(*bench.model().analyses.run, {}, FileFormat::Csv),
             ContainsSubstring("activation"));
}

TEST_CASE("analyses page: a circuit's embeddings are chosen, and its tokens typed") {
  QuestionsBench bench;
  ask(bench, "circuit");
  bench.robot().click("model.question.layer");
  bench.click("model.question.layer.1");
  const Matrix raw = found(bench).tables[1].values;
  bench.robot().click("model.question.embeddings");
  bench.click("model.question.embeddings.effective");
  CHECK_FALSE(found(bench).tables[1].values.isApprox(raw, 0.01f));
  bench.robot().click("model.question.tokens");
  bench.robot().type("#3,#4,#5");
  bench.robot().key(Key::Enter);
  bench.settle();
  CHECK(found(bench).tables[0].rows.size() == 3);
  CHECK_THAT(found(bench).notes.back(), ContainsSubstring("copies negatively"));
  bench.robot().click("model.question.tokens");
  bench.robot().type("#999999");
  bench.robot().key(Key::Enter);
  bench.settle();
  CHECK(found(bench).tables[0].rows.size() == 3);
}

TEST_CASE("analyses page: tokens of a circuit keep their words, and are ids where these cannot be typed") {
  QuestionsBench bench(words_folder());
  ask(bench, "circuit");
  const Network& network = *bench.open().network;
  const std::int32_t mary = typed_target(network, " Mary").id, tom = typed_target(network, " Tom").id;
  std::int32_t comma = 0;
  while (network.label(comma) != ",")
    ++comma;
  type_in(bench, "model.question.tokens", " Mary, Tom,#" + std::to_string(comma));
  CHECK(bench.model().analyses.asked.tokens == TokenIds{mary, tom, comma});
  const std::string shown = bench.robot().value("model.question.tokens");
  CHECK(shown == " Mary, Tom,#" + std::to_string(comma));
  type_in(bench, "model.question.tokens", shown + ", Leo");
  CHECK(bench.model().analyses.asked.tokens.size() == 4);
  CHECK(bench.robot().value("model.question.tokens") == " Mary, Tom,#" + std::to_string(comma) + ", Leo");
}

TEST_CASE("analyses page: ablation names the mean that it puts in") {
  QuestionsBench bench;
  ask(bench, "ablation");
  bench.robot().click("model.question.ablation");
  bench.click("model.question.ablation.text_mean");
  bench.click("model.question.compute");
  CHECK_THAT(found(bench).notes.back(), ContainsSubstring("over the text's own tokens"));
}

TEST_CASE("analyses page: maps between tokens become maps between words") {
  QuestionsBench bench;
  ask(bench, "rollout");
  CHECK_FALSE(found(bench).title.ends_with("words"));
  bench.click("model.question.words");
  CHECK_THAT(found(bench).title, ContainsSubstring("between words"));
  ask(bench, "loss");
  CHECK_FALSE(bench.robot().shows("model.question.words"));
}

TEST_CASE("analyses page: the score is that of the selected pair, and its parts are named") {
  QuestionsBench bench;
  ask(bench, "score");
  const auto notes = [&] {
    std::string all;
    for (const std::string& note : found(bench).notes)
      all += note + "\n";
    return all;
  };
  CHECK_THAT(notes(), ContainsSubstring("the last one"));
  CHECK(found(bench).tables[0].rows.front() == "embedding");
  bench.fixture.view().selection.cell = CellAddress{Stage::Scores, 0, 0, 3, 1};
  bench.settle();
  CHECK_THAT(notes(), ContainsSubstring("(token 3); key"));
  CHECK_THAT(notes(), ContainsSubstring("(token 1)"));
}

TEST_CASE("analyses page: the ends of a path are typed, and what is none is said at the field") {
  QuestionsBench bench;
  bench.fixture.view().baseline.work = bench.model().work;
  std::vector<std::int32_t> ids = bench.open().ids;
  ids[1] = ids[1] == 5 ? 6 : 5;
  bench.edit(SetModelIds{ids});
  ask(bench, "path");
  const auto type = [&](const std::string& field, const std::string& text) {
    bench.robot().click("model.question." + field);
    bench.robot().key(Key::A, {.ctrl = true});
    bench.robot().type(text);
    bench.robot().key(Key::Enter);
    bench.settle();
  };
  type("sender", "0.1");
  type("receiver", "queries.1.0");
  CHECK(bench.model().analyses.asked.sender == StreamPart{StreamPart::Kind::Head, 0, 1});
  CHECK(bench.model().analyses.asked.receiver == StreamReader{StreamReader::Kind::Queries, 1, 0});
  bench.click("model.question.compute");
  CHECK(found(bench).tables.size() == 2);
  type("receiver", "scores");
  CHECK(bench.model().analyses.asked.receiver == StreamReader{StreamReader::Kind::Queries, 1, 0});
}

TEST_CASE(
    "analyses page: edges are drawn in their layers, as many as the slider says, and a node shows its head") {
  QuestionsBench bench;
  bench.fixture.view().baseline.work = bench.model().work;
  bench.edit_ids([](std::vector<std::int32_t>& ids) { ids[1] = (ids[1] + 3) % 20; });
  ask(bench, "edges");
  bench.click("model.question.compute");
  const std::size_t all = strongest_edges(found(bench).tables.front().values).size();
  const auto told = [&] { return bench.robot().value("model.question.answer"); };
  CHECK(told() == "10 of " + std::to_string(all) + " edges");
  CHECK(bench.robot().shows("model.question.node.embedding"));
  CHECK(bench.robot().shows("model.question.node.logits"));
  bench.click("model.question.edges");  // the middle of a logarithmic scale
  REQUIRE(bench.model().analyses.edges_shown);
  const Index shown = *bench.model().analyses.edges_shown;
  CHECK(shown > 1);
  CHECK(shown < static_cast<Index>(all));
  CHECK(told() == std::to_string(shown) + " of " + std::to_string(all) + " edges");
  CHECK(bench.model().analyses.fresh);  // nothing is computed again
  bench.click("model.question.more");
  bench.click("model.question.save.json");
  REQUIRE(bench.saved);
  CHECK(bench.saved->result->analysis.top == shown);
  CHECK(bench.saved->result->result.tables[1].rows.size() == static_cast<std::size_t>(shown));
  bench.click("model.question.matrix");
  CHECK(bench.robot().shows("model.question.cells"));
  CHECK_FALSE(bench.robot().shows("model.question.node.embedding"));
  bench.click("model.question.matrix");
  bench.model().pages_beside = true;  // a layer is in sight beside the answer
  bench.click("model.question.node.1.2");
  CHECK(bench.open().layer.layer == 1);
}
