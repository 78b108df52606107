#include "app/ui/model/model_pages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <imgui.h>

#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

struct PageInfo {
  ModelPage page;
  const char *id, *label, *what;
};
constexpr std::array kPages = {
    PageInfo{ModelPage::Heads, "heads", "Heads", "The weights of every head of every layer"},
    PageInfo{ModelPage::Layers, "layers", "Layers",
             "What the model would say if it had to answer after each layer (the logit lens)"},
    PageInfo{
        ModelPage::Parts, "parts", "Parts",
        "What each head, and each MLP behind the heads, adds to a token's logit, its score before softmax; "
        "together they are the logit (direct attribution)"},
    PageInfo{
        ModelPage::Patches, "patches", "Patches",
        "What the numbers of the kept text, put in at one layer and token, do to a prediction (activation "
        "patching)"},
    PageInfo{ModelPage::Analyses, "questions", "Questions",
             "Loss, the lens over all tokens, ablation, circuits, neurons and more, as tables and figures"},
    PageInfo{ModelPage::Text, "text", "Text",
             "What the model reads, what it expects behind each token, and what is changed in it"},
    PageInfo{ModelPage::Cell, "cell", "Cell", "How the number of the selected cell comes about"}};

// The pages to choose from: text and cell have panels of their own where the pages are in the place of the
// picture.
std::span<const PageInfo> pages_of(const ModelView& model) {
  return std::span(kPages).first(kPages.size() - (model.cell_is_page ? 0 : model.pages_beside ? 1 : 2));
}

// `after`: the width of the control that follows on the same line.
void target_text(const UiContext& ui, const std::string& text, Flow& flow, float after = 0) {
  const float gap = ui.theme.px(8), whole = text_width(ui.theme.fonts.label, text);
  const float width = std::min(whole, std::max(flow.width() - after - gap, ui.theme.px(40)));
  if (after > 0 && flow.rest() < width + gap + after) flow.to_end(width + gap + after);
  flow.control(std::min(width, flow.width()), gap);
  const std::string shown = elided_quiet_text(ui, text, width);
  ui.probe.mark("model.target", text);
  const std::string told = shown == text ? "" : text + ". ";
  tooltip(
      ui,
      told + (ui.view.model.target
                  ? "The token that was clicked: it stays while text and model change. Another click on it "
                    "among the predictions leaves it"
                  : "None was clicked, so it is the likeliest token, and another one as soon as that is. A "
                    "click on a prediction at the left keeps its token"));
}

// Chooses the logit of attribution and patching: the token clicked among the predictions on the left, or its
// difference to the logit of another token.
void choice_tools(UiContext& ui, TargetToolsState& state, Flow& flow) {
  const ModelView& model = ui.view.model;
  if (!model.answer || model.answer->predictions.empty()) return;
  target_field(ui, state, flow);
  target_text(ui, "logit of " + choice_text(ui), flow, std::min(against_width(ui), flow.width()));
  against_box(ui, state, flow);
}

std::vector<Choice> page_choices(const UiContext& ui) {
  std::vector<Choice> choices;
  for (const PageInfo& info : pages_of(ui.view.model))
    choices.push_back({info.id, info.label, info.what});
  return choices;
}

// The pages as a list.
void page_list(UiContext& ui, float width) {
  ModelPage& page = ui.view.model.page;
  if (const auto chosen = choice_box(ui, "model.page", page_choices(ui), static_cast<std::size_t>(page),
                                     width, "What of the model is shown"))
    page = pages_of(ui.view.model)[*chosen].page;
}

