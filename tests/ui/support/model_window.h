// The whole window with a model in it, whose answers are computed as in the program.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <imgui_internal.h>

#include "app/shell/analysis_controller.h"
#include "app/shell/model_controller.h"
#include "app/shell/model_session.h"
#include "app/ui/main_window/workbench.h"
#include "tests/support/places.h"
#include "tests/ui/support/panel_fixture.h"

namespace headlight_test {

struct ModelWindow {
  headlight::WorkbenchState state;
  std::optional<headlight::ModelController> room;
  std::optional<headlight::AnalysisController> questions;
  std::function<void(headlight::UiContext&)> then;  // called behind the frame, with its context
  PanelFixture fixture;

  explicit ModelWindow(float scale,
                       headlight::Session session = headlight::model_session(source_root() +
                                                                             "/tests/golden/models/gpt2"))
      : fixture(
            std::move(session), [this](headlight::UiContext& ui) { draw(ui); }, {1280, 800},
            headlight::ThemeKind::Dark, scale) {
    fixture.view().focus_view = headlight::FocusView::Model;
    fixture.view().model.map_colors =
        headlight::MapColors::Part;  // the header of heads then names the token as well
    settle();
    fixture.view().baseline = {std::make_shared<const headlight::Layer>(fixture.layer()), "kept",
                               fixture.document().session().work};
  }
  void draw(headlight::UiContext& ui) {
    if (!room) {
      room.emplace([] {});
      questions.emplace([] {});
    }
    for (const headlight::Command& command : room->follow(fixture.document(), ui.view))
      run_command(command, fixture.document(), ui.view.model);
    questions->follow(ui.view, ui.shown_head());
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());  // the robot's window
    workbench(ui, state);
    if (then) then(ui);
  }
  void settle() {
    constexpr int kFrames = 4;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (int quiet = 0; quiet < kFrames && std::chrono::steady_clock::now() < until;) {
      fixture.robot().frames(1);
      quiet = room && room->idle() && questions->idle() ? quiet + 1 : 0;
      if (quiet == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
};

}  // namespace headlight_test
