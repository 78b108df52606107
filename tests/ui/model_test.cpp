// The panels of an open model: its text, predictions, map of heads, layers, parts, patches and changes.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "app/figure/plan/share_text.h"
#include "app/ui/views/compare_view.h"
#include "tests/support/catch.h"
#include "tests/support/model_files.h"
#include "tests/support/places.h"
#include "tests/ui/support/model_bench.h"

using namespace headlight;
using headlight_test::folder_of;
using headlight_test::ModelBench;
using headlight_test::PanelFixture;

namespace {

// The sum of all numbers in a copied table; checks that its last line, "sum", has the same one.
double copied_sum(const std::string& table) {
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);
  double sum = 0;
  while (std::getline(lines, line) && !line.starts_with("sum\t")) {
    std::istringstream numbers(line.substr(line.find('\t')));
    for (double number = 0; numbers >> number;)
      sum += number;
  }
  CHECK(std::abs(sum - std::stod(line.substr(4))) < 1e-4);
  return sum;
}

bool close(double a, double b) {
  return std::abs(a - b) < 2e-3;
}

// Checks that the results for layers, parts and heads in this frame belong to the named text, token and
// logit.
void check_told(ModelBench& bench) {
  const ModelView& model = bench.model();
  if (!model.work) return;
  NetworkPass pass(model.work->network);
  take_state(pass, state_of(*model.work));
  const Index position = model.shown_position(), layers = model.work->network->config().layers;
  // During a change the results of the previous state may be shown if the text is the same.
  const bool same = model.answer && model.answer->state == state_of(*model.work);
  if (const auto* lens = model.current_lens(); lens && same && model.fresh) {
    const Prediction told = lens->back().front(), own = likeliest(pass.logits(position, 1).row(0), 1).front();
    CHECK(close(double{told.logit}, double{own.logit}));
  }
  if (const Attribution* parts = model.current_parts(); parts && same && model.fresh) {
    CHECK(parts->of == model.logit_choice());
    CHECK(close(parts->logit, double{chosen_logit(pass.logits(position, 1).row(0), parts->of)}));
  }
  if (const HeadsOverview* glance = model.current_overview()) {
    const auto tokens = static_cast<Index>(model.work->ids.size());
    CHECK(glance->of(layers - 1, 0).picture.total_rows == tokens);
  }
  if (model.current_lens()) {
    CHECK(model.answer->state.ids == model.work->ids);
    CHECK(model.answer->request.position == position);
  }
}

}  // namespace

TEST_CASE("model: the bars of predictions are shares of 100 %, whatever the likeliest token is") {
  ModelBench bench("gpt2");
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const std::string name = "model.prediction." + std::to_string(rank);
    const double share =
        bench.robot().widget(name + ".bar").rect.width / bench.robot().widget(name + ".track").rect.width;
    CHECK_THAT(share, headlight_test::WithinAbs(bench.model().answer->predictions[rank].probability, 0.01));
  }
}

TEST_CASE("model: a folder opens with a text, its tokens and what comes next") {
  for (const std::string family : {"gpt2", "llama3", "gemma2", "qwen3"}) {
    INFO(family);
    ModelBench bench(family);
    CHECK(bench.robot().shows("model.prediction.0"));
    CHECK(bench.robot().shows("model.token.0"));
    CHECK(bench.tells_expected());
    const Index last = bench.open().network->config().layers - 1;
    CHECK(bench.robot().shows("model.head." + std::to_string(last) + ".0"));
  }
}

TEST_CASE("model: one that predicts no tokens says so, and its layers can be looked at") {
  ModelBench bench("bert");
  CHECK(bench.robot().value("model.note").find("no weights that predict") != std::string::npos);
  CHECK(bench.robot().shows("model.head.0.0"));
  bench.click("model.page.parts");
  CHECK(bench.robot().shows("model.page.note"));
  bench.fixture.view().layers.asked = 1;
  bench.settle();
  CHECK(bench.open().layer == 1);
}

TEST_CASE("model: without a tokenizer that can be read it opens with ids, and says why there is no text") {
  const headlight_test::ModelCopy model("gpt2");
  model.write("tokenizer.json", "{\"model\": 3}");
  ModelBench bench(model.path().string());
  CHECK(bench.robot().value("model.text") == ids_text(bench.open().ids));
  CHECK(bench.robot().value("model.notes").find("tokenizer.json") != std::string::npos);
  CHECK(bench.tells_expected());
  bench.robot().click("model.text");
  bench.robot().key(Key::End, {.ctrl = true});
  bench.robot().type(", 5");
  bench.settle();
  CHECK(bench.open().ids.back() == 5);
  CHECK(bench.tells_expected());
}

TEST_CASE("model: one without its head says on every page why there are no predictions") {
  ModelBench bench((headlight_test::source_root() + "/tests/golden/library/llama_headless"));
  CHECK(bench.robot().value("model.note").find("lm_head.weight") != std::string::npos);
  CHECK(bench.robot().value("model.notes").find("lm_head.weight") != std::string::npos);
  for (const std::string page : {"layers", "parts", "patches"}) {
    bench.click("model.page." + page);
    CHECK(bench.robot().value("model.page.note").find("lm_head.weight") != std::string::npos);
  }
  bench.click("model.page.heads");
  CHECK(bench.robot().shows("model.head.1.0"));
}

