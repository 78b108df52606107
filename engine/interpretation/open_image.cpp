#include "engine/interpretation/open_image.h"

#include <array>
#include <cmath>
#include <cstdint>

#include "engine/arrays/catalog.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/interpretation/picture.h"

namespace headlight {
namespace {

constexpr Index kColours = 3;

// The colour of a place in the program's own picture; x, y: from 0 to 1, from the upper left.
std::array<double, kColours> painted(double x, double y) {
  constexpr double kPi = 3.14159265358979;
  const double far_hills = 0.62 + 0.07 * std::sin(2 * kPi * (x + 0.1)),
               near_hills = 0.8 - 0.12 * std::sin(kPi * (1.6 * x + 0.3));
  if (y > near_hills) return {60, 120 - 50 * (y - near_hills), 70};
  if (y > far_hills) return {90, 140, 120};
  if (std::hypot(x - 0.7, y - 0.28) < 0.14) return {255, 214, 90};
  return {90 + 120 * y, 150 + 80 * y, 225};
}

Picture painted_picture(Index height, Index width, Index channels) {
  Picture picture{width, height, channels, {}};
  for (Index row = 0; row < height; ++row)
    for (Index column = 0; column < width; ++column) {
      const auto colour = painted((static_cast<double>(column) + 0.5) / static_cast<double>(width),
                                  (static_cast<double>(row) + 0.5) / static_cast<double>(height));
      for (Index channel = 0; channel < channels; ++channel)
        picture.bytes.push_back(static_cast<std::uint8_t>(colour[static_cast<std::size_t>(channel % 3)]));
    }
  return picture;
}

}  // namespace

ImagePreparation preparation_of(const Network& network) {
  const std::filesystem::path file = network.checkpoint().folder() / "preprocessor_config.json";
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(file, unreadable)) {
    ImagePreparation usual = parse_image_preparation("{}");
    usual.height = network.config().image.height;
    usual.width = network.config().image.width;
    return usual;
  }
  try {
    return parse_image_preparation(read_file(file));
  } catch (const Error& error) {
    throw error.inside(file.string());
  }
}

OpenImage read_image(const std::filesystem::path& path, const Network& network) {
  const ImageShape& shape = network.config().image;
  std::error_code unreadable;
  if (!std::filesystem::exists(path, unreadable))
    throw Error("there is no such file or folder", path.string(), "check the name");
  if (path.extension() != ".npy")
    return image_of_numbers(prepared_image(read_picture(path), preparation_of(network), shape.channels,
                                           shape.height, shape.width, path.string()),
                            network, path.string());
  const NamedArray array = read_array(path, "");
  if (array.shape != std::vector<Index>{shape.channels, shape.height, shape.width})
    throw Error("the array has the shape " + shape_text(array.shape) + ", expected " +
                    shape_text({shape.channels, shape.height, shape.width}),
                path.string(), "give an image as the model takes it: channels x height x width");
  return image_of_numbers(
      Eigen::Map<const Matrix>(array.values.data(), shape.channels, shape.height * shape.width), network,
      path.string());
}

OpenImage image_of_numbers(Matrix pixels, const Network& network, std::string path) {
  const ImageShape& shape = network.config().image;
  if (pixels.rows() != shape.channels || pixels.cols() != shape.height * shape.width)
    throw Error("the image has " + std::to_string(pixels.rows()) + " channels of " +
                    std::to_string(pixels.cols()) + " numbers",
                "image",
                "the model takes " + std::to_string(shape.channels) + " channels of " +
                    std::to_string(shape.height) + " x " + std::to_string(shape.width));
  OpenImage image{std::move(path), std::move(pixels)};
  image.picture = picture_of(image.pixels, preparation_of(network), shape.width);
  return image;
}

OpenImage first_image(const Network& network) {
  const ImageShape& shape = network.config().image;
  ImagePreparation how = preparation_of(network);
  how.height = how.width = how.shortest = how.crop_height = how.crop_width = 0;
  return image_of_numbers(prepared_image(painted_picture(shape.height, shape.width, shape.channels), how,
                                         shape.channels, shape.height, shape.width, ""),
                          network);
}

}  // namespace headlight
