// Whether the desktop is set to dark or light, as its settings portal tells all programs.
// https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Settings.html
#pragma once

#include <functional>
#include <memory>
#include <optional>

namespace headlight {

enum class SystemLook { Dark, Light };

class SystemLookWatch {
 public:
  // Asks on a thread of its own, for a desktop may take its time. `on_change` is called there, at the first
  // answer and at every change: it must only wake the window.
  explicit SystemLookWatch(std::function<void()> on_change);
  ~SystemLookWatch();
  SystemLookWatch(const SystemLookWatch&) = delete;
  SystemLookWatch& operator=(const SystemLookWatch&) = delete;

  // None while the desktop has not answered, has no portal, or has no preference.
  std::optional<SystemLook> look() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
