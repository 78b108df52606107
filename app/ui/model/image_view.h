// The image of an open model of images, in the place of a text: its patches are the tokens, and it is bright
// where the token that asks looks in the shown layer. Names: "model.image" (its value names the token under
// the pointer), "model.image.open", "model.image.class", "model.image.weights", "model.image.heads".
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct ImageViewState {
  bool plain = false;    // without the weights
  bool largest = false;  // of all heads: the largest weight, else their mean
  Index pointed = -1;    // the token under the pointer in the last frame; -1: none
  // The pixels of the texture, and the image that they are of.
  std::shared_ptr<const OpenImage> drawn;
  std::vector<Color> pixels;
  std::uint64_t version = 0;
};

// Draws at the cursor, the picture at most so high that all of it takes `height` pixels. Precondition: an
// image is open.
void image_view(UiContext& ui, ImageViewState& state, float height);

// How bright each patch is drawn, from 0 to 1: its share of the largest. weights: of all tokens, the class
// token first; not finite ones count as 0. Empty if there are none.
std::vector<float> patch_brightness(const std::vector<float>& weights);

// The patch at a place of the picture, from 0 to 1 across and down, as a token; -1: beside the patches.
Index patch_at(const ImageShape& shape, float x, float y);

}  // namespace headlight
