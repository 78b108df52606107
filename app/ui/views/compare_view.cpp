#include "app/ui/views/compare_view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_heads.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/picture/cell_legend.h"
#include "app/ui/picture/compared_states.h"
#include "app/ui/views/compare_changes.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/attention/difference.h"
#include "engine/layer/layer_difference.h"

namespace headlight {
namespace {

constexpr float kLeastPicture = 84, kLeastRow = 104, kPictureGap = 12,
                kLabelRoom = 56;  // planned pixels

// One of the three pictures of a head: kept, now or their difference.
struct ComparePicture {
  const char* name;  // between "compare." and ".h0"
  std::string caption;
  TileContent content;
  ColorRange range;
  StageColors colors;
};

std::vector<ComparePicture> pictures_of(const UiContext& ui, Stage stage, Index head, bool only_last) {
  const auto only = ui.view.picture.colors_of(stage).shared ? std::nullopt : std::optional<Index>(head);
  const StageColors colors =
      picture_colors(ui.view.picture.colors_of(stage), stage, numbers_of_states(ui, stage, only).range);
  const ColorRange range = range_of_states(ui, stage, only);
  const ComparedContents contents = compared_contents(ui, stage);
  const StageColors moved = difference_colors(ui.view.picture.colors_of(stage), stage);
  std::vector<ComparePicture> all;
  if (!only_last) {
    all.push_back({"a", "kept", contents.kept, range, colors});
    all.push_back({"b", "now", contents.now, range, colors});
  }
  all.push_back({"difference", "now − kept", contents.difference,
                 color_range(numbers_of_content(ui, stage, contents.difference, only), moved, stage), moved});
  return all;
}

void wrapped(const UiContext& ui, const Area& area, const std::string& name, const std::string& text) {
  push_font(ui.theme.fonts.label);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str(), nullptr, false, area.size.x);
  ImGui::SetCursorScreenPos({area.at.x, area.at.y + std::max(0.0f, (area.size.y - size.y) / 2)});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + area.size.x);
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.quiet_text));
  ImGui::TextUnformatted(drawn_text(text).c_str());
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
  ui.probe.mark(name, text);
}

// Why the picture does not exist; "" if it does.
std::string missing_reason(const UiContext& ui, Stage stage, Index head, TileContent content) {
  const Layer& kept = *ui.view.baseline.layer;
  if (is_difference(content)) {
    const std::string fault =
        shape_difference(kept, ui.layer(), stage, {"The kept state", "the present one"});
    return fault.empty() ? fault : fault + ": there is nothing to subtract.";
  }
  if (!is_of_baseline(content)) return "";
  if (ui.view.sequence >= kept.sequence_count())
    return "The kept state has no sequence " + ui.counting().number(ui.view.sequence) + ".";
  return head < stage_heads(kept, stage) ? ""
                                         : "The kept state has no " + head_name(head, ui.counting()) + ".";
}

float caption_height(const UiContext& ui) {
  return font_size(ui.theme.fonts.label) + ui.theme.px(4);
}

// The layout that the pictures of all heads share.
struct CompareLayout {
  Stage stage;
  bool only_last = false;  // only the difference: three pictures would be too narrow
  bool square = false;     // two by two: both states, below them the difference and the changes
  ImVec2 picture;          // size of one picture with its caption
  float caption = 0, gap = 0;
  bool labels = false, colorbars = false;
};

void draw_picture(UiContext& ui, HeatmapCache& cache, const CompareLayout& layout, Index head,
                  const ComparePicture& picture, ImVec2 at, const std::string& title) {
  const std::string name = std::string("compare.") + picture.name + ".h" + std::to_string(head);
  fitted_text(ui.theme.fonts.label, at, layout.picture.x, ui.theme.quiet_text, title + picture.caption);
  const Area area = {{at.x, at.y + layout.caption}, {layout.picture.x, layout.picture.y - layout.caption}};
  const std::string reason = missing_reason(ui, layout.stage, head, picture.content);
  if (!reason.empty()) {
    wrapped(ui, area, "compare.missing." + std::string(picture.name), reason);
    return;
  }
  HeatmapSpot spot;
  spot.stage = layout.stage;
  spot.head = head;
  spot.off = is_head_off(ui.layer(), spot.stage, head);
  spot.labels = layout.labels;
  spot.colorbar = layout.colorbars;
  spot.name = name;
  spot.content = picture.content;
  spot.colors = picture.colors;
  spot.range = picture.range;
  spot.moves_focus = false;
  spot.zooms = true;
  if (is_of_baseline(picture.content)) spot.labelled_by = ui.view.baseline.layer.get();
  ImGui::SetCursorScreenPos(area.at);
  const HeatmapResult result = heatmap_view(ui, cache, spot, area.size);
  compare_tooltip(ui, layout.stage, head, result.pointed);
}

