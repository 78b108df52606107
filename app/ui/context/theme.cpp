#include "app/ui/context/theme.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

void set_dark(Theme& theme) {
  theme.figure = FigureStyle::dark();
  theme.ground = hex("#14161A");
  theme.panel = hex("#1B1E24");
  theme.raised = hex("#232730");
  theme.line = hex("#2E333D");
  theme.text = hex("#E6E8EB");
  theme.quiet_text = hex("#9AA3AF");
  theme.accent = hex("#F2B84B");
  theme.primary = hex("#5AA9E6");
  theme.pointer = hex("#FF7A6B");
  theme.error = hex("#F0716B");
}

// The accent also colours text, so it is dark enough to be read on white.
void set_light(Theme& theme) {
  theme.figure = FigureStyle::light();
  theme.ground = hex("#F6F7F9");
  theme.panel = hex("#FFFFFF");
  theme.raised = hex("#EEF0F3");
  theme.line = hex("#D9DDE3");
  theme.text = hex("#1C2127");
  theme.quiet_text = hex("#5B6470");
  theme.accent = hex("#8F5F00");
  theme.primary = hex("#1F6FB2");
  theme.pointer = hex("#C8452F");
  theme.error = hex("#B3261E");
}

void apply_measures(const Theme& theme, ImGuiStyle& style) {
  const auto whole = [&theme](float planned) { return std::round(theme.px(planned)); };
  const float line = std::max(1.0F, std::floor(theme.scale));
  style.WindowPadding = {whole(12), whole(12)};
  style.FramePadding = {whole(8), whole(4)};
  style.ItemSpacing = {whole(8), whole(8)};
  style.ItemInnerSpacing = {whole(8), whole(4)};
  style.CellPadding = {whole(8), whole(4)};
  style.IndentSpacing = whole(16);
  style.ScrollbarSize = whole(12);
  style.GrabMinSize = whole(12);
  style.WindowMinSize = {whole(16), whole(16)};
  style.WindowRounding = style.ChildRounding = style.PopupRounding = whole(6);
  style.FrameRounding = style.TabRounding = style.ScrollbarRounding = whole(6);
  style.GrabRounding = whole(4);
  style.WindowBorderSize = 0;
  style.ChildBorderSize = style.PopupBorderSize = style.FrameBorderSize = line;
  style.TabBorderSize = 0;
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.ButtonTextAlign = {0.5F, 0.5F};
  style.SelectableTextAlign = {0, 0.5F};
  // The lowest opacity at which the text of a disabled control stays readable.
  style.DisabledAlpha = theme.kind == ThemeKind::Dark ? 0.55F : 0.66F;
  style.CircleTessellationMaxError = 0.2F;
}

}  // namespace

Theme make_theme(ThemeKind kind, float scale, const Fonts& fonts) {
  Theme theme;
  if (kind == ThemeKind::Dark) {
    set_dark(theme);
  } else {
    set_light(theme);
  }
  theme.kind = kind;
  theme.link = theme.primary;
  theme.on = mix(theme.raised, theme.primary, 0.30);
  theme.scale = scale;
  theme.fonts = fonts;
  // The sizes at which the fonts were rasterized: text at another size is a scaled bitmap.
  theme.figure.label_size_px = fonts.text_em_px(*fonts.label);
  theme.figure.title_size_px = fonts.text_em_px(*fonts.title);
  theme.figure.number_size_px = fonts.number_em_px(*fonts.cell);
  return theme;
}

ImU32 to_imgui(Color color, double alpha) {
  const int a = static_cast<int>(std::lround(color.a * std::clamp(alpha, 0.0, 1.0)));
  return IM_COL32(color.r, color.g, color.b, a);
}

// NOLINTNEXTLINE(readability-function-size): a table with a row for each colour
void apply_theme(const Theme& theme) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  apply_measures(theme, style);

  const auto set = [&style](ImGuiCol slot, Color color, double alpha = 1.0) {
    style.Colors[slot] = ImGui::ColorConvertU32ToFloat4(to_imgui(color, alpha));
  };
  const Color hovered = mix(theme.raised, theme.text, 0.08);
  const Color pressed = mix(theme.raised, theme.primary, 0.30);
  const Color chosen = mix(theme.panel, theme.primary, 0.22);

  set(ImGuiCol_Text, theme.text);
  set(ImGuiCol_TextDisabled, theme.quiet_text);
  set(ImGuiCol_WindowBg, theme.ground);
  set(ImGuiCol_ChildBg, theme.panel);
  set(ImGuiCol_PopupBg, theme.panel);
  set(ImGuiCol_MenuBarBg, theme.panel);
  set(ImGuiCol_Border, theme.line);
  set(ImGuiCol_BorderShadow, theme.line, 0);
  set(ImGuiCol_FrameBg, theme.raised);
  set(ImGuiCol_FrameBgHovered, hovered);
  set(ImGuiCol_FrameBgActive, hovered);
  set(ImGuiCol_TitleBg, theme.panel);
  set(ImGuiCol_TitleBgActive, theme.panel);
  set(ImGuiCol_TitleBgCollapsed, theme.panel);
  set(ImGuiCol_ScrollbarBg, theme.panel, 0);
  set(ImGuiCol_ScrollbarGrab, mix(theme.line, theme.quiet_text, 0.35));
  set(ImGuiCol_ScrollbarGrabHovered, mix(theme.line, theme.quiet_text, 0.7));
  set(ImGuiCol_ScrollbarGrabActive, theme.quiet_text);
  set(ImGuiCol_CheckMark, theme.primary);
  set(ImGuiCol_SliderGrab, theme.primary);
  set(ImGuiCol_SliderGrabActive, theme.primary);
  set(ImGuiCol_Button, theme.raised);
  set(ImGuiCol_ButtonHovered, hovered);
  set(ImGuiCol_ButtonActive, pressed);
  set(ImGuiCol_Header, chosen);
  set(ImGuiCol_HeaderHovered, hovered);
  set(ImGuiCol_HeaderActive, pressed);
  set(ImGuiCol_Separator, theme.line);
  set(ImGuiCol_SeparatorHovered, theme.primary);
  set(ImGuiCol_SeparatorActive, theme.primary);
  set(ImGuiCol_ResizeGrip, theme.line, 0);
  set(ImGuiCol_ResizeGripHovered, theme.primary);
  set(ImGuiCol_ResizeGripActive, theme.primary);
  set(ImGuiCol_Tab, theme.panel);
  set(ImGuiCol_TabHovered, hovered);
  set(ImGuiCol_TabActive, chosen);
  set(ImGuiCol_TabUnfocused, theme.panel);
  set(ImGuiCol_TabUnfocusedActive, chosen);
  set(ImGuiCol_TableHeaderBg, theme.raised);
  set(ImGuiCol_TableBorderStrong, theme.line);
  set(ImGuiCol_TableBorderLight, theme.line);
  set(ImGuiCol_TableRowBg, theme.panel, 0);
  set(ImGuiCol_TableRowBgAlt, theme.text, 0.03);
  set(ImGuiCol_TextSelectedBg, theme.primary, 0.35);
  set(ImGuiCol_DragDropTarget, theme.primary);
  set(ImGuiCol_NavHighlight, theme.primary);
  set(ImGuiCol_ModalWindowDimBg, theme.ground, 0.6);
}

}  // namespace headlight
