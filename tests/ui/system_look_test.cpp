// Following the desktop: the program asks the settings portal, here one of the test's own on a bus of its
// own.
#include "app/desktop/system_look.h"

#include <gio/gio.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "tests/support/catch.h"

using namespace headlight;

namespace {

constexpr const char* kInterface =
    "<node><interface name='org.freedesktop.portal.Settings'>"
    "<method name='Read'><arg type='s' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='v' direction='out'/></method>"
    "<signal name='SettingChanged'><arg type='s'/><arg type='s'/><arg type='v'/></signal>"
    "</interface></node>";
constexpr const char* kPath = "/org/freedesktop/portal/desktop";

// A desktop that has a portal: a private bus, and on it the service, served by iterate().
class Desktop {
 public:
  explicit Desktop(guint32 scheme) : scheme_(scheme) {
    bus_ = g_test_dbus_new(G_TEST_DBUS_NONE);
    g_test_dbus_up(bus_);
    connection_ = g_dbus_connection_new_for_address_sync(
        g_test_dbus_get_bus_address(bus_),
        static_cast<GDBusConnectionFlags>(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                          G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION),
        nullptr, nullptr, nullptr);
    info_ = g_dbus_node_info_new_for_xml(kInterface, nullptr);
    static const GDBusInterfaceVTable table = {&Desktop::answer, nullptr, nullptr, {}};
    g_dbus_connection_register_object(connection_, kPath, info_->interfaces[0], &table, this, nullptr,
                                      nullptr);
    g_bus_own_name_on_connection(connection_, "org.freedesktop.portal.Desktop", G_BUS_NAME_OWNER_FLAGS_NONE,
                                 nullptr, nullptr, nullptr, nullptr);
    // The name is there once the bus has answered a call made after the request.
    iterate_until([this] { return named(); });
  }
  ~Desktop() {
    g_dbus_node_info_unref(info_);
    g_object_unref(connection_);
    g_test_dbus_down(bus_);
    g_object_unref(bus_);
  }

  void change_to(guint32 scheme) {
    scheme_ = scheme;
    g_dbus_connection_emit_signal(
        connection_, nullptr, kPath, "org.freedesktop.portal.Settings", "SettingChanged",
        g_variant_new("(ssv)", "org.freedesktop.appearance", "color-scheme", g_variant_new_uint32(scheme)),
        nullptr);
  }

  bool iterate_until(const std::function<bool()>& reached) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!reached() && std::chrono::steady_clock::now() < deadline) {
      while (g_main_context_iteration(nullptr, FALSE)) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return reached();
  }

 private:
  static void answer(GDBusConnection*, const gchar*, const gchar*, const gchar*, const gchar*, GVariant*,
                     GDBusMethodInvocation* call, gpointer desktop) {
    GVariant* inner = g_variant_new_variant(g_variant_new_uint32(static_cast<Desktop*>(desktop)->scheme_));
    g_dbus_method_invocation_return_value(call, g_variant_new("(v)", inner));
  }
  bool named() const {
    GVariant* reply =
        g_dbus_connection_call_sync(connection_, "org.freedesktop.DBus", "/", "org.freedesktop.DBus",
                                    "NameHasOwner", g_variant_new("(s)", "org.freedesktop.portal.Desktop"),
                                    nullptr, G_DBUS_CALL_FLAGS_NONE, -1, nullptr, nullptr);
    if (!reply) return false;
    gboolean owned = FALSE;
    g_variant_get(reply, "(b)", &owned);
    g_variant_unref(reply);
    return owned;
  }

  std::atomic<guint32> scheme_;
  GTestDBus* bus_ = nullptr;
  GDBusConnection* connection_ = nullptr;
  GDBusNodeInfo* info_ = nullptr;
};

}  // namespace

TEST_CASE("system look: what the desktop says is known, and a change is noticed") {
  Desktop desktop(2);
  std::atomic<int> woken{0};
  SystemLookWatch watch([&] { ++woken; });
  REQUIRE(desktop.iterate_until([&] { return watch.look() == SystemLook::Light; }));
  const int before = woken;
  desktop.change_to(1);
  CHECK(desktop.iterate_until([&] { return watch.look() == SystemLook::Dark; }));
  CHECK(woken > before);
  desktop.change_to(0);
  CHECK(desktop.iterate_until([&] { return !watch.look().has_value(); }));
}

TEST_CASE("system look: without a session bus nothing is known and nothing is waited for") {
  g_unsetenv("DBUS_SESSION_BUS_ADDRESS");
  g_setenv("XDG_RUNTIME_DIR", "/nowhere", TRUE);
  const SystemLookWatch watch([] {});
  CHECK_FALSE(watch.look().has_value());
}
