// The slider over the checkpoints of a training: what it opens, what stays, and the curves of the heads.
#include "app/ui/model/checkpoint_bar.h"

#include <algorithm>

#include "app/figure/plan/heatmap_figure.h"
#include "engine/analysis/analysis.h"
#include "engine/interpretation/heads_glance.h"
#include "engine/training/saved_model.h"
#include "tests/support/catch.h"
#include "tests/ui/support/model_bench.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const char* const kSlider = "model.checkpoint";

// A folder with checkpoints at the steps 0, 10, 20 and 40, whose weights grow from one to the next.
class Training {
 public:
  Training() {
    const Network network(folder_of("gpt2"));
    const SavedForm form = saved_form(folder_of("gpt2"), SavedFloat::F32);
    TrainedWeights weights(network);
    for (const int step : {0, 10, 20, 40}) {
      save_checkpoint(folder.path(), "step-" + std::to_string(step), weights, form);
      weights.change_each([](std::size_t, Matrix& numbers) { numbers *= 1.25f; });
    }
  }
  std::string at(int step) const { return (folder / ("step-" + std::to_string(step))).string(); }

  TemporaryFolder folder;
};

std::string shown(ModelBench& bench) {
  return bench.robot().value(kSlider);
}

void drag_to(ModelBench& bench, double share) {
  const Rect track = bench.robot().widget(kSlider).rect;
  bench.robot().click_at({static_cast<float>(track.x + 8 + share * (track.width - 16)),
                          static_cast<float>(track.y + track.height / 2)});
  bench.settle();
}

}  // namespace

TEST_CASE("checkpoints: a folder of checkpoints opens at the last one, a model alone has no slider") {
  const Training training;
  {
    ModelBench bench(training.folder.path().string());
    CHECK(shown(bench) == "step 40, 4 of 4");
    CHECK(bench.open().network->checkpoint().folder() == training.at(40));
  }
  CHECK_FALSE(ModelBench("gpt2").robot().shows(kSlider));
  ModelBench inner(training.at(10));
  CHECK(shown(inner) == "step 10, 2 of 4");
}

TEST_CASE("checkpoints: the slider shows another one, and text and changes stay; undo goes back") {
  const Training training;
  ModelBench bench(training.folder.path().string());
  bench.edit(SetModelText{"one step on"});
  bench.edit(SetHead{0, 1, HeadState::Off});
  const std::vector<std::int32_t> ids = bench.open().ids;
  const std::vector<Prediction> last = bench.expected();
  drag_to(bench, 0);
  CHECK(shown(bench) == "step 0, 1 of 4");
  CHECK(bench.open().network->checkpoint().folder() == training.at(0));
  CHECK(bench.open().ids == ids);
  CHECK(list_changes(bench.open()).size() == 1);
  CHECK(bench.tells_expected());
  CHECK(std::abs(bench.expected().front().logit - last.front().logit) > 1e-3f);
  drag_to(bench, 1.0 / 3);
  CHECK(shown(bench) == "step 10, 2 of 4");
  CHECK(bench.tells_expected());
  bench.fixture.document().undo();
  bench.settle();
  CHECK(shown(bench) == "step 0, 1 of 4");
  bench.fixture.document().undo();
  bench.settle();
  CHECK(shown(bench) == "step 40, 4 of 4");
  CHECK(bench.tells_expected());
  CHECK(bench.open().ids == ids);
}

TEST_CASE("checkpoints: arrow keys move on where the slider has the keyboard, and nowhere else") {
  const Training training;
  ModelBench bench(training.at(10));
  bench.robot().key(Key::Right);
  bench.settle();
  CHECK(shown(bench) == "step 10, 2 of 4");
  drag_to(bench, 1.0 / 3);
  for (const auto& [key, text] :
       {std::pair(Key::Right, "step 20, 3 of 4"), std::pair(Key::Left, "step 10, 2 of 4"),
        std::pair(Key::End, "step 40, 4 of 4"), std::pair(Key::Right, "step 40, 4 of 4"),
        std::pair(Key::Home, "step 0, 1 of 4"), std::pair(Key::Left, "step 0, 1 of 4")}) {
    bench.robot().key(key);
    bench.settle();
    INFO(text);
    CHECK(shown(bench) == text);
    CHECK(bench.tells_expected());
  }
}

