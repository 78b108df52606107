// A picture on the clipboard. GLFW knows text only, so this owns X11's CLIPBOARD selection itself for as long
// as nobody else takes it, with a connection and a thread of its own.
#pragma once

#include <memory>
#include <string>

namespace headlight {

class PictureClipboard {
 public:
  PictureClipboard();
  ~PictureClipboard();
  PictureClipboard(const PictureClipboard&) = delete;
  PictureClipboard& operator=(const PictureClipboard&) = delete;

  // Other programs get these bytes of a PNG as image/png, in parts where they are long. Throws Error where
  // there is no X11 server, or no thread can be started.
  void offer(std::string png);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