TEST_CASE("model: Enter keeps the text that was typed and leaves its field; with Ctrl it begins a line") {
  ModelBench bench("gpt2");
  const std::string before = bench.open().text;
  bench.robot().click("model.text");
  bench.robot().key(Key::End, {.ctrl = true});
  bench.robot().type(" on");
  bench.robot().key(Key::Enter);
  bench.settle();
  CHECK(bench.open().text == before + " on");
  CHECK_FALSE(ImGui::GetIO().WantTextInput);
  bench.robot().type("x");  // nowhere
  bench.robot().click("model.text");
  bench.robot().key(Key::End, {.ctrl = true});
  bench.robot().key(Key::Enter, {.ctrl = true});
  bench.settle();
  CHECK(bench.open().text == before + " on\n");
  CHECK(ImGui::GetIO().WantTextInput);
}

TEST_CASE("model: what is typed is the text at once, one step of undo, and wrong text stays out") {
  ModelBench bench("gpt2");
  const std::string before = bench.open().text;
  bench.robot().click("model.text");
  bench.robot().key(Key::End, {.ctrl = true});
  bench.robot().type(" on");
  bench.settle();
  CHECK(bench.open().text == before + " on");
  CHECK(bench.fixture.layer().token_count() == static_cast<Index>(bench.open().ids.size()));
  CHECK(bench.tells_expected());
  bench.fixture.document().undo();
  bench.settle();
  CHECK(bench.open().text == before);
  CHECK(bench.tells_expected());
  bench.edit(SetModelIds{std::vector<std::int32_t>(5000, 1)});
  CHECK(bench.open().text == before);
  CHECK(bench.robot().value("model.trouble").find("positions") != std::string::npos);
}

TEST_CASE(
    "model: an edit of the layer that is shown reaches the prediction, is listed, and can be switched off") {
  ModelBench bench("llama");
  const std::string before = bench.robot().value("model.prediction.0");
  SetCells cells{{InputKind::Weight, 0, Parameter::Value}, 0, 0, Matrix::Constant(6, 6, 4.0f)};
  bench.fixture.document().run(cells);
  AttentionSettings settings = bench.fixture.layer().attention;
  settings.disabled_heads = {1};
  bench.fixture.document().run(SetAttention{settings});
  bench.settle();
  REQUIRE(list_changes(bench.open()).size() == 2);
  CHECK(bench.tells_expected());
  CHECK(bench.robot().value("model.prediction.0") != before);
  bench.click("model.tab.changes");
  CHECK(bench.robot().value("model.change.0") == "on");
  bench.click("model.change.0");
  bench.click("model.change.0");
  bench.click("model.tab.predictions");
  CHECK(list_changes(bench.open()).size() == 2);
  bench.click("model.tab.changes");
  for (const ChangeEntry& entry : list_changes(bench.open()))
    if (entry.on) bench.edit(SwitchChange{entry});
  bench.click("model.tab.predictions");
  CHECK(bench.robot().value("model.prediction.0") == before);
  CHECK(bench.fixture.layer().attention.disabled_heads.empty());
  while (bench.fixture.document().can_undo())
    bench.fixture.document().undo();
  bench.settle();
  CHECK(list_changes(bench.open()).empty());
  CHECK(bench.robot().value("model.prediction.0") == before);
}

TEST_CASE("model: another layer keeps what was changed in this one, and undo leads back") {
  ModelBench bench("gpt2");
  AttentionSettings settings = bench.fixture.layer().attention;
  settings.disabled_heads = {0, 2};
  bench.fixture.document().run(SetAttention{settings});
  bench.settle();
  const Matrix read_by_first = bench.fixture.layer().embeddings.front();
  bench.fixture.view().layers.asked = 2;
  bench.settle();
  CHECK(bench.open().layer == 2);
  CHECK(bench.fixture.layer().attention.disabled_heads.empty());
  CHECK(list_changes(bench.open()).size() == 2);
  CHECK(bench.tells_expected());
  NetworkPass pass(bench.open().network);
  take_state(pass, state_of(bench.open()));
  CHECK((pass.attention_input(2) - bench.fixture.layer().embeddings.front()).cwiseAbs().maxCoeff() < 1e-4f);
  bench.fixture.document().undo();
  bench.settle();
  CHECK(bench.open().layer == 0);
  CHECK(bench.fixture.layer().attention.disabled_heads == std::vector<Index>{0, 2});
  CHECK(bench.fixture.layer().embeddings.front() == read_by_first);
}

namespace {

// Half as many heads of twice the width: the same weights, and no layer of the model.
void join_heads(ModelBench& bench) {
  AttentionSettings settings = bench.fixture.layer().attention;
  settings.num_heads /= 2;
  settings.d_k *= 2;
  settings.d_v *= 2;
  bench.fixture.document().run(SetAttention{settings});
}

}  // namespace

