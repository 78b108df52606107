// What happens if the X server ends before the program.
#pragma once

namespace headlight {

// When the connection to the X server is lost, `last_words` is called, at most once and on any thread; then
// the process ends with status 1, as with Xlib, but without destructors and exit handlers. `last_words` must
// not use the window. Does nothing without X. Call it after the window has been created.
void when_display_is_lost(void (*last_words)());

}  // namespace headlight
