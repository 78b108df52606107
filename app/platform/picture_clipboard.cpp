#include "app/platform/picture_clipboard.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <list>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "app/platform/x_connection.h"
#include "engine/core/error.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

// Longer pictures are sent in parts of this size (INCR of the ICCCM), which every server accepts.
constexpr std::size_t kPart = 1 << 17;

struct Atoms {
  xcb_atom_t clipboard, targets, incr, png;
};

// The transfer of a picture to one program, part by part.
struct Transfer {
  xcb_window_t to;
  xcb_atom_t property;
  std::shared_ptr<const std::string> bytes;
  std::size_t sent = 0;
};

}  // namespace

struct PictureClipboard::State {
  State();
  ~State();

  void take(std::string png);
  bool owns() const;
  void serve();
  void handle(const xcb_generic_event_t& event);
  void answer(const xcb_selection_request_event_t& request);
  bool send_selection(const xcb_selection_request_event_t& request, xcb_atom_t property);
  void send_part(xcb_window_t to, xcb_atom_t property);
  void put(xcb_window_t to, xcb_atom_t property, xcb_atom_t type, std::string_view bytes);

  XConnection x;
  xcb_connection_t* const connection = x.get();
  const Atoms atoms;
  const int wake;
  std::mutex mutex;  // for offered and ending
  std::shared_ptr<const std::string> offered;
  bool ending = false;
  std::list<Transfer> transfers;  // used only by the thread
  std::thread thread;
};

PictureClipboard::State::State()
    : atoms{x.atom("CLIPBOARD"), x.atom("TARGETS"), x.atom("INCR"), x.atom("image/png")},
      wake(eventfd(0, EFD_CLOEXEC)) {
  try {
    thread = start_thread("the clipboard", [this] { serve(); });
  } catch (const Error&) {
    close(wake);
    throw;
  }
}

PictureClipboard::State::~State() {
  {
    const std::scoped_lock lock(mutex);
    ending = true;
  }
  eventfd_write(wake, 1);
  thread.join();
  close(wake);
}

// Whoever is told that the picture is copied can paste it: the server knows of it when this returns.
void PictureClipboard::State::take(std::string png) {
  {
    const std::scoped_lock lock(mutex);
    offered = std::make_shared<const std::string>(std::move(png));
    xcb_set_selection_owner(connection, x.window(), atoms.clipboard, XCB_CURRENT_TIME);
    owns();
  }
  eventfd_write(wake, 1);  // events may have been read into the queue, for which poll() does not return
}

// Asks the server, which has then carried out all requests before.
bool PictureClipboard::State::owns() const {
  const xcb_get_selection_owner_cookie_t asked = xcb_get_selection_owner(connection, atoms.clipboard);
  xcb_get_selection_owner_reply_t* const reply = xcb_get_selection_owner_reply(connection, asked, nullptr);
  const bool own = reply && reply->owner == x.window();
  std::free(reply);
  return own;
}

void PictureClipboard::State::serve() {
  std::array<pollfd, 2> sources = {{{xcb_get_file_descriptor(connection), POLLIN, 0}, {wake, POLLIN, 0}}};
  while (xcb_connection_has_error(connection) == 0) {
    {
      const std::scoped_lock lock(mutex);
      if (ending) return;
    }
    while (const XEvent event{xcb_poll_for_event(connection)})
      handle(*event);
    xcb_flush(connection);
    // Flushing may have read events into the queue, for which poll() does not return.
    if (const XEvent event{xcb_poll_for_queued_event(connection)}) {
      handle(*event);
      continue;
    }
    if (poll(sources.data(), sources.size(), -1) < 0) continue;
    eventfd_t count = 0;
    if (sources[1].revents != 0) eventfd_read(wake, &count);
  }
}