TEST_CASE(
    "model: what its layers cannot have is refused, and Layer alone takes the layer out until it is undone") {
  ModelBench bench("gpt2");
  CHECK_THROWS_AS(join_heads(bench), Error);
  bench.settle();
  CHECK(bench.tells_expected());
  bench.fixture.document().run(LeaveModel{});
  bench.settle();
  CHECK_FALSE(bench.robot().shows("model.prediction.0"));
  CHECK(bench.fixture.view().layers.count == 0);
  join_heads(bench);
  CHECK(bench.fixture.layer().attention.num_heads == 2);
  bench.fixture.document().undo();
  bench.fixture.document().undo();
  bench.settle();
  CHECK(bench.fixture.layer().attention.num_heads == 4);
  CHECK(bench.tells_expected());
}

TEST_CASE("model: continuing adds the likeliest tokens one by one, and one undo takes a run of them back") {
  ModelBench bench("mistral");
  const std::vector<std::int32_t> before = bench.open().ids;
  std::vector<std::int32_t> wanted = before;
  NetworkPass pass(bench.open().network);
  for (int i = 0; i < 10; ++i) {
    pass.set_ids(wanted);
    wanted.push_back(likeliest(pass.logits(static_cast<Index>(wanted.size()) - 1, 1).row(0), 1).front().id);
  }
  bench.click("model.continue10");
  CHECK(bench.open().ids == wanted);
  CHECK(bench.tells_expected());
  bench.click("model.continue");
  CHECK(bench.open().ids.size() == wanted.size() + 1);
  bench.fixture.document().undo();
  bench.settle();
  CHECK(bench.open().ids == wanted);
  bench.fixture.document().undo();
  bench.settle();
  CHECK(bench.open().ids == before);
}

TEST_CASE("model: tokens are renamed, inserted, removed and moved as text") {
  ModelBench bench("gpt2");
  const std::vector<std::int32_t> ids = bench.open().ids;
  bench.fixture.document().run(RemoveToken{1});
  bench.settle();
  REQUIRE(bench.open().ids.size() == ids.size() - 1);
  CHECK(bench.open().ids[1] == ids[2]);
  bench.fixture.document().run(MoveToken{0, 3});
  bench.settle();
  CHECK(bench.open().ids[3] == ids[0]);
  bench.fixture.document().run(RenameToken{0, "x", false});
  bench.settle();
  CHECK(bench.open().network->label(bench.open().ids[0]) == "x");
  CHECK_FALSE(open_model_edit(SetAttention{bench.fixture.layer().attention}, bench.open()));
  CHECK(bench.tells_expected());
}

TEST_CASE("model: the pages tell of layers, parts and heads") {
  ModelBench bench("gpt2");
  bench.click("model.page.layers");
  REQUIRE(bench.model().answer->lens.size() == 4);
  CHECK(bench.robot().value("model.lens.3.0") == bench.robot().value("model.prediction.0"));
  bench.click("model.page.parts");
  REQUIRE(bench.model().answer->parts);
  const Attribution parts = *bench.model().answer->parts;
  const double sum = parts.embedding + parts.constant + static_cast<double>(parts.heads.sum()) +
                     static_cast<double>(parts.mlps.sum()) + static_cast<double>(parts.output_bias.sum());
  CHECK(std::abs(sum - parts.logit) < 1e-3);
  CHECK(bench.robot().value("model.parts.sum").starts_with("4.6"));
  bench.click("model.parts.more");
  bench.click("model.parts.copy.table");
  const std::string copied = ImGui::GetClipboardText();
  CHECK(copied.starts_with("layer\tH0\t"));
  CHECK(std::abs(std::stod(copied.substr(copied.find("\nL0\t") + 4)) -
                 static_cast<double>(parts.heads(0, 0))) < 1e-6);
  CHECK(std::abs(copied_sum(copied) - parts.logit) < 1e-4);
  CHECK(std::abs(parts.logit - static_cast<double>(bench.model().answer->logits->coeff(0, parts.of.id))) <
        1e-3);
  bench.model().part = std::pair<Index, Index>{1, 2};
  bench.settle();
  CHECK(std::abs(static_cast<double>(bench.model().answer->sources.sum() - parts.heads(1, 2))) < 1e-3);
  bench.click("model.page.heads");
  bench.click("model.head.2.3");
  CHECK(bench.open().layer == 2);
  CHECK(bench.fixture.view().head == 3);
  CHECK(bench.fixture.view().focus_view == FocusView::Heatmap);
}

