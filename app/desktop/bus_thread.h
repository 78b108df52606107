// A thread that communicates with the desktop's message bus.
#pragma once

#include <gio/gio.h>

#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace headlight {

// The desktop portal, which provides the desktop's dialogs and settings.
constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPortalPath = "/org/freedesktop/portal/desktop";

class BusThread {
 public:
  using WithBus = std::function<void(GDBusConnection*)>;

  BusThread() = default;
  ~BusThread();  // precondition: stop() was called
  BusThread(const BusThread&) = delete;
  BusThread& operator=(const BusThread&) = delete;

  // Both run on the thread: `begin` after the connection and before any message, `end` after the last
  // message. Neither runs if no thread can be started, or if there is no bus: GIO would start one.
  void start(WithBus begin, WithBus end);
  // Cancels pending calls and joins the thread. May be called repeatedly, and without start().
  void stop();
  // Runs `what` on the thread between two messages; does nothing without a bus.
  void invoke(std::function<void()> what);
  // To be passed to every call on the bus.
  GCancellable* cancel() const { return cancel_; }

 private:
  void run(const WithBus& begin, const WithBus& end);
  void run_next();

  GMainContext* context_ = g_main_context_new();
  GMainLoop* loop_ = g_main_loop_new(context_, FALSE);
  GCancellable* cancel_ = g_cancellable_new();
  std::mutex mutex_;
  std::deque<std::function<void()>> waiting_;  // functions of invoke(); guarded by mutex_
  std::thread thread_;
};

}  // namespace headlight
