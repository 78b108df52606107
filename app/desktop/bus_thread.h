// A thread that speaks with the desktop's message bus.
#pragma once

#include <gio/gio.h>

#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace headlight {

// The desktop portal, which asks the desktop for windows and settings of its own.
constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPortalPath = "/org/freedesktop/portal/desktop";

class BusThread {
 public:
  using WithBus = std::function<void(GDBusConnection*)>;

  BusThread() = default;
  ~BusThread();  // after stop()
  BusThread(const BusThread&) = delete;
  BusThread& operator=(const BusThread&) = delete;

  // Both run on the thread: `begin` once the bus is there, before what comes from it, `end` when no more will
  // come. Neither does where there is no bus, for GIO would start one of its own, and where no thread can be
  // started.
  void start(WithBus begin, WithBus end);
  // Cancels what is asked for and waits for the thread. May be called again, and without start().
  void stop();
  // Runs `what` on the thread between two messages; nothing when there is no bus.
  void invoke(std::function<void()> what);
  // For every call on the bus.
  GCancellable* cancel() const { return cancel_; }

 private:
  void run(const WithBus& begin, const WithBus& end);
  void run_next();

  GMainContext* context_ = g_main_context_new();
  GMainLoop* loop_ = g_main_loop_new(context_, FALSE);
  GCancellable* cancel_ = g_cancellable_new();
  std::mutex mutex_;
  std::deque<std::function<void()>> waiting_;  // that the thread is to run; under the mutex
  std::thread thread_;
};

}  // namespace headlight
