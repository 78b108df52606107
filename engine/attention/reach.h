// What of the stages an edit reaches.
#pragma once

#include "engine/keeping/part_change.h"
#include "engine/model/edit.h"
#include "engine/model/stage.h"

namespace headlight {

// The stages that are stale after it. before: the model as it is without the edit.
StageSet reached_by(const Edit& edit, const Model& before);
// The part of them that it reaches; monostate where whole stages must be refreshed.
PartChange part_reached(const Edit& edit, const Model& after);
// The part that two changes, one after the other, reach together. tokens: how many there are.
PartChange joined(const PartChange& first, const PartChange& next, Index tokens);

}  // namespace headlight
