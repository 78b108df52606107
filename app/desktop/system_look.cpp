#include "app/desktop/system_look.h"

#include <gio/gio.h>

#include <atomic>
#include <string_view>
#include <thread>
#include <utility>

#include "app/desktop/session_bus.h"

namespace headlight {
namespace {

constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPath = "/org/freedesktop/portal/desktop";
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
  GMainContext* context = g_main_context_new();
  GMainLoop* loop = g_main_loop_new(context, FALSE);
  GCancellable* cancel = g_cancellable_new();
  std::thread thread;

  ~State() {
    g_object_unref(cancel);
    g_main_loop_unref(loop);
    g_main_context_unref(context);
  }

  void note(GVariant* value) {
    const std::optional<SystemLook> look = look_of(value);
    known = !look ? kNone : *look == SystemLook::Dark ? kDark : kLight;
    on_change();
  }

  void ask(GDBusConnection* bus) {
    GVariant* answer = g_dbus_connection_call_sync(
        bus, kPortal, kPath, kSettings, "Read", g_variant_new("(ss)", kAppearance, kColorScheme),
        G_VARIANT_TYPE("(v)"), G_DBUS_CALL_FLAGS_NONE, -1, cancel, nullptr);
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

  void listen() {
    g_main_context_push_thread_default(context);
    if (GDBusConnection* bus = g_bus_get_sync(G_BUS_TYPE_SESSION, cancel, nullptr)) {
      g_dbus_connection_set_exit_on_close(bus, FALSE);  // a session that ends must not end the program
      const guint id =
          g_dbus_connection_signal_subscribe(bus, kPortal, kSettings, "SettingChanged", kPath, kAppearance,
                                             G_DBUS_SIGNAL_FLAGS_NONE, &State::changed, this, nullptr);
      ask(bus);
      g_main_loop_run(loop);
      g_dbus_connection_signal_unsubscribe(bus, id);
      g_object_unref(bus);
    }
    g_main_context_pop_thread_default(context);
  }

  // Runs inside the loop, so that it cannot come before the loop does.
  static gboolean stop(gpointer loop) {
    g_main_loop_quit(static_cast<GMainLoop*>(loop));
    return G_SOURCE_REMOVE;
  }
};

SystemLookWatch::SystemLookWatch(std::function<void()> on_change) : state_(std::make_unique<State>()) {
  state_->on_change = std::move(on_change);
  if (has_session_bus()) state_->thread = std::thread([state = state_.get()] { state->listen(); });
}

SystemLookWatch::~SystemLookWatch() {
  if (!state_->thread.joinable()) return;
  g_cancellable_cancel(state_->cancel);
  GSource* source = g_idle_source_new();
  g_source_set_callback(source, &State::stop, state_->loop, nullptr);
  g_source_attach(source, state_->context);
  g_source_unref(source);
  state_->thread.join();
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
