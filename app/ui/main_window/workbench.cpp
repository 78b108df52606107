#include "app/ui/main_window/workbench.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/inspector/inspector_panel.h"
#include "app/ui/lesson/lesson_panel.h"
#include "app/ui/main_window/action_table.h"
#include "app/ui/main_window/key_sheet.h"
#include "app/ui/main_window/keyboard_navigation.h"
#include "app/ui/main_window/reading_plan.h"
#include "app/ui/main_window/sentence_line.h"
#include "app/ui/picture/goal_picture.h"
#include "app/ui/picture/range_hold.h"
#include "app/ui/views/head_table.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

// A panel: a rounded surface with padding.
template <class Body>
void panel(const UiContext& ui, const char* name, ImVec2 at, ImVec2 size, Body body) {
  const float rounding = ui.theme.px(6);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end = {at.x + size.x, at.y + size.y};
  list.AddRectFilled(at, end, to_imgui(ui.theme.panel), rounding);
  list.AddRect(at, end, to_imgui(ui.theme.line), rounding, 0, std::max(1.0f, ui.theme.px(1)));
  const float pad = ui.theme.px(12);
  ImGui::SetCursorScreenPos({at.x + pad, at.y + pad});
  begin_child(name, {size.x - 2 * pad, size.y - 2 * pad}, false, ImGuiWindowFlags_NoBackground);
  body();
  ImGui::EndChild();
}

// The large picture, and below it what is learnt.
void centre(UiContext& ui, WorkbenchState& state) {
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  const float below = learning_height(ui, state.learning, size.y);
  stages_panel(ui, state.stages, {at, {size.x, size.y - below}});
  const float gap = ui.theme.px(8);
  if (below > 0)
    learning_panel(ui, state.learning, {at.x, at.y + size.y - below + gap}, {size.x, below - gap});
}

// The same in a region of its own.
void centre_at(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size) {
  ImGui::SetCursorScreenPos(at);
  begin_child(
      "stages", size, false,
      ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  centre(ui, state);
  ImGui::EndChild();
}

// The inspector, with a link that starts the walk through the query's steps; beside the pages of a model one
// that plays what is derived, and the field finds the walk.
void inspector_side(UiContext& ui, WorkbenchState& state) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  const float width = (ui.view.model.pages_beside ? play_link : walk_link)(ui, state, right, at.y);
  state.inspector.header_room = width + ui.theme.px(12);
  ImGui::SetCursorScreenPos(at);
  inspector_panel(ui, state.inspector);
}

// The inspector, and below it the notes of a session or the heading of a lesson that is folded away.
void right_side(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size) {
  float notes = 0;
  if (has_lesson_panel(ui, state.lesson)) {
    constexpr float kShare = 0.4f, kHeight = 340;
    const float pad = 2 * ui.theme.px(12), gap = ui.theme.px(8);
    const float most = std::floor(std::min(size.y * kShare - gap, ui.theme.px(kHeight)));
    const LessonPanelPlan plan = plan_lesson_panel(ui, state.lesson, size.x - pad);
    notes = std::min(std::ceil(plan.height() + pad), most);
    panel(ui, "lesson", {at.x, at.y + size.y - notes}, {size.x, notes},
          [&] { lesson_panel(ui, state.lesson, plan, notes - pad); });
    notes += gap;
  }
  panel(ui, "inspector", at, {size.x, size.y - notes}, [&] { inspector_side(ui, state); });
}

}  // namespace

std::optional<float> model_side_height(const UiContext& ui, const WorkbenchState& state) {
  const std::optional<float> panel = model_panel_height(ui, state.model);
  const bool alone = ui.view.focus_view == FocusView::Model;
  if (!panel || (!alone && state.model.shows_numbers)) return std::nullopt;
  return *panel + (alone ? 0 : ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.y);
}

