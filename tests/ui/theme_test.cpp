// The theme, measured: legible contrast of text, sizes on the grid.
#include "app/ui/context/theme.h"

#include <cmath>

#include "tests/support/catch.h"
#include "tests/ui/support/panel_robot.h"

using namespace headlight;
using headlight_test::PanelRobot;

namespace {

Color style_color(ImGuiCol slot) {
  const ImU32 packed = ImGui::ColorConvertFloat4ToU32(ImGui::GetStyle().Colors[slot]);
  const auto channel = [packed](int shift) { return static_cast<std::uint8_t>(packed >> shift); };
  return {channel(IM_COL32_R_SHIFT), channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT), 255};
}

}  // namespace

TEST_CASE("theme: every text has a contrast of at least 4.5 on every surface") {
  const ThemeKind kind = GENERATE(ThemeKind::Dark, ThemeKind::Light);
  const PanelRobot robot({100, 100}, kind);
  const Theme& theme = robot.theme();
  for (const Color surface : {theme.ground, theme.panel, theme.raised}) {
    CHECK(contrast(theme.text, surface) >= 7);
    for (const Color text : {theme.quiet_text, theme.accent, theme.link, theme.error}) {
      CHECK(contrast(text, surface) >= 4.5);
    }
    const double faint = double{ImGui::GetStyle().DisabledAlpha};
    const Color button = mix(surface, style_color(ImGuiCol_Button), faint);
    CHECK(contrast(mix(button, theme.text, faint), button) >= 4.5);
  }
  for (const ImGuiCol surface :
       {ImGuiCol_Button, ImGuiCol_ButtonHovered, ImGuiCol_ButtonActive, ImGuiCol_Header,
        ImGuiCol_HeaderHovered, ImGuiCol_HeaderActive, ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered,
        ImGuiCol_TabActive, ImGuiCol_PopupBg}) {
    INFO(ImGui::GetStyleColorName(surface));
    CHECK(contrast(theme.text, style_color(surface)) >= 4.5);
  }
  CHECK(contrast(style_color(ImGuiCol_CheckMark), theme.raised) >= 3);
  CHECK(contrast(theme.text, theme.on) >= 4.5);
  CHECK(contrast(text_on(theme.primary), theme.primary) >= 4.5);
}

TEST_CASE("theme: the lesson's pointer, the selection and data never share a hue, and purple is negative") {
  const ThemeKind kind = GENERATE(ThemeKind::Dark, ThemeKind::Light);
  const PanelRobot robot({100, 100}, kind);
  const Theme& theme = robot.theme();
  constexpr double kApart = 30, kColourless = 0.03;  // degrees of hue in OKLab; chroma
  const auto apart = [](Color a, Color b) {
    const double degrees = std::abs(hue_of(a).degrees - hue_of(b).degrees);
    return std::min(degrees, 360 - degrees);
  };
  CHECK(theme.pointer == (kind == ThemeKind::Dark ? hex("#FF7A6B") : hex("#C8452F")));
  for (const Color selected : {theme.accent, theme.figure.accent})
    CHECK(apart(selected, theme.pointer) > kApart);
  for (const ColormapInfo& info : colormap_table()) {
    if (!info.in_window) continue;
    const Colormap map = Colormap::of(info.kind, theme.figure.neutral);
    for (int i = 0; i < 256; ++i) {
      const Color datum = map.table()[static_cast<std::size_t>(i)];
      if (hue_of(datum).chroma < kColourless) continue;
      INFO(info.id << " at " << i);
      for (const Color other : {theme.pointer, theme.accent, theme.figure.accent})
        CHECK(apart(datum, other) > kApart);
      const bool purple = hue_of(datum).degrees > 285 && hue_of(datum).degrees < 340;
      CHECK((!purple || (info.diverging && i < 128)));
    }
  }
}

TEST_CASE("theme: the selection's colour is nobody else's") {
  const ThemeKind kind = GENERATE(ThemeKind::Dark, ThemeKind::Light);
  const PanelRobot robot({100, 100}, kind);
  const Theme& theme = robot.theme();
  const Color neutral = theme.figure.neutral;
  constexpr double kApart = 0.1;  // in OKLab
  for (const Color selected : {theme.accent, theme.figure.accent}) {
    for (const Color other : {theme.primary, theme.pointer, theme.error, theme.text, theme.quiet_text})
      CHECK(difference(selected, other) > kApart);
    for (const ColormapKind kind_of_map :
         {ColormapKind::PurpleGreen, ColormapKind::Green, ColormapKind::BlueGreen}) {
      const Colormap map = Colormap::of(kind_of_map, neutral);
      for (const Color datum : map.table())
        CHECK(difference(selected, datum) > kApart);
    }
    for (const Color series : theme.figure.series)
      CHECK(difference(selected, series) > 0.09);
  }
  for (int slot = 0; slot < ImGuiCol_COUNT; ++slot) {
    INFO(ImGui::GetStyleColorName(slot));
    CHECK(style_color(slot) != theme.accent);
    CHECK(style_color(slot) != theme.figure.accent);
  }
}

TEST_CASE("theme: measures grow with the scale and stay whole pixels") {
  const PanelRobot robot({100, 100});
  const float scale = GENERATE(1.0F, 1.25F, 1.5F, 2.0F);
  apply_theme(make_theme(ThemeKind::Dark, scale, robot.theme().fonts));
  const ImGuiStyle& style = ImGui::GetStyle();
  CHECK(style.WindowPadding.x == std::round(12 * scale));
  CHECK(style.ItemSpacing.y == std::round(8 * scale));
  CHECK(style.FrameRounding == std::round(6 * scale));
  CHECK(style.FrameBorderSize == std::floor(scale));
}

TEST_CASE("fonts: every sign that formulas and tokens need has a glyph") {
  const PanelRobot robot({100, 100});
  const Fonts& fonts = robot.theme().fonts;
  for (ImFont* font : {fonts.text, fonts.label, fonts.title}) {
    for (const int sign :
         {0x03B1, 0x03C9, 0x03A3, 0x221A, 0x2212, 0x221E, 0x1D40, 0x2096, 0x2C7C, 0x1D62, 0x2208,
          0x211D, 0x2207, 0x2299, 0x2192, 0x2190, 0x25BE, 0x27F2, 0x2713, 0x2581, 0x0120, 0xFFFD}) {
      INFO("U+" << std::hex << sign);
      CHECK(has_glyph(font, static_cast<unsigned>(sign)));
    }
  }
  for (ImFont* font : {fonts.number, fonts.cell, fonts.small_cell}) {
    for (const int sign : {0x30, 0x2212, 0x221E, 0x00D7, 0x2248}) {
      INFO("U+" << std::hex << sign);
      CHECK(has_glyph(font, static_cast<unsigned>(sign)));
    }
    CHECK(find_glyph(font, '1')->AdvanceX == find_glyph(font, 0x2212)->AdvanceX);
  }
}
