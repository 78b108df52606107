// The picture on the clipboard, which a separate thread serves to other programs, on a test X server.
#include "app/platform/picture_clipboard.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

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
