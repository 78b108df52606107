#include "tests/ui/support/drawn_text.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <imgui.h>

namespace headlight_test {
namespace {

using Corner = std::pair<float, float>;  // texture coordinates

// The upper left corners of all glyphs in the atlas. Other shapes have other texture coordinates.
std::set<Corner> glyph_corners() {
  std::set<Corner> corners;
  for (const ImFont* font : ImGui::GetIO().Fonts->Fonts)
    for (const ImFontGlyph& glyph : font->Glyphs)
      if (glyph.U1 > glyph.U0) corners.insert({glyph.U0, glyph.V0});
  return corners;
}

// The corner of "…" in every font.
std::set<Corner> ellipsis_corners() {
  std::set<Corner> corners;
  for (const ImFont* font : ImGui::GetIO().Fonts->Fonts)
    if (const ImFontGlyph* glyph = font->FindGlyphNoFallback(0x2026)) corners.insert({glyph->U0, glyph->V0});
  return corners;
}

struct Glyph {
  float left, top, right, bottom;
  bool ellipsis;
};

bool continues(const DrawnText& text, const Glyph& glyph) {
  constexpr double kNear = 8;
  const double middle = (glyph.top + glyph.bottom) / 2.0;
  return glyph.left >= text.place.x && glyph.left - text.place.right() < kNear && middle > text.place.y - 3 &&
         middle < text.place.bottom() + 3;
}

void add_glyph(std::vector<DrawnText>& texts, bool begins, const Glyph& glyph, const ImVec4& clip,
               const char* window) {
  if (begins || texts.empty() || !continues(texts.back(), glyph)) {
    texts.push_back({});
    texts.back().place = {glyph.left, glyph.top, 0, 0};
    texts.back().window = window;
  }
  DrawnText& text = texts.back();
  text.shortened = text.shortened || glyph.ellipsis;
  const double right = std::max<double>(text.place.right(), glyph.right);
  const double bottom = std::max<double>(text.place.bottom(), glyph.bottom);
  text.place.y = std::min<double>(text.place.y, glyph.top);
  text.place.width = right - text.place.x;
  text.place.height = bottom - text.place.y;
  constexpr float kSeen = 1;
  const bool in_sight = glyph.bottom > clip.y && glyph.top < clip.w && glyph.right > clip.x + kSeen &&
                        glyph.left < clip.z - kSeen;
  if (in_sight && (glyph.left < clip.x - kSeen || glyph.right > clip.z + kSeen)) text.cut = true;
  if (in_sight && (glyph.top < clip.y - kSeen || glyph.bottom > clip.w + kSeen)) text.sliced = true;
}

}  // namespace

std::vector<DrawnText> drawn_texts() {
  const std::set<Corner> corners = glyph_corners(), ellipses = ellipsis_corners();
  std::vector<DrawnText> texts;
  const ImDrawData& data = *ImGui::GetDrawData();
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    bool begins = true;
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const ImDrawVert* const vertices = list.VtxBuffer.Data + command.VtxOffset;
      const ImDrawIdx* const indices = list.IdxBuffer.Data + command.IdxOffset;
      for (unsigned int k = 0; k + 6 <= command.ElemCount;) {
        const ImDrawVert& a = vertices[indices[k]];
        const ImDrawVert& c = vertices[indices[k + 2]];
        const bool upright = a.pos.y == vertices[indices[k + 1]].pos.y;
        if (!upright || corners.count({a.uv.x, a.uv.y}) == 0) {
          k += 3;
          begins = true;
          continue;
        }
        const bool ellipsis = ellipses.count({a.uv.x, a.uv.y}) > 0;
        add_glyph(texts, begins, {a.pos.x, a.pos.y, c.pos.x, c.pos.y, ellipsis}, command.ClipRect,
                  list._OwnerName ? list._OwnerName : "");
        begins = false;
        k += 6;
      }
    }
  }
  return texts;
}

}  // namespace headlight_test
