// Pictures and how they are prepared: the bytes before the first zero are preprocessor_config.json, the rest
// is a PNG or JPEG file. Whatever they contain, either the numbers have the shape that the model takes, or
// they are rejected.
#include "engine/interpretation/image_preparation.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;
using namespace headlight_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr Index kSide = 6;
  const std::string input = text_of(data, size);
  const std::size_t cut = std::min(input.find('\0'), input.size());
  const MemoryFile file(std::string_view(input).substr(std::min(cut + 1, input.size())));
  try {
    const Picture picture = read_picture(file.path());
    require(static_cast<Index>(picture.bytes.size()) == picture.width * picture.height * picture.channels,
            "each pixel has its bytes");
    const ImagePreparation how = parse_image_preparation(input.substr(0, cut));
    const Matrix numbers = prepared_image(picture, how, picture.channels, kSide, kSide, "the file");
    require(numbers.rows() == picture.channels && numbers.cols() == kSide * kSide,
            "the numbers have the model's shape");
    const Picture shown = picture_of(numbers, how, kSide);
    require(shown.width == kSide && shown.height == kSide, "they can be shown");
  } catch (const Error&) {
  }
  return 0;
}
