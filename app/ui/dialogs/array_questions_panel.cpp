// Questions about the selected array: what True means in a mask (both readings side by side), the order of
// its axes, whether to go on without an unknown array, and whether to ignore names that contradict the role.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/dialogs/array_chooser.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kPictureSide = 112, kLeastPicture = 40, kCardPad = 8;

// Limited by the height that the list of roles below needs.
float picture_side(const UiContext& ui) {
  return std::clamp(ImGui::GetContentRegionAvail().y * 0.4f, ui.theme.px(kLeastPicture),
                    ui.theme.px(kPictureSide));
}

// The mask with 1 where a query may see the key.
HeatmapPlan mask_plan(const UiContext& ui, const Tile& tile, MaskTruth truth, float side) {
  auto shown = std::make_shared<Tile>(tile);
  if (truth == MaskTruth::Forbidden) shown->values = 1.0f - shown->values.array();
  HeatmapFigure figure;
  figure.tile = std::move(shown);
  figure.colormap = ColormapKind::BlueGreen;
  figure.range = {0, 1};
  figure.show_colorbar = false;
  figure.decimals = -1;
  const auto rows = static_cast<double>(tile.values.rows()),
             columns = static_cast<double>(tile.values.cols());
  PlanLimits limits;
  limits.cell_px = limits.cell_height_px = double{side} / std::max(rows, columns);
  limits.show_title = limits.show_labels = false;
  return plan_heatmap(figure, ui.theme.figure, limits, imgui_measure(ui.theme));
}

struct MaskReading {
  MaskTruth truth;
  const char *name, *label, *tip;
};
constexpr MaskReading kReadings[] = {
    {MaskTruth::Allowed, "arrays.mask_true.allowed", "1 may be seen",
     "1 (True) lets a query look at the key, as in scaled_dot_product_attention"},
    {MaskTruth::Forbidden, "arrays.mask_true.forbidden", "1 is hidden",
     "1 (True) forbids a query to look at the key, as in torch.nn.MultiheadAttention"},
    {MaskTruth::Added, "arrays.mask_true.added", "1 is added",
     "The numbers are added to the scores, as frameworks do with a mask of floats"},
};

// One reading of the mask: its picture with a caption.
bool mask_card(const UiContext& ui, const ArrayChooserState& state, const MaskReading& reading, bool chosen,
               float side) {
  const Theme& theme = ui.theme;
  const auto& [truth, name, label, tip] = reading;
  const float pad = theme.px(kCardPad);
  push_font(theme.fonts.label);
  const float words = ImGui::CalcTextSize(label).x;
  ImGui::PopFont();
  const ImVec2 size = {std::max(side, words) + 2 * pad, side + font_size(theme.fonts.label) + 3 * pad};
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const bool pressed = click_area(name, size);
  const bool hovered = ImGui::IsItemHovered();
  ui.probe.mark(name, chosen ? "chosen" : "");
  tooltip(ui, tip);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 max = {min.x + size.x, min.y + size.y};
  list.AddRectFilled(min, max, to_imgui(theme.ground), theme.px(6));
  if (chosen || hovered)
    list.AddRect(min, max, to_imgui(chosen ? theme.primary : theme.quiet_text), theme.px(6), 0,
                 theme.px(chosen ? 2.0f : 1.0f));
  const HeatmapPlan plan = mask_plan(ui, state.look->tile, truth, side);
  const ImVec2 at = {std::floor(min.x + (size.x - static_cast<float>(plan.width)) / 2),
                     std::floor(min.y + pad + (side - static_cast<float>(plan.height)) / 2)};
  paint_plan(plan, at, list, theme, ui.textures, name, state.thumbnail_version);
  push_font(theme.fonts.label);
  list.AddText({std::floor(min.x + (size.x - words) / 2), std::floor(min.y + side + 2 * pad)},
               to_imgui(theme.text), label);
  ImGui::PopFont();
  return pressed;
}

bool is_zero_one_mask(const ArrayChooserState& state, std::size_t entry) {
  const auto& role = state.choices.role_of(entry);
  const bool mask = role && (role->role == ArrayRole::Mask || role->role == ArrayRole::KeyMask);
  return mask && state.look && state.look->tile.values.size() > 0 && state.look->facts.mask.zero_one;
}

