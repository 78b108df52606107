// Ablation of every head and MLP, one at a time, or of some heads together, over a set of texts: what a
// number of the model's output becomes without them. Zero ablation removes what a head contributes; mean
// ablation replaces it by a mean, which leaves what it contributes to any text that the mean is over.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/analysis/text_set.h"
#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

// The number of a pass that a change is measured by.
struct OutputMeasure {
  // Loss: of all tokens of the text that are predicted. Logit: of one token, as `metric` says.
  enum class Kind { Loss, Logit };
  Kind kind = Kind::Loss;
  // Of Logit: of this token at the predicted position (predicted_position), less that of `against`; none: of
  // the text's likeliest token.
  std::optional<std::int32_t> target, against;
  // Of each text of a set; empty: `target` and `against`.
  std::vector<std::optional<std::int32_t>> targets = {}, againsts = {};
  // Logit and LogitDifference: the logit, less that of `against` where there is one.
  Metric metric = Metric::Logit;
  bool operator==(const OutputMeasure&) const = default;
};

// The likeliest token where none is chosen. Throws Error if the model has no predictions or the text no
// position to predict.
LogitChoice logit_choice(NetworkPass& pass, const OutputMeasure& measure);
// Throws Error as token_losses() and logit_choice().
double measured_output(NetworkPass& pass, const OutputMeasure& measure);

enum class AblationKind { Zero, Mean };
// Whose tokens a mean is over: of all texts of the set; of each text itself, as HeadState::Mean; or of other
// texts. The mean of the text itself has seen what it replaces, so that an answer leaks into it.
enum class MeanOver { Set, Text, Others };

struct HeadPlace {
  Index layer = 0, head = 0;
  bool operator==(const HeadPlace&) const = default;
};

struct AblationChoice {
  AblationKind kind = AblationKind::Mean;
  MeanOver over = MeanOver::Set;
  std::vector<TokenIds> others = {};  // of MeanOver::Others, read with the changes of the pass: at least one
  std::vector<HeadPlace> together = {};  // empty: each head and MLP alone
};

// What was found in one text.
struct AblatedText {
  double before = 0;            // the number without ablation
  Eigen::MatrixXd heads, mlps;  // what it becomes less `before`: L x H, L x 1; empty if together
  double together = 0;
  double weight = 1;  // how much it counts in the means: a loss by its tokens
};

struct Ablation {
  // The number without ablation: a loss is the mean over all predicted tokens of all texts, as that of the
  // analysis Loss; a logit the mean over the texts.
  double before = 0;
  Matrix heads;          // L x H: the number with the head ablated less `before`, likewise; empty if together
  Matrix mlps;           // L x 1
  double together = 0;   // the number with the heads ablated together less `before`
  Index mean_texts = 0;  // of a mean: over how many texts, and tokens of all of them
  Index mean_tokens = 0;
  std::vector<AblatedText> texts;
};

// The pass is left with the first text; its other changes stay in place throughout. Precondition: there is a
// text. `done`: called with the number of ablations that are known, and of all. Throws Error as
// measured_output(), for a head that the model does not have, and if a layer has a mask of its own, which
// fits one length; Stopped.
Ablation ablate(NetworkPass& pass, const std::vector<TokenIds>& texts, const AblationChoice& choice,
                const OutputMeasure& measure, const std::function<void(Index done, Index all)>& done);

}  // namespace headlight
