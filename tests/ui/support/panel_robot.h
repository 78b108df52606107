// A person at a window that has no screen: draws frames without OpenGL and feeds ImGui mouse and keys,
// finding widgets by the names that they gave the probe.
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

  // Draws the content of one frame, inside a window that fills everything and has no padding.
  void draw_with(std::function<void()> draw) { draw_ = std::move(draw); }
  // Called after each frame.
  void after_each_frame(std::function<void()> then) { then_ = std::move(then); }

  // As the window does when glyphs are wanted. Precondition: there is no other robot, whose fonts would be
  // gone.
  void renew_fonts();

  void frames(int count = 1);
  // Lets time pass: one frame that lasts so long.
  void rest(float seconds);

  // What a person does. Names not in sight throw std::runtime_error with the names that are.
  void hover(const std::string& name);
  void click(const std::string& name, KeysHeld held = {});
  void double_click(const std::string& name);
  void right_click(const std::string& name);
  // Keys go down only once the drag is on its way.
  void drag_then_hold(const std::string& name, float dx, KeysHeld held);
  void drag(const std::string& name, float dx, float dy = 0, KeysHeld held = {});
  // A drag from one place to another, in so many frames.
  void stroke(ImVec2 from, ImVec2 to, int steps = 8);
  // The same with the middle button.
  void stroke_middle(ImVec2 from, ImVec2 to, int steps = 8);
  void wheel(const std::string& name, float steps);
  void wheel_at(ImVec2 position, float steps, KeysHeld held = {});
  void wheel_sideways(ImVec2 position, float steps);
  void type(const std::string& text);
  void key(headlight::Key key, KeysHeld held = {});
  void move_to(ImVec2 position);
  void click_at(ImVec2 position, KeysHeld held = {});

  bool shows(const std::string& name) const { return probe_.find(name) != nullptr; }
  const headlight::ProbedWidget& widget(const std::string& name) const;
  std::string value(const std::string& name) const { return widget(name).value; }
  ImVec2 middle_of(const std::string& name) const;

  headlight::Probe& probe() { return probe_; }
  headlight::TextureStore& textures() { return *textures_; }
  const headlight::Theme& theme() const { return theme_; }
  ImVec2 size() const { return size_; }
  // From the next frame on, as a window that is dragged to another size.
  void resize(ImVec2 size);

 private:
  void frame(float seconds);
  void hold(KeysHeld held);
  void press(bool left, bool right = false);

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
