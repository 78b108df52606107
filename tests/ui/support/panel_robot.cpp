#include "tests/ui/support/panel_robot.h"

#include <map>
#include <stdexcept>

namespace headlight_test {

using namespace headlight;

namespace {

constexpr float kFrameSeconds = 1.0F / 60;
// Seconds; longer than Dear ImGui's interval of a double click.
constexpr float kBetweenClicks = 0.5F;

// Rasterizing the glyphs takes longer than most tests, so that all robots of one scale share an atlas.
struct SharedFonts {
  ImFontAtlas atlas;
  Fonts fonts;
  int frames = 0;  // of all robots
};

SharedFonts& shared_fonts(float scale) {
  static std::map<float, SharedFonts> shared;
  return shared[scale];
}

Fonts fonts_of_current_context(float scale) {
  SharedFonts& shared = shared_fonts(scale);
  if (!shared.fonts.text) {
    std::string missing;
    shared.fonts = load_fonts(scale, missing);
    name_font_texture(shared.atlas, texture_id(0xFFFF));  // no picture has this id
  }
  return shared.fonts;
}

}  // namespace

PanelRobot::PanelRobot(ImVec2 size, ThemeKind kind, float scale)
    : size_(size), scale_(scale), textures_(make_null_textures()) {
  ImGui::CreateContext(&shared_fonts(scale).atlas);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = size;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  io.ConfigInputTextCursorBlink = false;
#if IMGUI_VERSION_NUM >= 18700
  io.ConfigInputTrickleEventQueue = false;  // a frame never gets more events than it can handle
#endif
  install_key_map_for_tests();
  theme_ = make_theme(kind, scale, fonts_of_current_context(scale));
  apply_theme(theme_);
}

void PanelRobot::renew_fonts() {
  shared_fonts(scale_).atlas.Clear();
  shared_fonts(scale_).fonts = {};
  theme_ = make_theme(theme_.kind, scale_, fonts_of_current_context(scale_));
  apply_theme(theme_);
}

PanelRobot::~PanelRobot() {
  ImGui::DestroyContext();
}

void PanelRobot::frame(float seconds) {
  ImGui::GetIO().DeltaTime = seconds;
  feed_mouse(pointer_, left_, right_, middle_);
  begin_shared_fonts(shared_fonts(scale_).atlas, ++shared_fonts(scale_).frames);
  ImGui::NewFrame();
  probe_.begin_frame();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size_);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin(
      "robot", nullptr,
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::PopStyleVar();
  if (draw_) draw_();
  ImGui::End();
  close_menu_on_escape();
  ImGui::Render();
  if (then_) then_();
}

void PanelRobot::resize(ImVec2 size) {
  size_ = size;
  ImGui::GetIO().DisplaySize = size;
}

void PanelRobot::frames(int count) {
  for (int i = 0; i < count; ++i)
    frame(kFrameSeconds);
}

void PanelRobot::rest(float seconds) {
  frame(seconds);
}

void PanelRobot::hold(KeysHeld held) {
  feed_modifiers(held.ctrl, held.shift, held.alt);
}

void PanelRobot::press(bool left, bool right) {
  left_ = left;
  right_ = right;
  frames(1);
}

// Dear ImGui reads the position in one frame and finds the window below it in the next.
void PanelRobot::move_to(ImVec2 position) {
  pointer_ = position;
  frames(2);
}

const ProbedWidget& PanelRobot::widget(const std::string& name) const {
  if (const ProbedWidget* found = probe_.find(name)) return *found;
  std::string names;
  for (const ProbedWidget& widget : probe_.widgets())
    names += "\n  " + widget.name;
  throw std::runtime_error("no widget \"" + name + "\" is in sight; these are:" + names);
}

ImVec2 PanelRobot::middle_of(const std::string& name) const {
  const Rect& rect = widget(name).rect;
  return {static_cast<float>(rect.x + rect.width / 2), static_cast<float>(rect.y + rect.height / 2)};
}

void PanelRobot::hover(const std::string& name) {
  move_to(middle_of(name));
}

void PanelRobot::click(const std::string& name, KeysHeld held) {
  click_at(middle_of(name), held);
}

void PanelRobot::click_at(ImVec2 position, KeysHeld held) {
  rest(kBetweenClicks);
  move_to(position);
  hold(held);
  press(true);
  press(false);
  hold({});
  frames(2);
}

void PanelRobot::double_click(const std::string& name) {
  click(name);
  press(true);
  press(false);
  frames(2);
}

void PanelRobot::right_click(const std::string& name) {
  rest(kBetweenClicks);
  move_to(middle_of(name));
  press(false, true);
  press(false, false);
  frames(2);
}

void PanelRobot::drag(const std::string& name, float dx, float dy, KeysHeld held) {
  constexpr int kSteps = 8;
  rest(kBetweenClicks);
  const ImVec2 start = middle_of(name);
  move_to(start);
  hold(held);
  press(true);
  for (int step = 1; step <= kSteps; ++step) {
    const float share = static_cast<float>(step) / kSteps;
    pointer_ = {start.x + dx * share, start.y + dy * share};
    frames(1);
  }
  press(false);
  hold({});
  frames(2);
}

void PanelRobot::drag_then_hold(const std::string& name, float dx, KeysHeld held) {
  constexpr int kSteps = 8;
  rest(kBetweenClicks);
  const ImVec2 start = middle_of(name);
  move_to(start);
  press(true);
  hold(held);
  for (int step = 1; step <= kSteps; ++step) {
    pointer_ = {start.x + dx * static_cast<float>(step) / kSteps, start.y};
    frames(1);
  }
  press(false);
  hold({});
  frames(2);
}

void PanelRobot::stroke(ImVec2 from, ImVec2 to, int steps) {
  rest(kBetweenClicks);
  move_to(from);
  press(true);
  for (int step = 1; step <= steps; ++step) {
    const float share = static_cast<float>(step) / static_cast<float>(steps);
    pointer_ = {from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
    frames(1);
  }
  press(false);
  frames(2);
}

void PanelRobot::stroke_middle(ImVec2 from, ImVec2 to, int steps) {
  move_to(from);
  middle_ = true;
  frames(1);
  for (int step = 1; step <= steps; ++step) {
    const float share = static_cast<float>(step) / static_cast<float>(steps);
    pointer_ = {from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
    frames(1);
  }
  middle_ = false;
  frames(2);
}

void PanelRobot::wheel_at(ImVec2 position, float steps, KeysHeld held) {
  move_to(position);
  hold(held);
  feed_wheel(steps);
  frames(1);
  hold({});
  frames(2);
}

void PanelRobot::wheel_sideways(ImVec2 position, float steps) {
  move_to(position);
  feed_wheel(0, steps);
  frames(3);
}

void PanelRobot::wheel(const std::string& name, float steps) {
  move_to(middle_of(name));
  feed_wheel(steps);
  frames(3);
}

void PanelRobot::type(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t next = at + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0U) == 0x80U)
      ++next;
    ImGui::GetIO().AddInputCharactersUTF8(text.substr(at, next - at).c_str());
    frames(1);
    at = next;
  }
}

void PanelRobot::key(Key key, KeysHeld held) {
  hold(held);
  frames(1);
  feed_key(key, true);
  frames(1);
  feed_key(key, false);
  hold({});
  frames(2);
}

}  // namespace headlight_test
