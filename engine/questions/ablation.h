// Ablation of every head and MLP, one at a time, over a set of texts: what a number of the model's output
// becomes without it. Zero ablation removes what a head contributes; mean ablation replaces it by its mean
// over all tokens of all texts of the set, which leaves what it contributes to any text.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"
#include "engine/questions/text_set.h"

namespace headlight {

// The number of a pass that a change is measured by.
struct OutputMeasure {
  enum class Kind { Loss, Logit };
  Kind kind = Kind::Loss;
  // Of Logit: of this token at the predicted position (predicted_position), less that of `against`; none: of
  // the text's likeliest token.
  std::optional<std::int32_t> target, against;
  std::vector<std::optional<std::int32_t>> targets = {};  // of each text of a set; empty: `target`
  bool operator==(const OutputMeasure&) const = default;
};

// The likeliest token where none is chosen. Throws Error if the model has no predictions or the text no
// position to predict.
LogitChoice logit_choice(NetworkPass& pass, const OutputMeasure& measure);
// Throws Error as token_losses() and logit_choice().
double measured_output(NetworkPass& pass, const OutputMeasure& measure);

enum class AblationKind { Zero, Mean };

struct Ablation {
  double before = 0;            // the number without ablation, its mean over the texts
  Matrix heads;                 // L x H: the number with the head ablated less `before`, likewise
  Matrix mlps;                  // L x 1
  Index texts = 0, tokens = 0;  // how many the means are over
};

// The pass is left with the first text; its other changes stay in place throughout. Precondition: there is a
// text. `done`: called with the number of ablations that are known, and of all. Throws Error as
// measured_output(), and if a layer has a mask of its own, which fits one length; Stopped.
Ablation ablate(NetworkPass& pass, const std::vector<TokenIds>& texts, AblationKind kind,
                const OutputMeasure& measure, const std::function<void(Index done, Index all)>& done);

}  // namespace headlight
