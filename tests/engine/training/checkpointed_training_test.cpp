// Trainings that save checkpoints, end before their last step, and are continued.
#include "engine/training/checkpointed_training.h"

#include <cmath>
#include <fstream>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/json/json_document.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/plain_network.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

namespace fs = std::filesystem;

const std::string kTrainedText = [] {
  std::string text;
  for (int i = 0; i < 12; ++i)
    text += "Your journey starts with one step. The keys to the cabinet are on the table. ";
  return text;
}();

TrainingPlan plan_in(const TemporaryFolder& folder, const std::string& name) {
  TrainingPlan plan;
  plan.model = model_folder("gpt2");
  plan.texts = {folder.write("text.txt", kTrainedText)};
  plan.settings.optimizer = OptimizerKind::AdamW;
  plan.settings.batch = 2;
  plan.settings.length = 8;
  plan.settings.rate = {0.01, RateSchedule::Cosine, 2, 12};
  plan.save_every = 4;
  plan.output = folder / name;
  return plan;
}

void train_to(CheckpointedTraining& training, Index step) {
  training.begin();
  while (training.step() < step)
    training.advance();
}

// Ends after nine of twelve steps, and is continued by another process.
void train_with_a_break(const TrainingPlan& plan) {
  {
    CheckpointedTraining training(plan);
    train_to(training, 9);
  }
  CheckpointedTraining training = CheckpointedTraining::continued(plan.output);
  CHECK(training.step() == 8);
  train_to(training, 12);
  training.finish();
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("checkpointed training: one that is continued ends with the same bits") {
  const TemporaryFolder folder;
  for (const OptimizerKind kind : {OptimizerKind::Sgd, OptimizerKind::Adam, OptimizerKind::AdamW})
    for (const SavedFloat type : {SavedFloat::F32, SavedFloat::F16})
      for (const WindowOrder order : {WindowOrder::Random, WindowOrder::Sequential}) {
        TrainingPlan plan = plan_in(folder, "whole");
        plan.settings.rate.most = kind == OptimizerKind::Sgd ? 1e-5 : 1e-3;
        plan.settings.optimizer = kind;
        plan.settings.momentum = 0.9;
        plan.settings.order = order;
        plan.settings.clip = 1;
        plan.type = type;
        plan.held_out = 0.2;
        CheckpointedTraining whole(plan);
        train_to(whole, 12);
        whole.finish();
        plan.output = folder / "broken";
        train_with_a_break(plan);
        for (const char* file : {"model.safetensors", "config.json", "trainer_state.json"})
          CHECK(read_file(folder / "broken" / file) == read_file(folder / "whole" / file));
        CHECK(series_of(plan.output).steps.size() == 3);
        CHECK_FALSE(unfinished_training(plan.output));
        fs::remove_all(folder / "whole");
        fs::remove_all(folder / "broken");
      }
}

TEST_CASE("checkpointed training: it goes on from the last checkpoint that was written whole") {
  const TemporaryFolder folder;
  const TrainingPlan plan = plan_in(folder, "out");
  {
    CheckpointedTraining training(plan);
    train_to(training, 8);
  }
  folder.write("out/.headlight-step-12/model.safetensors", "half a file");
  folder.write("out/.headlight-training/training.json", "{");
  REQUIRE(unfinished_training(plan.output));
  CHECK(unfinished_training(plan.output)->step == 8);
  CheckpointedTraining training = CheckpointedTraining::continued(plan.output, 20);
  train_to(training, 20);
  training.finish();
  CHECK(series_of(plan.output).steps.back().step == 20);
  for (const auto& entry : fs::directory_iterator(plan.output))
    CHECK_FALSE(entry.path().filename().string().starts_with(".headlight"));
}

TEST_CASE(
    "checkpointed training: the held-out loss is that of the pass over one text, on text it never reads") {
  const TemporaryFolder folder;
  TrainingPlan plan = plan_in(folder, "out");
  plan.held_out = 0.1;
  plan.save_at = {0};
  plan.settings.rate.most = 0;
  const auto network = open_model("gpt2");
  CheckpointedTraining training(plan);
  training.begin();
  const Index held = training.held_out_tokens();
  std::vector<std::int32_t> all = ids_of_files(*network, plan.texts);
  REQUIRE(held == static_cast<Index>(std::floor(0.1 * static_cast<double>(all.size()))));
  REQUIRE(training.tokens() + held == static_cast<Index>(all.size()));
  all.erase(all.begin(), all.end() - held);
  const PlainNetwork plain(*network);
  double sum = 0;
  Index count = 0;
  for (auto begin = all.begin(); begin + 9 <= all.end(); begin += 8, ++count)
    sum += plain.loss({begin, begin + 9});
  const std::vector<LoggedLoss> told = losses_of_folder(plan.output / "step-0");
  REQUIRE(told.size() == 1);
  CHECK(std::abs(*told.front().held_out - sum / static_cast<double>(count)) < 1e-4);
  train_to(training, 12);
  const std::vector<LoggedLoss> later = losses_of_folder(plan.output / "step-12");
  CHECK(later == training.losses());
  CHECK(later.size() == 13);
  CHECK(later.back().held_out == told.front().held_out);  // the rate is 0
  CHECK(later.back().loss);
}

TEST_CASE("checkpointed training: what cannot be continued is said, by member") {
  const TemporaryFolder folder;
  const TrainingPlan plan = plan_in(folder, "out");
  const fs::path record = plan.output / "training/training.json";
  const auto refusal = [&] { return message_of([&] { CheckpointedTraining::continued(plan.output); }); };
  CHECK_THAT(refusal(), ContainsSubstring("no training in it"));
  {
    CheckpointedTraining training(plan);
    train_to(training, 4);
  }
  const std::string whole = read_file(record);
  const Json json = parse_json(whole);
  for (const auto& [name, value] : json.items()) {
    INFO(name);
    Json other = json;
    other.erase(name);
    std::ofstream(record) << other.dump();
    // Records of before have no "ids".
    if (name != "ids") CHECK_THAT(refusal(), ContainsSubstring(name) && ContainsSubstring("training.json"));
    other = json;
    other[name] = value.is_string() ? Json(7) : Json("x");
    std::ofstream(record) << other.dump();
    CHECK_THAT(refusal(), ContainsSubstring(name) && ContainsSubstring("training.json"));
  }
  std::ofstream(record) << "[]";
  CHECK_THAT(refusal(), ContainsSubstring("expected an object"));
  std::ofstream(record) << whole;
  std::ofstream(plan.texts.front(), std::ios::app) << "More words.";
  CHECK_THAT(refusal(), ContainsSubstring("tokens now"));
  folder.write("text.txt", "The" + kTrainedText.substr(3));
  CHECK_THAT(refusal(), ContainsSubstring("tokens now") || ContainsSubstring("other tokens"));
  folder.write("text.txt", kTrainedText);
  CHECK_THAT(message_of([&] { CheckpointedTraining::continued(plan.output, 4); }),
             ContainsSubstring("--steps 8"));
  fs::remove(plan.output / "training/optimizer.safetensors");
  CHECK_THAT(refusal(), ContainsSubstring("optimizer.safetensors"));
  fs::remove_all(plan.output / "step-4");
  CHECK_THAT(refusal(), ContainsSubstring("step-4"));
}

TEST_CASE("checkpointed training: an output that cannot be written is refused before the first step") {
  const TemporaryFolder folder;
  TrainingPlan plan = plan_in(folder, "file/out");
  folder.write("file", "no folder");
  CheckpointedTraining training(plan);
  CHECK_THAT(message_of([&] { training.begin(); }), ContainsSubstring("could not be saved"));
  plan.output = folder / "new";
  CheckpointedTraining other(plan);
  other.begin();
  CHECK_FALSE(fs::exists(plan.output));
}

TEST_CASE("checkpointed training: a held-out part that is too short is refused before anything is written") {
  const TemporaryFolder folder;
  TrainingPlan plan = plan_in(folder, "out");
  plan.held_out = 0.005;
  CHECK_THAT(message_of([&] { CheckpointedTraining{plan}; }), ContainsSubstring("a window needs 9"));
  CHECK_FALSE(fs::exists(plan.output));
}

TEST_CASE(
    "checkpointed training: steps with a checkpoint are in order, each once, and none behind the last") {
  TrainingPlan plan;
  plan.settings.rate.steps = 10;
  CHECK(planned_checkpoints(plan).empty());
  plan.save_every = 4;
  plan.save_at = {9, 0, 4, 11};
  CHECK(planned_checkpoints(plan) == std::vector<Index>{0, 4, 8, 9});
}
