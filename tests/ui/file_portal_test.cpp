// The desktop's file dialog, requested from a fake portal on a private bus.
#include "app/desktop/file_portal.h"

#include <atomic>

#include "tests/support/catch.h"
#include "tests/support/fake_file_chooser.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct Chooser {
  FakeFileChooser desktop;
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
