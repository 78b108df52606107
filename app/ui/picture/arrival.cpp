#include "app/ui/picture/arrival.h"

#include <algorithm>
#include <array>

#include <imgui.h>

#include "app/platform/text_glyphs.h"

namespace headlight {
namespace {

// The whole window without the rectangle, as up to four rectangles.
std::array<Rect, 4> around(const Rect& all, const Rect& hole) {
  return {Rect{all.x, all.y, all.width, hole.y - all.y},
          Rect{all.x, hole.bottom(), all.width, all.bottom() - hole.bottom()},
          Rect{all.x, hole.y, hole.x - all.x, hole.height},
          Rect{hole.right(), hole.y, all.right() - hole.right(), hole.height}};
}

Rect place_of(const std::vector<ShownWord>& words, const Rect& all) {
  if (words.empty()) return {};
  double left = all.right(), top = all.bottom(), right = 0, bottom = 0;
  for (const ShownWord& word : words) {
    left = std::min(left, word.place.x);
    top = std::min(top, word.place.y);
    right = std::max(right, word.place.right());
    bottom = std::max(bottom, word.place.bottom());
  }
  return {left, top, right - left, bottom - top};
}

bool same_words(const std::vector<ShownWord>& a, const std::vector<ShownWord>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ShownWord& p, const ShownWord& q) { return p.text == q.text; });
}

void draw_words(const UiContext& ui, ImDrawList& list, const std::vector<MovingWord>& words) {
  const Fonts& fonts = ui.theme.fonts;
  for (const MovingWord& word : words)
    list.AddText(fonts.sentence, static_cast<float>(word.type_px) * fonts.text_line, screen_point(word.at),
                 to_imgui(ui.theme.text, word.opacity), drawn_text(word.text, fonts.sentence).c_str());
}

void draw_beam(const UiContext& ui, ImDrawList& list, const Stroke& pair) {
  std::vector<ImVec2> points;
  for (const Point& point : pair.path)
    points.push_back(screen_point(point));
  list.AddPolyline(points.data(), static_cast<int>(points.size()), to_imgui(ui.theme.link), ImDrawFlags_None,
                   static_cast<float>(pair.width));
}

}  // namespace

void Arrival::begin(UiContext& ui, const ScreenState& start) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  copy_.reset();
  if (!ui.preferences.motion) return;
  copy_ = copy_shown(ui, "start", {0, 0, window.x, window.y});
  start_ = start;
  clock_.begin();
}

// The line of this frame has left its beams and loss out: the next one draws them.
void Arrival::end(UiContext& ui) {
  copy_.reset();
  keep_moving(ui);
}

void Arrival::draw(UiContext& ui, const std::vector<ShownWord>& words) {
  if (!copy_) return;
  const double seconds = clock_.seconds();
  if (seconds >= kWordsSeconds || !ui.preferences.motion) return end(ui);
  ScreenState now;
  now.words = words;
  if (same_words(start_.words, words)) now.pair = ui.view.selection.pair;
  const ScreenMoment moment = screen_at(start_, now, seconds);
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const Rect hole = place_of(start_.words, copy_->area);
  for (const Rect& part : around(copy_->area, hole))
    if (part.width > 0 && part.height > 0 && !draw_copy(ui, list, *copy_, part, {}, moment.earlier))
      return end(ui);
  list.AddRectFilled(screen_point({hole.x, hole.y}), screen_point({hole.right(), hole.bottom()}),
                     to_imgui(ui.theme.ground, moment.earlier));
  if (moment.pair) draw_beam(ui, list, *moment.pair);
  draw_words(ui, list, moment.words);
  keep_moving(ui);
}

}  // namespace headlight
