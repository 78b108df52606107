// `headlight ask --checkpoints`: one question at each checkpoint of a training, and its numbers by step.
#pragma once

#include <memory>

#include "app/cli/ask_command.h"

namespace headlight {

struct StepsAnswer {
  AskResult answer;  // one table, "steps": a row for each checkpoint, a column for each number
  std::shared_ptr<const Network> last;  // the model after the last step
};

// Asks at each checkpoint that series_of() finds for the folder, in the order of their steps. A number is
// named by its table, row and column, "heads 1 2"; rows whose names occur twice by their number too. Those
// that are not in every answer are left out, and the answer says how many. Throws Error as ask_result(), with
// the checkpoint; without checkpoints; where a target is needed and none is given, because the likeliest
// token is not the same at all of them; and for a number of AskedAnalysis::numbers that there is not.
StepsAnswer ask_at_checkpoints(const AskedAnalysis& asked, std::ostream& err);

}  // namespace headlight
