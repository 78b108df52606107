#include "app/ui/start/pulled_beam.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/platform/imgui_compat.h"

namespace headlight {
namespace {

bool popup_open() {
  return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

// The key that a pull of this beam takes the weight from: of one that was pulled before, still that key.
Index taken_from(const SentenceState& state, Index key) {
  return state.supposed && state.supposed->part(key) > 0 ? state.supposed->from : key;
}

void suppose(SentenceState& state, Index from, double to) {
  const TextHead of = state.shown();
  const Index query = state.query();
  state.supposed = MovedAttention{of, query, from, to};
  state.held.reset();
}

// What is back at its own place is not supposed.
void drop_unmoved(SentenceState& state) {
  if (state.supposed && state.supposed->part(state.supposed->from) >= 1) state.supposed.reset();
}

// A word is pointed at, not the beam that ends at it, but at its upper edge.
bool in_a_word(const SentencePlan& plan, const Point& at) {
  constexpr double kEdge = 0.15;  // of the type
  return std::any_of(plan.words.begin(), plan.words.end(), [&](const Rect& word) {
    return at.x >= word.x && at.x < word.right() && at.y >= word.y + kEdge * plan.type_px &&
           at.y < word.bottom();
  });
}

// Whether the pointer, or the hand, is at a beam: an area of its own below the pointer, which takes the
// press.
void grab(UiContext& ui, SentenceState& state, const SentencePlan& plan, const SentenceBeams& planned) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Point at = {double{mouse.x}, double{mouse.y}};
  const SentenceBeam* const beam =
      in_a_word(plan, at) ? nullptr : beam_under(planned, at, double{ui.theme.px(5)});
  if (!beam && !state.pulled) return;
  const float size = ui.theme.px(8);
  ImGui::SetCursorScreenPos({mouse.x - size / 2, mouse.y - size / 2});
  click_area("sentence.pull", {size, size});
  if (!ImGui::IsItemHovered() && !ImGui::IsItemActive()) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (beam && ImGui::IsItemActivated()) state.pulled = taken_from(state, beam->key);
  if (!beam || state.pulled) return;
  ui.probe.mark("sentence.pull", std::to_string(beam->key));
  const float radius = std::max(ui.theme.px(6), static_cast<float>(beam->width) / 2 + ui.theme.px(3));
  ImGui::GetWindowDrawList()->AddCircleFilled(
      {static_cast<float>(beam->end().x), static_cast<float>(beam->end().y)}, radius,
      to_imgui(ui.theme.link));
}

void follow_hand(SentenceState& state, const SentencePlan& plan) {
  if (!state.pulled) return;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    state.pulled.reset();
    return drop_unmoved(state);
  }
  if (!ImGui::IsMouseDragging(ImGuiMouseButton_Left)) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  suppose(state, *state.pulled,
          key_place(plan, state.reading->last_key(state.query()), {double{mouse.x}, double{mouse.y}}));
}

// From word to word: what is supposed, else the widest beam.
void follow_keys(SentenceState& state) {
  const Index step = (key_pressed(Key::Right, true) ? 1 : 0) - (key_pressed(Key::Left, true) ? 1 : 0);
  if (step == 0 || !shift_held() || ctrl_held() || alt_held() || ImGui::IsAnyItemActive()) return;
  Eigen::Index from = 0;
  state.weights_of(state.query()).maxCoeff(&from);
  const Index at = state.supposed ? static_cast<Index>(std::lround(state.supposed->to)) : from;
  if (state.supposed) from = state.supposed->from;
  const Index to = std::clamp<Index>(at + step, 0, state.reading->last_key(state.query()));
  suppose(state, from, static_cast<double>(to));
  drop_unmoved(state);
}

void drop_on_leaving(SentenceState& state) {
  const bool beside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsAnyItemHovered();
  if (key_pressed(Key::Escape) || beside) {
    state.supposed.reset();
    state.pulled.reset();
  }
}

}  // namespace

bool pull_beam(UiContext& ui, SentenceState& state, const SentencePlan& plan, const SentenceBeams& planned) {
  const std::optional<MovedAttention> before = state.supposed;
  grab(ui, state, plan, planned);
  follow_hand(state, plan);
  if (!popup_open()) {
    follow_keys(state);
    drop_on_leaving(state);
  }
  return state.supposed != before;
}

}  // namespace headlight
