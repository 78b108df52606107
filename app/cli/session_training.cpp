#include "app/cli/session_training.h"

#include "engine/core/error.h"

namespace headlight {

void require_trainable(Session& session, const std::filesystem::path& file, std::ostream& err) {
  if (!session.goal)
    throw Error("the session has no goal to be trained towards", file.string() + ": goal",
                "write \"goal\": {\"stage\": \"weights\", \"loss\": \"squared\", \"target\": [...]}");
  if (session.training) return;
  session.training.emplace();
  err << "headlight: " << file.string() << ": the session has no training: sgd with a rate of "
      << session.training->rate << " is used\n";
}

void require_converging(const LayerTraining& training) {
  const std::optional<Divergence>& divergence = training.divergence();
  if (!divergence) return;
  if (divergence->step == training.first_step())
    throw Error("nothing can be trained: " + divergence->reason, "goal",
                "change the session's numbers or its goal first");
  throw Error("training diverges: at step " + std::to_string(divergence->step) + " " + divergence->reason,
              "training.rate",
              "take fewer than " + std::to_string(divergence->step - training.first_step()) +
                  " steps, or a lower rate");
}

}  // namespace headlight
