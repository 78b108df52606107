#include "engine/interpretation/image_preparation.h"

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/json/json_document.h"

namespace headlight {
namespace {

constexpr Index kMostSide = 1 << 14;
constexpr const char* kMendPreparation = "copy or download preprocessor_config.json again";

// ---- preprocessor_config.json ----

const Json* member_of(const Json& document, const char* name) {
  const auto found = document.find(name);
  return found == document.end() || found->is_null() ? nullptr : &*found;
}

bool flag_of(const Json& document, const char* name, bool usual) {
  const Json* found = member_of(document, name);
  if (!found) return usual;
  if (!found->is_boolean())
    throw Error("it is " + json_kind(*found) + ", expected true or false", name, kMendPreparation);
  return found->get<bool>();
}

Index side_of(const Json& value, const std::string& place) {
  if (!value.is_number_integer() || value.get<std::int64_t>() < 1 || value.get<std::int64_t>() > kMostSide)
    throw Error("it is " + value.dump() + ", expected a whole number from 1 to " + std::to_string(kMostSide),
                place, kMendPreparation);
  return value.get<Index>();
}

// {"height": 224, "width": 224}, {"shortest_edge": 224} (shortest: where it goes; null: refused), or a
// number.
void read_size(const Json& document, const char* name, Index& height, Index& width, Index* shortest) {
  const Json* size = member_of(document, name);
  if (!size) return;
  const std::string place(name);
  if (!size->is_object()) {
    height = width = side_of(*size, place);
    return;
  }
  if (const Json* edge = member_of(*size, "shortest_edge"); edge && shortest) {
    *shortest = side_of(*edge, place + ".shortest_edge");
    return;
  }
  const Json *high = member_of(*size, "height"), *wide = member_of(*size, "width");
  if (!high || !wide)
    throw Error("it is " + size->dump() + ", expected height and width", place, kMendPreparation);
  height = side_of(*high, place + ".height");
  width = side_of(*wide, place + ".width");
}

Resampling read_resampling(const Json& document) {
  const Json* found = member_of(document, "resample");
  if (!found || *found == 2) return Resampling::Bilinear;
  if (*found == 0) return Resampling::Nearest;
  if (*found == 3) return Resampling::Bicubic;
  throw Error("pictures resized in the way " + found->dump() + " are not computed here", "resample",
              "known are 0 (nearest), 2 (bilinear) and 3 (bicubic)");
}

std::vector<double> numbers_of(const Json& document, const char* name) {
  const Json* found = member_of(document, name);
  if (!found) return {0.5, 0.5, 0.5};
  const Json list = is_packed(*found) ? Json(packed_numbers(*found)) : *found;
  std::vector<double> numbers;
  for (const Json& number : list.is_array() ? list : Json::array({list})) {
    if (!number.is_number() || !std::isfinite(number.get<double>()))
      throw Error("it has " + number.dump() + ", expected numbers", name, kMendPreparation);
    numbers.push_back(number.get<double>());
  }
  return numbers;
}

// ---- resizing ----

double filter_of(Resampling how, double x) {
  x = std::abs(x);
  if (how == Resampling::Bilinear) return x < 1 ? 1 - x : 0;
  constexpr double a = -0.5;
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

// What one number of a resized line is a sum of: weights of the numbers from `first` on, times 2^22.
constexpr int kWeightBits = 22;
struct LineSum {
  Index first = 0;
  std::vector<std::int64_t> weights;
};

std::vector<LineSum> line_sums(Index from, Index to, Resampling how) {
  const double scale = static_cast<double>(from) / static_cast<double>(to), wide = std::max(scale, 1.0);
  const double reach = (how == Resampling::Bilinear ? 1 : 2) * wide;
  std::vector<LineSum> sums;
  for (Index i = 0; i < to; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const Index begin = std::max<Index>(0, static_cast<Index>(std::floor(center - reach + 0.5)));
    const Index end = std::min(from, static_cast<Index>(std::floor(center + reach + 0.5)));
    std::vector<double> weights;
    double sum = 0;
    for (Index j = begin; j < end; ++j) {
      weights.push_back(filter_of(how, (static_cast<double>(j) - center + 0.5) / wide));
      sum += weights.back();
    }
    LineSum& line = sums.emplace_back();
    line.first = begin;
    for (const double weight : weights) {
      const double share = (sum != 0 ? weight / sum : weight) * (1 << kWeightBits);
      line.weights.push_back(static_cast<std::int64_t>(share < 0 ? share - 0.5 : share + 0.5));
    }
  }
  return sums;
}

std::uint8_t rounded(std::int64_t sum) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> kWeightBits, 0, 255));
}