TEST_CASE("model: what the pages show is saved as a figure and as numbers, with model, text and target") {
  ModelBench bench("gpt2");
  const auto saved = [&](const std::string& page, const std::string& format) {
    bench.saved.reset();
    bench.click("model." + page + ".more");
    bench.click("model." + page + ".save." + format);
    REQUIRE(bench.saved);
    REQUIRE(bench.saved->result);
    CHECK(AnalysisController::result_name(*bench.saved->result) == "gpt2-" + page);
    return AnalysisController::result_file(*bench.saved->result, {}, bench.saved->format);
  };
  for (const char* page : {"lens", "parts", "patches"}) {
    INFO(page);
    const std::string button = std::string(page) == "lens" ? "layers" : page;
    bench.click("model.page." + button);
    if (button == "patches") {
      bench.click("model.patches.keep");
      bench.edit_ids([](std::vector<std::int32_t>& ids) { std::swap(ids[3], ids[4]); });
    }
    CHECK_THAT(saved(page, "svg"), headlight_test::ContainsSubstring("gpt2 · "));
    const auto answer = nlohmann::json::parse(saved(page, "json"));
    CHECK_THAT(answer["notes"].dump(), headlight_test::ContainsSubstring("target: "));
    const auto& table = answer["tables"][0];
    CHECK(table["rows"].size() == table["values"].size());
    if (button == "layers") {
      CHECK_THAT(answer["title"].dump(), headlight_test::ContainsSubstring(
                                             "at token " + std::to_string(bench.model().shown_position())));
      const auto& end = bench.model().answer->lens.back();
      CHECK(table["words"][3 * end.size()] == bench.open().network->label(end.front().id));
    }
    if (button == "parts") {
      CHECK(std::abs(table["values"][0][0].get<double>() -
                     static_cast<double>(bench.model().answer->parts->heads(0, 0))) < 1e-6);
      CHECK(table["rows"][0] == "0");
      double sum = 0;
      for (const auto& part : answer["tables"])
        for (std::size_t row = 0; row < part["values"].size(); ++row)
          for (const auto& number : part["values"][row])
            if (part["rows"][row] != "logit: the sum") sum += number.get<double>();
      CHECK(std::abs(sum - bench.model().answer->parts->logit) < 1e-3);
    }
    if (button == "patches") {
      CHECK(answer["tables"].size() == 1);
      CHECK(table["name"] == "estimate_by_the_gradient");
      bench.click("model.patches.compute");
      const auto both = nlohmann::json::parse(saved(page, "json"));
      CHECK(both["tables"][0]["name"] == "change_of_the_logit");
      CHECK(both["tables"].size() == 2);
    }
  }
}

TEST_CASE("model: a sentence stands above each page, made of its numbers") {
  ModelBench bench("gpt2");
  const auto sentence = [&] { return bench.robot().value("model.sentence"); };
  CHECK_THAT(sentence(), headlight_test::ContainsSubstring("of its attention to"));
  bench.click("model.page.layers");
  const std::string likeliest = share_text(bench.model().answer->lens.back().front().probability);
  CHECK_THAT(sentence(), headlight_test::ContainsSubstring("If the model had to answer after layer 0"));
  CHECK_THAT(sentence(), headlight_test::ContainsSubstring(likeliest));
  bench.click("model.page.parts");
  CHECK_THAT(sentence(), headlight_test::ContainsSubstring("most to the logit of"));
  bench.click("model.page.patches");
  bench.click("model.patches.keep");
  CHECK_FALSE(bench.robot().shows("model.sentence"));  // the same text: there is nothing to put in yet
  bench.edit_ids([](std::vector<std::int32_t>& ids) { std::swap(ids[3], ids[4]); });
  CHECK_THAT(sentence(),
             headlight_test::ContainsSubstring("By the gradient, between the layers it matters most at"));
  bench.click("model.patches.compute");
  CHECK_THAT(sentence(), headlight_test::ContainsSubstring("Between the layers it matters most at"));
}

TEST_CASE("model: an example explains each page until it is dismissed, and comes back when it is asked for") {
  ModelBench bench("gpt2");
  CHECK(bench.robot().shows("model.example"));
  bench.click("model.example.close");
  CHECK_FALSE(bench.robot().shows("model.example"));
  CHECK(bench.pages.examples_read == std::set<std::string>{"heads"});
  bench.click("model.page.layers");
  CHECK_THAT(bench.robot().value("model.example"), headlight_test::ContainsSubstring("For example"));
  bench.click("model.page.heads");
  CHECK_FALSE(bench.robot().shows("model.example"));
  bench.click("model.example.open");
  CHECK(bench.robot().shows("model.example"));
}

TEST_CASE("model: the cells of the lens are bars from 0 to 100 %") {
  ModelBench bench("gpt2");
  bench.click("model.page.layers");
  for (std::size_t layer = 0; layer < bench.model().answer->lens.size(); ++layer) {
    const std::string name = "model.lens." + std::to_string(layer) + ".0";
    const double share =
        bench.robot().widget(name + ".bar").rect.width / bench.robot().widget(name + ".track").rect.width;
    CHECK_THAT(share, headlight_test::WithinAbs(bench.model().answer->lens[layer][0].probability, 0.01));
  }
}

TEST_CASE("model: a patch of A's stream, kept by a click, gives what the map says") {
  ModelBench bench("gpt2");
  bench.click("model.page.patches");
  bench.click("model.patches.keep");
  bench.edit_ids([](std::vector<std::int32_t>& ids) { std::swap(ids[3], ids[4]); });
  CHECK(bench.model().baseline);
  bench.click("model.patches.compute");
  REQUIRE(bench.model().patches);
  const PatchMapResult answer = *bench.model().patches;
  REQUIRE_FALSE(answer.failure);
  const Index last = answer.map.logits.rows() - 1, end = answer.map.logits.cols() - 1;
  bench.edit(AddPatch{{PatchStage::Residual, last, 0, end, 0, answer.map.values.back().row(end)}});
  // The patch replaces the residual stream after the last layer at the last token: the prediction is A's.
  CHECK(bench.model().answer->predictions.front().id == bench.model().baseline->predictions.front().id);
  CHECK(std::abs(bench.model().answer->logits->coeff(0, answer.logit.id) - answer.map.logits(last, end)) <
        1e-3f);
  CHECK(list_changes(bench.open()).size() == 1);
  bench.click("model.page.parts");
  CHECK(bench.robot().value("model.parts.sum").find("patches") != std::string::npos);
  bench.click("model.parts.more");
  bench.click("model.parts.copy.table");
  const std::string copied = ImGui::GetClipboardText();
  CHECK(copied.find("\npatches\t") != std::string::npos);
  CHECK(std::abs(copied_sum(copied) - bench.model().answer->parts->logit) < 1e-4);
}

