// What of a model is another than when a lesson began.
#pragma once

#include "engine/model/model.h"
#include "engine/session/claim.h"

namespace headlight {

// Whether both have the same inputs and settings, names of tokens aside.
bool same_inputs(const Model& a, const Model& b);

// Whether `now` is `first` with the part that the claim names changed, and nothing else. Of a setting that
// draws weights anew in other shapes these follow it. Precondition: ClaimKind::ChangedOnly.
bool changed_only(const Claim& claim, const Model& first, const Model& now);

// Whether something else than at first stands where the quote points: another token or dimension.
bool moved(const Quote& quote, const Model& now, const Model& first);

}  // namespace headlight
