// The desktop's own file dialog: the program asks the portal, here one of the test's own on a bus of its own.
#include "app/desktop/file_portal.h"

#include <gio/gio.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "tests/support/catch.h"

using namespace headlight;

namespace {

constexpr const char* kInterface =
    "<node><interface name='org.freedesktop.portal.FileChooser'>"
    "<method name='OpenFile'><arg type='s' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='a{sv}' direction='in'/><arg type='o' direction='out'/></method>"
    "<method name='SaveFile'><arg type='s' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='a{sv}' direction='in'/><arg type='o' direction='out'/></method>"
    "<property name='version' type='u' access='read'/>"
    "</interface></node>";
constexpr const char* kPath = "/org/freedesktop/portal/desktop";
constexpr const char* kName = "org.freedesktop.portal.Desktop";

struct Asked {
  int count = 0;
  std::string method, parent, title, token, sender, name, folder;
  gsize filters = 0;
};

// A desktop with a file chooser: a private bus, and on it the service, served by iterate_until().
class Desktop {
 public:
  Asked asked;
  bool refuses = false;    // answers each call with an error
  std::string own_handle;  // the request's name, where the portal chooses it itself

  Desktop() {
    bus_ = g_test_dbus_new(G_TEST_DBUS_NONE);
    g_test_dbus_up(bus_);
    connection_ = g_dbus_connection_new_for_address_sync(
        g_test_dbus_get_bus_address(bus_),
        static_cast<GDBusConnectionFlags>(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                          G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION),
        nullptr, nullptr, nullptr);
    info_ = g_dbus_node_info_new_for_xml(kInterface, nullptr);
    static const GDBusInterfaceVTable table = {&Desktop::call, &Desktop::property, nullptr, {}};
    g_dbus_connection_register_object(connection_, kPath, info_->interfaces[0], &table, this, nullptr,
                                      nullptr);
    name_ = g_bus_own_name_on_connection(connection_, kName, G_BUS_NAME_OWNER_FLAGS_NONE, nullptr, nullptr,
                                         nullptr, nullptr);
  }
  ~Desktop() {
    leave();
    g_dbus_node_info_unref(info_);
    g_object_unref(connection_);
    g_test_dbus_down(bus_);
    g_object_unref(bus_);
  }

  void leave() {
    if (name_ != 0) g_bus_unown_name(std::exchange(name_, 0u));
  }

  // Ends the dialog: 0 with a file, 1 cancelled, 2 otherwise.
  void respond(guint32 how, const char* uri = nullptr) {
    GVariantBuilder results;
    g_variant_builder_init(&results, G_VARIANT_TYPE("a{sv}"));
    if (uri) {
      const gchar* uris[] = {uri, nullptr};
      g_variant_builder_add(&results, "{sv}", "uris", g_variant_new_strv(uris, -1));
    }
    g_dbus_connection_emit_signal(connection_, asked.sender.c_str(), handle().c_str(),
                                  "org.freedesktop.portal.Request", "Response",
                                  g_variant_new("(ua{sv})", how, &results), nullptr);
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
  std::string handle() const {
    if (!own_handle.empty()) return own_handle;
    std::string sender = asked.sender.substr(1);
    for (char& c : sender)
      if (c == '.') c = '_';
    return std::string(kPath) + "/request/" + sender + "/" + asked.token;
  }

  static void call(GDBusConnection*, const gchar* sender, const gchar*, const gchar*, const gchar* method,
                   GVariant* parameters, GDBusMethodInvocation* call, gpointer data) {
    Desktop& desktop = *static_cast<Desktop*>(data);
    const gchar *parent = nullptr, *title = nullptr, *token = "", *name = "", *folder = "";
    GVariant* options = nullptr;
    g_variant_get(parameters, "(&s&s@a{sv})", &parent, &title, &options);
    g_variant_lookup(options, "handle_token", "&s", &token);
    g_variant_lookup(options, "current_name", "&s", &name);
    g_variant_lookup(options, "current_folder", "^&ay", &folder);
    desktop.asked = {desktop.asked.count + 1, method, parent, title, token, sender, name, folder, 0};
    if (GVariant* filters = g_variant_lookup_value(options, "filters", G_VARIANT_TYPE("a(sa(us))"))) {
      desktop.asked.filters = g_variant_n_children(filters);
      g_variant_unref(filters);
    }
    g_variant_unref(options);
    if (desktop.refuses)
      g_dbus_method_invocation_return_dbus_error(call, "org.freedesktop.portal.Error.Failed", "no dialog");
    else
      g_dbus_method_invocation_return_value(call, g_variant_new("(o)", desktop.handle().c_str()));
  }
  static GVariant* property(GDBusConnection*, const gchar*, const gchar*, const gchar*, const gchar*,
                            GError**, gpointer) {
    return g_variant_new_uint32(3);
  }

  GTestDBus* bus_ = nullptr;
  GDBusConnection* connection_ = nullptr;
  GDBusNodeInfo* info_ = nullptr;
  guint name_ = 0;
};

struct Chooser {
  Desktop desktop;
  std::atomic<int> woken{0};
  FilePortal portal{[this] { ++woken; }};
  std::optional<FileAnswer> answer;

