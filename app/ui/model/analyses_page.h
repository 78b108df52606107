// The page *Questions* of the view "model": the analyses of a model and a text that come first to mind, their
// results as tables and pictures to copy and to save. Names: "model.question", "model.question.target",
// "model.question.compute", "model.question.table", "model.question.answer", ...
#pragma once

#include <memory>
#include <string>

#include "app/ui/model/path_tools.h"
#include "app/ui/model/result_view.h"
#include "app/ui/model/target_tools.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/flow_layout.h"

namespace headlight {

// Tokens in words, of the model and the ids that they were written for.
struct TypedTokens {
  std::weak_ptr<const Network> of;
  TokenIds tokens;
  std::string text;
};

struct AnalysesPageState {
  TargetToolsState target;
  TextFieldState texts, tokens;
  TypedTokens tokens_typed;
  PathToolsState paths;
  ResultMap map;  // of the answer on screen
};

// The tools of the page, behind the buttons of the pages.
void analysis_tools(UiContext& ui, AnalysesPageState& state, Flow& flow);
// Precondition: a model is open.
void analyses_page(UiContext& ui, AnalysesPageState& state, const Area& area);

}  // namespace headlight
