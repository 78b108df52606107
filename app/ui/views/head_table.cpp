#include "app/ui/views/head_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_heads.h"
#include "app/ui/views/head_sorting.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kTableWidth = 1120, kTableHeight = 640, kNumberWidth = 84, kRowHeight = 26, kCellGap = 10;

// Column positions, in pixels from the left edge of the table.
struct Columns {
  float number = 0, measure = 0;  // widths
  float left(std::size_t column) const { return number + measure * static_cast<float>(column); }
};

Columns columns_of(const UiContext& ui, float width) {
  const float number = ui.theme.px(kNumberWidth);
  return {number, std::floor((width - number) / static_cast<float>(kHeadMeasureCount))};
}

std::string column_label(const UiContext& ui, const HeadMeasureInfo& info) {
  return info.measure == HeadMeasure::LikePicture ? picture_text(ui) : std::string(info.label);
}

// Sorts by this column, the largest first; a second time reverses the order.
void sort_by_column(ViewState& view, std::optional<HeadMeasure> by) {
  if (view.heads.sorting.by == by && by)
    view.heads.sorting.ascending = !view.heads.sorting.ascending;
  else
    sort_heads_by(view, by);
}

void column_title(UiContext& ui, ImVec2 at, float width, std::optional<HeadMeasure> by,
                  const std::string& label, const std::string& tip) {
  const HeadSorting& sorting = ui.view.heads.sorting;
  const bool sorted = sorting.by == by;
  const std::string name =
      "heads.column." + (by ? std::string(head_measure_info(*by).name) : std::string("number"));
  ImFont* font = ui.theme.fonts.label;
  ImGui::SetCursorScreenPos(at);
  const bool clicked = click_area(name.c_str(), {width, ui.theme.px(kRowHeight)});
  const bool hot = ImGui::IsItemHovered();
  ui.probe.mark(name, !sorted ? "" : sorting.ascending ? "ascending" : "descending");
  tooltip(ui, tip);
  const std::string arrow = !sorted || !by ? "" : sorting.ascending ? " ↑" : " ↓";
  const float room = width - ui.theme.px(kCellGap) - text_width(font, arrow);
  push_font(font);
  const std::string shown = elided(label, room) + arrow;
  ImGui::PopFont();
  // Numbers are aligned at the right, and so are their titles.
  const float x = by ? at.x + width - ui.theme.px(kCellGap / 2) - text_width(font, shown)
                     : at.x + ui.theme.px(kCellGap / 2);
  const Color color = sorted ? ui.theme.primary : hot ? ui.theme.text : ui.theme.quiet_text;
  ImGui::GetWindowDrawList()->AddText(font, font_size(font),
                                      {x, at.y + (ui.theme.px(kRowHeight) - font_size(font)) / 2},
                                      to_imgui(color), shown.c_str());
  if (clicked) sort_by_column(ui.view, by);
}

// ". Here n = 1: ..." where the measure is a mean over few queries, which are the same for all heads but for
// rows that attend to nothing.
std::string few_queries(UiContext& ui, HeadMeasure measure) {
  const auto measures = request_measures(ui, 0);
  const std::string few = measures ? measures->few(measure) : "";
  return few.empty() ? "" : ". Here " + few + ": a mean over so few queries says nothing of a head";
}

void column_titles(UiContext& ui, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Columns columns = columns_of(ui, width);
  column_title(ui, at, columns.number, std::nullopt, "head", "In the order of their numbers");
  for (const HeadMeasureInfo& info : head_measure_table())
    column_title(ui, {at.x + columns.left(static_cast<std::size_t>(info.measure)), at.y}, columns.measure,
                 info.measure, column_label(ui, info),
                 std::string(info.what) + few_queries(ui, info.measure) +
                     ". A click sorts by it, another turns the order round");
  ImGui::SetCursorScreenPos({at.x, at.y + ui.theme.px(kRowHeight)});
}

