// A picture on the clipboard. GLFW supports text only, so this class owns X11's CLIPBOARD selection, on a
// separate connection and thread, until another program takes it.
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

  // Offers these bytes of a PNG to other programs as image/png, in parts if they are long. Throws Error if
  // there is no X11 server or no thread can be started.
  void offer(std::string png);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
