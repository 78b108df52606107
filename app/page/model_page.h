// The page of a whole model: a text can be typed into it, and the model is computed in the browser
// (assets/page/model.js): small ones of the family gpt2. The page of another one stands still.
#pragma once

#include <cstdint>

#include "app/page/page.h"

namespace headlight {

struct OpenModel;

// Models up to this size of their files are computed in a page.
inline constexpr std::uint64_t kMostPageModel = std::uint64_t{4} << 20;

// Why the model is not computed in a page, as "its family is llama, and ..."; "" if it is. Throws Error if
// its tokenizer's files have changed.
std::string why_still(const OpenModel& work);

// The page of session.work, which opens with its text and the shown layer. `computed`: that layer. What is
// seen without scripts are this layer's heads and the likeliest next tokens. Throws as page_of(), and what
// computing the model throws.
Page model_page(const Session& session, const ComputedSession& computed, bool still);

}  // namespace headlight
