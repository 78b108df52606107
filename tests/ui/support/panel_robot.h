// A simulated user of a window without a screen: draws frames without OpenGL and feeds mouse and keys to Dear
// ImGui. Widgets are found by their names in the probe.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/platform/texture_store.h"
#include "app/ui/context/probe.h"
#include "app/ui/context/theme.h"

namespace headlight_test {

struct KeysHeld {
  bool ctrl = false, shift = false, alt = false;
};

class PanelRobot {
 public:
  explicit PanelRobot(ImVec2 size = {1280, 800}, headlight::ThemeKind kind = headlight::ThemeKind::Dark,
                      float scale = 1);
  ~PanelRobot();
  PanelRobot(const PanelRobot&) = delete;
  PanelRobot& operator=(const PanelRobot&) = delete;

  // Sets the function that draws a frame's content, in a window without padding that fills the display.
  void draw_with(std::function<void()> draw) { draw_ = std::move(draw); }
  // Called after each frame.
  void after_each_frame(std::function<void()> then) { then_ = std::move(then); }

  // From here on pictures cross-fade, as in a window whose last frame can be copied.
  void copy_frames() { textures_ = headlight::make_null_textures(true); }

  // Loads the fonts again, as the window does for missing glyphs. Precondition: no other robot exists; its
  // fonts would be destroyed.
  void renew_fonts();

  void frames(int count = 1);
  // One frame with this duration.
  void rest(float seconds);

  // Input. A name that is not in sight throws std::runtime_error with the names that are.
  void hover(const std::string& name);
  void click(const std::string& name, KeysHeld held = {});
  void double_click(const std::string& name);
  void right_click(const std::string& name);
  // Presses the keys after the drag has begun.
  void drag_then_hold(const std::string& name, float dx, KeysHeld held);
  void drag(const std::string& name, float dx, float dy = 0, KeysHeld held = {});
  // A drag from one point to another in `steps` frames.
  void stroke(ImVec2 from, ImVec2 to, int steps = 8);
  // A drag with the middle button.
  void stroke_middle(ImVec2 from, ImVec2 to, int steps = 8);
  void wheel(const std::string& name, float steps);
  void wheel_at(ImVec2 position, float steps, KeysHeld held = {});
  void wheel_sideways(ImVec2 position, float steps);
  void type(const std::string& text);
  void key(headlight::Key key, KeysHeld held = {});
  void move_to(ImVec2 position);
  void click_at(ImVec2 position, KeysHeld held = {});
  // Holds the buttons of the mouse down from then on.
  void press(bool left, bool right = false);

  bool shows(const std::string& name) const { return probe_.find(name) != nullptr; }
  const headlight::ProbedWidget& widget(const std::string& name) const;
  std::string value(const std::string& name) const { return widget(name).value; }
  ImVec2 middle_of(const std::string& name) const;

  headlight::Probe& probe() { return probe_; }
  headlight::TextureStore& textures() { return *textures_; }
  const headlight::Theme& theme() const { return theme_; }
  ImVec2 size() const { return size_; }
  // Changes the size from the next frame on, as dragging the window's border does.
  void resize(ImVec2 size);

 private:
  void frame(float seconds);
  void hold(KeysHeld held);

  ImVec2 size_;
  float scale_;
  headlight::Theme theme_;
  std::unique_ptr<headlight::TextureStore> textures_;
  headlight::Probe probe_;
  std::function<void()> draw_, then_;
  ImVec2 pointer_{-1, -1};
  bool left_ = false, right_ = false, middle_ = false;
};

}  // namespace headlight_test