TEST_CASE("model: the estimate of the map of patches is there at once, and the map says how far it is off") {
  for (const std::string family : {"llama3", "gemma2"}) {
    INFO(family);
    ModelBench bench(family);
    bench.click("model.page.patches");
    bench.click("model.patches.keep");
    const OpenModel kept = bench.open();
    bench.edit_ids([](std::vector<std::int32_t>& ids) { std::swap(ids[3], ids[4]); });
    NetworkPass pass(kept.network), source(kept.network);
    take_state(pass, state_of(bench.open()));
    take_state(source, state_of(kept));
    const PatchEstimate expected = estimate_patches(pass, source, bench.model().logit_choice());
    for (const auto& [stage, name] :
         {std::pair(PatchStage::Residual, "residual"),
          std::pair(PatchStage::AttentionAdded, "attention_added"),
          std::pair(PatchStage::MlpAdded, "mlp_added"), std::pair(PatchStage::Context, "context"),
          std::pair(PatchStage::Weights, "weights")}) {
      INFO(name);
      bench.click("model.patches.stage");
      bench.click(std::string("model.patches.stage.") + name);
      const Matrix& of = expected.of(stage);
      CHECK(bench.robot().value("model.estimate") ==
            std::to_string(of.rows()) + " x " + std::to_string(of.cols()));
      CHECK_FALSE(bench.robot().shows("model.patches"));
      CHECK_FALSE(bench.robot().shows("model.patches.difference"));
      bench.click("model.patches.more");
      bench.click("model.patches.copy.table");
      const std::string copied = ImGui::GetClipboardText();
      bench.click("model.patches.compute");
      CHECK(bench.robot().value("model.patches") == bench.robot().value("model.estimate"));
      const Matrix moved =
          bench.model().patches->map.logits.array() - static_cast<float>(bench.model().patches->before);
      const EstimateError error = estimate_error(of, moved);
      CHECK_THAT(
          bench.robot().value("model.patches.difference"),
          headlight_test::ContainsSubstring("correlation of both is " + two_decimals(error.correlation)));
      CHECK_THAT(bench.robot().value("model.patches.difference"),
                 headlight_test::ContainsSubstring("and really " +
                                                   two_decimals(double{moved(error.row, error.column)})));
      bench.click("model.patches.more");
      bench.click("model.patches.copy.table");
      CHECK(copied != ImGui::GetClipboardText());
    }
  }
}

TEST_CASE("model: texts of another length have no estimate, and what a head gathers is kept by a click") {
  ModelBench bench("gpt2");
  bench.click("model.page.patches");
  bench.click("model.patches.keep");
  bench.edit_ids([](std::vector<std::int32_t>& ids) { ids.pop_back(); });
  CHECK_THAT(bench.robot().value("model.estimate.note"), headlight_test::ContainsSubstring("as many tokens"));
  bench.edit_ids([](std::vector<std::int32_t>& ids) { ids.push_back(ids[1]); });
  bench.click("model.patches.stage");
  bench.click("model.patches.stage.context");
  CHECK_FALSE(bench.robot().shows("model.estimate.note"));
  bench.click("model.patches.compute");
  // Down the picture's diagonal, until a cell is met.
  for (int i = 1; i < 40 && bench.open().on.patches.empty(); ++i) {
    const Rect map = bench.robot().widget("model.patches").rect;
    const double share = i / 40.0;
    bench.robot().click_at(
        {static_cast<float>(map.x + share * map.width), static_cast<float>(map.y + share * map.height)});
    bench.settle();
  }
  REQUIRE(bench.open().on.patches.size() == 1);
  const Patch& patch = bench.open().on.patches.front();
  CHECK(patch.stage == PatchStage::Context);
  CHECK(patch.values.rows() == static_cast<Index>(bench.open().ids.size()));
  // The estimate is then that of the changed model.
  CHECK(bench.model().current_estimate(bench.fixture.view().baseline.work));
  CHECK_THAT(bench.robot().value("model.page.note"), headlight_test::ContainsSubstring("was changed since"));
}