void draw_head(UiContext& ui, HeatmapCache& cache, const CompareLayout& layout, Index head, ImVec2 at) {
  const bool several = stage_heads(ui.layer(), layout.stage) > 1;
  for (const ComparePicture& picture : pictures_of(ui, layout.stage, head, layout.only_last)) {
    const bool first = is_of_baseline(picture.content) || layout.only_last;
    draw_picture(ui, cache, layout, head, picture, at,
                 several && first ? head_name(head, ui.counting()) + " · " : "");
    at.x += layout.picture.x + layout.gap;
    const bool is_now = !is_of_baseline(picture.content) && !is_difference(picture.content);
    if (!layout.square || !is_now) continue;
    at.x -= 2 * (layout.picture.x + layout.gap);
    at.y += layout.picture.y + layout.gap;
  }
}

// The differences of the models, from the kept one to the present one, in words.
std::string difference_text(const UiContext& ui) {
  std::string text;
  for (const std::string& difference : layer_differences(*ui.view.baseline.layer, ui.layer(), ui.counting()))
    text += (text.empty() ? "" : "  ·  ") + difference;
  if (text.empty()) text = "Nothing differs yet: change something, such as the seed of the weights";
  const Baseline& kept = ui.view.baseline;
  if (kept.title != ui.document.session().title || kept.layer_name != shown_layer(ui))
    text =
        "The kept state is of “" + visible_label(with_layer(kept.title, kept.layer_name)) + "”  ·  " + text;
  return text;
}

// What can be done with the kept state.
struct CompareButton {
  const char *action, *name, *label, *brief;
  void (*run)(UiContext&);
};
constexpr std::array<CompareButton, 3> kButtons = {
    {{"compare_keep", "compare.keep", "Keep this state", "Keep", set_baseline},
     {"compare_restore", "compare.restore", "Swap kept and now", "Swap", swap_with_baseline},
     {"compare_forget", "compare.forget", "Forget kept", "Forget", clear_baseline}}};

// Draws the differences of the two states and the buttons. Returns its height.
float draw_heading(UiContext& ui, const Area& area) {
  const bool narrow = area.size.x < ui.theme.px(520), few = ui.view.offered.few;
  const auto label = [&](const CompareButton& button) { return narrow ? button.brief : button.label; };
  const float gap = ui.theme.px(8), line = ImGui::GetFrameHeight();
  float width = few ? -2 * gap : 2 * gap;
  for (const CompareButton& button : kButtons)
    width += few ? 0 : button_width(label(button));
  const std::string text = difference_text(ui);
  const float room = std::max(1.0f, area.size.x - width - 2 * gap);
  ImGui::SetCursorScreenPos(area.at);
  ImGui::Dummy({room, line});
  ui.probe.mark("compare.what", text);
  tooltip(ui, "From the kept state to the present one: " + text);
  if (room >= ui.theme.px(60))
    fitted_text(ui.theme.fonts.label, {area.at.x, area.at.y + (line - font_size(ui.theme.fonts.label)) / 2},
                room, ui.theme.text, text);
  ImGui::SetCursorScreenPos({area.end().x - width, area.at.y});
  for (const CompareButton& button : kButtons) {
    if (few) break;
    if (tool_button(ui, button.name, label(button), ui.action_tip(button.action))) button.run(ui);
    ImGui::SameLine(0, gap);
  }
  return line + ui.theme.px(6);
}

// Draws the legend of the difference's marks at the bottom of a high enough area. Returns its height.
float draw_legend(UiContext& ui, Stage stage, const Area& area) {
  if (area.size.y < ui.theme.px(300)) return 0;
  const ValueRange range =
      numbers_of_content(ui, stage, compared_contents(ui, stage).difference, ui.view.head).range;
  const std::vector<CellKind> kinds = occurring_kinds(range, {});
  const float height = cell_legend_height(ui, kinds, area.size.x);
  if (height == 0) return 0;
  ImGui::SetCursorScreenPos({area.at.x, area.end().y - height});
  cell_legend(ui, "compare.legend", kinds, stage, area.size.x);
  return height + ui.theme.px(8);
}