void mask_choice(const UiContext& ui, ArrayChooserState& state, std::size_t entry) {
  if (!is_zero_one_mask(state, entry)) return;
  const std::optional<MaskTruth> truth = state.choices.mask_truth(entry);
  const float side = picture_side(ui);
  std::optional<MaskTruth> asked;
  for (const MaskReading& reading : kReadings) {
    if (reading.truth == MaskTruth::Added && !state.choices.of_floats(entry)) continue;
    if (reading.truth != MaskTruth::Allowed) ImGui::SameLine();
    if (mask_card(ui, state, reading, truth == reading.truth, side)) asked = reading.truth;
  }
  ImGui::SameLine();
  ImGui::BeginGroup();
  quiet_text(ui, "What a query may see");
  quiet_text(ui, "is bright: choose one.");
  ImGui::EndGroup();
  if (!asked) return;
  state.message.clear();
  state.choices.set_mask_truth(entry, *asked, ui.layer());
}

void order_choice(const UiContext& ui, ArrayChooserState& state, std::size_t entry) {
  const auto& role = state.choices.role_of(entry);
  const bool inputs = role && (role->role == ArrayRole::Embeddings || role->role == ArrayRole::KeyEmbeddings);
  const bool given = role && role->role >= ArrayRole::Queries && role->role <= ArrayRole::Values;
  if ((!given && !inputs) || state.choices.given_orders().size() < 2) return;
  if (inputs && state.choices.given_orders().back() != AxisOrder::TimeFirst) return;
  const bool open = std::any_of(
      state.choices.questions().begin(), state.choices.questions().end(),
      [](const ArrayQuestion& question) { return question.kind == ArrayQuestion::Kind::GivenOrder; });
  const std::size_t axes = state.choices.entries()[entry].shape.size();
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, inputs ? "axes" : "axes of queries, keys and values");
  std::optional<AxisOrder> asked;
  for (const AxisOrder order : state.choices.given_orders()) {
    ImGui::SameLine();
    const bool current = !open && state.choices.given_order() == order;
    if (tool_button(ui, std::string("arrays.order.") + order_id(order, axes), order_words(order, axes),
                    "B sequences, H heads, T tokens, d numbers", true, current))
      asked = order;
  }
  if (!asked) return;
  state.message.clear();
  state.choices.set_given_order(*asked, ui.layer());
}

void first_axis_choice(const UiContext& ui, ArrayChooserState& state, std::size_t entry) {
  const auto& role = state.choices.role_of(entry);
  const std::optional<bool> averaged = state.choices.averaged();
  if (!role || role->role != ArrayRole::AttentionWeights || !averaged) return;
  const bool open = std::any_of(
      state.choices.questions().begin(), state.choices.questions().end(),
      [](const ArrayQuestion& question) { return question.kind == ArrayQuestion::Kind::FirstAxis; });
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, "first axis");
  ImGui::SameLine();
  std::optional<bool> asked;
  if (tool_button(ui, "arrays.averaged.no", "heads", "Each is a head", true, !open && !*averaged))
    asked = false;
  ImGui::SameLine();
  if (tool_button(ui, "arrays.averaged.yes", "sequences, averaged over the heads",
                  "As torch.nn.MultiheadAttention returns them", true, !open && *averaged))
    asked = true;
  if (!asked) return;
  state.message.clear();
  state.choices.set_averaged(*asked, ui.layer());
}

void draw_choice(const UiContext& ui, ArrayChooserState& state, std::size_t entry) {
  for (const ArrayQuestion& question : state.choices.questions()) {
    if (question.kind != ArrayQuestion::Kind::Draw || question.entry != entry) continue;
    if (tool_button(ui, "arrays.draw", "Go on without it", "This array is left out: " + question.what)) {
      state.message.clear();
      state.choices.allow_drawing(ui.layer());
      return;
    }
  }
}

void doubt_choice(const UiContext& ui, ArrayChooserState& state, std::size_t entry) {
  for (const ArrayQuestion& question : state.choices.questions()) {
    if (question.kind != ArrayQuestion::Kind::Doubt || question.entry != entry) continue;
    if (tool_button(ui, "arrays.doubt", "Go on as it is", question.what + ": " + question.option)) {
      state.message.clear();
      state.choices.dismiss_doubt(entry, ui.layer());
      return;
    }
  }
}

}  // namespace

void array_questions(const UiContext& ui, ArrayChooserState& state) {
  const std::size_t entry = *state.choices.selected();
  mask_choice(ui, state, entry);
  order_choice(ui, state, entry);
  first_axis_choice(ui, state, entry);
  draw_choice(ui, state, entry);
  doubt_choice(ui, state, entry);
}

}  // namespace headlight
