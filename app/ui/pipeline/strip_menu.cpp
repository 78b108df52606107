#include "app/ui/pipeline/strip_menu.h"

#include <algorithm>
#include <string>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

// The least number of heads above one that divides d_out; 1 if there is none.
Index least_heads(const Layer& layer) {
  const Index shared = layer.head_count() * layer.d_k();
  for (Index count = 2; count <= shared; ++count)
    if (shared % count == 0) return count;
  return 1;
}

std::string with_what(StripPart part) {
  return std::string(strip_part_info(part).what);
}

}  // namespace

std::optional<AttentionSettings> switched_on(const Layer& layer, Stage stage) {
  constexpr double kUsualDropout = 0.5;
  AttentionSettings settings = layer.attention;
  if (stage == Stage::Scaled)
    settings.scale.kind = ScaleKind::InverseSqrtDk;
  else if (stage == Stage::Masked)
    settings.mask = MaskKind::Causal;
  else if (stage == Stage::Dropped && settings.dropout.probability > 0)
    settings.dropout.training = true;
  else if (stage == Stage::Dropped)
    settings.dropout.probability = kUsualDropout;
  else
    return std::nullopt;
  return settings;
}

void add_part(UiContext& ui, StripAsked& asked, StripPart part) {
  asked.parts |= part_bit(part);
  switch (part) {
    case StripPart::Projection:
      return ui.send(SetProjection{Projection::Linear});
    case StripPart::Scale:
      return ui.send(SetAttention{*switched_on(ui.layer(), Stage::Scaled)});
    case StripPart::Mask:
      return ui.send(SetAttention{*switched_on(ui.layer(), Stage::Masked)});
    case StripPart::Dropout:
      return ui.send(SetAttention{*switched_on(ui.layer(), Stage::Dropped)});
    case StripPart::Heads:
      if (least_heads(ui.layer()) > 1) ui.send(SetNumHeads{least_heads(ui.layer())});
      return;
    case StripPart::OutputProjection:
      return ui.send(SetOutputProjection{true});
    case StripPart::Normalization:
    case StripPart::KvHeads:
    case StripPart::Positions:
    case StripPart::Softcap:
      break;
  }
}

void more_button(UiContext& ui, const StripContent& content, StripAsked& asked, const Area& area) {
  ImGui::SetCursorScreenPos(area.at);
  const bool pressed = click_area("strip.add", area.size);
  const std::string next(strip_part_info(content.more.front()).name);
  ui.probe.mark("strip.add", next);
  const bool hot = ImGui::IsItemHovered() || ImGui::IsItemFocused();
  tooltip(ui, "Add a step. Next: " + next + ". " + with_what(content.more.front()));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 color = to_imgui(hot ? ui.theme.text : ui.theme.quiet_text);
  const ImVec2 middle = {area.at.x + area.size.x / 2, area.at.y + area.size.y / 2};
  const float radius = std::min(area.size.x, area.size.y) / 2, arm = radius * 0.4f;
  if (hot) list.AddCircleFilled(middle, radius, to_imgui(ui.theme.raised));
  const float width = std::max(1.0f, ui.theme.px(1.5f));
  list.AddLine({middle.x - arm, middle.y}, {middle.x + arm, middle.y}, color, width);
  list.AddLine({middle.x, middle.y - arm}, {middle.x, middle.y + arm}, color, width);
  if (!begin_item_menu(ui, "strip.add", pressed)) return;
  for (const StripPart part : content.more) {
    const StripPartInfo& info = strip_part_info(part);
    const std::string name(info.name);
    if (ImGui::MenuItem(name.c_str())) add_part(ui, asked, part);
    ui.probe.mark("strip.add." + std::string(info.id), name);
    tooltip(ui, with_what(part));
  }
  ImGui::EndPopup();
}

}  // namespace headlight
