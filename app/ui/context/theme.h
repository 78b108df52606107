// The theme: colours, fonts and measures that all panels share.
#pragma once

#include <imgui.h>

#include "app/figure/color/figure_style.h"
#include "app/platform/fonts.h"

namespace headlight {

enum class ThemeKind { Dark, Light };

struct Theme {
  ThemeKind kind = ThemeKind::Dark;
  float scale = 1;  // device pixels per planned pixel
  Fonts fonts;
  Color ground, panel, raised, line, text, quiet_text, error;
  Color accent;         // the selection, and nothing else
  Color primary, link;  // the primary button, links, the focus ring, marks of the chosen entry in a list
  Color pointer;        // outlines the cells that a lesson points at, and nothing else
  Color on;             // background of a toggle that is on
  FigureStyle figure;   // sizes already multiplied by scale

  float px(float planned) const { return planned * scale; }
};

Theme make_theme(ThemeKind kind, float scale, const Fonts& fonts);
// Copies the theme into ImGui's style.
void apply_theme(const Theme& theme);
ImU32 to_imgui(Color color, double alpha = 1.0);

}  // namespace headlight
