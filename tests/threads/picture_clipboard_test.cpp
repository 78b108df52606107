// The clipboard on a test X server: pictures, which a separate thread serves to other programs, and the text
// of other programs.
#include "app/platform/picture_clipboard.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "app/platform/text_clipboard.h"
#include "app/platform/x_connection.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/no_threads.h"
#include "tests/support/temporary_folder.h"
#include "tests/window/support/child_process.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// An X server (Xvfb) that this process uses as its display.
class VirtualScreen {
 public:
  VirtualScreen() {
    require_program("Xvfb", "xvfb");
    require_program("xclip", "xclip");
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for Xvfb");
    server_ = std::make_unique<ChildProcess>(
        std::vector<std::string>{"Xvfb", "-displayfd", "3", "-noreset", "-nolisten", "tcp"},
        std::map<std::string, std::string>{}, folder_ / "xvfb.log", ends[1]);
    close(ends[1]);
    std::string number;
    for (char letter = 0; read(ends[0], &letter, 1) == 1 && letter != '\n';)
      number += letter;
    close(ends[0]);
    if (number.empty()) throw std::runtime_error("Xvfb does not start: " + text_of(folder_ / "xvfb.log"));
    ::setenv("DISPLAY", (":" + number).c_str(), 1);
  }
  ~VirtualScreen() { ::unsetenv("DISPLAY"); }
  VirtualScreen(const VirtualScreen&) = delete;
  VirtualScreen& operator=(const VirtualScreen&) = delete;

 private:
  TemporaryFolder folder_;
  std::unique_ptr<ChildProcess> server_;
};

std::string pasted() {
  return run({"xclip", "-selection", "clipboard", "-out", "-target", "image/png"}).output;
}

// `size` bytes; `first` distinguishes one picture from another.
std::string picture(std::size_t size, char first) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<char>(first + i % 251);
  return bytes;
}

}  // namespace

TEST_CASE("picture clipboard: other programs get what was offered last, short or in parts") {
  const VirtualScreen screen;
  PictureClipboard clipboard;
  for (const std::size_t size : {std::size_t{100}, std::size_t{1} << 20, std::size_t{5}}) {
    clipboard.offer(picture(size, 1));
    clipboard.offer(picture(size, 2));
    CHECK((pasted() == picture(size, 2)));
  }
}

TEST_CASE("picture clipboard: it may be offered anew, and end, while somebody takes it") {
  const VirtualScreen screen;
  const TemporaryFolder folder;
  std::vector<std::unique_ptr<ChildProcess>> takers;
  {
    PictureClipboard clipboard;
    for (int round = 0; round < 10; ++round) {
      clipboard.offer(picture(std::size_t{1} << 19, static_cast<char>(round)));
      takers.push_back(std::make_unique<ChildProcess>(
          std::vector<std::string>{"xclip", "-selection", "clipboard", "-out", "-target", "image/png"},
          std::map<std::string, std::string>{}, folder / std::to_string(round)));
    }
  }
  PictureClipboard next;
  next.offer(picture(10, 3));
  CHECK((pasted() == picture(10, 3)));
}

TEST_CASE("picture clipboard: without a screen, and without a thread, there is an error") {
  PictureClipboard clipboard;
  CHECK_THROWS_AS(clipboard.offer("x"), Error);
  const VirtualScreen screen;
  {
    const NoThreads none;
    CHECK_THROWS_AS(clipboard.offer("x"), Error);
  }
  clipboard.offer(picture(7, 4));
  CHECK((pasted() == picture(7, 4)));
}

