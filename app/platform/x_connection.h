// A connection to the X server beside GLFW's, with a window that is never shown: selections belong to
// windows.
#pragma once

#include <xcb/xcb.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace headlight {

struct FreesX {
  void operator()(void* memory) const { std::free(memory); }
};
using XEvent = std::unique_ptr<xcb_generic_event_t, FreesX>;

class XConnection {
 public:
  // Throws Error, about pictures on the clipboard, if there is no X server.
  XConnection();
  ~XConnection();
  XConnection(const XConnection&) = delete;
  XConnection& operator=(const XConnection&) = delete;

  xcb_connection_t* get() const { return connection_; }
  // Reports changes of its properties.
  xcb_window_t window() const { return window_; }
  xcb_atom_t atom(const std::string& name) const;
  // Whether the window belongs to the same connection as another one: the server gives each connection
  // identifiers of its own.
  bool same_program(xcb_window_t one, xcb_window_t other) const;

 private:
  xcb_connection_t* connection_;
  xcb_window_t window_ = 0;
};

}  // namespace headlight
