// A page: one HTML file that shows a session in any browser and needs nothing else. Small layers are computed
// in the page by the scripts of assets/page, so that every input can be changed there; the page of a larger
// one stands still and has its picture and numbers as the program made them.
#pragma once

#include <string>

#include "app/export/computed_session.h"
#include "engine/session/session.h"

namespace headlight {

struct Page {
  std::string html;
  std::string still;  // why it stands still, as "it has 512 tokens, ..."; "": it is computed in the browser
};

// Layers up to these sizes are computed in a page.
inline constexpr Index kMostPageTokens = 64, kMostPageWidth = 64, kMostPageHeads = 16;
// More numbers than these make a page too large to be sent.
inline constexpr double kMostPageNumbers = 4 << 20;

// Why the layer is not computed in a page; "" if it is.
std::string why_still(const Layer& layer);

// The layer `computed` of the session, without its lesson; of a whole model the layer that is shown. `still`:
// asked for. The file makes no request: a Content-Security-Policy forbids it, and only runs its own script.
// Throws Error if the scripts are not installed, and what reading the stages throws.
Page page_of(const Session& session, const ComputedSession& computed, bool still);

}  // namespace headlight