Picture empty_picture(Index height, Index width, Index channels) {
  Picture picture{width, height, channels, {}};
  picture.bytes.resize(static_cast<std::size_t>(height * width * channels));
  return picture;
}

Picture with_columns(const Picture& picture, Index width, Resampling how) {
  Picture made = empty_picture(picture.height, width, picture.channels);
  const std::vector<LineSum> sums = line_sums(picture.width, width, how);
  auto* to = made.bytes.data();
  for (Index row = 0; row < picture.height; ++row)
    for (const LineSum& line : sums)
      for (Index channel = 0; channel < picture.channels; ++channel) {
        std::int64_t sum = std::int64_t{1} << (kWeightBits - 1);
        for (std::size_t i = 0; i < line.weights.size(); ++i)
          sum += line.weights[i] * picture.at(row, line.first + static_cast<Index>(i), channel);
        *to++ = rounded(sum);
      }
  return made;
}

Picture with_rows(const Picture& picture, Index height, Resampling how) {
  Picture made = empty_picture(height, picture.width, picture.channels);
  auto* to = made.bytes.data();
  for (const LineSum& line : line_sums(picture.height, height, how))
    for (Index column = 0; column < picture.width; ++column)
      for (Index channel = 0; channel < picture.channels; ++channel) {
        std::int64_t sum = std::int64_t{1} << (kWeightBits - 1);
        for (std::size_t i = 0; i < line.weights.size(); ++i)
          sum += line.weights[i] * picture.at(line.first + static_cast<Index>(i), column, channel);
        *to++ = rounded(sum);
      }
  return made;
}

Picture nearest(const Picture& picture, Index height, Index width) {
  Picture made = empty_picture(height, width, picture.channels);
  auto* to = made.bytes.data();
  const auto place = [](Index i, Index from, Index size) {
    return std::min(from - 1, static_cast<Index>((static_cast<double>(i) + 0.5) * static_cast<double>(from) /
                                                 static_cast<double>(size)));
  };
  for (Index row = 0; row < height; ++row)
    for (Index column = 0; column < width; ++column)
      for (Index channel = 0; channel < picture.channels; ++channel)
        *to++ = picture.at(place(row, picture.height, height), place(column, picture.width, width), channel);
  return made;
}

struct PictureSize {
  Index height = 0, width = 0;
};

std::string in_words(PictureSize size) {
  return std::to_string(size.width) + " x " + std::to_string(size.height);
}

PictureSize size_resized(const Picture& picture, const ImagePreparation& how) {
  if (how.shortest == 0)
    return how.height > 0 ? PictureSize{how.height, how.width} : PictureSize{picture.height, picture.width};
  const Index shorter = std::min(picture.height, picture.width);
  const auto side = [&](Index old) { return old == shorter ? how.shortest : how.shortest * old / shorter; };
  return {side(picture.height), side(picture.width)};
}

// Before anything is resized, because a size may be too large for the memory.
void require_size(const Picture& picture, PictureSize sized, const ImagePreparation& how,
                  PictureSize expected, const std::string& where) {
  if (how.crop_height > sized.height || how.crop_width > sized.width)
    throw Error("the picture has " + in_words(sized) + " pixels, too few for a part of " +
                    in_words({how.crop_height, how.crop_width}),
                where, "give a larger picture");
  const PictureSize left = how.crop_height > 0 ? PictureSize{how.crop_height, how.crop_width} : sized;
  if (left.height != expected.height || left.width != expected.width)
    throw Error(
        "the picture ends up with " + in_words(left) + " pixels, but the model takes " + in_words(expected),
        where, "let size in preprocessor_config.json be that of config.json, or give a picture of that size");
  if (sized.width > kMostPixels / std::max(sized.height, picture.height))  // columns are resized first
    throw Error("the picture would be resized to " + in_words(sized) + " pixels, of which a part is taken",
                where, "give a picture that is nearly as high as wide, or one of fewer pixels");
}

