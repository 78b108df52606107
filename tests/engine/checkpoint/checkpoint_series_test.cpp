// The checkpoints of a training, by the names that their folders have.
#include "engine/checkpoint/checkpoint_series.h"

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::vector<std::int64_t> steps_in(const std::vector<SavedStep>& found) {
  std::vector<std::int64_t> steps;
  for (const SavedStep& one : found)
    steps.push_back(one.step);
  return steps;
}

using Steps = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("checkpoint series: folders named for steps, in the order of the steps") {
  const TemporaryFolder folder;
  for (const char* name : {"step-1000", "step2", "checkpoint-30", "step_4", "step-", "step-5b", "steps-6",
                           "-7", "step--8", "step-99999999999999999999"})
    folder.write(std::string(name) + "/config.json", "{}");
  folder.write("step-9/model.safetensors", "");  // no config.json
  folder.write("step-10", "a file");
  CHECK(steps_in(checkpoints_in(folder.path())) == Steps{2, 4, 30, 1000});
  CHECK(checkpoints_in(folder.path()).front().folder == folder / "step2");
  CHECK(checkpoints_in(folder / "none").empty());
  CHECK(checkpoints_in(folder / "step-10").empty());
}

TEST_CASE("checkpoint series: the folder itself is one of them if it has a step of its own") {
  const TemporaryFolder folder;
  for (const char* name : {"step-10/", "step-20/", ""})
    folder.write(std::string(name) + "config.json", "{}");
  CHECK(steps_in(checkpoints_in(folder.path())) == Steps{10, 20});
  for (const char* state : {"", "[]", "{\"global_step\": -1}", "{\"global_step\": \"many\"}", "{"}) {
    INFO(state);
    folder.write("trainer_state.json", state);
    CHECK_FALSE(step_of_folder(folder.path()));
    CHECK(steps_in(checkpoints_in(folder.path())) == Steps{10, 20});
  }
  folder.write("trainer_state.json", "{\"global_step\": 25, \"epoch\": 1}");
  CHECK(checkpoints_in(folder.path()).back() == SavedStep{25, folder.path()});
  folder.write("trainer_state.json", "{\"global_step\": 10}");
  CHECK(steps_in(checkpoints_in(folder.path())) == Steps{10, 20});
  CHECK(series_of(folder.path()).current == 0);  // its weights are those of step 10
}

TEST_CASE("checkpoint series: a checkpoint knows those beside it, another folder beside them does not") {
  const TemporaryFolder folder;
  for (const char* name : {"step-10/", "step-20/", "other/", "other/deep/"})
    folder.write(std::string(name) + "config.json", "{}");
  const CheckpointSeries inside = series_of(folder.path());
  CHECK(inside.inside);
  CHECK(inside.current == 1);
  for (const std::string way : {"step-10", "step-10/", "other/../step-10", "./step-10"}) {
    INFO(way);
    const CheckpointSeries beside = series_of(folder / way);
    CHECK_FALSE(beside.inside);
    CHECK(steps_in(beside.steps) == Steps{10, 20});
    CHECK(beside.current == 0);
  }
  CHECK(series_of(folder / "other").steps.empty());
  CHECK(series_of(folder / "other/deep").steps.empty());
}

TEST_CASE("checkpoint series: revisions in the hub's cache") {
  const TemporaryFolder folder;
  for (const char* commit : {"aa11", "bb22", "cc33"})
    folder.write("snapshots/" + std::string(commit) + "/config.json", "{}");
  folder.write("refs/step1000", "bb22\n");
  folder.write("refs/step1", "aa11");
  folder.write("refs/main", "cc33");
  folder.write("refs/step2", "../../../etc");
  folder.write("refs/step3", "");
  folder.write("refs/step4", "dd44");  // was not fetched
  CHECK(checkpoints_in(folder.path()) ==
        std::vector<SavedStep>{{1, folder / "snapshots/aa11"}, {1000, folder / "snapshots/bb22"}});
  CHECK(series_of(folder / "snapshots/bb22").current == 1);
  CHECK(series_of(folder / "snapshots/cc33").steps.empty());
}

TEST_CASE("checkpoint series: the losses that a training wrote down, by step") {
  const TemporaryFolder folder;
  folder.write("a/trainer_state.json", R"({"global_step": 4, "log_history": [
      {"step": 4, "eval_loss": 2.5}, {"step": 2, "loss": 3, "learning_rate": 0.1}, {"step": 4, "loss": 2},
      {"loss": 1}, {"step": -1, "loss": 1}, {"step": 3}, {"step": 3.5, "loss": 1}, 7, {"step": 5, "loss": "x"}]})");
  CHECK(losses_of_folder(folder / "a") == std::vector<LoggedLoss>{{2, 3.0, std::nullopt}, {4, 2.0, 2.5}});
  CHECK(step_of_folder(folder / "a") == 4);
  for (const char* other : {"", "[]", "7", "{", R"({"log_history": {"step": 1}})", "{}"}) {
    folder.write("b/trainer_state.json", other);
    CHECK(losses_of_folder(folder / "b").empty());
    CHECK_FALSE(step_of_folder(folder / "b"));
  }
  CHECK(losses_of_folder(folder / "none").empty());
}
