#include "app/platform/x_errors.h"

#include <X11/Xlib.h>
#include <X11/Xproto.h>

namespace headlight {
namespace {

XErrorHandler xlibs_own = nullptr;

// MIT-SHM, GLX, DRI3 and Present, through which drivers show a picture, have numbers of their own at each
// server, above those of the core's requests.
constexpr int kFirstExtension = 128;

bool is_drawing(const XErrorEvent& error) {
  return error.request_code >= kFirstExtension || error.request_code == X_PutImage ||
         error.request_code == X_GetImage || error.request_code == X_CopyArea;
}

int pass_over_drawing(Display* display, XErrorEvent* error) {
  const bool misplaced = error->error_code == BadValue || error->error_code == BadMatch;
  return misplaced && is_drawing(*error) ? 0 : xlibs_own(display, error);
}

}  // namespace

void outlive_drawing_errors() {
  if (!xlibs_own) xlibs_own = XSetErrorHandler(pass_over_drawing);
}

}  // namespace headlight
