#include "app/platform/display_lost.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace headlight {
namespace {

std::atomic<void (*)()> words{nullptr};

// Xlib would end the process by exit(), which destroys objects that other threads still use.
int end_without_display(void*) {
  if (auto* last = words.exchange(nullptr)) last();
  constexpr char kLine[] = "headlight: the display is gone\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine, sizeof kLine - 1);
  ::_exit(EXIT_FAILURE);
}

}  // namespace

void when_display_is_lost(void (*last_words)()) {
  words = last_words;
  // GLFW loads Xlib if there is an X server; otherwise there is nothing to do.
  void* library = ::dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return;
  using Handler = int (*)(void*);  // of (Display*)
  using SetHandler = Handler (*)(Handler);
  if (auto* set = reinterpret_cast<SetHandler>(::dlsym(library, "XSetIOErrorHandler")))
    set(end_without_display);
}

}  // namespace headlight
