// Training a whole model in the window: the dialog's fields, the run beside the window, and what follows it.
#include <functional>

#include "app/ui/model/training_line.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/model_bench.h"

using namespace headlight;
using namespace headlight_test;

namespace {

namespace fs = std::filesystem;

const char* const kStory = "Your journey starts with one step. The keys to the cabinet are on the table. ";

std::string story(int times) {
  std::string text;
  for (int i = 0; i < times; ++i)
    text += kStory;
  return text;
}

// A model open beside a text that it can be trained on.
class TrainingBench : public ModelBench {
 public:
  TrainingBench() : ModelBench("gpt2") {
    text_ = folder.write("story.txt", story(10)).string();
    train.texts = {text_};
    train.output = (folder / "out").string();
    train.steps = "12";
    train.length = "8";
    train.batch = "2";
    train.rate = "0.001";
    train.checkpoints = "3";
    ask();
  }
  void ask() {
    model().training.dialog_asked = true;
    settle();
  }
  // Changes fields while none of them has the keyboard, and presses Train.
  void begin_with(const std::function<void(TrainDialogState&)>& change) {
    train.open = false;
    settle();
    change(train);
    ask();
    robot().click("train.ok");
  }
  void until(const std::function<bool(const TrainingView&)>& reached) {
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!reached(model().training)) {
      REQUIRE(std::chrono::steady_clock::now() < late);
      robot().frames(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void until_phase(TrainingPhase phase) {
    until([=](const TrainingView& training) { return training.phase == phase; });
    settle();
  }
  // A training so long that it does not end by itself.
  void begin_long() {
    begin_with([](TrainDialogState& fields) {
      fields.steps = "1000000";
      fields.checkpoints = "1";
    });
  }

  TemporaryFolder folder;
  std::string text_;
};

}  // namespace

TEST_CASE(
    "train dialog: the open model is trained, its checkpoints come into the slider, and the text stays") {
  TrainingBench bench;
  const std::vector<std::int32_t> ids = bench.open().ids;
  CHECK_THAT(bench.robot().value("train.cost"), ContainsSubstring("MB of memory; 4 checkpoints of "));
  bench.robot().click("train.ok");
  bench.until_phase(TrainingPhase::Done);
  CHECK_FALSE(bench.train.open);
  CHECK(bench.robot().value("model.checkpoint") == "step 12, 4 of 4");
  CHECK(bench.open().ids == ids);
  CHECK(bench.tells_expected());
  CHECK_THAT(bench.robot().value("training.text"), ContainsSubstring("Trained: 12 steps · loss "));
  CHECK_THAT(bench.robot().value("model.checkpoint.curve"), ContainsSubstring("held out "));
  CHECK(bench.model().checkpoints.losses.size() >= 12);
  // Following it is one step of undo, back to the model that was open.
  bench.fixture.document().undo();
  bench.settle();
  CHECK(bench.open().network->checkpoint().folder() == folder_of("gpt2"));
  bench.click("training.close");
  CHECK_FALSE(bench.robot().shows("training.text"));
}

TEST_CASE("train dialog: opened later, the folder of a training shows how the loss fell") {
  const TemporaryFolder folder;
  TrainingPlan plan;
  plan.model = folder_of("gpt2");
  plan.texts = {folder.write("story.txt", story(10))};
  plan.settings.length = 8;
  plan.settings.rate = {0.001, RateSchedule::Constant, 0, 12};
  plan.held_out = 0.1;
  plan.save_every = 4;
  plan.output = folder / "out";
  CheckpointedTraining training(plan);
  while (!training.done())
    training.advance();
  training.finish();
  ModelBench bench(plan.output.string());
  CHECK(bench.model().checkpoints.losses == training.losses());
  CHECK(bench.model().checkpoints.axis == std::vector<std::int64_t>{4, 8, 12});
  bench.robot().click("model.checkpoint.measure");
  bench.click("model.checkpoint.measure.loss");
  CHECK_THAT(bench.robot().value("model.checkpoint.curve"), ContainsSubstring("held out "));
}

TEST_CASE("train dialog: paused, looked at and stopped; then continued from its checkpoint") {
  TrainingBench bench;
  bench.begin_long();
  bench.until([](const TrainingView& training) { return training.step > 3; });
  bench.robot().click("training.pause");
  bench.until_phase(TrainingPhase::Paused);
  const Index step = bench.model().training.step;
  bench.robot().frames(20);
  CHECK(bench.model().training.step == step);
  CHECK_THAT(bench.robot().value("training.text"), ContainsSubstring("Paused at step "));
  bench.robot().click("training.save");
  bench.until([](const TrainingView& training) { return training.saved == 2; });
  bench.settle();
  CHECK(bench.model().checkpoints.steps.size() == 2);
  CHECK(bench.model().checkpoints.current == 1);
  CHECK(bench.tells_expected());
  bench.robot().click("training.stop");
  bench.until_phase(TrainingPhase::Stopped);
  bench.ask();
  REQUIRE(bench.robot().shows("train.continue"));
  bench.robot().click("train.continue");
  bench.until([&](const TrainingView& training) { return training.step > step + 2; });
  bench.robot().click("training.stop");
  bench.until_phase(TrainingPhase::Stopped);
  CHECK(bench.model().checkpoints.steps.size() == 3);
  CHECK(bench.model().checkpoints.current == 2);  // the one that it ended with is followed too
}

TEST_CASE("train dialog: who goes back to an older checkpoint stays there while the training goes on") {
  TrainingBench bench;
  bench.begin_long();
  bench.until([](const TrainingView& training) { return training.saved > 0; });
  bench.robot().click("training.save");
  bench.until([&](const TrainingView&) { return bench.model().checkpoints.steps.size() == 2; });
  const Rect track = bench.robot().widget("model.checkpoint").rect;
  bench.robot().click_at({static_cast<float>(track.x + 8), static_cast<float>(track.y + track.height / 2)});
  bench.until([&](const TrainingView&) { return bench.model().checkpoints.current == 0; });
  CHECK_FALSE(bench.model().training.follows);
  bench.robot().click("training.stop");
  bench.until_phase(TrainingPhase::Stopped);
  CHECK(bench.model().checkpoints.current == 0);
}

TEST_CASE("train dialog: a new model is made from the text, and is to be opened with its words") {
  TrainingBench bench;
  bench.robot().click("train.model.new");
  CHECK(bench.robot().shows("train.layers"));
  bench.begin_with([&](TrainDialogState& fields) {
    fields.output = (bench.folder / "new").string();
    fields.whole_words = true;
  });
  bench.until([](const TrainingView& training) { return training.first_of_new.has_value(); });
  CHECK(bench.model().training.first_of_new->folder == bench.folder / "new" / "step-0");
  CHECK(bench.model().training.first_of_new->text ==
        "Your journey starts with one The keys to Your journey starts with one");
  bench.until_phase(TrainingPhase::Done);
  CHECK(bench.open().network->checkpoint().folder() == folder_of("gpt2"));  // another model: it stays
  const Session opened = model_session(bench.folder / "new" / "step-4", "one step");
  CHECK(opened.title == "new");
  CHECK(opened.work->ids.size() == 2);
}

TEST_CASE("train dialog: what cannot be trained is said in the dialog, by field, and nothing begins") {
  TrainingBench bench;
  const auto refusal = [&](const std::function<void(TrainDialogState&)>& change) {
    const TrainDialogState before = bench.train;
    bench.begin_with(change);
    const std::string message = bench.train.message;
    CHECK(bench.train.open);
    bench.robot().frames(1);
    CHECK(bench.robot().value("train.message") == message);
    const bool open = bench.train.open;
    bench.train = before;
    bench.train.open = open;
    return message;
  };
  using State = TrainDialogState;
  const auto field = [&](std::string State::*which, const char* text) {
    return refusal([=](State& state) { state.*which = text; });
  };
  CHECK_THAT(field(&State::steps, "0"), ContainsSubstring("steps"));
  CHECK_THAT(field(&State::steps, "1.5"), ContainsSubstring("steps"));
  CHECK_THAT(field(&State::batch, "-1"), ContainsSubstring("batch"));
  CHECK_THAT(field(&State::rate, "nan"), ContainsSubstring("rate"));
  CHECK_THAT(field(&State::rate, "-1"), ContainsSubstring("rate"));
  CHECK_THAT(field(&State::rate, "inf"), ContainsSubstring("rate"));
  CHECK_THAT(field(&State::held_out, "51"), ContainsSubstring("held out"));
  CHECK_THAT(field(&State::checkpoints, "0"), ContainsSubstring("checkpoints"));
  CHECK_THAT(field(&State::output, folder_of("gpt2").c_str()),
             ContainsSubstring("there is a model in it already"));
  CHECK_THAT(refusal([](State& state) { state.texts = {""}; }), ContainsSubstring("no text"));
  CHECK_THAT(refusal([](State& state) {
               state.makes_new = true;
               state.positions = "4";
             }),
             ContainsSubstring("tokens each"));
  CHECK_THAT(refusal([](State& state) {
               state.makes_new = true;
               state.heads = "5";
             }),
             ContainsSubstring("heads") || ContainsSubstring("n_head"));
  CHECK(bench.model().training.phase == TrainingPhase::None);
}

TEST_CASE("training: one that fails says why, and what is open stays") {
  const auto failure = [](const std::function<void(TrainingBench&)>& change) {
    TrainingBench bench;
    bench.begin_with([&](TrainDialogState&) { change(bench); });
    bench.until_phase(TrainingPhase::Failed);
    CHECK(bench.open().network->checkpoint().folder() == folder_of("gpt2"));
    CHECK_THAT(bench.robot().value("training.text"), ContainsSubstring("The training ended at step "));
    return bench.model().training.failure;
  };
  CHECK_THAT(failure([](TrainingBench& bench) { bench.train.texts = {"/no/such/file.txt"}; }),
             ContainsSubstring("/no/such/file.txt"));
  CHECK_THAT(failure([](TrainingBench& bench) { bench.folder.write("story.txt", "One step."); }),
             ContainsSubstring("a window needs 9"));
  CHECK_THAT(failure([](TrainingBench& bench) { bench.folder.write("story.txt", "\xff\xfe"); }),
             ContainsSubstring("UTF-8"));
  CHECK_THAT(failure([](TrainingBench& bench) {
               bench.train.rate = "100000";
               bench.train.clip = "0";
               bench.train.warmup = "0";
               bench.train.steps = "500";
             }),
             ContainsSubstring("no number any more"));
  CHECK_THAT(failure([](TrainingBench& bench) { bench.train.length = "5000"; }),
             ContainsSubstring("positions"));
}

TEST_CASE("training: the line says how far it is, and how long it takes") {
  TrainingView training;
  CHECK(training_text(training).empty());
  training.phase = TrainingPhase::Running;
  training.step = 320;
  training.steps = 2000;
  training.losses = {{300, 2.3149, 2.4}, {320, 2.3, std::nullopt}};
  for (const auto& [seconds, text] : {std::pair(0.2, "1 s left"), std::pair(59.0, "59 s left"),
                                      std::pair(61.0, "2 min left"), std::pair(5400.0, "1.5 h left")}) {
    training.seconds_left = seconds;
    CHECK(training_text(training) ==
          std::string("Training: step 320 of 2000 · loss 2.30 · held out 2.40 · ") + text);
  }
  training.phase = TrainingPhase::Failed;
  training.failure = "the disk is full";
  CHECK(training_text(training) == "The training ended at step 320 of 2000: the disk is full");
}
