// The pages about a whole model, beside the picture or in its place: all heads of all layers, the logit lens,
// the attribution of a logit, activation patching, and analyses. Names: "model.page.heads" ("model.page"
// where the pages are a list), "model.sentence", "model.head.<layer>.<head>", "model.lens", "model.parts",
// "model.patches", "model.estimate", ...
#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/ui/context/number_place.h"
#include "app/ui/model/analyses_page.h"
#include "app/ui/model/page_command.h"
#include "app/ui/model/page_sentences.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/flow_layout.h"

namespace headlight {

// What stands above a page: a sentence made of its numbers, and the example that explains it. "": nothing.
struct PageIntro {
  std::string sentence, example;
};

// The newest numbers that a page has shown, and the model and text that they are of. While those of a new
// text or choice are computed they stay on screen, faint. Empty: there are none of a model of this
// architecture.
struct ShownResult {
  std::shared_ptr<const ModelResult> answer;
  std::shared_ptr<const OpenModel> work;
};
struct ShownNumbers {
  ShownResult heads, lens, parts;
  std::shared_ptr<const PatchEstimateResult> estimate;
  std::shared_ptr<const PatchMapResult> patches;
};

// A patch that a click on *Patches* has made a change of the model, as the page says it.
struct PutInPatch {
  Patch patch;
  std::string words;
};

struct ModelPagesState {
  std::optional<HeadMeasure> measure;  // shown below each head's picture
  bool sorted = false;                 // by the measure; false: by layer
  AnalysesPageState analyses;
  std::set<std::string> examples_read;  // the pages, by id, whose example was dismissed
  ShownNumbers shown;
  std::optional<std::pair<Index, Index>> asked;  // the pair below the map that is shown
  std::vector<PutInPatch> put_in;                // those that are still on, the last one behind
  float cover = 0;  // how much of a page is covered: numbers that wait fade out, new ones fade in
  PageIntro intro;  // of the last numbers of the page `intro_of`
  ModelPage intro_of = ModelPage::Heads;
};

void model_pages(UiContext& ui, ModelPagesState& state, const Area& area);
// The choice of the page and its tools. Returns the area below, where `model_page` draws the page.
Area model_page_header(UiContext& ui, ModelPagesState& state, const Area& area);
// Precondition: the page is neither the text nor the cell, which are no drawings of this module.
void model_page(UiContext& ui, ModelPagesState& state, const Area& below);

// The pages, each drawn below its introduction.
void heads_page(UiContext& ui, ModelPagesState& state, const Area& area);
void lens_page(UiContext& ui, ModelPagesState& state, const Area& area);
void parts_page(UiContext& ui, ModelPagesState& state, const Area& area);
void patches_page(UiContext& ui, ModelPagesState& state, const Area& area);
// Covers what has been drawn in `area` with 45 % of the panel's colour while its numbers wait for new ones.
void cover_waiting(UiContext& ui, ModelPagesState& state, const Area& area, bool waits);

// The tools of a page, behind the buttons of the pages.
void heads_tools(UiContext& ui, ModelPagesState& state, Flow& flow);
void lens_tools(UiContext& ui, const ModelPagesState& state, Flow& flow);

PageIntro heads_intro(const UiContext& ui, const ModelPagesState& state);
PageIntro lens_intro(const UiContext& ui);
PageIntro parts_intro(const UiContext& ui);
PageIntro patches_intro(const UiContext& ui);
// Draws it above the page called `id` and returns the area that is left. Names: "model.sentence",
// "model.example", "model.example.close" (hides it), "model.example.open" (where it is hidden).
Area draw_intro(UiContext& ui, ModelPagesState& state, const char* id, const PageIntro& intro,
                const Area& area);

// Precondition: a model is open.
SentenceNames sentence_names(const UiContext& ui);
// The labels of a text's tokens as sentences name them.
std::vector<std::string> spoken_tokens(const OpenModel& work);

// What a page shows as an analysis: of the model that the numbers are of, with the open text and the chosen
// logit as its target. Where that is of an earlier token than the model predicts, the text ends there, as far
// as nothing behind it matters. Precondition: a model is open.
AnalysisRun shown_analysis(const UiContext& ui, AnalysisKind kind,
                           const std::shared_ptr<const Network>& network);
// `headlight ask` with that analysis.
PageCommand shown_command(const UiContext& ui, AnalysisKind kind,
                          const std::shared_ptr<const Network>& network);
// An analysis with its numbers, as a result that can be saved. title: "" for that of the analysis.
std::shared_ptr<const AnalysisRun> shown_result(const UiContext& ui, AnalysisRun asked,
                                                AnalysisResult result);
std::string no_predictions_text(const Network& network);
// "layer 0", "layer 1", ...; in tables that are copied "L0", "L1", ...
std::vector<std::string> layer_names(const UiContext& ui, Index layers, bool copied);

// The message of a page, or of a part of one, that has nothing to draw.
void page_note(const UiContext& ui, const Area& area, const std::string& text);
// The logit that is shown: "“ mat”" or "“ mat” − “ rug”"; "the likeliest token “ mat”" if the user has
// clicked no token.
std::string choice_text(const UiContext& ui);
// A click area over what shows a number called `name`: says where the number comes from, and leads there.
// Returns whether it is pointed at.
bool leading_area(UiContext& ui, const std::string& name, const Area& area, const std::string& what,
                  const NumberPlace& place);

}  // namespace headlight
