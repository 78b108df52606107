// Which stages, and which part of them, an edit affects.
#pragma once

#include "engine/model/edit.h"
#include "engine/model/stage.h"
#include "engine/score_storage/change_scope.h"

namespace headlight {

// The stages that are stale after the edit. before: the model without the edit.
StageSet invalidated_by(const Edit& edit, const Model& before);
// The affected part of these stages; monostate if whole stages must be refreshed.
ChangeScope change_scope_of(const Edit& edit, const Model& after);
// The part that two successive changes affect together. tokens: T.
ChangeScope joined(const ChangeScope& first, const ChangeScope& next, Index tokens);

}  // namespace headlight
