// The X server may end before the program does.
#pragma once

namespace headlight {

// `last_words` is called, at most once and on any thread, when the connection to the X server is lost; then
// the process ends with status 1, as Xlib has it, but without anything else being taken apart. It may use
// nothing of the window. Does nothing where there is no X. Call it once there is a window.
void when_display_is_lost(void (*last_words)());

}  // namespace headlight