void inputs_side(UiContext& ui, WorkbenchState& state) {
  if (!ui.view.model.work) return inputs_panel(ui, state.inputs);
  constexpr float kLeastModel = 320, kNumbers = 470;  // least height of the grids
  const float height = ImGui::GetContentRegionAvail().y, room = height - ui.theme.px(kNumbers);
  const bool alone = ui.view.focus_view == FocusView::Model;  // the picture is of no numbers
  const bool page = ui.view.model.pages_beside;               // one thing at a time
  if (alone || (!page && room >= ui.theme.px(kLeastModel))) {
    model_panel(ui, state.model, alone ? height : std::floor(std::min(room, height * 0.5f)));
    if (!alone) inputs_panel(ui, state.inputs);
    return;
  }
  if (ui.view.selection.asked) state.model.shows_numbers = true;
  const char* const read = ui.view.model.work->image ? "Image" : "Text";
  for (const bool numbers : {false, true}) {
    if (numbers) ImGui::SameLine(0, ui.theme.px(4));
    if (tool_button(
            ui, numbers ? "side.numbers" : "side.text", numbers ? "Numbers" : read,
            numbers ? "The numbers of the layer that is shown" : "What the model reads, and what it expects",
            true, numbers == state.model.shows_numbers))
      state.model.shows_numbers = numbers;
  }
  if (!state.model.shows_numbers) return model_panel(ui, state.model, ImGui::GetContentRegionAvail().y);
  ImGui::SameLine(0, ui.theme.px(8));
  model_line(ui);
  inputs_panel(ui, state.inputs);
}

