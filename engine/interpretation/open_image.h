// The image that a model of images reads.
#pragma once

#include <filesystem>
#include <string>

#include "engine/core/matrix.h"
#include "engine/interpretation/image_preparation.h"
#include "engine/network/network.h"

namespace headlight {

struct OpenImage {
  std::string path;      // of its file; empty: first_image(), or numbers of a session
  Matrix pixels;         // channels x (height width), as the model takes it
  Picture picture = {};  // the same to be shown
};

// How the model's pictures are prepared, by preprocessor_config.json; without that file in the size of the
// model and by the library's defaults. Throws Error for a malformed file.
ImagePreparation preparation_of(const Network& network);

// An image from a .npy file, channels x height x width as the model takes it, or from a PNG or JPEG picture,
// prepared for the model. Throws Error as read_array, read_picture and prepared_image do, and for another
// shape.
OpenImage read_image(const std::filesystem::path& path, const Network& network);

// Such numbers with their picture. Throws Error as preparation_of(), and if the model takes another shape.
OpenImage image_of_numbers(Matrix pixels, const Network& network, std::string path = "");

// An image made by the program: the sun over hills. Throws Error as preparation_of().
OpenImage first_image(const Network& network);

}  // namespace headlight
