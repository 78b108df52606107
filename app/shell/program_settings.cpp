// Stores settings between two runs and applies the preferences.
#include "app/shell/program.h"
#include "engine/core/error.h"

namespace headlight {

void Program::follow_preferences() {
  ThemeKind kind = preferences_.look == Look::Light ? ThemeKind::Light : ThemeKind::Dark;
  if (preferences_.look == Look::System) {
    if (!system_look_) system_look_ = std::make_unique<SystemLookWatch>([this] { window_.wake(); });
    if (system_look_->look() == SystemLook::Light) kind = ThemeKind::Light;
  } else {
    system_look_.reset();
  }
  const auto width = static_cast<float>(window_.size_at_scale_1().width);
  const float text_scale =
      static_cast<float>(preferences_.text_scale) * (workbench_.presenting ? presented_type(width) : 1);
  const bool resized = window_.text_scale() != text_scale;
  if (resized) {
    window_.set_text_scale(text_scale);
    workbench_.stages.cache = {};  // laid out with the previous fonts
  }
  if (!resized && theme_.scale == window_.scale() && theme_.kind == kind && theme_.fonts.text) return;
  use_theme(kind);
}

void Program::use_theme(ThemeKind kind) {
  theme_ = make_theme(kind, window_.scale(), window_.fonts());
  apply_theme(theme_);
  redraw();
}

// Preferences are written at once. The window's memory is written when the window is closed, except for the
// parts that should survive a crash.
void Program::save_settings() {
  if (!options_.writes_settings) return;
  Preferences chosen = preferences_;
  if (options_.look && chosen.look == *options_.look) chosen.look = preferences_saved_.look;
  WindowMemory memory = memory_saved_;
  memory.recent = workbench_.memory.recent;
  memory.hint_seen = workbench_.memory.hint_seen;
  memory.last = workbench_.memory.last;
  memory.lessons = workbench_.memory.lessons;
  memory.answers = workbench_.memory.answers;
  memory.examples_read = workbench_.memory.examples_read;
  try {
    if (chosen != preferences_saved_) {
      preferences_saved_ = chosen;
      write_preferences(preferences_path(), chosen);
    }
    if (memory != memory_saved_) {
      memory_saved_ = memory;
      write_window_memory(window_memory_path(), memory);
    }
  } catch (const Error& error) {
    show_error(error.what());
  }
}

void Program::remember_window() {
  if (!options_.writes_settings) return;
  WindowMemory memory = workbench_.memory;
  memory.maximized = window_.maximized();
  if (!memory.maximized) {
    const Window::Size size = window_.size_at_scale_1();
    remember_size(memory, size.width, size.height);
  }
  try {
    write_window_memory(window_memory_path(), memory);
  } catch (const Error&) {
    // The window is closed: the error cannot be shown, and no work of the user is lost.
  }
}

}  // namespace headlight
