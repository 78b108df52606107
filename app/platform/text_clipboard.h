// Text from the clipboard of X11, with an end to the waiting: GLFW waits without one for the program that
// holds it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace headlight {

// Remains connected to the server: a holder that answers late must find the window that asked.
class TextClipboard {
 public:
  // `own_window` is X11's identifier of a window of this program.
  explicit TextClipboard(std::uint32_t own_window);
  ~TextClipboard();
  TextClipboard(const TextClipboard&) = delete;
  TextClipboard& operator=(const TextClipboard&) = delete;

  // What another program holds, as UTF-8; "" if it is nothing, or not text. Nothing if this program holds it
  // itself. Throws Error if there is no X11 server, if the other program does not answer within a second, or
  // if it pauses for a second between the parts of a long text.
  std::optional<std::string> text_of_others();

 private:
  class Reader;
  std::uint32_t own_window_;
  std::unique_ptr<Reader> reader_;  // since the first call
};

}  // namespace headlight
