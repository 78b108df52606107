// How the numbers of a page are computed again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/export/about.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

struct PageCommand {
  std::vector<std::string> words;    // as asking_command() has them
  std::vector<std::string> remarks;  // what the words leave out, a sentence each without a full stop
};
// Whether `headlight ask` reads such a model: one that reads one text.
bool can_ask(const Network& network);
// `headlight ask`, for the analysis of an answer. Precondition: can_ask().
PageCommand asking(const UiContext& ui, const AnalysisRun& answer);
// `headlight patches`: the same for an analysis of Patches, of which only the estimates are shown.
PageCommand estimating(const UiContext& ui, const AnalysisRun& answer);
// `headlight compute`: all stages of all layers.
PageCommand computing(const UiContext& ui, const OpenModel& of);

// The answer with what it is, for files: `about`, and the choices in words.
std::shared_ptr<const AnalysisRun> described(const UiContext& ui, AnalysisRun answer);

// The command as text: a line for a shell, or a program in Python. Each remark stands before it as a comment.
std::string copied_command(const PageCommand& command);
std::string copied_python(const PageCommand& command);

}  // namespace headlight