TEST_CASE("checkpoints: of several wishes the newest one is shown") {
  const Training training;
  ModelBench bench(training.at(0));
  for (const std::size_t at : {1, 2, 3, 1, 2}) {
    bench.model().checkpoints.asked = at;
    bench.robot().frames(1);
  }
  bench.settle();
  CHECK(shown(bench) == "step 20, 3 of 4");
  CHECK(bench.tells_expected());
}

TEST_CASE("checkpoints: one that is damaged, or of another model, is reported, and what is open stays") {
  const Training training;
  training.folder.write("step-10/model.safetensors", "damaged");
  std::filesystem::copy(
      folder_of("llama"), training.folder / "step-20",
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  ModelBench bench(training.at(0));
  for (const std::size_t broken : {1, 2}) {
    bench.model().checkpoints.asked = broken;
    bench.settle();
    CHECK(shown(bench) == "step 0, 1 of 4");
    CHECK_THAT(bench.robot().value("model.checkpoint.text"),
               ContainsSubstring(broken == 1 ? "step-10" : "another model"));
    CHECK(bench.tells_expected());
  }
  bench.model().checkpoints.asked = 3;
  bench.settle();
  CHECK(bench.robot().value("model.checkpoint.text") == "step 40, 4 of 4");
  CHECK(bench.model().checkpoints.heads[1]->measures.empty());
}

TEST_CASE("checkpoints: the curves are the measures and weights of each checkpoint on the open text") {
  const Training training;
  ModelBench bench(training.at(0));
  for (const std::string text : {"one two one two one", "two two two"}) {
    bench.edit(SetModelText{text});
    const CheckpointsView& view = bench.model().checkpoints;
    REQUIRE(view.heads.size() == 4);
    for (std::size_t i = 0; i < view.steps.size(); ++i) {
      NetworkPass pass(std::make_shared<const Network>(view.steps[i].folder));
      pass.set_ids(bench.open().ids);
      const HeadsOverview expected = overview_of_heads(pass, 8, [](Index, Index) {});
      REQUIRE(view.heads[i]);
      REQUIRE(view.heads[i]->measures.size() == expected.all.size());
      for (std::size_t head = 0; head < expected.all.size(); ++head) {
        CHECK(view.heads[i]->measures[head].values == expected.all[head].measures.values);
        const auto at = static_cast<Index>(head);
        CHECK(view.heads[i]->weights[head] ==
              pass.attention_weights(at / expected.heads, at % expected.heads));
      }
      const Index last = pass.token_count() - 1;
      CHECK(view.heads[i]->likeliest.back() == likeliest(pass.logits(last, 1).row(0), 1).front().id);
    }
  }
  CHECK(bench.robot().shows("model.checkpoint.curve"));
}

TEST_CASE("checkpoints: the thick curve is that of the chosen head, else of the largest value") {
  CheckpointsView view;
  const auto heads = [](float a, float b) {
    CheckpointHeads two;
    two.measures.resize(2);
    two.measures[0].values[static_cast<std::size_t>(HeadMeasure::Induction)] = a;
    two.measures[1].values[static_cast<std::size_t>(HeadMeasure::Induction)] = b;
    two.weights = {Matrix::Constant(2, 2, b), Matrix::Constant(2, 2, a)};
    return std::make_shared<const CheckpointHeads>(two);
  };
  view.heads = {nullptr, heads(0.3f, 0.2f), heads(0.1f, 0.6f)};
  const CurveChoice induction{HeadMeasure::Induction}, pair{std::nullopt, 1, 0};
  CHECK(leading_curve(view, induction, std::nullopt) == 1);
  CHECK(leading_curve(view, pair, std::nullopt) == 0);
  CHECK(leading_curve(view, induction, 0) == 0);
  CHECK_FALSE(leading_curve(view, CurveChoice{HeadMeasure::PreviousToken}, std::nullopt));
  CHECK_FALSE(leading_curve(view, CurveChoice{std::nullopt, 2, 0}, std::nullopt));
  view.heads.clear();
  CHECK_FALSE(leading_curve(view, induction, 0));
}

TEST_CASE("checkpoints: the curves are of the pair of the selected cell, or of a chosen measure") {
  const Training training;
  ModelBench bench(training.at(0));
  bench.edit(SetModelText{"one two one two one"});
  ViewState& view = bench.fixture.view();
  view.focus_view = FocusView::Heatmap;
  view.selection.cell = CellAddress{Stage::Weights, 0, 1, 4, 2};
  view.head = 1;
  bench.settle();
  const float weight = bench.model().checkpoints.heads[0]->weights[1](4, 2);
  CHECK(bench.robot().value("model.checkpoint.curve") ==
        "layer 0, head 1: " + std::to_string(std::lround(100 * weight)) + " %");
  bench.bar.chosen = true;
  bench.bar.measure = HeadMeasure::FirstToken;
  bench.settle();
  const float first = *bench.model().checkpoints.heads[0]->measures[1].of(HeadMeasure::FirstToken);
  CHECK(bench.robot().value("model.checkpoint.curve") ==
        "layer 0, head 1: " + std::to_string(std::lround(100 * first)) + " %");
}

TEST_CASE("checkpoints: the curve can be the loss of the open text, as the question of the loss answers it") {
  const Training training;
  ModelBench bench(training.folder.path().string());
  bench.edit(SetModelText{"one step on"});
  bench.edit(SetHead{0, 1, HeadState::Off});
  bench.robot().click("model.checkpoint.measure");
  bench.click("model.checkpoint.measure.text_loss");
  const int steps[] = {0, 10, 20, 40};
  for (std::size_t at = 0; at < std::size(steps); ++at) {
    INFO("step " << steps[at]);
    ModelState state = state_of(bench.open());
    state.network = std::make_shared<const Network>(training.at(steps[at]));
    NetworkPass pass(state.network);
    take_state(pass, state);
    Analysis question;
    question.texts = {bench.open().ids};
    const AnalysisResult answer = run_analysis(pass, question, [](double) {});
    const std::string number = answer.notes.front().substr(answer.notes.front().find(": ") + 2, 6);
    REQUIRE(bench.model().checkpoints.heads[at]);
    REQUIRE(bench.model().checkpoints.heads[at]->loss);
    const Rect plot = bench.robot().widget("model.checkpoint.curve").rect;
    bench.robot().move_to({2, 2});
    bench.robot().frames(2);
    bench.robot().move_to({static_cast<float>(plot.x + plot.width * static_cast<double>(at) / 3),
                           static_cast<float>(plot.y + plot.height / 2)});
    bench.robot().rest(0.7f);
    bench.robot().frames(2);
    CHECK_THAT(bench.robot().value("tooltip"),
               ContainsSubstring("Step " + std::to_string(steps[at]) + ": loss of this text " + number));
  }
  // At the left stands that of the checkpoint that is shown; another text has another one.
  const std::string before = bench.robot().value("model.checkpoint.curve");
  bench.edit(SetModelText{"one step on and on"});
  CHECK(bench.robot().value("model.checkpoint.curve") != before);
}

TEST_CASE("checkpoints: in a high window the curves are high, and their axis has values") {
  const Training training;
  const std::string folder = training.folder.path().string();
  double low = 0;
  {
    ModelBench bench(folder);
    low = bench.robot().widget("model.checkpoint.curve").rect.height;
    CHECK_FALSE(bench.robot().shows("model.checkpoint.axis"));
  }
  ModelBench bench(folder, {1280, 1000});
  const Rect plot = bench.robot().widget("model.checkpoint.curve").rect;
  CHECK(plot.height > 1.8 * low);
  CHECK(bench.robot().value("model.checkpoint.axis") == "0 to 100 %");
  CHECK(bench.robot().widget("model.checkpoint.axis").rect.right() < plot.x);
  bench.robot().click("model.checkpoint.measure");
  bench.click("model.checkpoint.measure.text_loss");
  double most = 0;
  for (const auto& heads : bench.model().checkpoints.heads)
    most = std::max(most, heads->loss.value());
  CHECK(bench.robot().value("model.checkpoint.axis") == "0 to " + number_text(most, 2));
}
