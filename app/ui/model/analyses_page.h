// The page *Questions* of the view "model": the analyses of a model and a text that come first to mind, their
// results as tables and pictures to copy and to save. Names: "model.question", "model.question.target",
// "model.question.compute", "model.question.table", "model.question.answer", ...
#pragma once

#include "app/ui/model/path_tools.h"
#include "app/ui/model/result_view.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/flow_layout.h"

namespace headlight {

struct AnalysesPageState {
  TextFieldState target, texts, tokens;
  PathToolsState paths;
  std::string trouble;  // of the last target that was typed
  ResultMap map;        // of the answer on screen
};

// The tools of the page, behind the buttons of the pages.
void analysis_tools(UiContext& ui, AnalysesPageState& state, Flow& flow);
// Precondition: a model is open.
void analyses_page(UiContext& ui, AnalysesPageState& state, const Area& area);

// The field in which a target is typed: a word, or an id as #42. It becomes the chosen token.
void target_field(UiContext& ui, AnalysesPageState& state, Flow& flow);

}  // namespace headlight
