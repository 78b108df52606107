// Analyses in the field that finds everything: the pages and the questions about a whole model, and the other
// words by which people call things.
#include <algorithm>
#include <array>
#include <utility>

#include "app/ui/main_window/palette.h"
#include "app/ui/main_window/workbench.h"
#include "engine/analysis/analysis.h"

namespace headlight {
namespace {

using Entries = std::vector<PaletteEntry>;

struct PageWords {
  ModelPage page;
  const char *text, *words;
};
constexpr PageWords kPageWords[] = {
    {ModelPage::Heads, "All heads of the model", "attention patterns weights map page"},
    {ModelPage::Layers, "Layers: what the model would say after each", "logit lens early exit page"},
    {ModelPage::Parts, "Parts: what each head and MLP adds to a logit", "direct logit attribution dla page"},
    {ModelPage::Patches, "Patches: what another text's numbers do",
     "activation patching causal tracing intervention page"},
    {ModelPage::Analyses, "Questions about the model", "analyses ask page"}};

// In the order of AnalysisKind.
constexpr std::array<const char*, kAnalysisCount> kAnalysisWords = {
    "surprise surprising surprisal perplexity cross entropy likelihood score of the text",
    "logit lens early exit",
    "direct logit attribution dla",
    "activation patching causal tracing interchange intervention",
    "ablate knock out knockout switch off remove zero mean importance",
    "induction previous token duplicate heads kinds of heads",
    "ov qk circuits eigenvalues copying",
    "composition virtual heads",
    "mlp activations",
    "residual stream length size",
    "value-weighted attention norm",
    "attention rollout",
    "steer steering vector activation addition",
    "why this weight qk attribution query key score",
    "path patching direct effect sender receiver",
    "edge attribution patching eap integrated gradients circuit discovery faithfulness acdc",
    "sae sparse autoencoder dictionary features transcoder monosemantic"};

// The sentence of the start screen if that is shown, else the session that comes with the model. Returns what
// WindowMemory::last then is.
std::filesystem::path open_bundled_model(UiContext& ui, const WorkbenchState& state) {
  const SentenceState& sentence = state.start.sentence;
  const bool read = sentence.reading && !sentence.reading->failure;
  if (state.show_start && read)
    ui.act(Action::OpenSentence);
  else
    ui.actions.push_back({Action::OpenLesson, state.start.model, Stage::Weights});
  return std::filesystem::absolute(state.show_start && read ? state.start.model.parent_path()
                                                            : state.start.model);
}

// At once if a model is in sight, else once the bundled one is open.
void show_analysis(UiContext& ui, WorkbenchState& state, ModelPage page, std::optional<AnalysisKind> kind) {
  const auto show = [page, kind](UiContext& now, WorkbenchState&) {
    if (!now.document.session().work) return;
    now.view.focus_view = FocusView::Model;
    now.view.model.page = page;
    if (kind) now.view.model.analyses.asked.kind = *kind;
  };
  if (ui.view.model.work && !state.show_start) return show(ui, state);
  state.after_opening = {show, open_bundled_model(ui, state), ui.document.opening()};
}

struct OtherWords {
  std::string_view id, words;
};
constexpr OtherWords kOtherWords[] = {
    {"start", "home begin welcome main page first"},
    {"new", "create empty"},
    {"open", "load file"},
    {"open_model", "load hugging face gguf checkpoint transformer"},
    {"save_picture", "screenshot image figure svg pdf png share web browser"},
    {"export", "share figure download"},
    {"save_bundle", "share send archive zip model portable"},
    {"copy_picture", "screenshot image clipboard share"},
    {"present", "presentation projector talk slides full screen beamer"},
    {"toggle_theme", "dark mode light mode night theme colours"},
    {"larger", "font size zoom bigger"},
    {"smaller", "font size zoom"},
    {"usual_size", "font size zoom reset"},
    {"full_size", "full screen maximise"},
    {"train_model", "training fine-tune learn"},
    {"learning", "train optimizer loss wish"},
    {"gradients", "backward backpropagation derivative"},
    {"overwrite", "patch intervene ablate"},
    {"why_score", "weight attention qk attribution"},
    {"intervene", "intervention ablate steer direction zero mean resample neuron position hook"},
    {"compare_keep", "baseline pin remember"},
    {"undo", "revert back"},
    {"leave_model", "single detach extract without whole model change heads width"},
    {"keys", "shortcuts hotkeys keyboard"},
    {"manual", "documentation"},
    {"find_token", "search word"},
    {"text", "sentence words own"},
    {"colours", "colormap palette"},
    {"view_flow", "lines"},
    {"view_row", "bars"},
    {"view_vectors", "space pca plane"},
    {"kept", "recover crash backup"}};

}  // namespace

std::string_view other_words(std::string_view action_id) {
  for (const OtherWords& one : kOtherWords)
    if (one.id == action_id) return one.words;
  return "";
}

void add_analysis_entries(const UiContext& ui, const WorkbenchState& state, Entries& entries) {
  if (!ui.view.model.work && state.start.model.empty()) return;
  for (const AnalysisInfo& info : analysis_table())
    entries.push_back({"question", std::string(info.label) + ": " + std::string(info.what), "",
                       kAnalysisWords[static_cast<std::size_t>(info.kind)],
                       [kind = info.kind](UiContext& context, WorkbenchState& workbench) {
                         show_analysis(context, workbench, ModelPage::Analyses, kind);
                       }});
  for (const PageWords& one : kPageWords)
    entries.push_back(
        {"model", one.text, "", one.words, [page = one.page](UiContext& context, WorkbenchState& workbench) {
           show_analysis(context, workbench, page, std::nullopt);
         }});
}

}  // namespace headlight
