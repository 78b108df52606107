// A panel with a document, the engine on its thread, and view state, as in the program. Commands run after
// each frame; each frame has the engine's result for the previous one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"
#include "tests/ui/support/panel_robot.h"
#include "tests/ui/support/sessions.h"

namespace headlight_test {

class PanelFixture {
 public:
  using Panel = std::function<void(headlight::UiContext&)>;
  PanelFixture(headlight::Session session, Panel panel, ImVec2 size = {1280, 800},
               headlight::ThemeKind kind = headlight::ThemeKind::Dark, float scale = 1);

  PanelRobot& robot() { return robot_; }
  headlight::Document& document() { return document_; }
  const headlight::Layer& layer() const { return document_.layer(); }
  headlight::ViewState& view() { return view_; }
  headlight::Preferences& preferences() { return preferences_; }
  // Seconds until the next frame that the last frame requested; none if it requested none.
  std::optional<double> wakes_within() const { return redraw_timer_.seconds(); }
  const std::shared_ptr<const headlight::ViewResult>& answer() const { return answer_; }
  // While held, frames see the current result, as with a slow engine.
  void hold_answer(bool held) { answer_held_ = held; }

  // Commands and actions since the start, or since the last clear().
  const std::vector<headlight::Command>& commands() const { return commands_; }
  const std::vector<headlight::ActionRequest>& actions() const { return actions_; }
  // The messages of the errors that commands have thrown, a line each.
  const std::vector<std::string>& errors() const { return errors_; }
  void clear();

 private:
  void draw_panel();
  void carry_out();
  void wait_for_engine();

  Panel panel_;
  PanelRobot robot_;
  headlight::Document document_;
  headlight::Worker worker_;
  headlight::ViewState view_;
  headlight::Preferences preferences_;
  headlight::RedrawTimer redraw_timer_;
  headlight::ViewRequest requested_, posted_request_;
  std::shared_ptr<const headlight::ViewResult> answer_;
  bool answer_held_ = false;
  std::vector<headlight::Command> frame_commands_, commands_;
  std::vector<headlight::ActionRequest> actions_;
  std::vector<std::string> errors_;
};

}  // namespace headlight_test
