// Which stages, and which part of them, an edit affects.
#pragma once

#include "engine/attention/change_scope.h"
#include "engine/layer/edit.h"
#include "engine/layer/stage.h"

namespace headlight {

// The stages that are stale after the edit. before: the layer without the edit.
StageSet invalidated_by(const Edit& edit, const Layer& before);
// The affected part of these stages; monostate if whole stages must be refreshed.
ChangeScope change_scope_of(const Edit& edit, const Layer& after);
// The part that two successive changes affect together. tokens: T.
ChangeScope joined(const ChangeScope& first, const ChangeScope& next, Index tokens);

}  // namespace headlight
