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
// numbers, how many and where. `before`: the layer without the change; `now`: the present one, whose numbers
// and settings are told, whatever the change had set them to.
std::string done_text(const LessonChange& change, const Layer& before, const Layer& now, Counting counting);

// A change of one number: of the embeddings, of a weight matrix, the probability of dropout, or what scores
// are multiplied by.
struct NumberChange {
  std::string name;  // "step", "W_query", "p", "scale"
  double before = 0, after = 0;
};
// None for any other change, and where the layer lacks the number. `before`: as above; what the change sets
// to what it is there already does not count.
std::optional<NumberChange> number_change(const LessonChange& change, const Layer& before);
// "step · 0.05 → 3", or on its way, at a share from 0 to 1, "step · 0.05 → 1.37".
std::string number_change_text(const NumberChange& change, double share);
// The number as the layer has it, and the same change with another one. Precondition: number_change() has one
// of some layer of this shape.
double changed_number(const LessonChange& change, const Layer& layer);
LessonChange with_number(LessonChange change, double number);

// Any change in few words: "mask · none → causal", "bank · 2, 0 → 0, 3", "learn · 20 steps". `before`: as
// above.
std::string change_text(const LessonChange& change, const Layer& before, Counting counting);

// The stages that the change reaches, in a layer that has them.
StageSet reached_stages(const LessonChange& change);

// The text of a try without its first sentence. A try with a change begins with the sentence that says it.
std::vector<EvaluatedRun> after_first_sentence(std::vector<EvaluatedRun> runs);

}  // namespace headlight