TEST_CASE("model: beside the parts stands what each embedding adds, until a head is chosen") {
  ModelBench bench("gpt2", {1600, 900});
  bench.click("model.page.parts");
  REQUIRE(bench.model().current_embeddings());
  const EmbeddingParts parts = *bench.model().current_embeddings();
  Index largest = 0;
  parts.logit.cwiseAbs().maxCoeff(&largest);
  CHECK_THAT(bench.robot().value("model.embedding.0"),
             headlight_test::ContainsSubstring(two_decimals(double{parts.logit(largest)}) + " " +
                                               two_decimals(double{parts.loss(largest)})));
  CHECK(bench.robot().value("model.embeddings") == two_decimals(parts.loss_value));
  bench.robot().hover("model.embeddings");
  bench.robot().rest(0.7f);
  bench.robot().frames(2);
  CHECK_THAT(bench.robot().value("tooltip"), headlight_test::ContainsSubstring("need not sum"));
  bench.model().part = std::pair{Index{1}, Index{2}};
  bench.settle();
  CHECK_FALSE(bench.robot().shows("model.embeddings"));
  CHECK(bench.robot().shows("model.source.0"));
}

TEST_CASE("model: a number, its row or its head is overwritten by hand, or with what A has there") {
  for (const std::string family : {"gpt2", "llama"}) {
    INFO(family);
    ModelBench bench(family);
    const bool turned = stage_exists(bench.fixture.layer(), Stage::RotatedKeys);
    const std::string before = bench.robot().value("model.prediction.0");
    const auto ask = [&](Stage stage, Index row, Index column) {
      bench.model().overwrites = CellAddress{stage, 0, 1, row, column};
      bench.settle();
      REQUIRE(bench.robot().shows("overwrite.ok"));
    };
    ask(Stage::Weights, 3, 1);
    bench.click("overwrite.part.row");
    bench.robot().click("overwrite.number"), bench.robot().key(Key::A, {.ctrl = true}),
        bench.robot().type("0.5x");
    bench.click("overwrite.ok");
    CHECK(bench.robot().value("overwrite.message").find("0.5x") != std::string::npos);
    bench.robot().click("overwrite.number"), bench.robot().key(Key::A, {.ctrl = true}),
        bench.robot().type("0.5");
    bench.click("overwrite.ok");
    CHECK_FALSE(bench.robot().shows("overwrite.ok"));
    REQUIRE(list_changes(bench.open()).size() == 1);
    CHECK(bench.open().on.patches.front().values ==
          Matrix::Constant(1, bench.fixture.layer().token_count(), 0.5f));
    CHECK(bench.tells_expected());
    CHECK(bench.fixture.layer().overwritten.size() == 1);
    // The values of another text, stored as A.
    bench.fixture.view().baseline = {std::make_shared<const Layer>(bench.fixture.layer()), "A",
                                     bench.model().work};
    bench.edit_ids([](std::vector<std::int32_t>& ids) { std::swap(ids[1], ids[4]); });
    ask(turned ? Stage::RotatedKeys : Stage::Keys, 1, 0);
    bench.click("overwrite.part.matrix");
    bench.click("overwrite.with.kept");
    bench.click("overwrite.ok");
    REQUIRE(list_changes(bench.open()).size() == 2);
    NetworkPass of_a(bench.open().network);
    take_state(of_a, state_of(*bench.fixture.view().baseline.work));
    const Patch& patch = bench.open().on.patches.back();
    CHECK(patch.stage == PatchStage::Keys);
    CHECK(patch.head == 1);
    CHECK((patch.values - of_a.keys(0).middleCols(patch.values.cols(), patch.values.cols()))
              .cwiseAbs()
              .maxCoeff() < 1e-5f);
    CHECK(bench.tells_expected());
    ask(Stage::Values, 2, 1);
    bench.robot().key(Key::Escape);
    bench.settle();
    CHECK(list_changes(bench.open()).size() == 2);
    while (bench.fixture.document().can_undo())
      bench.fixture.document().undo();
    bench.settle();
    CHECK(bench.fixture.layer().overwritten.empty());
    CHECK(bench.robot().value("model.prediction.0") == before);
  }
}

TEST_CASE(
    "model: a change keeps its place when it waits, and one that waited is taken away in a step of its own") {
  ModelBench bench("gpt2");
  bench.edit(SetHead{0, 1, HeadState::Off});
  bench.edit(SetHead{2, 3, HeadState::Off});
  bench.click("model.tab.changes");
  bench.click("model.change.0");
  REQUIRE(list_changes(bench.open()).size() == 2);
  CHECK(list_changes(bench.open())[0] == ChangeEntry{ChangeKind::Head, 0, 1, false});
  CHECK(bench.robot().value("model.change.0") == "off");
  bench.click("model.change.0.remove");
  REQUIRE(list_changes(bench.open()).size() == 1);
  bench.click("model.page.layers");
  CHECK(bench.model().fresh);
  CHECK(bench.model().answer->lens.size() == 4);
  bench.fixture.document().undo();
  bench.settle();
  CHECK(list_changes(bench.open()).size() == 2);
}

TEST_CASE("model: patches of a text that was changed since are not offered") {
  ModelBench bench("gpt2");
  bench.click("model.page.patches");
  bench.click("model.patches.keep");
  bench.edit_ids([](std::vector<std::int32_t>& ids) { std::swap(ids[3], ids[4]); });
  bench.click("model.patches.compute");
  REQUIRE(bench.model().patches);
  CHECK_FALSE(bench.robot().shows("model.page.note"));
  bench.edit_ids([](std::vector<std::int32_t>& ids) { ids.pop_back(); });
  CHECK(bench.robot().value("model.page.note").find("press Compute") != std::string::npos);
  CHECK(bench.robot().shows("model.patches.earlier"));  // faint, and without a click
}

