// Pictures against Pillow's numbers (tests/golden/generate_images.py), and files that are no pictures.
#include <fstream>

#include "engine/core/error.h"
#include "engine/interpretation/image_preparation.h"
#include "engine/json/json_document.h"
#include "tests/support/catch.h"
#include "tests/support/model_files.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kImages = source_root() + "/tests/golden/images/";

std::string bytes_of(const std::string& name) {
  std::ifstream file(kImages + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string refusal_of(const std::function<void()>& ask) {
  try {
    ask();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("images: pictures are resized, cut out and scaled as the library does") {
  std::ifstream file(kImages + "images.json");
  const Json cases = Json::parse(file);
  CHECK(cases.size() == 10);
  for (const Json& one : cases) {
    INFO(one.at("file") << " " << one.at("config"));
    const auto shape = one.at("shape").get<std::vector<Index>>();
    const auto numbers = one.at("numbers").get<std::vector<float>>();
    const Matrix made = prepared_image(read_picture(kImages + one.at("file").get<std::string>()),
                                       parse_image_preparation(one.at("config").dump()), shape[0], shape[1],
                                       shape[2], "picture");
    const Eigen::Map<const Matrix> expected(numbers.data(), shape[0], shape[1] * shape[2]);
    CHECK((made - expected).cwiseAbs().maxCoeff() <= 1e-6f * expected.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("images: a file that is no picture, or cut, is refused") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes) {
    folder.write("x.png", bytes);
    return refusal_of([&] { read_picture(folder.path() / "x.png"); });
  };
  CHECK(refused("not a picture").find("neither PNG nor JPEG") != std::string::npos);
  CHECK(refused("").find("neither PNG nor JPEG") != std::string::npos);
  for (const std::string name : {"colours.png", "colours.jpg", "palette.png"}) {
    const std::string whole = bytes_of(name);
    CHECK(refused(whole).empty());
    for (const std::size_t part : {4u, 20u, 60u, 200u, 400u}) {
      INFO(name << " " << part);
      CHECK(refused(whole.substr(0, std::min(part, whole.size() - 20))).find("cannot be read") !=
            std::string::npos);
    }
  }
  std::string wide = bytes_of("colours.png");
  wide.replace(16, 8, std::string("\x00\x01\x00\x00\x00\x01\x00\x00", 8));  // 65,536 x 65,536
  CHECK_FALSE(refused(wide).empty());
}

TEST_CASE("images: what a model does not take is refused by name") {
  const Picture grey = read_picture(kImages + "grey.png"), colours = read_picture(kImages + "colours.png");
  ImagePreparation how = parse_image_preparation(R"({"size": {"height": 8, "width": 8}})");
  CHECK(refusal_of([&] { prepared_image(grey, how, 3, 8, 8, "x"); }).find("1 channel,") != std::string::npos);
  CHECK(refusal_of([&] { prepared_image(colours, how, 1, 8, 8, "x"); }).find("3 channels") !=
        std::string::npos);
  CHECK(refusal_of([&] { prepared_image(colours, how, 3, 9, 8, "x"); }).find("8 x 8") != std::string::npos);
  how.crop_height = how.crop_width = 10;
  CHECK(refusal_of([&] { prepared_image(colours, how, 3, 10, 10, "x"); }).find("too few") !=
        std::string::npos);
  ImagePreparation part;  // of a size that would not fit the memory
  part.shortest = 1 << 14;
  part.crop_height = part.crop_width = 8;
  const Picture line{1, 1 << 14, 3, std::vector<std::uint8_t>(3 << 14)};
  CHECK(refusal_of([&] {
          prepared_image(line, part, 3, 8, 8, "x");
        }).find("would be resized to 16384 x 268435456") != std::string::npos);
  const std::vector<std::pair<std::string, std::string>> kRefused = {
      {R"({"size": {"height": 0, "width": 8}})", "size.height"},
      {R"({"size": {"width": 8}})", "size"},
      {R"({"size": "large"})", "size"},
      {R"({"do_center_crop": true, "crop_size": {"shortest_edge": 8}})", "crop_size"},
      {R"({"resample": 5})", "resample"},
      {R"({"do_resize": 1})", "do_resize"},
      {R"({"rescale_factor": "x"})", "rescale_factor"},
      {R"({"image_mean": ["x"]})", "image_mean"},
      {R"({"image_std": [0.5, 0, 0.5]})", "image_std"},
      {"[]", "expected an object"}};
  for (const auto& [text, told] : kRefused) {
    INFO(text);
    CHECK(refusal_of([&] { parse_image_preparation(text); }).find(told) != std::string::npos);
  }
}
