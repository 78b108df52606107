#include "tests/window/support/x_messages.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include <xcb/xcb.h>

namespace headlight_test {
namespace {

constexpr std::chrono::seconds kDropPatience{20};
constexpr std::uint32_t kXdndVersion = 5;

struct Freed {
  void operator()(void* memory) const { std::free(memory); }  // xcb allocates replies with malloc
};
template <typename Reply>
using Owned = std::unique_ptr<Reply, Freed>;

class Connection {
 public:
  explicit Connection(const std::string& display) : to_(xcb_connect(display.c_str(), nullptr)) {
    if (xcb_connection_has_error(to_)) throw std::runtime_error("no display " + display);
    root_ = xcb_setup_roots_iterator(xcb_get_setup(to_)).data->root;
  }
  ~Connection() {
    // The server replies in order: after this reply it has received all requests, and none is lost.
    const Owned<xcb_get_input_focus_reply_t> last(
        xcb_get_input_focus_reply(to_, xcb_get_input_focus(to_), nullptr));
    xcb_disconnect(to_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  xcb_connection_t* to() const { return to_; }
  xcb_window_t root() const { return root_; }

  xcb_atom_t atom(const std::string& name) const {
    const Owned<xcb_intern_atom_reply_t> reply(xcb_intern_atom_reply(
        to_, xcb_intern_atom(to_, 0, static_cast<std::uint16_t>(name.size()), name.c_str()), nullptr));
    if (!reply) throw std::runtime_error("the display does not answer");
    return reply->atom;
  }

  // The visible window that accepts dropped files.
  xcb_window_t target() const {
    const xcb_atom_t aware = atom("XdndAware");
    const Owned<xcb_query_tree_reply_t> tree(xcb_query_tree_reply(to_, xcb_query_tree(to_, root_), nullptr));
    for (int i = 0; tree && i < xcb_query_tree_children_length(tree.get()); ++i) {
      const xcb_window_t window = xcb_query_tree_children(tree.get())[i];
      const Owned<xcb_get_property_reply_t> property(
          xcb_get_property_reply(to_, xcb_get_property(to_, 0, window, aware, XCB_ATOM_ANY, 0, 1), nullptr));
      const Owned<xcb_get_window_attributes_reply_t> attributes(
          xcb_get_window_attributes_reply(to_, xcb_get_window_attributes(to_, window), nullptr));
      if (property && property->type != XCB_ATOM_NONE && attributes &&
          attributes->map_state == XCB_MAP_STATE_VIEWABLE)
        return window;
    }
    throw std::runtime_error("no window that takes dropped files");
  }

  void send(xcb_window_t target, const std::string& type, const std::vector<std::uint32_t>& data) const {
    xcb_client_message_event_t event = {};
    event.response_type = XCB_CLIENT_MESSAGE;
    event.format = 32;
    event.window = target;
    event.type = atom(type);
    std::memcpy(event.data.data32, data.data(), data.size() * sizeof(std::uint32_t));
    xcb_send_event(to_, 0, target, XCB_EVENT_MASK_NO_EVENT, reinterpret_cast<const char*>(&event));
    xcb_flush(to_);
  }

  // The next event; null if there is none yet.
  Owned<xcb_generic_event_t> next() const { return Owned<xcb_generic_event_t>(xcb_poll_for_event(to_)); }

 private:
  xcb_connection_t* to_;
  xcb_window_t root_ = 0;
};

// Sends the list of files to the client that requests the selection.
void answer(const Connection& x, const xcb_selection_request_event_t& request, const std::string& files) {
  xcb_change_property(x.to(), XCB_PROP_MODE_REPLACE, request.requestor, request.property, request.target, 8,
                      static_cast<std::uint32_t>(files.size()), files.data());
  xcb_selection_notify_event_t event = {};
  event.response_type = XCB_SELECTION_NOTIFY;
  event.requestor = request.requestor;
  event.selection = request.selection;
  event.target = request.target;
  event.property = request.property;
  event.time = request.time;
  xcb_send_event(x.to(), 0, request.requestor, XCB_EVENT_MASK_NO_EVENT,
                 reinterpret_cast<const char*>(&event));
  xcb_flush(x.to());
}

}  // namespace

void send_close(const std::string& display) {
  const Connection x(display);
  x.send(x.target(), "WM_PROTOCOLS", {x.atom("WM_DELETE_WINDOW"), XCB_CURRENT_TIME, 0, 0, 0});
}

void drop_files(const std::string& display, const std::vector<std::filesystem::path>& files) {
  const Connection x(display);
  std::string list;
  for (const std::filesystem::path& file : files)
    list += "file://" + file.string() + "\r\n";
  const xcb_window_t target = x.target(), source = xcb_generate_id(x.to());
  xcb_create_window(x.to(), XCB_COPY_FROM_PARENT, source, x.root(), 0, 0, 1, 1, 0,
                    XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, 0, nullptr);
  xcb_set_selection_owner(x.to(), source, x.atom("XdndSelection"), XCB_CURRENT_TIME);
  const Owned<xcb_get_geometry_reply_t> size(
      xcb_get_geometry_reply(x.to(), xcb_get_geometry(x.to(), target), nullptr));
  if (!size) throw std::runtime_error("the window is gone");
  const std::uint32_t middle = static_cast<std::uint32_t>(size->width / 2) << 16 | size->height / 2;
  x.send(target, "XdndEnter", {source, kXdndVersion << 24, x.atom("text/uri-list"), 0, 0});
  x.send(target, "XdndPosition", {source, 0, middle, XCB_CURRENT_TIME, x.atom("XdndActionCopy")});

  const xcb_atom_t status = x.atom("XdndStatus"), finished = x.atom("XdndFinished");
  const auto deadline = std::chrono::steady_clock::now() + kDropPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    const Owned<xcb_generic_event_t> event = x.next();
    if (!event) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      continue;
    }
    const int type = event->response_type & ~0x80;  // without the flag of events sent by other clients
    if (type == XCB_SELECTION_REQUEST) {
      answer(x, *reinterpret_cast<const xcb_selection_request_event_t*>(event.get()), list);
    } else if (type == XCB_CLIENT_MESSAGE) {
      const auto& message = *reinterpret_cast<const xcb_client_message_event_t*>(event.get());
      if (message.type == status) x.send(target, "XdndDrop", {source, 0, XCB_CURRENT_TIME, 0, 0});
      if (message.type == finished) return;
    }
  }
  throw std::runtime_error("the window did not take the dropped files");
}

}  // namespace headlight_test
