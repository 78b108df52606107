#include "app/ui/widgets/stepper.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <imgui.h>

namespace headlight {
namespace {

constexpr Index kLargest = 1'000'000;
constexpr float kFieldWidth = 44, kButtonWidth = 20, kGap = 4;

std::optional<Index> parse_count(const std::string& text, Index least) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = text.find_last_not_of(' ') + 1;
  Index value = 0;
  const auto [stop, failure] = std::from_chars(text.data() + begin, text.data() + end, value);
  if (failure != std::errc() || stop != text.data() + end || value < least || value > kLargest)
    return std::nullopt;
  return value;
}

template <Index kLeast>
std::string refused_count(const std::string& text) {
  return parse_count(text, kLeast) ? std::string()
                                   : "\"" + text + "\" is refused: write a whole number from " +
                                         std::to_string(kLeast) + " to " + std::to_string(kLargest);
}

bool step_button(const UiContext& ui, const std::string& name, bool plus, bool enabled) {
  const float side = ImGui::GetFrameHeight();
  const std::string full_name = name + (plus ? ".plus" : ".minus");
  ImGui::BeginDisabled(!enabled);
  const bool pressed = ImGui::Button(("##" + full_name).c_str(), {ui.theme.px(kButtonWidth), side});
  ui.probe.mark(full_name, {}, enabled);
  // Drawn as bars: the glyphs of minus and plus differ in weight between fonts.
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  const float line = std::max(1.0f, std::floor(ui.theme.scale)), half = std::floor(ui.theme.px(4));
  const ImVec2 middle = {std::floor((min.x + max.x) / 2), std::floor((min.y + max.y) / 2)};
  const ImU32 color = to_imgui(ui.theme.text, enabled ? 1.0 : 0.4);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled({middle.x - half, middle.y}, {middle.x + half + line, middle.y + line}, color);
  if (plus)
    draw->AddRectFilled({middle.x, middle.y - half}, {middle.x + line, middle.y + half + line}, color);
  ImGui::EndDisabled();
  return pressed;
}

}  // namespace

Steps unit_steps(Index value, Index low, Index high) {
  return {std::max(low, value - 1), std::max(value, std::min(high, value + 1))};
}

Steps divisor_steps(Index value, Index whole) {
  Steps steps{value, value};
  for (Index smaller = value - 1; smaller >= 1 && steps.down == value; --smaller) {
    if (whole % smaller == 0) steps.down = smaller;
  }
  for (Index larger = value + 1; larger <= whole && steps.up == value; ++larger) {
    if (whole % larger == 0) steps.up = larger;
  }
  return steps;
}

Steps multiple_steps(Index value, Index unit, Index high) {
  const Index down = (value - 1) / unit * unit, up = (value / unit + 1) * unit;
  return {down < unit ? value : down, up > high ? value : up};
}

float stepper_width(const UiContext& ui, const std::string& label) {
  return text_width(ui.theme.fonts.label, label) + ui.theme.px(kFieldWidth + 2 * kButtonWidth + 3 * kGap);
}

std::optional<Index> stepper(const UiContext& ui, TextFieldState& state, const std::string& name,
                             const std::string& label, Index value, Steps steps, const std::string& tip,
                             Index least) {
  std::optional<Index> chosen;
  ImGui::BeginGroup();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ui.theme.px(kGap), ui.theme.px(kGap)});
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, label);
  ImGui::SameLine();
  if (step_button(ui, name, false, steps.down != value)) chosen = steps.down;
  ImGui::SameLine();
  const auto typed = text_field(ui, state, name, std::to_string(value), ui.theme.px(kFieldWidth), tip,
                                least == 0 ? refused_count<0> : refused_count<1>);
  if (typed) chosen = parse_count(*typed, least);
  ImGui::SameLine();
  if (step_button(ui, name, true, steps.up != value)) chosen = steps.up;
  ImGui::PopStyleVar();
  ImGui::EndGroup();
  return chosen == value ? std::nullopt : chosen;
}

}  // namespace headlight
