#include "app/desktop/bus_thread.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

bool has_session_bus() {
  const char* address = std::getenv("DBUS_SESSION_BUS_ADDRESS");
  if (address && *address) return true;
  const char* folder = std::getenv("XDG_RUNTIME_DIR");
  std::error_code none;
  return folder && *folder && std::filesystem::exists(std::filesystem::path(folder) / "bus", none);
}

}  // namespace

BusThread::~BusThread() {
  g_object_unref(cancel_);
  g_main_loop_unref(loop_);
  g_main_context_unref(context_);
}

void BusThread::start(WithBus begin, WithBus end) {
  if (!has_session_bus()) return;
  try {
    thread_ = start_thread("the desktop's bus",
                           [this, begin = std::move(begin), end = std::move(end)] { run(begin, end); });
  } catch (const Error&) {  // the same as without a bus
  }
}

void BusThread::stop() {
  if (!thread_.joinable()) return;
  g_cancellable_cancel(cancel_);
  // Invoked within the loop, because a call before the loop runs would have no effect.
  invoke([this] { g_main_loop_quit(loop_); });
  thread_.join();
}

void BusThread::invoke(std::function<void()> what) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(what));
  }
  GSource* source = g_idle_source_new();
  g_source_set_callback(
      source,
      [](gpointer self) -> gboolean {
        static_cast<BusThread*>(self)->run_next();
        return G_SOURCE_REMOVE;
      },
      this, nullptr);
  g_source_attach(source, context_);
  g_source_unref(source);
}

void BusThread::run_next() {
  std::function<void()> next;
  {
    const std::scoped_lock lock(mutex_);
    next = std::move(waiting_.front());
    waiting_.pop_front();
  }
  next();
}

void BusThread::run(const WithBus& begin, const WithBus& end) {
  g_main_context_push_thread_default(context_);
  if (GDBusConnection* bus = g_bus_get_sync(G_BUS_TYPE_SESSION, cancel_, nullptr)) {
    g_dbus_connection_set_exit_on_close(bus, FALSE);  // the end of the bus must not end the program
    begin(bus);
    g_main_loop_run(loop_);
    end(bus);
    // Cancelled calls still invoke their callbacks.
    while (g_main_context_iteration(context_, FALSE)) {
    }
    g_object_unref(bus);
  }
  g_main_context_pop_thread_default(context_);
}

}  // namespace headlight