  Chooser() {
    REQUIRE(desktop.iterate_until([&] { return portal.available(); }));
  }
  void ask(const FileWish& wish) {
    const int before = desktop.asked.count;
    portal.ask(wish, "x11:1a0003");
    CHECK(portal.asking());
    REQUIRE(desktop.iterate_until([&] { return desktop.asked.count > before; }));
  }
  bool answered() {
    answer.reset();
    return desktop.iterate_until([&] {
      if (!answer) answer = portal.take_answer();
      return answer.has_value();
    });
  }
};

const FileWish kOpen = {FileWish::Kind::Open, "Open a session", "/tmp", "", {".headlight", ".npz"}};

}  // namespace

TEST_CASE("file portal: a file is opened above the window, and its name comes back") {
  Chooser chooser;
  chooser.ask(kOpen);
  CHECK(chooser.desktop.asked.method == "OpenFile");
  CHECK(chooser.desktop.asked.parent == "x11:1a0003");
  CHECK(chooser.desktop.asked.title == "Open a session");
  CHECK(chooser.desktop.asked.folder == "/tmp");
  CHECK(chooser.desktop.asked.filters == 2);
  CHECK_FALSE(chooser.portal.take_answer().has_value());  // nobody waits for it
  chooser.desktop.respond(0, "file:///tmp/two%20heads.headlight");
  REQUIRE(chooser.answered());
  CHECK(chooser.answer->kind == FileAnswer::Kind::Chosen);
  CHECK(chooser.answer->path == "/tmp/two heads.headlight");
  CHECK(chooser.woken > 0);
  CHECK_FALSE(chooser.portal.asking());
  chooser.ask({FileWish::Kind::Save, "Save the session", "/tmp", "mine.headlight", {".headlight"}});
  CHECK(chooser.desktop.asked.method == "SaveFile");
  CHECK(chooser.desktop.asked.name == "mine.headlight");
  chooser.desktop.respond(0, "file:///tmp/mine.headlight");
  REQUIRE(chooser.answered());
  CHECK(chooser.answer->path == "/tmp/mine.headlight");
}

TEST_CASE("file portal: cancelled is an answer, and what is no file here is a failure") {
  Chooser chooser;
  chooser.ask(kOpen);
  chooser.desktop.respond(1);
  REQUIRE(chooser.answered());
  CHECK(chooser.answer->kind == FileAnswer::Kind::Cancelled);
  chooser.ask(kOpen);
  chooser.desktop.respond(0, "https://example.org/a.npz");
  REQUIRE(chooser.answered());
  CHECK(chooser.answer->kind == FileAnswer::Kind::Failed);
  chooser.ask(kOpen);
  chooser.desktop.respond(2);
  REQUIRE(chooser.answered());
  CHECK(chooser.answer->kind == FileAnswer::Kind::Failed);
}

TEST_CASE("file portal: an old portal that names the request itself is listened to") {
  Chooser chooser;
  chooser.desktop.own_handle = std::string(kPath) + "/request/old/1";
  chooser.ask(kOpen);
  // The name reaches the program with the call's return.
  chooser.desktop.iterate_until([] { return false; }, std::chrono::milliseconds(200));
  chooser.desktop.respond(0, "file:///tmp/a.npz");
  REQUIRE(chooser.answered());
  CHECK(chooser.answer->path == "/tmp/a.npz");
}

TEST_CASE("file portal: a refusal and a portal that goes away are failures, and nothing waits for ever") {
  Chooser chooser;
  chooser.desktop.refuses = true;
  chooser.ask(kOpen);
  REQUIRE(chooser.answered());
  CHECK(chooser.answer->kind == FileAnswer::Kind::Failed);
  chooser.desktop.refuses = false;
  chooser.ask(kOpen);
  chooser.desktop.leave();
  REQUIRE(chooser.answered());
  CHECK(chooser.answer->kind == FileAnswer::Kind::Failed);
  CHECK_FALSE(chooser.portal.available());
}

TEST_CASE("file portal: a program that ends while its dialog is open ends") {
  Chooser chooser;
  chooser.ask(kOpen);
}

TEST_CASE("file portal: without a session bus there is none") {
  g_unsetenv("DBUS_SESSION_BUS_ADDRESS");
  g_setenv("XDG_RUNTIME_DIR", "/nowhere", TRUE);
  const FilePortal portal([] {});
  CHECK_FALSE(portal.available());
}
