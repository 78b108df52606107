// A fake desktop portal on a private D-Bus bus. Its calls are served by `iterate_until`.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace headlight_test {

inline constexpr const char* kPortalPath = "/org/freedesktop/portal/desktop";

class FakePortal {
 public:
  // interface: D-Bus introspection XML. `data` is passed to the functions of `table`.
  FakePortal(const char* interface, const GDBusInterfaceVTable& table, gpointer data) {
    g_test_dbus_up(bus_);
    connection_ = g_dbus_connection_new_for_address_sync(
        g_test_dbus_get_bus_address(bus_),
        static_cast<GDBusConnectionFlags>(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                          G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION),
        nullptr, nullptr, nullptr);
    info_ = g_dbus_node_info_new_for_xml(interface, nullptr);
    g_dbus_connection_register_object(connection_, kPortalPath, info_->interfaces[0], &table, data, nullptr,
                                      nullptr);
    name_ = g_bus_own_name_on_connection(connection_, kName, G_BUS_NAME_OWNER_FLAGS_NONE, nullptr, nullptr,
                                         nullptr, nullptr);
    // The name is owned once the bus replies to a call made after the request.
    iterate_until([this] { return named(); });
  }
  ~FakePortal() {
    g_bus_unown_name(name_);
    g_dbus_node_info_unref(info_);
    g_object_unref(connection_);
    g_test_dbus_down(bus_);
    g_object_unref(bus_);
  }
  FakePortal(const FakePortal&) = delete;
  FakePortal& operator=(const FakePortal&) = delete;

  // to: a name on the bus, or nullptr for every listener.
  void emit(const char* to, const char* path, const char* interface, const char* signal,
            GVariant* parameters) {
    g_dbus_connection_emit_signal(connection_, to, path, interface, signal, parameters, nullptr);
    g_dbus_connection_flush_sync(connection_, nullptr, nullptr);
  }

  bool iterate_until(const std::function<bool()>& reached,
                     std::chrono::milliseconds longest = std::chrono::seconds(30)) {
    const auto deadline = std::chrono::steady_clock::now() + longest;
    while (!reached() && std::chrono::steady_clock::now() < deadline) {
      while (g_main_context_iteration(nullptr, FALSE)) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return reached();
  }

 private:
  static constexpr const char* kName = "org.freedesktop.portal.Desktop";

  bool named() const {
    GVariant* reply = g_dbus_connection_call_sync(
        connection_, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner",
        g_variant_new("(s)", kName), nullptr, G_DBUS_CALL_FLAGS_NONE, -1, nullptr, nullptr);
    if (!reply) return false;
    gboolean owned = FALSE;
    g_variant_get(reply, "(b)", &owned);
    g_variant_unref(reply);
    return owned;
  }

  GTestDBus* bus_ = g_test_dbus_new(G_TEST_DBUS_NONE);
  GDBusConnection* connection_ = nullptr;
  GDBusNodeInfo* info_ = nullptr;
  guint name_ = 0;
};

}  // namespace headlight_test
