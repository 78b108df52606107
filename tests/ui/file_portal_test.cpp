// The desktop's file dialog, requested from a fake portal on a private bus.
#include "app/desktop/file_portal.h"

#include <atomic>

#include "tests/support/catch.h"
#include "tests/support/fake_portal.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr const char* kInterface =
    "<node><interface name='org.freedesktop.portal.FileChooser'>"
    "<method name='OpenFile'><arg type='s' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='a{sv}' direction='in'/><arg type='o' direction='out'/></method>"
    "<method name='SaveFile'><arg type='s' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='a{sv}' direction='in'/><arg type='o' direction='out'/></method>"
    "<property name='version' type='u' access='read'/>"
    "</interface></node>";

struct Asked {
  int count = 0;
  std::string method, parent, title, token, sender, name, folder;
  gsize filters = 0;
};

// A fake desktop with a file chooser.
class Desktop {
 public:
  Asked asked;
  bool refuses = false;    // answers each call with an error
  std::string own_handle;  // the request's object path, if the portal chooses it

  // Ends the dialog: 0 with a file, 1 cancelled, 2 otherwise.
  void respond(guint32 how, const char* uri = nullptr) {
    GVariantBuilder results;
    g_variant_builder_init(&results, G_VARIANT_TYPE("a{sv}"));
    if (uri) {
      const gchar* uris[] = {uri, nullptr};
      g_variant_builder_add(&results, "{sv}", "uris", g_variant_new_strv(uris, -1));
    }
    portal.emit(asked.sender.c_str(), handle().c_str(), "org.freedesktop.portal.Request", "Response",
                g_variant_new("(ua{sv})", how, &results));
  }

 private:
  std::string handle() const {
    if (!own_handle.empty()) return own_handle;
    std::string sender = asked.sender.substr(1);
    for (char& c : sender)
      if (c == '.') c = '_';
    return std::string(kPortalPath) + "/request/" + sender + "/" + asked.token;
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

  static constexpr GDBusInterfaceVTable kTable = {&Desktop::call, &Desktop::property, nullptr, {}};

 public:
  FakePortal portal{kInterface, kTable, this};
};

struct Chooser {
  Desktop desktop;
  std::atomic<int> woken{0};
  FilePortal portal{[this] { ++woken; }};
  std::optional<FileAnswer> answer;

  Chooser() {
    REQUIRE(desktop.portal.iterate_until([&] { return portal.available(); }));
  }
  void ask(const FileRequest& requested) {
    const int before = desktop.asked.count;
    portal.ask(requested, "x11:1a0003");
    CHECK(portal.asking());
    REQUIRE(desktop.portal.iterate_until([&] { return desktop.asked.count > before; }));
  }
  bool answered() {
    answer.reset();
    return desktop.portal.iterate_until([&] {
      if (!answer) answer = portal.take_answer();
      return answer.has_value();
    });
  }
};

const FileRequest kOpen = {FileRequest::Kind::Open, "Open a session", "/tmp", "", {".headlight", ".npz"}};

}  // namespace

TEST_CASE("file portal: a file is opened above the window, and its name comes back") {
  Chooser chooser;
  chooser.ask(kOpen);
  CHECK(chooser.desktop.asked.method == "OpenFile");
  CHECK(chooser.desktop.asked.parent == "x11:1a0003");
  CHECK(chooser.desktop.asked.title == "Open a session");
  CHECK(chooser.desktop.asked.folder == "/tmp");
  CHECK(chooser.desktop.asked.filters == 2);
  CHECK_FALSE(chooser.portal.take_answer().has_value());  // no answer yet
  chooser.desktop.respond(0, "file:///tmp/two%20heads.headlight");
  REQUIRE(chooser.answered());
  CHECK(chooser.answer->kind == FileAnswer::Kind::Chosen);
  CHECK(chooser.answer->path == "/tmp/two heads.headlight");
  CHECK(chooser.woken > 0);
  CHECK_FALSE(chooser.portal.asking());
  chooser.ask({FileRequest::Kind::Save, "Save the session", "/tmp", "mine.headlight", {".headlight"}});
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
  chooser.desktop.own_handle = std::string(kPortalPath) + "/request/old/1";
  chooser.ask(kOpen);
  // The return value of the call has the request's object path.
  chooser.desktop.portal.iterate_until([] { return false; }, std::chrono::milliseconds(200));
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
  chooser.desktop.portal.leave();
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
