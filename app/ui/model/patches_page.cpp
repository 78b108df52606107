// The pages of activation patching: the estimate of every patch by the gradient, and beside it the patches.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/model/matrix_picture.h"
#include "app/ui/model/model_pages.h"
#include "app/ui/model/page_menu.h"
#include "app/ui/model/page_sentences.h"
#include "app/ui/model/row_text.h"
#include "app/ui/widgets/widgets.h"
#include "engine/analysis/tables.h"

namespace headlight {
namespace {

// The stages that *Patches* can put in.
struct PatchedKind {
  PatchStage stage;
  const char *id, *label, *rows, *what;
  const char* said;  // in sentences, before "of the kept text"
};
constexpr std::array kPatchedKinds = {
    PatchedKind{PatchStage::Residual, "residual", "the stream", "stream into", "the stream of the kept text",
                "the stream"},
    PatchedKind{PatchStage::AttentionAdded, "attention_added", "what attention adds", "attention of",
                "what the kept text's attention adds", "what attention adds"},
    PatchedKind{PatchStage::MlpAdded, "mlp_added", "what the MLP adds", "MLP of",
                "what the kept text's MLP adds", "what the MLP adds"},
    PatchedKind{PatchStage::Context, "context", "a head's context (z)", "layer",
                "what the head gathers in the kept text, at all tokens,", "what the head gathers"},
    PatchedKind{PatchStage::Weights, "weights", "a head's weights", "layer",
                "the head's weights in the kept text, at all tokens,", "the pattern of weights"}};

const PatchedKind& patched_kind(PatchStage stage) {
  for (const PatchedKind& kind : kPatchedKinds)
    if (kind.stage == stage) return kind;
  return kPatchedKinds.front();
}

void patched_choice(UiContext& ui, Flow& flow) {
  std::vector<Choice> choices;
  std::size_t current = 0;
  for (const PatchedKind& kind : kPatchedKinds) {
    if (kind.stage == ui.view.model.patch_stage) current = choices.size();
    choices.push_back({kind.id, kind.label,
                       (has_heads(kind.stage) ? "At each head " : "At each layer and token ") +
                           std::string(kind.what) +
                           (kind.stage == PatchStage::Weights ? " are put in" : " is put in")});
  }
  const float width = std::min(combo_width(ui, choices), flow.width());
  flow.control(width, ui.theme.px(8));
  if (const auto chosen = choice_box(ui, "model.patches.stage", choices, current, width,
                                     "What of the kept text is put into the present one"))
    ui.view.model.patch_stage = kPatchedKinds[*chosen].stage;
}

Matrix without_rounding(const Matrix& moved) {
  constexpr float kRounding = 1e-4f;  // a patched forward pass sums in another order
  return (moved.array().abs() < kRounding).select(Matrix::Zero(moved.rows(), moved.cols()), moved);
}

// How far each patch moves the logit.
Matrix moved_logits(const PatchMapResult& answer) {
  return without_rounding(answer.map.logits.array() - static_cast<float>(answer.before));
}

// The map as it is now; null if there is none of what is chosen.
const PatchMapResult* current_map(const UiContext& ui) {
  const ModelView& model = ui.view.model;
  const PatchMapResult* answer = model.patches.get();
  return answer && !answer->failure && model.patches_outdated(ui.view.baseline.work).empty() ? answer
                                                                                             : nullptr;
}

// What is put in, with the labels of the present text, for the sentences.
PatchedMap patched_map(const UiContext& ui, Matrix moved, double before, bool estimated) {
  const ModelView& model = ui.view.model;
  const PatchedKind& kind = patched_kind(model.patch_stage);
  return {std::move(moved),
          before,
          kind.stage == PatchStage::Residual,
          kind.said,
          spoken_tokens(*model.work),
          model.logit_choice(),
          has_heads(kind.stage),
          estimated};
}

void go_below_note(const UiContext& ui, const Area& area) {
  ImGui::SetCursorScreenPos({area.at.x + std::max(0.0f, (area.size.x - ui.theme.px(440)) / 2),
                             ImGui::GetItemRectMax().y + ui.theme.px(12)});
}

// The page without a baseline: explains how to keep a text.
void ask_for_baseline(UiContext& ui, const Area& area) {
  page_note(
      ui, area,
      "Keep the present text, then type another one of as many tokens. Here stands then, for each layer and "
      "token, what the numbers of the kept text, put into the present one at that place, do to its "
      "prediction: at once what its gradient says, and beside it what the patches really do; a click keeps "
      "the patch.");
  go_below_note(ui, area);
  if (primary_button(ui, "model.patches.keep", "Keep this text", "As Ctrl+Shift+K"))
    ui.view.baseline = {std::make_shared<const Layer>(ui.layer()), ui.document.session().title,
                        ui.view.model.work, shown_layer(ui)};
}

// Whether the kept state is the present one, so that there is nothing to put in.
bool nothing_differs(const UiContext& ui) {
  return is_state_of(state_of(*ui.view.baseline.work), *ui.view.model.work);
}

// The page while the kept text is the open one: what is to be done next.
void ask_for_other_text(UiContext& ui, const Area& area) {
  page_note(
      ui, area,
      "Kept: “" + visible_label(ui.view.baseline.work->text) +
          "”. Now make another text of it, of as many tokens: a double-click on a word above types another "
          "one there. Here stands then, for each layer and token, what the kept text's numbers do to its "
          "prediction.");
  ui.probe.mark_rect("model.patches.next", {area.at.x, area.at.y, area.size.x, area.size.y});
}

// The page of a row of the data set before its other text is kept.
void ask_for_other_of_row(UiContext& ui, const Area& area) {
  page_note(
      ui, area,
      "Beside the open text the data set has another one, " + other_text_of_row(ui) +
          ". Here stands then, for each layer and token, what the numbers of that text, put into the open "
          "one at that place, do to its prediction.");
  go_below_note(ui, area);
  other_text_button(ui);
}

// The page while there is nothing to put in.
void ask_for_texts(UiContext& ui, const Area& area) {
  if (ui.view.baseline_asked.work) return page_note(ui, area, "Computing…");
  if (offers_other_text(ui)) return ask_for_other_of_row(ui, area);
  return ui.view.baseline.work ? ask_for_other_text(ui, area) : ask_for_baseline(ui, area);
}

// Of what was put in, what is still on.
void forget_taken_out(const UiContext& ui, ModelPagesState& state) {
  const std::vector<Patch>& on = ui.view.model.work->on.patches;
  std::erase_if(state.put_in, [&on](const PutInPatch& one) {
    return std::find(on.begin(), on.end(), one.patch) == on.end();
  });
}

constexpr std::size_t kPutInLines = 2;

float put_in_height(const UiContext& ui, const ModelPagesState& state) {
  if (state.put_in.empty()) return 0;
  return std::max(static_cast<float>(kPutInLines) * font_size(ui.theme.fonts.label) + ui.theme.px(4),
                  ImGui::GetFrameHeight()) +
         ui.theme.px(8);
}

// What the last click has put in, with a button that takes it out again.
void put_in_line(UiContext& ui, ModelPagesState& state, ImVec2 at, float width) {
  if (state.put_in.empty()) return;
  const std::vector<Patch>& on = ui.view.model.work->on.patches;
  const PutInPatch& last = state.put_in.back();
  const std::string others =
      state.put_in.size() == 1 ? "" : " (and " + std::to_string(state.put_in.size() - 1) + " before it)";
  ImFont* const font = ui.theme.fonts.label;
  const float room = width - button_width("Undo") - ui.theme.px(8), line = font_size(font) + ui.theme.px(2);
  wrapped_text(font, at, room, ui.theme.text, last.words + others, kPutInLines, line);
  ui.probe.mark_rect("model.patches.put_in", {at.x, at.y, room, kPutInLines * line}, last.words + others);
  ImGui::SetCursorScreenPos({at.x + room + ui.theme.px(8), at.y});
  if (!tool_button(ui, "model.patches.undo", "Undo", "Take this patch out again")) return;
  const auto place = static_cast<Index>(std::find(on.begin(), on.end(), last.patch) - on.begin());
  ui.send(EditOpenModel{RemoveChange{{ChangeKind::Patch, {last.patch.side, last.patch.layer}, place, true}},
                        "Take a patch out"});
}

// The text from which numbers are put in, in front of the menu that copies and saves the table.
void kept_text(UiContext& ui, Flow& flow) {
  constexpr float kLeast = 120;
  const float gap = ui.theme.px(8), copy = more_menu_width();
  const std::string quoted = "kept: “" + visible_label(ui.view.baseline.work->text) + "”";
  const float room = flow.rest() - copy - gap;
  const float width =
      room < ui.theme.px(kLeast) ? std::max(flow.width() - copy - gap, flow.width() / 2) : room;
  flow.control(width, gap);
  elided_quiet_text(ui, quoted, width);
  tooltip(ui, quoted);
}

// The controls: Compute or Stop, the patched stage, and the kept text. Their height is that of `flow`.
void patch_tools(UiContext& ui, Flow& flow) {
  ModelView& model = ui.view.model;
  const float gap = ui.theme.px(8);
  if (model.patch_progress) {
    flow.control(button_width("Stop"), gap);
    if (tool_button(ui, "model.patches.stop", "Stop", "Stop computing")) ui.act(Action::StopPatches);
    const std::string progress =
        std::to_string(static_cast<int>(100 * *model.patch_progress)) + " % of all patches";
    flow.control(text_width(ui.theme.fonts.label, progress), gap);
    ImGui::AlignTextToFramePadding();
    quiet_text(ui, progress);
    ui.wake_within(0.1);
  } else {
    flow.control(button_width("Compute"), gap);
    if (primary_button(ui, "model.patches.compute", "Compute",
                       "The logit with the kept numbers put in at each layer and token, one after the other"))
      ui.act(Action::ComputePatches);
    patched_choice(ui, flow);
    if (offers_other_text(ui)) {
      flow.control(other_text_button_width(), gap);
      other_text_button(ui);
    }
    kept_text(ui, flow);
  }
}

// The map of a model and text; `copied`: with the brief names of a table.
MatrixPicture patch_picture(const UiContext& ui, const char* name, const OpenModel& work, const Matrix& moved,
                            bool copied = false) {
  const PatchedKind& kind = patched_kind(ui.view.model.patch_stage);
  const bool is_stream = kind.stage == PatchStage::Residual, heads = has_heads(kind.stage);
  std::vector<std::string> rows = layer_names(ui, moved.rows() - (is_stream ? 1 : 0), copied), columns;
  if (is_stream) rows.emplace_back("out");
  for (Index head = 0; heads && head < moved.cols(); ++head)
    columns.push_back(copied ? "H" + ui.counting().number(head) : head_name(head, ui.counting()));
  for (Index i = 0; !heads && i < token_count(work); ++i)
    columns.push_back(token_label(work, i));
  // "attention of" stands before "layer 2"; where nothing does, the names say it all.
  const bool named = !copied && std::string_view(kind.rows) == "layer";
  const char* const across = !heads ? "token of the present text" : copied ? "head" : "";
  return {name, moved, rows, columns, named ? "" : kind.rows, across, {}};
}

// The maps that are shown, to be saved; null: it is not there.
std::shared_ptr<const AnalysisRun> patches_answer(const UiContext& ui, const Matrix* estimated,
                                                  const Matrix* moved) {
  const ModelView& model = ui.view.model;
  const PatchedKind& kind = patched_kind(model.patch_stage);
  AnalysisResult result;
  result.one_range = true;
  result.notes = {std::string("put in: ") + kind.what,
                  "A: " + ui.view.baseline.work->text + " · B: " + model.work->text};
  const auto add = [&](const char* name, const Matrix& numbers) {
    std::vector<std::string> rows = index_names(numbers.rows()), columns;
    if (kind.stage == PatchStage::Residual) rows.back() = "end";
    if (has_heads(kind.stage)) columns = index_names(numbers.cols());
    for (Index i = 0; !has_heads(kind.stage) && i < numbers.cols(); ++i)
      columns.push_back(token_label(*model.work, i));
    result.tables.push_back(grid_table(
        name, kind.stage == PatchStage::Residual ? "stream into layer" : "layer",
        has_heads(kind.stage) ? "head" : "token", std::move(rows), std::move(columns), numbers, true));
  };
  if (moved) add("change_of_the_logit", *moved);
  if (estimated) add("estimate_by_the_gradient", *estimated);
  return shown_result(ui, shown_analysis(ui, AnalysisKind::Patches, model.work->network), std::move(result));
}

// each: the patches themselves are shown, not the estimates alone.
PageCommand patches_command(const UiContext& ui, bool each) {
  const std::shared_ptr<const Network>& network = ui.view.model.work->network;
  if (each) return shown_command(ui, AnalysisKind::Patches, network);
  return estimating(ui, shown_analysis(ui, AnalysisKind::Patches, network));
}

// The areas of the two maps: side by side or one above the other, as their cells are larger. Where cells
// would be too small to read, the maps are as high as the names of their rows need, beyond the area if it is
// lower: the page then scrolls.
std::array<Area, 2> halves(const UiContext& ui, const Area& area, Index rows, Index columns) {
  constexpr float kLeastCell = 14, kLeastWidth = 8, kRow = 18, kAround = 130;  // planned pixels
  const float gap = ui.theme.px(12), bar = ui.theme.px(110), labels = ui.theme.px(90);
  const float width = std::floor((area.size.x - gap) / 2);
  float beside_height = area.size.y, stacked_height = std::floor((area.size.y - gap) / 2);
  const auto across = [&](float room) {
    return (room - bar) / static_cast<float>(std::max<Index>(1, columns));
  };
  const auto cell = [&](float wide, float high) {
    return std::min(across(wide), (high - labels) / static_cast<float>(std::max<Index>(1, rows)));
  };
  bool beside = cell(width, beside_height) >= cell(area.size.x, stacked_height);
  if (std::max(cell(width, beside_height), cell(area.size.x, stacked_height)) < ui.theme.px(kLeastCell)) {
    const float needed = ui.theme.px(kAround + kRow * static_cast<float>(rows));
    beside_height = std::max(beside_height, needed);
    stacked_height = std::max(stacked_height, needed);
    beside = across(width) >= ui.theme.px(kLeastWidth);
  }
  if (beside)
    return {Area{area.at, {width, beside_height}},
            Area{{area.at.x + width + gap, area.at.y}, {width, beside_height}}};
  return {Area{area.at, {area.size.x, stacked_height}},
          Area{{area.at.x, area.at.y + stacked_height + gap}, {area.size.x, stacked_height}}};
}

// The rows and columns of a map of what is chosen.
std::pair<Index, Index> map_shape(const ModelView& model) {
  const NetworkConfig& c = model.work->network->config();
  return {c.layers + (model.patch_stage == PatchStage::Residual ? 1 : 0),
          has_heads(model.patch_stage) ? c.heads : token_count(*model.work)};
}

// A line above a map that names it; returns the area that is left.
Area captioned(const UiContext& ui, const Area& area, const char* name, const std::string& caption) {
  ImFont* const font = ui.theme.fonts.label;
  const float line = font_size(font) + ui.theme.px(6);
  fitted_text(font, area.at, area.size.x, ui.theme.quiet_text, caption);
  ui.probe.mark_rect(name, {area.at.x, area.at.y, area.size.x, line}, caption);
  return {{area.at.x, area.at.y + line}, {area.size.x, std::max(0.0f, area.size.y - line)}};
}

// A message in the place of a map.
void map_note(const UiContext& ui, const Area& area, const char* name, const std::string& text) {
  constexpr std::size_t kLines = 8;
  ImFont* const font = ui.theme.fonts.label;
  const float line = font_size(font) + ui.theme.px(4);
  const std::size_t lines = std::min(kLines, fitting_lines(area.size.y, line));
  if (lines > 0) wrapped_text(font, area.at, area.size.x, ui.theme.text, text, lines, line);
  ui.probe.mark_rect(name, {area.at.x, area.at.y, area.size.x, area.size.y}, text);
}

// The estimate of before, while the one of this text and logit is computed; null: of this one there is none.
const PatchEstimateResult* shown_estimate(const UiContext& ui, const ModelPagesState& state) {
  const ModelView& model = ui.view.model;
  const bool failed = model.estimate && model.estimate->failure && model.estimate->of == model.work;
  return failed ? nullptr : state.shown.estimate.get();
}

void estimate_half(UiContext& ui, const Area& area, const PatchEstimateResult* shown, const Matrix& moved,
                   const Matrix* alike) {
  const Area below = captioned(ui, area, "model.estimate.caption", "Estimate: change × gradient");
  const ModelView& model = ui.view.model;
  if (!shown) {
    const PatchEstimateResult* const answer = model.current_estimate(ui.view.baseline.work);
    map_note(ui, below, "model.estimate.note",
             answer && answer->failure ? answer->failure->what() : "Computing…");
    return;
  }
  MatrixPicture picture = patch_picture(ui, "model.estimate", *shown->of, moved);
  picture.alike = alike;
  const MatrixEvents events = matrix_picture(ui, picture, below);
  if (!events.pointed) return;
  const auto [row, column] = *events.pointed;
  const NumberPlace place = patch_place(ui, model.patch_stage, row, column);
  tooltip(ui,
          told_place(ui,
                     "By the gradient the logit moves by " + exact_number(double{moved(row, column)}) +
                         ": the sum over the numbers put in of (kept − present) × the gradient",
                     place),
          events.cell);
  if (events.pressed) follow_place(ui, place);
}

// What stands above the patches, or in their place: why they are not those of this text and logit.
std::string patches_caption(const UiContext& ui) {
  const ModelView& model = ui.view.model;
  const PatchMapResult* const answer = model.patches.get();
  const std::string outdated = answer ? model.patches_outdated(ui.view.baseline.work) : "";
  return model.patch_progress ? "Computing…"
         : !outdated.empty()  ? outdated + ": press Compute."
         : answer             ? answer->failure->what()
                              : "Press Compute: each patch is then put in, one after the other.";
}

// Patches of before are faint, and a click on them does nothing.
void earlier_patches(UiContext& ui, const Area& area, const PatchMapResult& map) {
  const Area below = captioned(ui, area, "model.page.note", patches_caption(ui));
  const Matrix moved = moved_logits(map);
  matrix_picture(ui, patch_picture(ui, "model.patches.earlier", *map.of, moved), below);
  constexpr double kCovered = 0.45;
  ImGui::GetWindowDrawList()->AddRectFilled(below.at, below.end(), to_imgui(ui.theme.panel, kCovered));
}

void put_in(UiContext& ui, ModelPagesState& state, const PatchMapResult& map, const Matrix& moved, Index row,
            Index column) {
  Patch patch = map.map.patch(row, column);
  state.put_in.push_back(
      {patch, put_in_text(patched_map(ui, moved, map.before, false), row, column,
                          visible_label(ui.view.baseline.work->text), sentence_names(ui))});
  ui.send(EditOpenModel{AddPatch{std::move(patch)}, "Patch"});
}

void map_half(UiContext& ui, ModelPagesState& state, const Area& area, const PatchMapResult* map,
              const Matrix& moved, const Matrix* alike) {
  const ModelView& model = ui.view.model;
  if (!map) {
    const PatchMapResult* const before = model.patches.get();
    if (before && !before->failure && before->stage == model.patch_stage)
      return earlier_patches(ui, area, *before);
    const Area below = captioned(ui, area, "model.patches.caption", "Patches, each computed");
    return map_note(ui, below, "model.page.note", patches_caption(ui));
  }
  const Area below = captioned(ui, area, "model.patches.caption", "Patches, each computed");
  MatrixPicture picture = patch_picture(ui, "model.patches", *map->of, moved);
  picture.alike = alike;
  const MatrixEvents events = matrix_picture(ui, picture, below);
  if (events.pointed)
    tooltip(ui,
            "The logit moves by " +
                exact_number(double{moved(events.pointed->first, events.pointed->second)}) + " from " +
                exact_number(map->before) + ". A click puts " + patched_kind(map->stage).what +
                " in here, as a change",
            events.cell);
  if (events.pressed) put_in(ui, state, *map, moved, events.pressed->first, events.pressed->second);
}

// What the page shows: the estimate, of this text or while it waits of the one before, and the patches, each
// computed.
struct PatchMaps {
  const PatchEstimateResult* shown = nullptr;
  bool has_estimate = false;  // of this text
  const PatchMapResult* each = nullptr;
  Matrix estimated, moved;
  bool both() const { return each && has_estimate; }
};

PatchMaps patch_maps(const UiContext& ui, const ModelPagesState& state) {
  const ModelView& model = ui.view.model;
  const PatchEstimateResult* const answer = model.current_estimate(ui.view.baseline.work);
  PatchMaps maps{shown_estimate(ui, state), answer && !answer->failure, current_map(ui), {}, {}};
  if (maps.shown) maps.estimated = without_rounding(maps.shown->estimate.of(model.patch_stage));
  if (maps.each) maps.moved = moved_logits(*maps.each);
  return maps;
}

// Both maps, in a part of the page that scrolls where they are higher.
void draw_maps(UiContext& ui, ModelPagesState& state, const Area& area, const PatchMaps& maps) {
  if (area.size.x < 1 || area.size.y < 1) return;
  const auto [rows, columns] = map_shape(ui.view.model);
  const bool higher = halves(ui, area, rows, columns)[1].end().y > area.end().y + 1;
  const float bar = higher ? ImGui::GetStyle().ScrollbarSize : 0;
  const ImGuiWindowFlags flags =
      ImGuiWindowFlags_NoBackground |
      (higher ? 0 : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::SetCursorScreenPos(area.at);
  if (begin_child("##model.patches", area.size, false, flags)) {
    const Area seen = {ImGui::GetCursorScreenPos(), {area.size.x - bar, area.size.y}};
    const auto [left, right] = halves(ui, seen, rows, columns);
    estimate_half(ui, left, maps.shown, maps.estimated, maps.both() ? &maps.moved : nullptr);
    cover_waiting(ui, state, left, maps.shown && !maps.has_estimate);
    map_half(ui, state, right, maps.each, maps.moved, maps.both() ? &maps.estimated : nullptr);
    ImGui::SetCursorScreenPos({seen.at.x, higher ? right.end().y : seen.at.y});
    ImGui::Dummy({0, 0});
  }
  ImGui::EndChild();
}

constexpr std::size_t kDifferenceLines = 2;
float difference_line_height(const UiContext& ui) {
  return font_size(ui.theme.fonts.label) + ui.theme.px(4);
}

// How far both maps differ, below them.
void difference_line(UiContext& ui, ImVec2 at, float width, const Matrix& estimated, const Matrix& moved) {
  ImFont* const font = ui.theme.fonts.label;
  const std::string text = estimate_sentence(estimated, patched_map(ui, moved, 0, false), sentence_names(ui));
  wrapped_text(font, at, width, ui.theme.text, text, kDifferenceLines, difference_line_height(ui));
  ui.probe.mark_rect("model.patches.difference",
                     {at.x, at.y, width, kDifferenceLines * difference_line_height(ui)}, text);
}

}  // namespace

PageIntro patches_intro(const UiContext& ui) {
  const ModelView& model = ui.view.model;
  if (!model.work || !model.work->network->predicts()) return {};
  const SentenceNames names = sentence_names(ui);
  if (!ui.view.baseline.work || nothing_differs(ui)) return {"", patches_example(nullptr, names)};
  if (const PatchMapResult* const answer = current_map(ui)) {
    const PatchedMap map = patched_map(ui, moved_logits(*answer), answer->before, false);
    return {patches_sentence(map, names), patches_example(&map, names)};
  }
  const PatchEstimateResult* const answer = model.current_estimate(ui.view.baseline.work);
  if (!answer || answer->failure) return {"", patches_example(nullptr, names)};
  const PatchedMap map = patched_map(ui, without_rounding(answer->estimate.of(model.patch_stage)),
                                     answer->estimate.before, true);
  return {patches_sentence(map, names), patches_example(&map, names)};
}

void patches_page(UiContext& ui, ModelPagesState& state, const Area& area) {
  ModelView& model = ui.view.model;
  if (!model.work->network->predicts()) return page_note(ui, area, no_predictions_text(*model.work->network));
  if (!ui.view.baseline.work || nothing_differs(ui)) return ask_for_texts(ui, area);
  forget_taken_out(ui, state);
  ImGui::SetCursorScreenPos(area.at);
  Flow flow(ui, area.size.x);
  patch_tools(ui, flow);
  if (!model.patch_progress) flow.to_end(more_menu_width());
  const float tools = flow.height() + ui.theme.px(8), header = tools + put_in_height(ui, state),
              line = kDifferenceLines * difference_line_height(ui);
  const Area below = {{area.at.x, area.at.y + header}, {area.size.x, area.size.y - header - line}};
  put_in_line(ui, state, {area.at.x, area.at.y + tools}, area.size.x);
  const PatchMaps maps = patch_maps(ui, state);
  const bool fits = flow.height() <= area.size.y;
  if ((maps.each || maps.has_estimate) && !model.patch_progress && fits) {
    flow.control(more_menu_width(), 0);
    PageExports exports{"model.patches"};
    exports.table = [&] {
      return matrix_text(patch_picture(ui, "", *model.work, maps.each ? maps.moved : maps.estimated, true));
    };
    if (can_ask(*model.work->network))
      exports.command = [&] { return patches_command(ui, maps.each != nullptr); };
    exports.answer = [&] {
      return patches_answer(ui, maps.has_estimate ? &maps.estimated : nullptr,
                            maps.each ? &maps.moved : nullptr);
    };
    page_menu(ui, exports);
  }
  draw_maps(ui, state, below, maps);
  if (maps.both()) difference_line(ui, {area.at.x, below.end().y}, area.size.x, maps.estimated, maps.moved);
}

}  // namespace headlight