namespace {

// xclip, which holds a text until another program takes the clipboard.
class Holder {
 public:
  explicit Holder(const std::string& text) {
    std::ofstream(folder_ / "text", std::ios::binary) << text;
    process_ =
        std::make_unique<ChildProcess>(std::vector<std::string>{"xclip", "-quiet", "-selection", "clipboard",
                                                                "-in", (folder_ / "text").string()},
                                       std::map<std::string, std::string>{}, folder_ / "log");
  }
  void send(int signal) const { ::kill(process_->pid(), signal); }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<ChildProcess> process_;
};

// A program of before Unicode: it holds "café" in ISO 8859-1 and refuses every other form, for one reader.
class OldHolder {
 public:
  OldHolder() {
    xcb_set_selection_owner(x_.get(), x_.window(), x_.atom("CLIPBOARD"), XCB_CURRENT_TIME);
    x_.atom("STRING");  // the server has answered, so it owns the clipboard
  }
  // Answers both questions that a reader asks.
  void serve() {
    for (int answered = 0; answered < 2;) {
      const XEvent event{xcb_wait_for_event(x_.get())};
      if (!event) return;
      if ((event->response_type & 0x7f) != XCB_SELECTION_REQUEST) continue;
      answer(reinterpret_cast<const xcb_selection_request_event_t&>(*event));
      ++answered;
    }
  }

 private:
  void answer(const xcb_selection_request_event_t& request) {
    const bool known = request.target == x_.atom("STRING");
    if (known)
      xcb_change_property(x_.get(), XCB_PROP_MODE_REPLACE, request.requestor, request.property,
                          request.target, 8, 4, "caf\xe9");
    xcb_selection_notify_event_t reply{};
    reply.response_type = XCB_SELECTION_NOTIFY;
    reply.requestor = request.requestor;
    reply.selection = request.selection;
    reply.target = request.target;
    reply.property = known ? request.property : static_cast<xcb_atom_t>(XCB_ATOM_NONE);
    char event[32] = {};  // every event has 32 bytes on the wire
    std::memcpy(event, &reply, sizeof reply);
    xcb_send_event(x_.get(), 0, request.requestor, XCB_EVENT_MASK_NO_EVENT, event);
    xcb_flush(x_.get());
  }

  XConnection x_;
};

// The clipboard's text, as soon as it is this one.
bool arrives(const std::string& text) {
  const XConnection own;
  TextClipboard clipboard(own.window());
  for (int round = 0; round < 2000; ++round) {
    if (clipboard.text_of_others() == text) return true;
    ::usleep(5000);
  }
  return false;
}

}  // namespace

TEST_CASE("text of the clipboard: nothing, short, in parts, of old programs, and a picture") {
  const VirtualScreen screen;
  const XConnection own;
  CHECK(TextClipboard(own.window()).text_of_others() == "");
  for (const std::string& text : {std::string("1\t2 é 日本"), picture(3'000'000, 'a').substr(5)}) {
    const Holder holder(text);
    CHECK(arrives(text));
  }
  OldHolder old;
  std::thread answers([&] { old.serve(); });
  CHECK(TextClipboard(own.window()).text_of_others() == "café");
  answers.join();
  PictureClipboard clipboard;
  clipboard.offer(picture(100, 1));
  CHECK(arrives(""));
}

TEST_CASE("text of the clipboard: this program's own is left to it") {
  const VirtualScreen screen;
  const XConnection own;
  xcb_set_selection_owner(own.get(), own.window(), own.atom("CLIPBOARD"), XCB_CURRENT_TIME);
  own.atom("STRING");  // the server has answered, so it owns the clipboard
  CHECK_FALSE(TextClipboard(own.window()).text_of_others());
  // For all others it is a program that never answers.
  CHECK_THROWS_AS(TextClipboard(XConnection().window()).text_of_others(), Error);
}

TEST_CASE("text of the clipboard: a holder that does not answer is given up") {
  const VirtualScreen screen;
  const Holder holder("text");
  REQUIRE(arrives("text"));
  holder.send(SIGSTOP);
  const XConnection own;
  TextClipboard clipboard(own.window());
  CHECK_THROWS_WITH(clipboard.text_of_others(), ContainsSubstring("does not answer"));
  holder.send(SIGCONT);
  CHECK(arrives("text"));
  CHECK(clipboard.text_of_others() == "text");
}