TEST_CASE("model: what the logit is less of can be left, also once it is no more among the likeliest") {
  ModelBench bench("gpt2");
  bench.click("model.page.parts");
  std::int32_t unlikely = 0;
  while (std::any_of(bench.model().answer->predictions.begin(), bench.model().answer->predictions.end(),
                     [&](const Prediction& one) { return one.id == unlikely; }))
    ++unlikely;
  bench.model().against = unlikely;
  bench.settle();
  CHECK(bench.robot().value("model.against") == std::to_string(unlikely));
  bench.click("model.against");
  bench.click("model.against.none");
  CHECK_FALSE(bench.model().against);
}

TEST_CASE("model: texts are read and typed as ids") {
  ModelBench bench("llama");
  bench.click("model.as_ids");
  CHECK(bench.robot().value("model.text") == ids_text(bench.open().ids));
  bench.robot().click("model.text");
  bench.robot().key(Key::A, {.ctrl = true});
  bench.robot().type("1, 5,7 9");
  bench.settle();
  CHECK(bench.open().ids == std::vector<std::int32_t>{1, 5, 7, 9});
  CHECK(bench.tells_expected());
  bench.robot().type("x");
  bench.settle();
  CHECK(bench.open().ids == std::vector<std::int32_t>{1, 5, 7, 9});
  CHECK(bench.robot().value("model.trouble").find("9x") != std::string::npos);
}

TEST_CASE("model: of one that is closed while it answers nothing is waited for") {
  ModelBench bench("gpt2");
  bench.send(SetModelIds{{1, 2, 3}});
  bench.robot().frames(1);
  bench.fixture.document().replace(headlight_test::lesson_session("01-one-query-dot-products"), std::nullopt);
  bench.robot().frames(3);
  CHECK(bench.room->idle());
}

TEST_CASE("model: the parts on the page and in its copy add up to the logit that is named") {
  for (const std::string family : {"gpt2", "llama3", "gemma2", "qwen3", "mistral"}) {
    INFO(family);
    ModelBench bench(family);
    bench.click("model.page.parts");
    REQUIRE(bench.model().current_parts());
    const Attribution parts = *bench.model().current_parts();
    const NetworkConfig& config = bench.open().network->config();
    CHECK(bench.robot().value("model.parts") ==
          std::to_string(config.layers + 2) + " x " + std::to_string(config.heads + 2));
    bench.click("model.parts.more");
    bench.click("model.parts.copy.table");
    CHECK(std::abs(copied_sum(ImGui::GetClipboardText()) - parts.logit) < 1e-4);
    const double cap = config.final_softcap;
    const double logit = cap > 0 ? cap * std::tanh(parts.logit / cap) : parts.logit;
    CHECK(close(logit, static_cast<double>(bench.model().answer->logits->coeff(0, parts.of.id))));
    CHECK((bench.robot().value("model.parts.sum").find("before its cap") != std::string::npos) == (cap > 0));
  }
}

TEST_CASE("model: without a click the logit is said to be the likeliest token's, and a clicked one stays") {
  ModelBench bench("gpt2");
  const auto shorter = [](std::vector<std::int32_t>& ids) { ids.resize(ids.size() - 3); };
  for (const std::string page : {"layers", "parts", "patches"}) {
    bench.click("model.page." + page);
    INFO(page << ": " << bench.robot().value("model.target"));
    CHECK(bench.robot().value("model.target").find("the likeliest token “") != std::string::npos);
  }
  bench.edit_ids(shorter);
  CHECK(bench.model().logit_choice().id == bench.expected().front().id);
  CHECK(bench.robot().value("model.target").find("the likeliest token") != std::string::npos);
  bench.click("model.prediction.1");
  const std::int32_t clicked = bench.expected()[1].id;
  bench.edit_ids(shorter);
  bench.click("model.continue");
  CHECK(bench.model().logit_choice().id == clicked);
  const std::string told = bench.robot().value("model.target");
  CHECK(told.find("likeliest") == std::string::npos);
  CHECK(told.find(bench.open().network->label(clicked)) != std::string::npos);
}

TEST_CASE("model: a map of patches stands under no name but its own") {
  ModelBench bench("gpt2");
  bench.click("model.page.patches");
  bench.click("model.patches.keep");
  bench.edit_ids([](std::vector<std::int32_t>& ids) { std::swap(ids[3], ids[4]); });
  bench.click("model.patches.compute");
  const auto shown = [&] {
    CHECK(bench.robot().shows("model.patches") != bench.robot().shows("model.page.note"));
    return bench.robot().shows("model.patches");
  };
  REQUIRE(shown());
  SECTION("of what is put in") {
    bench.click("model.patches.stage");
    bench.click("model.patches.stage.mlp_added");
    CHECK_FALSE(shown());
    CHECK(bench.robot().value("model.page.note").find("press Compute") != std::string::npos);
    bench.click("model.patches.stage");
    bench.click("model.patches.stage.residual");
  }
  SECTION("of the logit") {
    bench.click("model.prediction.2");
    CHECK_FALSE(shown());
    bench.click("model.prediction.2");
  }
  SECTION("of the model") {
    bench.edit(SetHead{1, 1, HeadState::Off});
    CHECK_FALSE(shown());
    bench.fixture.document().undo();
    bench.settle();
  }
  SECTION("of the text") {
    bench.edit_ids([](std::vector<std::int32_t>& ids) { std::swap(ids[1], ids[2]); });
    CHECK_FALSE(shown());
    bench.fixture.document().undo();
    bench.settle();
  }
  CHECK(shown());
}

