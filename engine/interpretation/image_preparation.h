// Resizes and normalizes an image as preprocessor_config.json of the model's folder specifies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/matrix.h"
#include "engine/interpretation/picture.h"

namespace headlight {

// How pixels between pixels are made of those around them: the nearest one, or weighted sums, triangles or
// cubics (a = -0.5) as wide as the pixels that one stands for.
enum class Resampling { Nearest, Bilinear, Bicubic };

struct ImagePreparation {
  Index height = 0, width = 0;  // of the resized picture; 0: it is not resized
  Index shortest = 0;           // above 0: its shorter side becomes this long instead
  Resampling resampling = Resampling::Bilinear;
  Index crop_height = 0, crop_width = 0;  // of the part around the middle; 0: all of it
  double factor = 1;                      // of the bytes
  std::vector<double> mean, deviation;    // by channel: (x - mean) / deviation; empty: not
};

// Reads a preprocessor_config.json with the library's defaults for vit. Throws Error for a value that is out
// of range or asks for what is not computed, with the member's name.
ImagePreparation parse_image_preparation(const std::string& text);

// In 8 bits, as the library Pillow resizes: first the columns, then the rows, each sum rounded.
Picture resized(const Picture& picture, Index height, Index width, Resampling how);

// The numbers of the picture: channels x (height width). Throws Error if the picture has another number of
// channels than the model takes, is smaller than the part that is cut out of it, or ends up with another
// size.
Matrix prepared_image(const Picture& picture, const ImagePreparation& how, Index channels, Index height,
                      Index width, const std::string& where);

// The picture that such numbers are of, to be shown: each byte rounded, and cut at 0 and 255. Of three
// channels in colours, of others the first in grey.
Picture picture_of(const Matrix& numbers, const ImagePreparation& how, Index width);

}  // namespace headlight