// The names of the pages in one line over the column that they share.
void page_tabs(UiContext& ui, float width) {
  constexpr float kMostGap = 20;  // planned pixels
  const std::span<const PageInfo> pages = pages_of(ui.view.model);
  const auto label = [&](const PageInfo& info) -> const char* {
    return info.page == ModelPage::Text && ui.view.model.work->image ? "Image" : info.label;
  };
  float words = 0;
  for (const PageInfo& info : pages)
    words += text_width(ui.theme.fonts.text, label(info));
  const auto gaps = static_cast<float>(pages.size() - 1);
  if (words + gaps * ui.theme.px(4) > width)
    return page_list(ui, std::min(combo_width(ui, page_choices(ui)), width));
  const float gap = std::clamp((width - words) / gaps, ui.theme.px(4), ui.theme.px(kMostGap));
  ModelPage& page = ui.view.model.page;
  ImVec2 at = ImGui::GetCursorScreenPos();
  for (const PageInfo& info : pages) {
    const std::string name = std::string("model.page.") + info.id;
    if (word_tab(ui, name, label(info), at, page == info.page)) page = info.page;
    ui.probe.mark(name, page == info.page ? "chosen" : "");
    tooltip(ui, info.what);
    at.x += text_width(ui.theme.fonts.text, label(info)) + gap;
  }
}

// The buttons of the pages, or a list of them where they do not fit on one line.
void page_choice(UiContext& ui, Flow& flow) {
  const float gap = ui.theme.px(4), behind = ui.theme.px(16);
  const std::span<const PageInfo> pages = pages_of(ui.view.model);
  float width = -gap;
  for (const PageInfo& info : pages)
    width += gap + button_width(info.label);
  ModelPage& page = ui.view.model.page;
  if (width > flow.width()) {
    const float box = std::min(combo_width(ui, page_choices(ui)), flow.width());
    flow.control(box, behind);
    return page_list(ui, box);
  }
  for (const PageInfo& info : pages) {
    flow.control(button_width(info.label), &info == &pages.back() ? behind : gap);
    if (tool_button(ui, std::string("model.page.") + info.id, info.label, info.what, true, page == info.page))
      page = info.page;
  }
}

// The tools of the shown page, on as many lines as they need. Returns their height.
float page_tools(UiContext& ui, ModelPagesState& state, Flow flow) {
  ModelView& model = ui.view.model;
  const bool adds = model.page == ModelPage::Heads && model.map_colors == MapColors::Part;
  const bool lens = model.page == ModelPage::Layers && model.answer && !model.answer->predictions.empty();
  if (model.page == ModelPage::Parts || model.page == ModelPage::Patches)
    choice_tools(ui, state.analyses.target, flow);
  if (adds || lens) target_text(ui, (adds ? "to that of " : "outlined: ") + choice_text(ui), flow);
  if (model.page == ModelPage::Heads) heads_tools(ui, state, flow);
  if (model.page == ModelPage::Layers) lens_tools(ui, state, flow);
  if (model.page == ModelPage::Analyses) analysis_tools(ui, state.analyses, flow);
  return flow.height();
}

void follow_answer(const ModelView& model, bool current, ShownResult& shown) {
  if (current) shown = {model.answer, model.work};
  if (shown.work && !same_architecture(*shown.work->network, *model.work->network)) shown = {};
}

void follow_numbers(const UiContext& ui, ShownNumbers& shown) {
  const ModelView& model = ui.view.model;
  const auto same = [&](const auto& answer) {
    return answer && !answer->failure && same_architecture(*answer->of->network, *model.work->network);
  };
  follow_answer(model, model.current_overview() != nullptr, shown.heads);
  follow_answer(model, model.current_lens() != nullptr, shown.lens);
  follow_answer(model, model.current_parts() != nullptr, shown.parts);
  shown.estimate = same(model.estimate) ? model.estimate : nullptr;
  shown.patches = same(model.patches) ? model.patches : nullptr;
}

// Whether the page shows numbers of before, as those that it is about are not there yet.
bool page_waits(const UiContext& ui, const ModelPagesState& state) {
  const ModelView& model = ui.view.model;
  switch (model.page) {
    case ModelPage::Heads:
      return state.shown.heads.answer && !model.current_overview();
    case ModelPage::Layers:
      return state.shown.lens.answer && !model.current_lens();
    case ModelPage::Parts:
      return state.shown.parts.answer && !model.current_parts();
    case ModelPage::Patches:
      return state.shown.estimate && ui.view.baseline.work && !model.current_estimate(ui.view.baseline.work);
    case ModelPage::Analyses:
    case ModelPage::Text:
    case ModelPage::Cell:
      return false;
  }
  return false;
}