// `keeps`: with the button that keeps the present state.
void draw_text_alone(UiContext& ui, const Area& area, const std::string& text, bool keeps) {
  const float width = std::min(area.size.x, ui.theme.px(440));
  push_font(ui.theme.fonts.text);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str(), nullptr, false, width);
  const float button = ImGui::GetFrameHeight(), gap = ui.theme.px(12);
  const ImVec2 at = {area.at.x + std::floor((area.size.x - width) / 2),
                     area.at.y + std::max(0.0f, std::floor((area.size.y - size.y - gap - button) / 2))};
  ImGui::SetCursorScreenPos(at);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  ImGui::TextUnformatted(drawn_text(text).c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
  ui.probe.mark("compare.invitation", text);
  if (!keeps) return;
  ImGui::SetCursorScreenPos({at.x, at.y + size.y + gap});
  if (primary_button(ui, "compare.keep", "Keep this state", ui.action_tip("compare_keep"))) set_baseline(ui);
}

void draw_invitation(UiContext& ui, const Area& area) {
  draw_text_alone(
      ui, area,
      "Keep the state as it is, then go on: change a number, a setting, or draw the weights with another "
      "seed. "
      "What was kept, what is now and the difference then stand here side by side, with the largest changes "
      "by name.",
      true);
}

// `size` is the size of all pictures of a head together.
CompareLayout lay_out(const UiContext& ui, Stage stage, ImVec2 size, bool square) {
  CompareLayout layout;
  layout.stage = stage;
  layout.gap = ui.theme.px(kPictureGap);
  layout.caption = caption_height(ui);
  layout.square = square;
  const auto share = [&](float room, float parts) {
    return std::floor((room - (parts - 1) * layout.gap) / parts);
  };
  layout.only_last = !square && share(size.x, 3) < ui.theme.px(kLeastPicture);
  layout.picture = square ? ImVec2(share(size.x, 2), share(size.y, 2))
                          : ImVec2(layout.only_last ? size.x : share(size.x, 3), size.y);
  // Labels are drawn only if the cells remain large enough beside them.
  const auto cells = [&](float room, Index count) {
    return (room - ui.theme.px(kLabelRoom)) / static_cast<float>(std::max<Index>(count, 1)) >=
           ui.theme.px(11);
  };
  const bool large = layout.picture.x >= ui.theme.px(230) && layout.picture.y >= ui.theme.px(160);
  layout.labels = large || (cells(layout.picture.x, stage_columns(ui.layer(), stage)) &&
                            cells(layout.picture.y - layout.caption, stage_rows(ui.layer(), stage)));
  // Numbers in the cells have priority over the bar, which the heatmap view of the stage shows as well.
  layout.colorbars = layout.picture.x >= ui.theme.px(370);
  return layout;
}

// Where the list of changes is: beside the three pictures, in their two-by-two square, or below them.
enum class ListPlace { Beside, Square, Below };

float list_width(const UiContext& ui, const Area& area) {
  return std::clamp(std::floor(area.size.x * 0.27f), ui.theme.px(132), ui.theme.px(330));
}
float list_height(const UiContext& ui, const Area& area) {
  return std::min(std::floor(area.size.y * 0.4f), ui.theme.px(132));
}

// The place that leaves the pictures the largest cells; of those that are nearly alike, the first.
ListPlace list_place(const UiContext& ui, Stage stage, const Area& area) {
  const float gap = ui.theme.px(kPictureGap), labels = ui.theme.px(kLabelRoom);
  const auto cell = [&](float width, float height) {
    return std::min(
        (width - labels) / static_cast<float>(stage_columns(ui.layer(), stage)),
        (height - caption_height(ui) - labels) / static_cast<float>(stage_rows(ui.layer(), stage)));
  };
  const auto third = [&](float width) { return (width - 2 * gap) / 3; };
  constexpr float kClearlyLarger = 1.15f;
  ListPlace best = ListPlace::Below;
  float largest = cell(third(area.size.x), area.size.y - list_height(ui, area) - gap);
  const auto try_place = [&](ListPlace place, bool has_room, float found) {
    if (!has_room || found * kClearlyLarger < largest) return;
    best = place;
    largest = found;
  };
  try_place(ListPlace::Square, area.size.y >= ui.theme.px(320) && area.size.x >= ui.theme.px(420),
            cell((area.size.x - gap) / 2, (area.size.y - gap) / 2));
  try_place(ListPlace::Beside, area.size.x >= ui.theme.px(440) || area.size.y < ui.theme.px(200),
            cell(third(area.size.x - list_width(ui, area) - gap), area.size.y));
  return best;
}

