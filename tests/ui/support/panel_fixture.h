// A panel with everything it is given in the program: a document, the engine on its thread, view state.
// Commands are carried out after each frame, and each frame sees the engine's answer to the one before.
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
  const headlight::Model& model() const { return document_.model(); }
  headlight::ViewState& view() { return view_; }
  headlight::Preferences& preferences() { return preferences_; }
  // When the last frame asked for the next one.
  std::optional<double> wakes_within() const { return redraw_timer_.seconds(); }
  const std::shared_ptr<const headlight::ViewResult>& answer() const { return answer_; }
  // From now on frames see the answer that there is now, as while the engine is slow.
  void hold_answer(bool held) { answer_held_ = held; }

  // Since the start, or the last clear().
  const std::vector<headlight::Command>& commands() const { return commands_; }
  const std::vector<headlight::ActionRequest>& actions() const { return actions_; }
  // Lines of the Errors that carrying out a command has thrown.
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