PageIntro page_intro(const UiContext& ui, const ModelPagesState& state) {
  switch (ui.view.model.page) {
    case ModelPage::Heads:
      return heads_intro(ui, state);
    case ModelPage::Layers:
      return lens_intro(ui);
    case ModelPage::Parts:
      return parts_intro(ui);
    case ModelPage::Patches:
      return patches_intro(ui);
    case ModelPage::Analyses:
    case ModelPage::Text:
    case ModelPage::Cell:
      return {};
  }
  return {};
}

}  // namespace

std::string choice_text(const UiContext& ui) {
  const ModelView& model = ui.view.model;
  const auto quoted = [&](std::int32_t id) {
    return "“" + visible_label(model.work->network->label(id)) + "”";
  };
  const LogitChoice choice = model.logit_choice();
  const std::string likeliest = model.target ? "" : "the likeliest token ";
  return likeliest + quoted(choice.id) + (choice.other ? " − " + quoted(*choice.other) : "");
}

AnalysisRun shown_analysis(const UiContext& ui, AnalysisKind kind,
                           const std::shared_ptr<const Network>& network) {
  const ModelView& model = ui.view.model;
  const LogitChoice choice = model.logit_choice();
  auto of = std::make_shared<OpenModel>(*model.work);
  of->network = network;
  AnalysisRun asked;
  asked.of = std::move(of);
  asked.analysis.kind = kind;
  asked.analysis.target = choice.id;
  asked.analysis.against = choice.other;
  asked.analysis.texts = {model.work->ids};
  if (analysis_info(kind).of_other) {
    asked.from = ui.view.baseline.work;
    asked.analysis.others = {asked.from->ids};
    asked.analysis.stage = model.patch_stage;
  }
  const bool of_one_position = kind == AnalysisKind::Parts || kind == AnalysisKind::Patches;
  if (!of_one_position || !network->config().causal || !(model.work->on == ModelChanges{})) return asked;
  for (std::vector<TokenIds>* texts : {&asked.analysis.texts, &asked.analysis.others})
    for (TokenIds& ids : *texts)
      ids.resize(std::min(ids.size(), static_cast<std::size_t>(choice.position) + 1));
  return asked;
}

PageCommand shown_command(const UiContext& ui, AnalysisKind kind,
                          const std::shared_ptr<const Network>& network) {
  const ModelView& model = ui.view.model;
  const AnalysisRun asked = shown_analysis(ui, kind, network);
  PageCommand command = asking(ui, asked);
  const bool of_position = analysis_info(kind).of_target && kind != AnalysisKind::Lens;
  const Index position = model.logit_choice().position;
  const auto last = static_cast<Index>(asked.analysis.texts.front().size()) - 1;
  if (of_position && (network->config().causal ? position != last : model.position.has_value()))
    command.remarks.push_back("at the token that the model predicts by itself; the page is about token " +
                              std::to_string(position) + ", counted from 0");
  return command;
}

std::shared_ptr<const AnalysisRun> shown_result(const UiContext& ui, AnalysisRun asked,
                                                AnalysisResult result) {
  const AnalysisInfo& info = analysis_info(asked.analysis.kind);
  result.notes.insert(result.notes.begin(), "target: " + choice_text(ui));
  if (result.title.empty()) result.title = std::string(info.label) + ": " + std::string(info.what);
  asked.result = std::move(result);
  return described(ui, std::move(asked));
}

std::string no_predictions_text(const Network& network) {
  return "This folder has no weights that predict tokens: " + network.missing_head() + ".";
}

