// The desktop's preference for dark or light, as reported by its settings portal.
// https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Settings.html
#pragma once

#include <functional>
#include <memory>
#include <optional>

namespace headlight {

enum class SystemLook { Dark, Light };

class SystemLookWatch {
 public:
  // Calls the desktop on a separate thread, because it may be slow. `on_change` is called on that thread at
  // the first answer and at every change, and must only wake the window.
  explicit SystemLookWatch(std::function<void()> on_change);
  ~SystemLookWatch();
  SystemLookWatch(const SystemLookWatch&) = delete;
  SystemLookWatch& operator=(const SystemLookWatch&) = delete;

  // None if the desktop has not answered yet, has no portal, or has no preference.
  std::optional<SystemLook> look() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
