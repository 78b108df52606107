#include "engine/training/checkpointed_training.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/file_stamp.h"
#include "engine/training/training_record.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr Index kRecords = 200;      // of the loss, in a whole training
constexpr Index kHeldOutSteps = 16;  // at most so many steps' worth of windows measure the held-out loss

fs::path checkpoint_of(const fs::path& folder, Index step) {
  return folder / ("step-" + std::to_string(step));
}

// Splits the ids; what is held out is the end.
std::vector<std::int32_t> hold_out(std::vector<std::int32_t>& ids, double share, Index length) {
  const auto count = static_cast<std::size_t>(std::floor(share * static_cast<double>(ids.size())));
  if (count == 0) return {};
  if (static_cast<Index>(count) <= length)
    throw Error("the held-out part has " + std::to_string(count) + " tokens, and a window needs " +
                    std::to_string(length + 1),
                "held out", "hold out a larger share, give longer texts, or take shorter windows");
  const auto begin = ids.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<std::int32_t> held(begin, ids.end());
  ids.erase(begin, ids.end());
  return held;
}

std::string hash_of(const std::vector<std::int32_t>& ids) {
  char text[32];
  const std::uint64_t hash =
      content_hash(reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(std::int32_t));
  return {text, std::to_chars(text, text + sizeof text, hash, 16).ptr};
}

}  // namespace

std::vector<Index> planned_checkpoints(const TrainingPlan& plan) {
  const Index last = plan.settings.rate.steps;
  std::set<Index> steps;
  for (const Index step : plan.save_at)
    if (step <= last) steps.insert(step);
  for (Index step = plan.save_every; plan.save_every > 0 && step <= last; step += plan.save_every)
    steps.insert(step);
  return {steps.begin(), steps.end()};
}

CheckpointedTraining::CheckpointedTraining(TrainingPlan plan)
    : CheckpointedTraining(std::move(plan), Network(plan.model)) {}

CheckpointedTraining::CheckpointedTraining(TrainingPlan plan, const Network& network)
    : plan_(std::move(plan)),
      form_(saved_form(network.checkpoint().folder(), plan_.type)),
      checkpoints_(planned_checkpoints(plan_)) {
  require_trainable(network, plan_.settings);
  std::vector<std::int32_t> ids = ids_of_files(network, plan_.texts);
  held_out_ = hold_out(ids, plan_.held_out, plan_.settings.length);
  tokens_ = static_cast<Index>(ids.size());
  ids_hash_ = hash_of(ids);
  run_ = std::make_unique<TrainingRun>(network, std::move(ids), plan_.settings);
}

CheckpointedTraining CheckpointedTraining::continued(const fs::path& folder, Index last) {
  std::optional<UnfinishedTraining> found = unfinished_training(folder);
  if (!found)
    throw Error("there is no training in it that could be continued", folder.string(),
                "give the folder that a training with checkpoints writes");
  if (last > 0) found->plan.settings.rate.steps = last;
  if (found->plan.settings.rate.steps <= found->step)
    throw Error("the training has taken all of its " + std::to_string(found->step) + " steps",
                folder.string(), "give a later last step: --steps " + std::to_string(2 * found->step));
  const fs::path checkpoint = checkpoint_of(folder, found->step);
  CheckpointedTraining training(found->plan, Network(checkpoint));
  training.take_state(state_folder(folder), *found);
  training.losses_ = losses_of_folder(checkpoint);
  training.saved_step_ = training.step();
  training.saves_ = 1;
  return training;
}

void CheckpointedTraining::begin() {
  require_writable(plan_.output);  // before hours of steps that could not be saved
  if (step() == 0 && !checkpoints_.empty() && checkpoints_.front() == 0) save();
}

TrainingStep CheckpointedTraining::advance() {
  const TrainingStep step = run_->advance();
  record(step);
  if (std::binary_search(checkpoints_.begin(), checkpoints_.end(), step.number)) save();
  return step;
}

void CheckpointedTraining::record(const TrainingStep& step) {
  sum_ += step.loss;
  ++unrecorded_;
  const Index last = plan_.settings.rate.steps, apart = std::max<Index>(1, last / kRecords);
  if (step.number != 1 && step.number != last && step.number % apart != 0) return;
  losses_.push_back({step.number, sum_ / static_cast<double>(unrecorded_), std::nullopt});
  sum_ = 0;
  unrecorded_ = 0;
}

void CheckpointedTraining::record_held_out() {
  if (held_out_.empty()) return;
  const double loss = run_->loss_over(held_out_, kHeldOutSteps);
  if (!std::isfinite(loss)) return;
  if (losses_.empty() || losses_.back().step != step())
    losses_.push_back({step(), std::nullopt, std::nullopt});
  losses_.back().held_out = loss;
}

SavedForm CheckpointedTraining::form_of_step() const {
  SavedForm form = form_;
  form.beside.push_back(step_file(step(), losses_));
  return form;
}

// The state comes last: while it is written, the one before and its checkpoint are still there.
void CheckpointedTraining::save() {
  record_held_out();
  save_checkpoint(plan_.output, checkpoint_of({}, step()).string(), run_->weights(), form_of_step());
  save_state();
  saved_step_ = step();
  ++saves_;
}

void CheckpointedTraining::finish() {
  ++saves_;
  save_model(plan_.output, run_->weights(), form_of_step());
  std::error_code ignored;
  fs::remove_all(state_folder(plan_.output), ignored);
}

void CheckpointedTraining::save_state() const {
  NewFolder state(plan_.output, state_folder({}).string());
  write_optimizer_state(state.path(), run_->optimizer_state(), run_->weights(), plan_.type);
  write_training_record(state.path(), {plan_, step(), tokens_, ids_hash_});
  state.commit();
}

void CheckpointedTraining::take_state(const fs::path& state, const UnfinishedTraining& found) {
  if (found.tokens != tokens_)
    throw Error("the texts have " + std::to_string(tokens_) + " tokens now, and had " +
                    std::to_string(found.tokens) + " when the training began",
                state.string() + ": texts", "put the texts back as they were, or train anew");
  if (!found.ids.empty() && found.ids != ids_hash_)
    throw Error("the texts have other tokens now than when the training began, though as many",
                state.string() + ": texts", "put the texts back as they were, or train anew");
  OptimizerTensors read =
      read_optimizer_state(state, found.step, run_->optimizer_state(), run_->weights(), plan_.type);
  run_->go_on_from(std::move(read.state), read.weights);
}

std::optional<UnfinishedTraining> unfinished_training(const fs::path& folder) {
  std::optional<UnfinishedTraining> found = read_training_record(state_folder(folder));
  if (found) found->plan.output = folder;
  return found;
}

}  // namespace headlight