void measure_cell(const UiContext& ui, ImVec2 at, float width, Index head, const HeadMeasureInfo& info,
                  const HeadMeasures& measures) {
  const std::optional<float> value = measures.of(info.measure);
  const std::string few = measures.few(info.measure);
  ImFont* font = ui.theme.fonts.label;
  const float height = ui.theme.px(kRowHeight), gap = ui.theme.px(kCellGap);
  draw_measure_bar(ui, {at.x + gap / 2, at.y + ui.theme.px(3)}, {width - gap, height - ui.theme.px(6)},
                   measure_share(ui, info.measure, value));
  push_font(font);
  const std::string text = elided(measure_text(info.measure, value, ui.percent()), width - gap);
  ImGui::PopFont();
  ImGui::GetWindowDrawList()->AddText(font, font_size(font),
                                      {at.x + width - gap / 2 - ui.theme.px(3) - text_width(font, text),
                                       at.y + (height - font_size(font)) / 2},
                                      to_imgui(value && few.empty() ? ui.theme.text : ui.theme.quiet_text),
                                      text.c_str());
  const std::string name = "heads.h" + std::to_string(head) + "." + std::string(info.name);
  ui.probe.mark(name, text);
  if (!few.empty()) ui.probe.mark(name + ".few", few);
}

// Returns whether the head was clicked.
bool head_row(UiContext& ui, Index head, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Columns columns = columns_of(ui, width);
  const float height = ui.theme.px(kRowHeight);
  const std::string name = "heads.row.h" + std::to_string(head);
  const bool chosen = click_area(name.c_str(), {width, height});
  const bool on = ui.layer().attention.head_enabled(head);
  ui.probe.mark(name, on ? "on" : "off");
  if (ImGui::IsItemHovered() || ui.view.head == head)
    ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + width, at.y + height}, to_imgui(ui.theme.raised),
                                              ui.theme.px(4));
  const std::string number = head_number(ui, head);
  tooltip(ui, "Show the weights of head " + number + " alone" + (on ? "" : "; it is switched off"));
  fitted_text(ui.theme.fonts.label,
              {at.x + ui.theme.px(kCellGap / 2), at.y + (height - font_size(ui.theme.fonts.label)) / 2},
              columns.number, on ? ui.theme.text : ui.theme.quiet_text, number + (on ? "" : " · off"));
  const auto measures = request_measures(ui, head);
  for (const HeadMeasureInfo& info : head_measure_table())
    if (measures)
      measure_cell(ui, {at.x + columns.left(static_cast<std::size_t>(info.measure)), at.y}, columns.measure,
                   head, info, *measures);
  return chosen;
}

std::vector<Index> all_heads(UiContext& ui) {
  std::vector<Index> heads(static_cast<std::size_t>(ui.layer().head_count()));
  std::iota(heads.begin(), heads.end(), Index{0});
  for (const Index head : heads)
    request_measures(ui, head);
  return ordered_heads(ui, std::move(heads));
}

// Returns the clicked head.
std::optional<Index> head_rows(UiContext& ui, float height) {
  const std::vector<Index> heads = all_heads(ui);
  const float width = ImGui::GetContentRegionAvail().x - ui.theme.px(14);  // excluding the scroll bar
  column_titles(ui, width);
  std::optional<Index> chosen;
  begin_child("##heads.rows", {0, height - ui.theme.px(kRowHeight)}, false, ImGuiWindowFlags_NoBackground);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(heads.size()), ui.theme.px(kRowHeight));
  while (clipper.Step())
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const Index head = heads[static_cast<std::size_t>(row)];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      if (head_row(ui, head, width)) chosen = head;
      ImGui::SetCursorScreenPos({at.x, at.y + ui.theme.px(kRowHeight)});
    }
  clipper.End();
  ImGui::PopStyleVar();
  ImGui::Dummy({0, 0});  // Dear ImGui 1.92 requires an item after the cursor was set by hand
  ImGui::EndChild();
  return chosen;
}

struct PictureChoice {
  PictureKind kind;
  Choice choice;
};

std::vector<PictureChoice> picture_choices(const UiContext& ui) {
  std::vector<PictureChoice> choices = {
      {PictureKind::None, {"none", "no picture", "Heads are compared with nothing"}},
      {PictureKind::Head, {"head", "a head", "The weights of one of these heads, as they are now"}}};
  if (can_compare_with_baseline(ui)) {
    choices.push_back(
        {PictureKind::SameBaselineHead,
         {"same_in_a", "itself when kept", "The weights that the same head had in the kept state"}});
    choices.push_back({PictureKind::BaselineHead,
                       {"head_of_a", "a kept head", "The weights of one head of the kept state"}});
  }
  if (ui.layer().custom_mask.size() > 0)
    choices.push_back({PictureKind::Mask,
                       {"mask", "the painted mask",
                        "The painted pattern of 0 and 1, which stays when another mask is chosen"}});
  return choices;
}