void PictureClipboard::State::handle(const xcb_generic_event_t& event) {
  switch (event.response_type & 0x7f) {
    case XCB_SELECTION_REQUEST:
      answer(reinterpret_cast<const xcb_selection_request_event_t&>(event));
      return;
    case XCB_SELECTION_CLEAR: {
      const std::scoped_lock lock(mutex);
      if (!owns()) offered.reset();  // another program has copied something
      return;
    }
    case XCB_PROPERTY_NOTIFY: {
      const auto& change = reinterpret_cast<const xcb_property_notify_event_t&>(event);
      if (change.state == XCB_PROPERTY_DELETE) send_part(change.window, change.atom);
      return;
    }
    case XCB_DESTROY_NOTIFY: {
      const auto& gone = reinterpret_cast<const xcb_destroy_notify_event_t&>(event);
      transfers.remove_if([&](const Transfer& transfer) { return transfer.to == gone.window; });
      return;
    }
    default:
      return;
  }
}

void PictureClipboard::State::put(xcb_window_t to, xcb_atom_t property, xcb_atom_t type,
                                  std::string_view bytes) {
  xcb_change_property(connection, XCB_PROP_MODE_REPLACE, to, property, type, 8,
                      static_cast<std::uint32_t>(bytes.size()), bytes.data());
}

void PictureClipboard::State::answer(const xcb_selection_request_event_t& request) {
  // Obsolete programs name no property: the target is used in its place.
  const xcb_atom_t property = request.property != XCB_ATOM_NONE ? request.property : request.target;
  xcb_selection_notify_event_t reply{};
  reply.response_type = XCB_SELECTION_NOTIFY;
  reply.time = request.time;
  reply.requestor = request.requestor;
  reply.selection = request.selection;
  reply.target = request.target;
  reply.property = send_selection(request, property) ? property : static_cast<xcb_atom_t>(XCB_ATOM_NONE);
  std::array<char, 32> event{};  // every event has 32 bytes on the wire
  std::copy_n(reinterpret_cast<const char*>(&reply), sizeof reply, event.begin());
  xcb_send_event(connection, 0, request.requestor, XCB_EVENT_MASK_NO_EVENT, event.data());
}

// Returns false if nothing is offered or the target is not supported.
bool PictureClipboard::State::send_selection(const xcb_selection_request_event_t& request,
                                             xcb_atom_t property) {
  std::shared_ptr<const std::string> bytes;
  {
    const std::scoped_lock lock(mutex);
    bytes = offered;
  }
  if (!bytes) return false;
  if (request.target == atoms.targets) {
    const std::array<xcb_atom_t, 2> known = {atoms.targets, atoms.png};
    xcb_change_property(connection, XCB_PROP_MODE_REPLACE, request.requestor, property, XCB_ATOM_ATOM, 32,
                        known.size(), known.data());
    return true;
  }
  if (request.target != atoms.png) return false;
  if (bytes->size() <= kPart) {
    put(request.requestor, property, atoms.png, *bytes);
    return true;
  }
  // The other program deletes the property after reading a part, which requests the next one.
  const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_STRUCTURE_NOTIFY;
  xcb_change_window_attributes(connection, request.requestor, XCB_CW_EVENT_MASK, &events);
  transfers.remove_if([&](const Transfer& transfer) {
    return transfer.to == request.requestor && transfer.property == property;
  });
  transfers.push_back({request.requestor, property, bytes, 0});
  const auto size = static_cast<std::uint32_t>(bytes->size());
  xcb_change_property(connection, XCB_PROP_MODE_REPLACE, request.requestor, property, atoms.incr, 32, 1,
                      &size);
  return true;
}

// An empty part ends the transfer.
void PictureClipboard::State::send_part(xcb_window_t to, xcb_atom_t property) {
  const auto found = std::find_if(transfers.begin(), transfers.end(), [&](const Transfer& transfer) {
    return transfer.to == to && transfer.property == property;
  });
  if (found == transfers.end()) return;
  const std::string_view part = std::string_view(*found->bytes).substr(found->sent, kPart);
  put(to, property, atoms.png, part);
  found->sent += part.size();
  if (part.empty()) transfers.erase(found);
}

PictureClipboard::PictureClipboard() = default;
PictureClipboard::~PictureClipboard() = default;

void PictureClipboard::offer(std::string png) {
  if (!state_) state_ = std::make_unique<State>();
  state_->take(std::move(png));
}

}  // namespace headlight
