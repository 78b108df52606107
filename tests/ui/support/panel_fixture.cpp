#include "tests/ui/support/panel_fixture.h"

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "app/shell/model_controller.h"
#include "app/ui/main_window/action_table.h"
#include "engine/core/error.h"

namespace headlight_test {

using namespace headlight;

PanelFixture::PanelFixture(Session session, Panel panel, ImVec2 size, ThemeKind kind, float scale)
    : panel_(std::move(panel)),
      robot_(size, kind, scale),
      document_(std::move(session)),
      worker_(std::make_shared<Layer>(document_.layer()), [] {}) {
  document_.set_edit_sink([this](const Edit& edit, std::uint64_t revision) { worker_.post(edit, revision); });
  robot_.draw_with([this] { draw_panel(); });
  robot_.after_each_frame([this] { carry_out(); });
  robot_.frames(3);
}

void PanelFixture::draw_panel() {
  requested_ = {};
  redraw_timer_.begin_frame();
  const auto told = result_since(answer_, document_.layer_revision(), view_.baseline.layer);
  UiContext ui{document_,       told.get(), robot_.theme(), view_,        robot_.probe(), robot_.textures(),
               frame_commands_, actions_,   requested_,     preferences_, redraw_timer_,  action_info};
  panel_(ui);
}

void PanelFixture::carry_out() {
  for (Command& command : std::exchange(frame_commands_, {})) {
    try {
      run_command(command, document_, view_.model);
    } catch (const Error& error) {
      errors_.emplace_back(error.what());
    }
    commands_.push_back(std::move(command));
  }
  if (requested_ != posted_request_) {
    posted_request_ = requested_;
    worker_.request(requested_);
  }
  wait_for_engine();
  if (!answer_held_) answer_ = worker_.answer();
}

void PanelFixture::wait_for_engine() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!worker_.idle()) {
    if (std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error("the engine does not come to rest");
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  if (const auto failure = worker_.take_failure()) throw std::runtime_error("the engine failed: " + *failure);
}

void PanelFixture::clear() {
  commands_.clear();
  actions_.clear();
  errors_.clear();
}

}  // namespace headlight_test
