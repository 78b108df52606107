// Training a model's folder, and making an untrained one.
#include <algorithm>

#include "app/cli/model_commands.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

void require_free_folder(const fs::path& folder, bool force) {
  if (holds_model(folder) && !force)
    throw Error("there is a model in it already", folder.string(),
                "choose another folder, or replace it with --force");
}

// Writes the losses as they come, and the trained model at the end.
void train_on(CheckpointedTraining& training, std::ostream& out, std::ostream& err) {
  constexpr Index kLines = 100;
  const TrainingPlan& plan = training.plan();
  err << "headlight: " << training.memory_text() << std::endl;
  out << "step, loss\n";
  training.begin();
  const Index steps = plan.settings.rate.steps, apart = std::max<Index>(1, steps / kLines);
  while (!training.done()) {
    const TrainingStep step = training.advance();
    if (step.number == 1 || step.number == steps || step.number % apart == 0)
      out << step.number << ", " << step.loss << std::endl;
  }
  training.finish();
  if (const LoggedLoss* held = newest_with(training.losses(), &LoggedLoss::held_out))
    out << "loss of the held-out part after step " << held->step << ": " << *held->held_out << '\n';
  out << plan.output.string() << " saved\n";
}

}  // namespace

void train_model(const ModelTraining& requested, std::ostream& out, std::ostream& err) {
  require_free_folder(requested.plan.output, requested.force);
  std::optional<CheckpointedTraining> training;
  {
    const Network network(requested.plan.model);
    training.emplace(requested.plan, network);
    report_omitted(network, err);
  }
  train_on(*training, out, err);
}

void continue_training(const fs::path& folder, Index last, std::ostream& out, std::ostream& err) {
  CheckpointedTraining training = CheckpointedTraining::continued(folder, last);
  err << "headlight: continued from step " << training.step() << '\n';
  train_on(training, out, err);
}

void make_model(const UntrainedModel& requested, bool force, std::ostream& out, std::ostream& err) {
  require_free_folder(requested.output, force);
  const std::int32_t size = save_untrained_model(requested);
  if (requested.tokenizer.empty() && size < requested.shape.vocabulary)
    err << "headlight: the texts make a vocabulary of " << size << " tokens, not of "
        << requested.shape.vocabulary << '\n';
  out << requested.output.string() << " saved\n";
}

}  // namespace headlight
