#include "app/platform/system_look.h"

#include <gio/gio.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPortalPath = "/org/freedesktop/portal/desktop";
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

// GIO would start a bus where there is none.
bool has_session_bus() {
  const char* address = std::getenv("DBUS_SESSION_BUS_ADDRESS");
  if (address && *address) return true;
  const char* folder = std::getenv("XDG_RUNTIME_DIR");
  std::error_code none;
  return folder && *folder && std::filesystem::exists(std::filesystem::path(folder) / "bus", none);
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

  explicit State(std::function<void()> changed) : on_change(std::move(changed)) {
    if (!has_session_bus()) return;
    try {
      thread = start_thread("the desktop's bus", [this] { run(); });
    } catch (const Error&) {  // the same as without a bus
    }
  }
  ~State() {
    if (thread.joinable()) {
      g_cancellable_cancel(cancel);
      quit_loop();
      thread.join();
    }
    g_object_unref(cancel);
    g_main_loop_unref(loop);
    g_main_context_unref(context);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // From within the loop, because a call before it runs would have no effect.
  void quit_loop() {
    GSource* source = g_idle_source_new();
    g_source_set_callback(
        source,
        [](gpointer running) -> gboolean {
          g_main_loop_quit(static_cast<GMainLoop*>(running));
          return G_SOURCE_REMOVE;
        },
        loop, nullptr);
    g_source_attach(source, context);
    g_source_unref(source);
  }

  void run() {
    g_main_context_push_thread_default(context);
    if (GDBusConnection* bus = g_bus_get_sync(G_BUS_TYPE_SESSION, cancel, nullptr)) {
      g_dbus_connection_set_exit_on_close(bus, FALSE);  // the end of the bus must not end the program
      const guint subscription = g_dbus_connection_signal_subscribe(
          bus, kPortal, kSettings, "SettingChanged", kPortalPath, kAppearance, G_DBUS_SIGNAL_FLAGS_NONE,
          &State::changed, this, nullptr);
      ask(bus);
      g_main_loop_run(loop);
      g_dbus_connection_signal_unsubscribe(bus, subscription);
      g_object_unref(bus);
    }
    g_main_context_pop_thread_default(context);
  }

  void note(GVariant* value) {
    const std::optional<SystemLook> look = look_of(value);
    known = !look ? kNone : *look == SystemLook::Dark ? kDark : kLight;
    on_change();
  }

  void ask(GDBusConnection* bus) {
    GVariant* answer = g_dbus_connection_call_sync(
        bus, kPortal, kPortalPath, kSettings, "Read", g_variant_new("(ss)", kAppearance, kColorScheme),
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
};

SystemLookWatch::SystemLookWatch(std::function<void()> on_change)
    : state_(std::make_unique<State>(std::move(on_change))) {}

SystemLookWatch::~SystemLookWatch() = default;

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