TEST_CASE("model: in no frame is what another text, token, logit or model had told on a page") {
  ModelBench bench("gpt2");
  const std::vector<std::int32_t> ids = bench.open().ids;
  const std::vector<OpenModelEdit> edits = {SetModelIds{{ids.rbegin(), ids.rend()}},
                                            SetModelIds{{ids.begin(), ids.end() - 1}},
                                            SetHead{0, 1, HeadState::Off}, ShowLayer{2}};
  const auto follow = [&] {
    constexpr int kFrames = 400;
    for (int frame = 0; frame < kFrames; ++frame) {
      bench.robot().frames(1);
      check_told(bench);
      if (frame > 8 && bench.room->idle()) break;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  };
  for (const std::string page : {"heads", "layers", "parts"}) {
    INFO(page);
    bench.click("model.page." + page);
    for (const OpenModelEdit& edit : edits) {
      bench.send(edit);
      follow();
      bench.model().position = 2;
      follow();
      bench.model().target = bench.expected()[3].id;
      follow();
      bench.model().position.reset();
      bench.model().target.reset();
      bench.settle();
      CHECK(bench.tells_expected());
    }
  }
}

TEST_CASE("model: of another A nothing is told until it is computed") {
  ModelBench bench("gpt2");
  const auto keep = [&] {
    bench.fixture.view().baseline = {std::make_shared<const Layer>(bench.fixture.layer()), "A",
                                     bench.fixture.document().session().work};
  };
  keep();
  bench.settle();
  REQUIRE(bench.model().baseline);
  bench.edit_ids([](std::vector<std::int32_t>& ids) { std::reverse(ids.begin(), ids.end()); });
  keep();
  for (int frame = 0; frame < 20; ++frame) {
    bench.robot().frames(1);
    if (bench.model().baseline)
      CHECK(bench.model().baseline->state.ids == bench.fixture.view().baseline.work->ids);
  }
  bench.settle();
  REQUIRE(bench.model().baseline);
  CHECK(bench.model().baseline->predictions.front().id == bench.expected().front().id);
}

TEST_CASE("model: a file that is written anew or cut while it is open is told, and what was open stays") {
  using Spoil = void (*)(const std::filesystem::path&);
  const Spoil cut = [](const std::filesystem::path& file) { std::filesystem::resize_file(file, 5000); };
  for (const Spoil spoil : {Spoil(headlight_test::rewrite_in_place), cut}) {
    const headlight_test::ModelCopy copy("gpt2");
    ModelBench bench(copy);
    const Matrix read = bench.fixture.layer().embeddings.front();
    const std::string first = bench.robot().value("model.prediction.0");
    bench.fixture.view().baseline = {std::make_shared<const Layer>(bench.fixture.layer()), "A",
                                     bench.model().work};
    bench.settle();
    spoil(copy.path() / "model.safetensors");
    bench.fixture.view().layers.asked = 2;
    bench.settle();
    CHECK(bench.robot().value("model.trouble").find("changed while it was open") != std::string::npos);
    CHECK(bench.open().layer == 0);
    CHECK(bench.fixture.layer().embeddings.front() == read);
    CHECK(bench.robot().value("model.prediction.0") == first);
    bench.model().trouble.clear();
    bench.model().position = 1;  // needs the current text and A's
    bench.settle();
    CHECK(bench.robot().value("model.trouble").find("model.safetensors") != std::string::npos);
    // A alone, on another page.
    bench.model().trouble.clear();
    bench.model().page = ModelPage::Layers;
    bench.fixture.view().focus_view = FocusView::Model;
    bench.settle();
    CHECK(bench.robot().value("model.trouble").find("model.safetensors") != std::string::npos);
  }
}

TEST_CASE("model: patches are there when the window is woken for them") {
  ModelBench bench("gpt2");
  bench.click("model.page.patches");
  bench.click("model.patches.keep");
  std::mutex mutex;
  std::condition_variable rung;
  int rings = 0;
  // A slow callback: the window may follow before it returns.
  ModelController room([&] {
    {
      const std::scoped_lock lock(mutex);
      ++rings;
    }
    rung.notify_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  ViewState& view = bench.fixture.view();
  Document& document = bench.fixture.document();
  const auto follow_each_ring = [&](const auto& reached) {
    std::unique_lock lock(mutex);
    for (int seen = -1; !reached();) {
      REQUIRE(rung.wait_for(lock, std::chrono::seconds(20), [&] { return rings != seen; }));
      seen = rings;
      lock.unlock();
      room.follow(document, view);
      lock.lock();
    }
  };
  room.follow(document, view);
  follow_each_ring([&] { return view.model.fresh && room.idle(); });
  room.run({Action::ComputePatches, {}, Stage::Weights}, document, view);
  follow_each_ring([&] { return view.model.patches != nullptr; });
  CHECK(room.idle());
}
