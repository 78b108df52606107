// Compares a model with the state in which a lesson began.
#pragma once

#include "engine/model/model.h"
#include "engine/session/condition.h"

namespace headlight {

// Whether both have the same inputs and settings, token labels aside.
bool same_inputs(const Model& a, const Model& b);

// Whether both have the same numbers in all inputs but the mask, whatever their settings are.
bool same_numbers(const Model& a, const Model& b);

// Whether `now` differs from `first` in the part that the condition names and in nothing else; weights that
// are drawn again for a changed shape belong to the part. Precondition: ConditionKind::ChangedOnly.
bool changed_only(const Condition& condition, const Model& first, const Model& now);

// Whether the reference points at another token or dimension than in `first`.
bool moved(const TextReference& reference, const Model& now, const Model& first);

}  // namespace headlight