std::vector<std::string> layer_names(const UiContext& ui, Index layers, bool copied) {
  const LayerNames all = names_of_layers(ui);
  std::vector<std::string> names;
  for (Index layer = 0; layer < layers; ++layer)
    names.push_back(copied ? all.brief(layer) : all.text(layer));
  return names;
}

void page_note(const UiContext& ui, const Area& area, const std::string& text) {
  const float width = std::min(area.size.x, ui.theme.px(440));
  ImGui::SetCursorScreenPos(
      {area.at.x + std::floor((area.size.x - width) / 2), area.at.y + area.size.y * 0.3f});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  ImGui::TextUnformatted(drawn_text(text).c_str());
  ImGui::PopTextWrapPos();
  ui.probe.mark("model.page.note", text);
}

bool leading_area(UiContext& ui, const std::string& name, const Area& area, const std::string& what,
                  const NumberPlace& place) {
  ImGui::SetCursorScreenPos(area.at);
  if (click_area(name.c_str(), area.size)) follow_place(ui, place);
  tooltip(ui, told_place(ui, what, place));
  return ImGui::IsItemHovered();
}

void model_pages(UiContext& ui, ModelPagesState& state, const Area& area) {
  if (!ui.view.model.work)
    return page_note(
        ui, area,
        "No model is open. “Open model folder…” in the menu of the session's title opens one: a folder "
        "with config.json, its weights and its tokenizer, as the hub gives it, or a .gguf file.");
  model_page(ui, state, model_page_header(ui, state, area));
}

void cover_waiting(UiContext& ui, ModelPagesState& state, const Area& area, bool waits) {
  constexpr float kCovered = 0.45f, kFadeSeconds = 0.12f;
  const float step = ui.preferences.motion ? kCovered * ImGui::GetIO().DeltaTime / kFadeSeconds : kCovered;
  state.cover = waits ? kCovered : std::max(0.0f, state.cover - step);
  if (state.cover <= 0) return;
  ImGui::GetWindowDrawList()->AddRectFilled(area.at, area.end(),
                                            to_imgui(ui.theme.panel, double{state.cover}));
  if (!waits) ui.wake_within(0.01);
}

Area model_page_header(UiContext& ui, ModelPagesState& state, const Area& area) {
  follow_numbers(ui, state.shown);
  ImGui::SetCursorScreenPos(area.at);
  float height = 0;
  if (ui.view.model.pages_beside) {
    page_tabs(ui, area.size.x);
    height = ImGui::GetFrameHeight() + ui.theme.px(8);
    ImGui::SetCursorScreenPos({area.at.x, area.at.y + height});
    if (ui.view.model.page < ModelPage::Text)
      height += page_tools(ui, state, Flow(ui, area.size.x)) + ui.theme.px(8);
  } else {
    Flow flow(ui, area.size.x);
    page_choice(ui, flow);
    height = page_tools(ui, state, flow) + ui.theme.px(8);
  }
  return {{area.at.x, area.at.y + height}, {area.size.x, area.size.y - height}};
}

void model_page(UiContext& ui, ModelPagesState& state, const Area& below) {
  const ModelView& model = ui.view.model;
  const PageInfo& info = kPages[static_cast<std::size_t>(model.page)];
  // While a new text is computed the sentence about the one before stays, so that nothing moves.
  const PageIntro now = page_intro(ui, state);
  const bool waits = !model.fresh || page_waits(ui, state);
  if (state.intro_of != model.page || !now.sentence.empty() || !waits) state.intro = now;
  state.intro_of = model.page;
  const Area page = draw_intro(ui, state, info.id, state.intro, below);
  switch (model.page) {
    case ModelPage::Heads:
      return heads_page(ui, state, page);
    case ModelPage::Layers:
      return lens_page(ui, state, page);
    case ModelPage::Parts:
      return parts_page(ui, state, page);
    case ModelPage::Patches:
      return patches_page(ui, state, page);
    case ModelPage::Analyses:
      return analyses_page(ui, state.analyses, page);
    case ModelPage::Text:
    case ModelPage::Cell:
      return;
  }
}

}  // namespace headlight