void picture_line(UiContext& ui) {
  HeadPicture& picture = ui.view.heads.picture;
  if (picture.of_baseline() && !can_compare_with_baseline(ui)) picture = {};
  const std::vector<PictureChoice> kinds = picture_choices(ui);
  std::vector<Choice> choices;
  std::size_t current = 0;
  for (const PictureChoice& kind : kinds) {
    if (kind.kind == picture.kind) current = choices.size();
    choices.push_back(kind.choice);
  }
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, "How alike each head is to");
  ImGui::SameLine();
  if (const auto chosen = choice_box(ui, "heads.picture", choices, current, ui.theme.px(150),
                                     "What the last column compares each head's weights with"))
    picture.kind = kinds[*chosen].kind;
  if (picture.kind != PictureKind::Head && picture.kind != PictureKind::BaselineHead) return;
  const Index count =
      picture.kind == PictureKind::Head ? ui.layer().head_count() : ui.view.baseline.layer->head_count();
  picture.head = std::min(picture.head, count - 1);
  std::vector<Choice> heads;
  for (Index head = 0; head < count; ++head)
    heads.push_back({std::to_string(head), "head " + head_number(ui, head), ""});
  ImGui::SameLine();
  if (const auto chosen = choice_box(ui, "heads.picture.head", heads, static_cast<std::size_t>(picture.head),
                                     ui.theme.px(100), "Which head"))
    picture.head = static_cast<Index>(*chosen);
}

// The buttons below the table. Returns whether the dialog is to be closed.
bool table_buttons(UiContext& ui) {
  const bool complete = ui.answer && !ui.answer->measures.empty() && ui.answer->all_measured();
  const auto save = [&](const char* name, const char* label, const char* tip, Action action,
                        FileFormat format) {
    const bool pressed = tool_button(ui, name, label, tip, complete);
    if (pressed) ui.actions.push_back({action, {}, Stage::Weights, format});
    ImGui::SameLine();
    return pressed;
  };
  bool closed = false;
  save("heads.copy", "Copy", "The table with tabs, for a spreadsheet", Action::CopyHeads, FileFormat::Tsv);
  closed |= save("heads.csv", "Save CSV…", "The table as CSV", Action::SaveHeads, FileFormat::Csv);
  closed |= save("heads.json", "Save JSON…", "The table as JSON", Action::SaveHeads, FileFormat::Json);
  if (!complete && ui.answer) {
    const std::string text = "measured " + std::to_string(ui.answer->measured_heads()) + " of " +
                             std::to_string(ui.layer().head_count()) + " heads";
    ImGui::AlignTextToFramePadding();
    quiet_text(ui, text);
    ui.probe.mark("heads.progress", text);
    ImGui::SameLine();
  }
  align_right(button_width("Close"));
  return tool_button(ui, "heads.close", "Close", "Escape") || dialog_answers_to(Key::Escape) || closed;
}

}  // namespace

bool head_table(UiContext& ui, bool open) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float scale = ui.theme.scale;
  // As high as the rows of all heads, within the window.
  const float needed = 150 + kRowHeight * static_cast<float>(ui.layer().head_count() + 1);
  const ImVec2 size = {std::min(kTableWidth, window.x / scale - 32),
                       std::min({kTableHeight, window.y / scale - 32, std::max(needed, 240.0f)})};
  if (!begin_dialog(ui, "##heads", open, size, "Heads and their measures")) return open;
  picture_line(ui);
  const float foot = ImGui::GetFrameHeightWithSpacing() + ImGui::GetStyle().ItemSpacing.y;
  const std::optional<Index> chosen = head_rows(ui, ImGui::GetContentRegionAvail().y - foot);
  if (chosen) {
    ui.view.head = *chosen;
    ui.view.focused_stage = Stage::Weights;
    if (ui.view.opened_stage) ui.view.opened_stage = Stage::Weights;
  }
  if (table_buttons(ui) || chosen) close_dialog(open);
  end_dialog();
  return open;
}

}  // namespace headlight
