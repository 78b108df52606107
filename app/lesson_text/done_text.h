// The change that a question supposes: in a few words, told in the past, and which stages it reaches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lesson_text/evaluated_runs.h"
#include "engine/core/counting.h"
#include "engine/session/lesson.h"

namespace headlight {

// "Done: the first number of “bank” is 0 now, the second number of “bank” is 3 now." Of more than three
// numbers, how many and where. `before`: the model without the change.
std::string done_text(const LessonChange& change, const Model& before, Counting counting);

// A change of one number: of the embeddings, of a weight matrix, or the probability of dropout.
struct NumberChange {
  std::string name;  // "step", "W_query", "p"
  double before = 0, after = 0;
};
// None for any other change, and where the model lacks the number. `before`: as above.
std::optional<NumberChange> number_change(const LessonChange& change, const Model& before);
// "step · 0.05 → 3", or on its way, at a share from 0 to 1, "step · 0.05 → 1.37".
std::string number_change_text(const NumberChange& change, double share);

// The stages that the change reaches, in a model that has them.
StageSet reached_stages(const LessonChange& change);

// The text of a try without its first sentence. A try with a change begins with the sentence that says it.
std::vector<EvaluatedRun> after_first_sentence(std::vector<EvaluatedRun> runs);

}  // namespace headlight
