// The text that a model opens with.
#pragma once

#include "engine/interpretation/open_model.h"

namespace headlight {

// Sets a short text of the model's vocabulary; without a tokenizer the first ids; of a model of images
// first_image(). Throws Error as set_ids() and set_image().
void set_first_text(OpenModel& work);

}  // namespace headlight
