// Waits for the passes that judge a guess: they are computed in the background.
#pragma once

#include <chrono>
#include <stdexcept>
#include <thread>

#include "app/ui/main_window/workbench.h"
#include "tests/ui/support/panel_robot.h"

namespace headlight_test {

inline void frames_until_judged(PanelRobot& robot, const headlight::WorkbenchState& state) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (state.lesson.guide.judged_step) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("the guess is not judged");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    robot.frames(1);
  }
}

// Draws frames until `reached` holds: what it waits for is computed on other threads.
template <typename Reached>
void frames_until(PanelRobot& robot, const Reached& reached) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!reached() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    robot.frames(1);
  }
}

}  // namespace headlight_test
