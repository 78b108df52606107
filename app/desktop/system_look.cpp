#include "app/desktop/system_look.h"

#include <atomic>
#include <string_view>
#include <utility>

#include "app/desktop/bus_thread.h"

namespace headlight {
namespace {

constexpr const char* kSettings = "org.freedesktop.portal.Settings";
constexpr const char* kAppearance = "org.freedesktop.appearance";
constexpr const char* kColorScheme = "color-scheme";

// The portal's 1 is dark, 2 light, 0 no preference; Read wraps it in two variants, a signal in one.
std::optional<SystemLook> look_of(GVariant* value) {
  if (g_variant_is_of_type(value, G_VARIANT_TYPE_VARIANT)) {
    GVariant* inner = g_variant_get_variant(value);
    const std::optional<SystemLook> look = look_of(inner);
    g_variant_unref(inner);
    return look;
  }
  if (!g_variant_is_of_type(value, G_VARIANT_TYPE_UINT32)) return std::nullopt;
  const guint32 scheme = g_variant_get_uint32(value);
  if (scheme == 1) return SystemLook::Dark;
  if (scheme == 2) return SystemLook::Light;
  return std::nullopt;
}

}  // namespace

struct SystemLookWatch::State {
  enum Known : int { kNone, kDark, kLight };

  std::function<void()> on_change;
  std::atomic<int> known{kNone};
  BusThread thread;
  guint subscription = 0;  // used by the thread only

  void note(GVariant* value) {
    const std::optional<SystemLook> look = look_of(value);
    known = !look ? kNone : *look == SystemLook::Dark ? kDark : kLight;
    on_change();
  }

  void ask(GDBusConnection* bus) {
    GVariant* answer = g_dbus_connection_call_sync(
        bus, kPortal, kPortalPath, kSettings, "Read", g_variant_new("(ss)", kAppearance, kColorScheme),
        G_VARIANT_TYPE("(v)"), G_DBUS_CALL_FLAGS_NONE, -1, thread.cancel(), nullptr);
    if (!answer) return;
    GVariant* value = g_variant_get_child_value(answer, 0);
    note(value);
    g_variant_unref(value);
    g_variant_unref(answer);
  }

  static void changed(GDBusConnection*, const gchar*, const gchar*, const gchar*, const gchar*,
                      GVariant* parameters, gpointer state) {
    const gchar *group = nullptr, *key = nullptr;
    GVariant* value = nullptr;
    if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(ssv)"))) return;
    g_variant_get(parameters, "(&s&s@v)", &group, &key, &value);
    if (std::string_view(group) == kAppearance && std::string_view(key) == kColorScheme)
      static_cast<State*>(state)->note(value);
    g_variant_unref(value);
  }

  void listen(GDBusConnection* bus) {
    subscription = g_dbus_connection_signal_subscribe(bus, kPortal, kSettings, "SettingChanged", kPortalPath,
                                                      kAppearance, G_DBUS_SIGNAL_FLAGS_NONE, &State::changed,
                                                      this, nullptr);
    ask(bus);
  }
};

SystemLookWatch::SystemLookWatch(std::function<void()> on_change) : state_(std::make_unique<State>()) {
  state_->on_change = std::move(on_change);
  state_->thread.start([state = state_.get()](GDBusConnection* bus) { state->listen(bus); },
                       [state = state_.get()](GDBusConnection* bus) {
                         g_dbus_connection_signal_unsubscribe(bus, state->subscription);
                       });
}

SystemLookWatch::~SystemLookWatch() {
  state_->thread.stop();
}

std::optional<SystemLook> SystemLookWatch::look() const {
  switch (state_->known.load()) {
    case State::kDark:
      return SystemLook::Dark;
    case State::kLight:
      return SystemLook::Light;
    default:
      return std::nullopt;
  }
}

}  // namespace headlight
