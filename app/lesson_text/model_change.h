// Compares a layer with the state in which a lesson began.
#pragma once

#include "engine/layer/layer.h"
#include "engine/session/condition.h"

namespace headlight {

// Whether both have the same inputs and settings, token labels aside.
bool same_inputs(const Layer& a, const Layer& b);

// Whether both have the same numbers in all inputs but the mask, whatever their settings are.
bool same_numbers(const Layer& a, const Layer& b);

// Whether `now` differs from `first` in the part that the condition names and in nothing else; weights that
// are drawn again for a changed shape belong to the part. Precondition: ConditionKind::ChangedOnly.
bool changed_only(const Condition& condition, const Layer& first, const Layer& now);

// Whether the reference points at another token or dimension than in `first`.
bool moved(const TextReference& reference, const Layer& now, const Layer& first);

}  // namespace headlight