namespace {

// In a window too narrow for three columns, tabs on one side replace two of them.
void side_tabs(UiContext& ui, WorkbenchState& state) {
  const char* names[] = {"Inputs", "Inspector", "Lesson"};
  const int count = has_lesson_panel(ui, state.lesson) ? 3 : 2;
  if (ui.view.selection.asked) state.side_tab = 0;
  state.side_tab = std::min(state.side_tab, count - 1);
  for (int i = 0; i < count; ++i) {
    if (i > 0) ImGui::SameLine(0, ui.theme.px(4));
    if (tool_button(ui, std::string("side.") + names[i], names[i], "", true, state.side_tab == i))
      state.side_tab = i;
  }
  if (state.side_tab == 0) inputs_side(ui, state);
  if (state.side_tab == 1) inspector_side(ui, state);
  if (state.side_tab == 2)
    lesson_panel(ui, state.lesson, plan_lesson_panel(ui, state.lesson, ImGui::GetContentRegionAvail().x),
                 ImGui::GetContentRegionAvail().y);
}

void two_columns(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size) {
  const float gap = ui.theme.px(8),
              side = std::floor(std::max(size.x * 0.42f, std::min(ui.theme.px(260), size.x * 0.5f)));
  panel(ui, "side", at, {side, size.y}, [&] { side_tabs(ui, state); });
  ImGui::SetCursorScreenPos({at.x + side + gap, at.y});
  begin_child("stages", {size.x - side - gap, size.y}, false,
              ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  centre(ui, state);
  ImGui::EndChild();
}

// The width of a side panel: the remembered one, in planned pixels, or a share of the window.
struct SideWidth {
  SideWidth(const Theme& theme, double& kept, float share, float least, float most)
      : px(std::floor(kept > 0 ? theme.px(std::max(static_cast<float>(kept), kLeastDragged))
                               : std::clamp(share, theme.px(least), theme.px(most)))),
        remembered(kept) {}

  void drag(const UiContext& ui, const char* name, float length, float most, bool behind) {
    float size = px;
    splitter(ui, name, true, length, size, ui.theme.px(kLeastDragged), most, behind);
    if (ImGui::IsItemActive() && size != px) remembered = size / ui.theme.scale;
  }

  static constexpr float kLeastDragged = 220;
  float px;
  double& remembered;
};

// Inputs, stages and inspector side by side, with edges to drag.
void columns(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size) {
  const float edge = ui.theme.px(8);
  SideWidth inputs(ui.theme, state.memory.inputs_width, size.x * 0.25f, 300, 400);
  SideWidth inspector(ui.theme, state.memory.inspector_width, size.x * 0.235f, 290, 400);
  const float room = size.x - ui.theme.px(280);  // the stages have at least this width
  inputs.px = std::min(inputs.px, std::max(ui.theme.px(180), room * 0.55f));
  inspector.px = std::min(inspector.px, std::max(ui.theme.px(160), room - inputs.px));

  panel(ui, "inputs", at, {inputs.px, size.y}, [&] { inputs_side(ui, state); });
  ImGui::SetCursorScreenPos({at.x + inputs.px, at.y});
  inputs.drag(ui, "splitter.inputs", size.y, size.x * 0.45f, false);

  const float middle = at.x + inputs.px + edge;
  const float middle_width = size.x - inputs.px - inspector.px - 2 * edge;
  centre_at(ui, state, {middle, at.y}, {middle_width, size.y});

  ImGui::SetCursorScreenPos({middle + middle_width, at.y});
  const float right = middle + middle_width + edge;
  inspector.drag(ui, "splitter.inspector", size.y, size.x * 0.4f, true);
  right_side(ui, state, {right, at.y}, {size.x - (right - at.x), size.y});
}

// The pages about the whole model are no view of their own where they have a column: who asks for them there
// gets the page, and the weights of a head.
void follow_pages(UiContext& ui, bool beside, bool wide) {
  ModelView& model = ui.view.model;
  model.pages_beside = beside;
  model.cell_is_page = beside && !wide;
  const bool asked = ui.view.focus_view == FocusView::Model;
  const bool own = model.page == ModelPage::Text || model.page == ModelPage::Cell;
  if ((own && (!beside || asked)) || (model.page == ModelPage::Cell && wide)) model.page = ModelPage::Heads;
  if (!beside || !asked) return;
  ui.view.focus_view = FocusView::Heatmap;
  ui.view.focused_stage = Stage::Weights;
}

// The pages about the whole model, the text and the numbers of the shown layer among them.
void pages_side(UiContext& ui, WorkbenchState& state) {
  if (ui.view.selection.asked) ui.view.model.page = ModelPage::Text;
  const Area all = {ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail()};
  ui.probe.mark_rect("model.area", {all.at.x, all.at.y, all.size.x, all.size.y});
  const Area page = model_page_header(ui, state.stages.model, all);
  const ModelPage shown = ui.view.model.page;
  if (shown != ModelPage::Text && shown != ModelPage::Cell) return model_page(ui, state.stages.model, page);
  ImGui::SetCursorScreenPos(page.at);
  begin_child("page", page.size, false, ImGuiWindowFlags_NoBackground);
  shown == ModelPage::Text ? inputs_side(ui, state) : inspector_side(ui, state);
  ImGui::EndChild();
}

// A whole model: its pages in a column at the left, and beside it the shown layer: its strip as a line, the
// picture, and the inspector, if that is no page. A picture at full size has all the room.
void model_columns(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size, float window) {
  const float gap = ui.theme.px(8);
  float left = -gap;
  if (!ui.view.opened_stage) {
    SideWidth pages(ui.theme, state.memory.inputs_width, size.x * 0.335f, 352, 480);
    left = pages.px;
    panel(ui, "inputs", at, {left, size.y}, [&] { pages_side(ui, state); });
    ImGui::SetCursorScreenPos({at.x + left, at.y});
    pages.drag(ui, "splitter.inputs", size.y, size.x * 0.45f, false);
  }
  const ImVec2 rest = {at.x + left + gap, at.y};
  const float width = size.x - left - gap;
  const float y = strip_line(ui, state, rest, {width, window});
  const float height = at.y + size.y - y;
  const bool beside = !ui.view.model.cell_is_page;
  const float inspector = std::floor(std::clamp(size.x * 0.19f, ui.theme.px(236), ui.theme.px(400)));
  const float middle = beside ? width - inspector - gap : width;
  centre_at(ui, state, {rest.x, y}, {middle, height});
  if (beside) right_side(ui, state, {rest.x + middle + gap, y}, {inspector, height});
}

// The slider over the checkpoints above the status bar. Lessons have it only where they open a checkpoint.
// Returns the height that it takes.
float checkpoints_below(UiContext& ui, WorkbenchState& state, bool reading, ImVec2 window) {
  const float height = checkpoint_bar_height(ui, window.y), gap = ui.theme.px(8);
  if (height == 0 || (reading && ui.view.model.checkpoints.inside)) return 0;
  const float top = window.y - status_height(ui, state) - height;
  checkpoint_bar(ui, state.checkpoints, {{gap, top}, {window.x - 2 * gap, height}});
  return height + gap;
}

// The picture of a whole model below its strip, and the pages below it, where they have no room beside it.
void model_stack(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size, float picture) {
  const float gap = ui.theme.px(8), window = ImGui::GetIO().DisplaySize.y;
  const float y = strip_line(ui, state, at, {size.x, window});
  const bool opened = ui.view.opened_stage.has_value();
  centre_at(ui, state, {at.x, y}, {size.x, opened ? at.y + size.y - y : picture});
  const float below = y + picture + gap;
  if (!opened)
    panel(ui, "inputs", {at.x, below}, {size.x, at.y + size.y - below}, [&] { pages_side(ui, state); });
}

// The least heights of the parts of a whole model's window, in pixels.
struct ModelHeights {
  float sentence = 0, set = 0, strip = 0, picture = 0, pages = 0, checkpoints = 0;
};

ModelHeights model_heights(UiContext& ui, WorkbenchState& state, ImVec2 room, bool stacked) {
  constexpr float kAround = 116, kPages = 380, kPagesBelow = 460;  // planned pixels
  // The text has a line in any case: a page that scrolls has room for it.
  constexpr float kWithLine = 560;
  const float gap = ui.theme.px(8), window = std::max(ImGui::GetIO().DisplaySize.y, ui.theme.px(kWithLine));
  const double pixel = double{ui.theme.scale} / ui.preferences.text_scale;
  const double floor = least_picture_side(double{ImGui::GetIO().DisplaySize.x}, pixel);
  const double around = double{ImGui::GetFrameHeight() + ui.theme.px(kAround)};
  const float bar = checkpoint_bar_height(ui, ImGui::GetIO().DisplaySize.y);
  ModelHeights heights = {sentence_line_height(ui, window),
                          set_table_height(ui),
                          pipeline_height(ui, state.strip, {room.x, window}) + gap,
                          static_cast<float>(floor + around),
                          ui.theme.px(kPages),
                          bar > 0 ? bar + gap : 0};
  if (!stacked) return heights;
  heights.picture = static_cast<float>(
      page_picture_height(double{room.x}, double{room.y}, around, floor, double{ui.theme.scale}));
  heights.pages = ui.theme.px(kPagesBelow);
  return heights;
}

// A whole model: the text, its pages and the picture beside each other or, in a narrow window, below each
// other, and the checkpoints. What is higher than the window scrolls as one page. The lines of an error take
// the lowest part of the window, and the page keeps its place: it scrolls then, without a bar that would take
// from its width.
void model_view(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 seen, bool stacked) {
  const float gap = ui.theme.px(8), window = ImGui::GetIO().DisplaySize.y;
  const ImVec2 room = {seen.x, seen.y + message_height(ui, state)};
  const ModelHeights heights = model_heights(ui, state, {room.x - 2 * gap, room.y}, stacked);
  const float least = stacked ? heights.strip + heights.picture + gap + heights.pages
                              : std::max(heights.strip + heights.picture, heights.pages);
  const float above = heights.sentence + heights.set;
  const float around = above + heights.checkpoints, height = std::max(room.y, least + around);
  ImGui::SetCursorScreenPos(at);
  const ImGuiWindowFlags bar = height > room.y ? 0 : ImGuiWindowFlags_NoScrollbar;
  begin_child("model page", seen, false, ImGuiWindowFlags_NoBackground | bar);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - 2 * gap;
  sentence_line(ui, state, {top.x + 2 * gap, top.y}, {width - 2 * gap, heights.sentence});
  set_table(ui, state.set_table,
            {{top.x + 2 * gap, top.y + heights.sentence}, {width - 2 * gap, heights.set}});
  const ImVec2 body = {top.x + gap, top.y + above}, size = {width, height - around};
  stacked ? model_stack(ui, state, body, size, heights.picture)
          : model_columns(ui, state, body, size, window);
  if (heights.checkpoints > 0)
    checkpoint_bar(ui, state.checkpoints,
                   {{body.x, body.y + size.y + gap}, {width, heights.checkpoints - gap}});
  ImGui::SetCursorScreenPos(top);
  ImGui::Dummy({width, height});
  ImGui::EndChild();
}

// Unfolds the strip that is a line, or folds it; a height that it was dragged to is forgotten then.
void follow_fold(UiContext& ui, WorkbenchState& state) {
  if (!std::exchange(state.strip.toggled, false)) return;
  const bool dragged = state.strip.height > 0 && !ui.view.model.pages_beside;
  if (dragged) state.strip.height = state.memory.pipeline_height = 0;
  state.strip.unfolded = !state.strip.unfolded && !dragged;
  ui.wake_within(0);
}

// The bars, the sentence and the panels.
void panels(UiContext& ui, WorkbenchState& state, ImVec2 window) {
  const float gap = ui.theme.px(8), bar = bar_height(ui.theme);
  const bool reading = is_reading(ui, state.lesson);
  // From these widths on, two and three columns leave enough space for the pictures; a whole model has its
  // pages below the picture in a narrower window.
  constexpr float kTwoColumns = 900, kThreeColumns = 1120;
  const bool wide = window.x >= ui.theme.px(kThreeColumns);
  const bool pages = !reading && ui.view.model.work;
  follow_pages(ui, pages, wide);
  ImGui::SetCursorScreenPos({0, 0});
  top_bar(ui, state);
  const float below = pages ? 0 : checkpoints_below(ui, state, reading, window);
  const float bottom = window.y - status_height(ui, state) - below;
  if (reading) {
    reading_view(ui, state, {0, bar, window.x, bottom - bar});
  } else {
    for (LessonFold* fold : {&state.inputs.folds.tokens, &state.inputs.folds.weights, &state.model.fold})
      fold->offered = false;  // only a lesson folds them
    ui.view.offered = {};
    follow_fold(ui, state);
    state.strip.form = state.strip.unfolded ? StripForm::Usual : StripForm::Line;
    state.strip.foldable = !pages;
    state.learning.training.waits = false;
    if (pages) {
      model_view(ui, state, {0, bar}, {window.x, bottom - bar}, window.x < ui.theme.px(kTwoColumns));
    } else {
      const float line = sentence_line_height(ui, window.y);
      sentence_line(ui, state, {2 * gap, bar}, {window.x - 4 * gap, line});
      const float top = bar + line, width = window.x - 2 * gap;
      const float y = strip_line(ui, state, {gap, top}, {width, window.y});
      (wide ? columns : two_columns)(ui, state, {gap, y}, {width, bottom - y});
    }
  }
  ImGui::SetCursorScreenPos({0, window.y - ui.theme.px(26)});
  status_bar(ui, state);
}

// Outlines the control whose name in a lesson's text is under the pointer.
void ring_pointed_control(UiContext& ui) {
  const ProbedWidget* const control =
      ui.probe.find(std::string(std::exchange(ui.view.lesson.pointed_control, std::string_view())));
  if (!control) return;
  const Rect ring = outset(control->rect, double{ui.theme.px(2)});
  ImGui::GetForegroundDrawList()->AddRect(
      {static_cast<float>(ring.x), static_cast<float>(ring.y)},
      {static_cast<float>(ring.right()), static_cast<float>(ring.bottom())}, to_imgui(ui.theme.pointer),
      ui.theme.px(4), 0, ui.theme.px(1.5f));
  ui.probe.mark_over("pointed.control", ring, control->name);
}

}  // namespace

float strip_line(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size) {
  const float width = size.x, height = pipeline_height(ui, state.strip, size);
  ImGui::SetCursorScreenPos(at);
  begin_child(
      "strip", {width, height}, false,
      ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  pipeline_panel(ui, state.strip, at, {width, height});
  ImGui::EndChild();
  const float below = at.y + height + ui.theme.px(8);
  const bool line = state.strip.form == StripForm::Line && ui.view.model.pages_beside;
  if (line) return below;  // *View* unfolds it there
  ImGui::SetCursorScreenPos({at.x, at.y + height});
  // The edge follows the pointer, even while the strip is too low for pictures.
  float& edge = state.strip.edge_px;
  if (!state.strip.dragged) edge = height;
  splitter(ui, "stages.splitter", false, width, edge, ui.theme.px(120), ui.theme.px(360));
  state.strip.dragged = ImGui::IsItemActive();
  if (state.strip.dragged && edge != height)
    state.strip.height = state.memory.pipeline_height = dragged_height(ui, state.strip, edge);
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    state.strip.height = state.memory.pipeline_height = 0;
  tooltip(ui, "Drag for a higher or lower strip, double-click for the usual one");
  return below;
}

void keep_dimming(UiContext& ui, WorkbenchState& state) {
  constexpr float kDimmingSeconds = 0.3f;
  const bool open = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  state.popup_seconds = open ? state.popup_seconds + ImGui::GetIO().DeltaTime : 0;
  if (open && state.popup_seconds < kDimmingSeconds) ui.wake_within(0.01);
}

void help_windows(UiContext& ui, WorkbenchState& state) {
  if (state.show_keys) state.show_keys = key_sheet(ui, true);
  if (state.show_manual) state.show_manual = manual_window(ui, state.manual, true);
}

// In the first frame behind the start screen.
void arrive(UiContext& ui, WorkbenchState& state) {
  if (std::exchange(state.from_start, false)) {
    state.arrival.begin(ui, state.start.sentence.drawn);
    state.stages.change = {};  // the whole window changes
  }
  if (std::exchange(state.line.arrives, state.arrival.moves()) != state.arrival.moves())
    state.line.growth = {};
}

// The windows over the panels that the panels ask for.
void dialogs_of_panels(UiContext& ui, WorkbenchState& state) {
  if (std::exchange(state.stages.table_asked, false)) state.show_head_table = true;
  if (state.show_head_table) state.show_head_table = head_table(ui, true);
  palette(ui, state);
  if (std::exchange(state.inputs.text_asked, false)) open_text_dialog(state.text, ui.layer());
  text_dialog(ui, state.text);
  overwrite_dialog(ui, state.overwrite);
  intervention_dialog(ui, state.intervention);
  train_dialog(ui, state.train);
}

void workbench(UiContext& ui, WorkbenchState& state) {
  begin_ranges(ui);  // also in a frame without pictures, or what they hold would be held for ever
  if (state.show_start) return start_view(ui, state);
  begin_opened(ui, state);
  arrive(ui, state);
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(window);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("workbench", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(2);

  ui.view.selection.hovered.begin_frame();
  ui.view.selection.pointed.begin_frame();
  ui.view.selection.gradient.begin_frame();
  ui.view.selection.note.clear();
  state.lesson.sight = {};
  state.card.shown.reset();
  state.lesson.guide.escape_taken = close_on_escape(ui, state.stages.motion);
  follow_guide(ui, state.lesson.guide);
  play_step_of_walk(ui, state);
  std::swap(state.stages.model.examples_read, state.memory.examples_read);
  if (const auto asked = std::exchange(ui.view.learning.panel_asked, std::nullopt))
    state.learning.shown = *asked;
  follow_learning(ui, state.learning);
  state.stages.presented.reset();
  state.stages.step = shown_step_index(state.lesson.guide);
  state.lesson.presented = state.presenting;
  if (state.presenting) {
    follow_pages(ui, false, false);
    presenter(ui, state, window);
  } else {
    panels(ui, state, window);
  }
  std::swap(state.stages.model.examples_read, state.memory.examples_read);
  ImGui::Dummy({0, 0});  // since ImGui 1.92 an item must follow a cursor set by hand
  ImGui::End();
  // Pictures drawn before the hovered one show it in the next frame.
  const bool rests = state.resting_pointer.rests(ui.document.opening(), ImGui::GetIO().MousePos);
  if (rests) ui.view.selection.hovered.begin_frame();
  ui.view.selection.hovered.end_frame();
  ui.view.selection.pointed.end_frame();
  ui.view.selection.gradient.end_frame();
  request_gradients(ui, state.learning.shown);
  ring_pointed_control(ui);

  state.arrival.draw(ui, state.line.shown);
  message_line(ui, state);
  help_windows(ui, state);
  dialogs_of_panels(ui, state);
  message_over_dialog(ui, state.message);
  keep_dimming(ui, state);
  window_keys(ui, state);
  hold_ranges_while_edited(ui);
}

void play_step_of_walk(UiContext& ui, WorkbenchState& state) {
  constexpr double kReadingSeconds = 1;  // after the motion, where the walk goes on by itself
  auto& walk = state.lesson.guide.walk;
  MotionPlayer& player = state.stages.motion;
  if (!walk || state.lesson.guide.wanted) {
    if (!walk && std::exchange(state.played_step, std::nullopt)) end_motion(player);
    return;
  }
  if (player.running) walk->next_seconds = std::max(walk->next_seconds, ImGui::GetTime() + kReadingSeconds);
  if (std::exchange(state.played_step, walk->step) == walk->step) return;
  end_motion(player);
  if (ui.preferences.motion && can_play(ui)) begin_motion(ui, player);
}

void window_keys(UiContext& ui, WorkbenchState& state) {
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) return;
  run_pressed_action(ui, state);
  if (!state.stages.motion.shown()) picture_keys(ui, !state.presenting);
}

}  // namespace headlight
