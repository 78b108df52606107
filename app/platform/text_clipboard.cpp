#include "app/platform/text_clipboard.h"

#include <poll.h>

#include <chrono>
#include <string_view>

#include "app/platform/x_connection.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPatience(900);

[[noreturn]] void refuse_silence() {
  throw Error("the program that holds the clipboard does not answer", "clipboard",
              "copy again, there or in another program");
}

// Bytes of ISO 8859-1, which X11 calls STRING.
std::string utf8_of_latin1(std::string_view latin1) {
  std::string text;
  for (const char letter : latin1) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x80) {
      text += letter;
    } else {
      text += static_cast<char>(0xC0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return text;
}

}  // namespace

class TextClipboard::Reader {
 public:
  bool held_by(xcb_window_t own_window) const {
    const xcb_window_t holder = owner();
    return holder != XCB_WINDOW_NONE && x_.same_program(holder, own_window);
  }
  std::string text() {
    if (owner() == XCB_WINDOW_NONE) return "";
    while (XEvent{xcb_poll_for_event(x_.get())}) {  // answers to what was given up
    }
    // Late parts of a text that was given up come into the property that was named for it.
    property_ = x_.atom("HEADLIGHT_PASTED_" + std::to_string(++reads_ % 16));
    if (const auto utf8 = converted("UTF8_STRING")) return *utf8;
    return utf8_of_latin1(converted("STRING").value_or(""));
  }

 private:
  struct Property {
    xcb_atom_t type = XCB_ATOM_NONE;
    std::string bytes;
  };

  xcb_window_t owner() const {
    const std::unique_ptr<xcb_get_selection_owner_reply_t, FreesX> reply(
        xcb_get_selection_owner_reply(x_.get(), xcb_get_selection_owner(x_.get(), clipboard_), nullptr));
    return reply ? reply->owner : static_cast<xcb_window_t>(XCB_WINDOW_NONE);
  }

  // The next event of a kind; throws Error when none comes in time.
  template <class Event, class Wanted>
  Event next(std::uint8_t kind, Wanted wanted) {
    const Clock::time_point end = Clock::now() + kPatience;
    for (;;) {
      while (const XEvent event{xcb_poll_for_event(x_.get())}) {
        const Event& found = reinterpret_cast<const Event&>(*event);
        if ((event->response_type & 0x7f) == kind && wanted(found)) return found;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      if (left.count() <= 0 || xcb_connection_has_error(x_.get()) != 0) refuse_silence();
      pollfd source{xcb_get_file_descriptor(x_.get()), POLLIN, 0};
      poll(&source, 1, static_cast<int>(left.count()));
    }
  }

  // Reading a property deletes it, which asks for the next part of a long text.
  Property take_property() {
    const std::unique_ptr<xcb_get_property_reply_t, FreesX> reply(xcb_get_property_reply(
        x_.get(), xcb_get_property(x_.get(), 1, x_.window(), property_, XCB_ATOM_ANY, 0, UINT32_MAX / 4),
        nullptr));
    if (!reply) return {};
    return {reply->type, std::string(static_cast<const char*>(xcb_get_property_value(reply.get())),
                                     static_cast<std::size_t>(xcb_get_property_value_length(reply.get())))};
  }

  // Nothing if the owner does not have its contents in this form.
  std::optional<std::string> converted(const std::string& form) {
    const xcb_atom_t target = x_.atom(form);
    xcb_convert_selection(x_.get(), x_.window(), clipboard_, target, property_, XCB_CURRENT_TIME);
    xcb_flush(x_.get());
    const auto answer = next<xcb_selection_notify_event_t>(
        XCB_SELECTION_NOTIFY, [&](const xcb_selection_notify_event_t& event) {
          return event.target == target && (event.property == property_ || event.property == XCB_ATOM_NONE);
        });
    if (answer.property == XCB_ATOM_NONE) return std::nullopt;
    Property found = take_property();
    return found.type == incr_ ? parts() : std::move(found.bytes);
  }

  // INCR of the ICCCM: an empty part ends the text.
  std::string parts() {
    std::string all;
    for (;;) {
      xcb_flush(x_.get());
      next<xcb_property_notify_event_t>(XCB_PROPERTY_NOTIFY, [&](const xcb_property_notify_event_t& event) {
        return event.atom == property_ && event.state == XCB_PROPERTY_NEW_VALUE;
      });
      const std::string part = take_property().bytes;
      if (part.empty()) return all;
      all += part;
    }
  }

  XConnection x_;
  const xcb_atom_t clipboard_ = x_.atom("CLIPBOARD"), incr_ = x_.atom("INCR");
  xcb_atom_t property_ = XCB_ATOM_NONE;
  int reads_ = 0;
};

TextClipboard::TextClipboard(std::uint32_t own_window) : own_window_(own_window) {}
TextClipboard::~TextClipboard() = default;

std::optional<std::string> TextClipboard::text_of_others() {
  if (!reader_) reader_ = std::make_unique<Reader>();
  if (reader_->held_by(own_window_)) return std::nullopt;
  return reader_->text();
}

}  // namespace headlight
