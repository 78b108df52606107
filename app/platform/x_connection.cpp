#include "app/platform/x_connection.h"

#include "engine/core/error.h"

namespace headlight {

XConnection::XConnection() {
  int screen_number = 0;
  connection_ = xcb_connect(nullptr, &screen_number);
  if (xcb_connection_has_error(connection_) != 0) {
    xcb_disconnect(connection_);
    throw Error("this desktop takes no pictures from the program, only X11 does", "clipboard",
                "save the picture to a file: Ctrl+Shift+E");
  }
  xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(connection_));
  for (; screen_number > 0 && screens.rem > 1; --screen_number)
    xcb_screen_next(&screens);
  window_ = xcb_generate_id(connection_);
  const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
  xcb_create_window(connection_, XCB_COPY_FROM_PARENT, window_, screens.data->root, 0, 0, 1, 1, 0,
                    XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &events);
}

XConnection::~XConnection() {
  xcb_disconnect(connection_);
}

xcb_atom_t XConnection::atom(const std::string& name) const {
  const std::unique_ptr<xcb_intern_atom_reply_t, FreesX> reply(xcb_intern_atom_reply(
      connection_, xcb_intern_atom(connection_, 0, static_cast<std::uint16_t>(name.size()), name.c_str()),
      nullptr));
  return reply ? reply->atom : static_cast<xcb_atom_t>(XCB_ATOM_NONE);
}

bool XConnection::same_program(xcb_window_t one, xcb_window_t other) const {
  const std::uint32_t own = xcb_get_setup(connection_)->resource_id_mask;
  return (one & ~own) == (other & ~own);
}

}  // namespace headlight