Picture middle(const Picture& picture, PictureSize size) {
  Picture made = empty_picture(size.height, size.width, picture.channels);
  const Index top = (picture.height - size.height) / 2, left = (picture.width - size.width) / 2;
  auto* to = made.bytes.data();
  for (Index row = 0; row < size.height; ++row)
    for (Index column = 0; column < size.width; ++column)
      for (Index channel = 0; channel < picture.channels; ++channel)
        *to++ = picture.at(top + row, left + column, channel);
  return made;
}

double by_channel(const std::vector<double>& list, Index channel) {
  return list[std::min(static_cast<std::size_t>(channel), list.size() - 1)];
}

}  // namespace

ImagePreparation parse_image_preparation(const std::string& text) {
  const Json document = parse_json(text);
  if (!document.is_object())
    throw Error("it is " + json_kind(document) + ", expected an object", "", kMendPreparation);
  ImagePreparation how;
  how.height = how.width = 224;
  read_size(document, "size", how.height, how.width, &how.shortest);
  if (!flag_of(document, "do_resize", true)) how.height = how.width = how.shortest = 0;
  how.resampling = read_resampling(document);
  if (flag_of(document, "do_center_crop", false)) {
    how.crop_height = how.crop_width = 224;
    read_size(document, "crop_size", how.crop_height, how.crop_width, nullptr);
  }
  const Json* factor = member_of(document, "rescale_factor");
  if (factor && !factor->is_number())
    throw Error("it is " + json_kind(*factor) + ", expected a number", "rescale_factor", kMendPreparation);
  if (flag_of(document, "do_rescale", true)) how.factor = factor ? factor->get<double>() : 1.0 / 255;
  if (!flag_of(document, "do_normalize", true)) return how;
  how.mean = numbers_of(document, "image_mean");
  how.deviation = numbers_of(document, "image_std");
  if (std::find(how.deviation.begin(), how.deviation.end(), 0.0) != how.deviation.end())
    throw Error("it has a 0, by which numbers are divided", "image_std", kMendPreparation);
  return how;
}

Picture resized(const Picture& picture, Index height, Index width, Resampling how) {
  if (how == Resampling::Nearest) return nearest(picture, height, width);
  const Picture columns = width == picture.width ? picture : with_columns(picture, width, how);
  return height == picture.height ? columns : with_rows(columns, height, how);
}

Matrix prepared_image(const Picture& picture, const ImagePreparation& how, Index channels, Index height,
                      Index width, const std::string& where) {
  if (picture.channels != channels)
    throw Error("the picture has " + std::to_string(picture.channels) + " channel" +
                    (picture.channels == 1 ? "" : "s") + ", but the model takes " + std::to_string(channels),
                where, channels == 3 ? "save it in colours" : "save it in shades of grey");
  const PictureSize size = size_resized(picture, how), expected{height, width};
  require_size(picture, size, how, expected, where);
  Picture sized = resized(picture, size.height, size.width, how.resampling);
  if (how.crop_height > 0) sized = middle(sized, expected);
  Matrix numbers(channels, height * width);
  for (Index channel = 0; channel < channels; ++channel)
    for (Index i = 0; i < numbers.cols(); ++i) {
      auto number = static_cast<float>(sized.at(i / width, i % width, channel) * how.factor);
      if (!how.mean.empty())
        number = (number - static_cast<float>(by_channel(how.mean, channel))) /
                 static_cast<float>(by_channel(how.deviation, channel));
      numbers(channel, i) = number;
    }
  return numbers;
}

Picture picture_of(const Matrix& numbers, const ImagePreparation& how, Index width) {
  constexpr Index kColours = 3;
  const Index channels = numbers.rows() == kColours ? kColours : 1;
  Picture picture = empty_picture(numbers.cols() / width, width, channels);
  auto* to = picture.bytes.data();
  for (Index i = 0; i < numbers.cols(); ++i)
    for (Index channel = 0; channel < channels; ++channel) {
      auto number = static_cast<double>(numbers(channel, i));
      if (!how.mean.empty())
        number = number * by_channel(how.deviation, channel) + by_channel(how.mean, channel);
      const double byte = std::round(number / how.factor);
      *to++ = static_cast<std::uint8_t>(byte >= 0 ? std::min(byte, 255.0) : 0);  // NaN is 0
    }
  return picture;
}

}  // namespace headlight