void draw_head_and_changes(UiContext& ui, HeatmapCache& cache, Stage stage, Index head, const Area& area,
                           bool changes, int& named) {
  const float gap = ui.theme.px(kPictureGap);
  const ListPlace place = list_place(ui, stage, area);
  const bool square = place == ListPlace::Square, beside = place == ListPlace::Beside;
  ImVec2 pictures = area.size;
  Area list;
  if (changes && beside) {
    list.size = {list_width(ui, area), area.size.y};
    pictures.x -= list.size.x + gap;
  } else if (changes && !square) {
    list.size = {area.size.x, list_height(ui, area)};
    pictures.y -= list.size.y + gap;
  }
  const CompareLayout layout = lay_out(ui, stage, pictures, square);
  if (square) list.size = layout.picture;
  list.at = {area.end().x - list.size.x, area.end().y - list.size.y};
  if (beside) list.at.y = area.at.y;
  draw_head(ui, cache, layout, head, area.at);
  if (changes) draw_changes(ui, stage, head, list, named);
}

// All shown heads if their rows are high enough, else the chosen head or the first.
std::vector<Index> compared_heads(const UiContext& ui, Stage stage, float height, float gap) {
  std::vector<Index> heads = shown_heads(ui, stage);
  const auto count = static_cast<float>(heads.size());
  if ((height - gap * (count - 1)) / count < ui.theme.px(kLeastRow))
    heads = {stage_head(ui.layer(), stage, ui.shown_head())};
  return heads;
}

}  // namespace

void compare_entries(UiContext& ui) {
  for (const CompareButton& button : kButtons) {
    if (ImGui::MenuItem(button.label)) button.run(ui);
    ui.probe.mark(button.name);
    tooltip(ui, ui.action_tip(button.action));
  }
}

void set_baseline(UiContext& ui) {
  ui.view.baseline = {std::make_shared<const Layer>(ui.layer()), ui.document.session().title,
                      ui.document.session().work, shown_layer(ui)};
}

void clear_baseline(UiContext& ui) {
  ui.view.baseline = {};
}

bool shows_way(const UiContext& ui) {
  return ui.view.focus_view == FocusView::Compare && ui.view.baseline.layer;
}

void swap_with_baseline(UiContext& ui) {
  const Baseline kept = ui.view.baseline;
  set_baseline(ui);
  if (kept.work)
    ui.send(SetOpenModel{kept.work, kept.layer, "Go back to the kept state"});
  else
    ui.send(ReplaceLayer{.layer = kept.layer, .name = "Go back to the kept state", .may_leave_model = true});
}

void draw_compare(UiContext& ui, HeatmapCache& cache, Stage stage, const Area& area) {
  if (is_mapped(ui))
    return draw_text_alone(
        ui, area,
        "To compare two states takes every cell of both, and this text is so long that they do "
        "not fit the memory that they may take. Take fewer tokens, and compare is there again.",
        false);
  if (!ui.view.baseline.layer) {
    draw_invitation(ui, area);
    return;
  }
  const float heading = draw_heading(ui, area);
  if (!ui.view.baseline.layer) return;  // the heading's button has just discarded it
  ui.requested.reference = ui.view.baseline.layer;
  const float gap = ui.theme.px(kPictureGap);
  const ImVec2 room = {area.size.x, area.size.y - heading - draw_legend(ui, stage, area)};
  const std::vector<Index> heads = compared_heads(ui, stage, room.y, gap);
  const auto rows = static_cast<float>(heads.size());
  const ImVec2 row = {room.x, std::floor((room.y - gap * (rows - 1)) / rows)};
  const bool changes = shape_difference(*ui.view.baseline.layer, ui.layer(), stage).empty();
  int named = 0;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const ImVec2 at = {area.at.x, area.at.y + heading + static_cast<float>(i) * (row.y + gap)};
    draw_head_and_changes(ui, cache, stage, heads[i], {at, row}, changes, named);
  }
  if (heads.size() < shown_heads(ui, stage).size()) {
    const std::string note = head_name(heads[0], ui.counting()) + ": choose another above";
    ui.probe.mark_rect("compare.one_head", {area.at.x, area.at.y, 1, 1}, note);
  }
}

}  // namespace headlight
