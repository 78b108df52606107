// What of a model is another than when a lesson began.
#pragma once

#include "engine/model/model.h"
#include "engine/session/condition.h"

namespace headlight {

// Whether both have the same inputs and settings, names of tokens aside.
bool same_inputs(const Model& a, const Model& b);

// Whether both have the same numbers in all inputs but the mask, whatever their settings are.
bool same_numbers(const Model& a, const Model& b);

// Whether `now` is `first` with the part that the condition names changed, and nothing else. Of a setting
// that draws weights anew in other shapes these follow it. Precondition: ConditionKind::ChangedOnly.
bool changed_only(const Condition& condition, const Model& first, const Model& now);

// Whether something else than at first stands where the reference points: another token or dimension.
bool moved(const TextReference& reference, const Model& now, const Model& first);

}  // namespace headlight
