// What a page shows where it computes nothing: the picture of the weights, its numbers, and why it stands
// still.
#pragma once

#include <string>

#include "app/export/computed_session.h"
#include "engine/session/session.h"

namespace headlight {

std::string page_title(const Session& session);

// The session as JSON: the layer alone. A lesson's steps and answers stay out, and a whole model.
std::string layer_text(const Session& session);

// The picture of all heads of the layer that `computed` has, and its numbers as tables. said: the line below
// the title; more: HTML between picture and tables.
std::string still_content(const Session& session, const ComputedSession& computed, const std::string& said,
                          const std::string& more = "");

// What is said of a page that computes nothing: why as "it has 512 tokens, ...", and of one without scripts.
std::string still_words(const std::string& why);
inline constexpr const char* kWithoutScripts =
    "Without scripts this page stands still: it shows the weights as they were saved.";

// A page of that content.
std::string still_page(const Session& session, const ComputedSession& computed, const std::string& why,
                       const std::string& more = "");

}  // namespace headlight
