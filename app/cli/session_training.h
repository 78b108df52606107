// What the commands that train a session's layer share.
#pragma once

#include <filesystem>
#include <ostream>

#include "engine/learning/layer_training.h"
#include "engine/session/session.h"

namespace headlight {

// Gives a session without training the defaults of TrainingSettings, and writes so to `err`. Throws Error if
// it has no goal.
void require_trainable(Session& session, const std::filesystem::path& file, std::ostream& err);

// Throws Error if the next step cannot be taken, as LayerTraining::divergence() says.
void require_converging(const LayerTraining& training);

}  // namespace headlight
