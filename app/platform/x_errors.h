// Errors of the X server, which come when the call that caused them is long over.
#pragma once

namespace headlight {

// From here on an error about drawing is passed over; any other ends the program with Xlib's own words. What
// is drawn is meant for the size that the window had when it was sent off: while a desktop makes the window
// smaller, such a request may lie outside, and a whole frame follows in any case. Does nothing where no X
// server is in use.
void outlive_drawing_errors();

}  // namespace headlight
