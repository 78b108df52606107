// A model of images in the window: the picture with its patches, the weights over it, and its classes.
#include <fstream>
#include <limits>

#include "app/ui/model/image_view.h"
#include "engine/arrays/npy.h"
#include "tests/engine/interpretation/sides_support.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/model_bench.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct ImageBench : ModelBench {
  ImageBench() : ModelBench(library_folder("vit")) {}
  // The middle of a patch of the 3 x 3 on screen.
  ImVec2 middle_of(Index row, Index column) {
    const Rect picture = robot().widget("model.image").rect;
    return {static_cast<float>(picture.x + picture.width * (static_cast<double>(column) + 0.5) / 3),
            static_cast<float>(picture.y + picture.height * (static_cast<double>(row) + 0.5) / 3)};
  }
  void open_image(const std::filesystem::path& path) {
    room->run({Action::OpenImage, path, Stage::Weights}, fixture.document(), fixture.view());
    settle();
  }
};

}  // namespace

TEST_CASE("image view: a patch is found at its place, and none beside them") {
  const ImageShape shape{3, 10, 25, 4, 8};  // 2 x 3 patches; a column and two rows are left over
  CHECK(patch_at(shape, 0, 0) == 1);
  CHECK(patch_at(shape, 8.5f / 25, 0.1f) == 2);
  CHECK(patch_at(shape, 0, 4.5f / 10) == 4);
  CHECK(patch_at(shape, 23.9f / 25, 7.9f / 10) == 6);
  CHECK(patch_at(shape, 24.5f / 25, 0) == -1);
  CHECK(patch_at(shape, 0, 8.5f / 10) == -1);
  CHECK(patch_at(shape, -0.01f, 0) == -1);
}

TEST_CASE("image view: patches are as bright as their share of the largest, without the class token") {
  CHECK(patch_brightness({0.6f, 0.1f, 0.2f, 0.05f}) == std::vector<float>{1, 0.5f, 1, 0.25f});
  CHECK(patch_brightness({1, 0, 0}) == std::vector<float>{0, 0, 0});
  CHECK(patch_brightness({}).empty());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(patch_brightness({nan, nan, 2}) == std::vector<float>{0, 0, 1});
}

TEST_CASE("image model: it opens with a picture of the program, its classes and its tokens") {
  ImageBench bench;
  REQUIRE(bench.open().image);
  CHECK(bench.open().image->path.empty());
  CHECK(bench.open().ids.size() == 10);
  CHECK(bench.tells_expected());
  CHECK(bench.robot().value("model.prediction.0").starts_with("label "));
  CHECK(bench.robot().value("model.tab.predictions") == "Classes");
  CHECK(bench.fixture.layer().tokens[5] == "patch 1,1");
  CHECK_FALSE(bench.robot().shows("model.continue"));
  CHECK_FALSE(bench.robot().shows("model.text"));
  CHECK(bench.robot().value("model.image.name") == "a picture made by the program");
}

TEST_CASE(
    "image model: pointing at a patch names it, links it and shows where it looks; a click selects it") {
  ImageBench bench;
  bench.fixture.view().focus_view = FocusView::Heatmap;
  bench.robot().frames(4);
  bench.robot().move_to(bench.middle_of(1, 2));
  bench.robot().frames(3);
  CHECK(bench.robot().value("model.image") == "patch 1,2");
  REQUIRE(bench.fixture.view().selection.hovered.now);
  CHECK(bench.fixture.view().selection.hovered.now->row == 6);
  CHECK_THAT(bench.robot().value("model.image.caption"), ContainsSubstring("patch 1,2"));
  bench.robot().click_at(bench.middle_of(1, 2));
  bench.robot().frames(2);
  REQUIRE(bench.fixture.view().selection.cell);
  CHECK(bench.fixture.view().selection.cell->row == 6);
  CHECK(bench.fixture.view().selection.cell->stage == Stage::Weights);
  bench.robot().click("model.image.class");
  CHECK(bench.fixture.view().selection.cell->row == 0);
}

TEST_CASE("image model: another image is opened, and what is none is told") {
  const TemporaryFolder folder;
  ImageBench bench;
  const NamedArray image = library_array("vit", "image");
  std::ofstream(folder / "a.npy", std::ios::binary) << npy_bytes(image);
  bench.open_image(folder / "a.npy");
  CHECK(bench.open().image->path == (folder / "a.npy").string());
  const NamedArray logits = library_array("vit", "logits");
  CHECK(near_golden(*bench.model().answer->logits,
                    Eigen::Map<const Matrix>(logits.values.data(), 1, logits.shape.back())));
  CHECK(bench.robot().value("model.image.name") == "a.npy");
  const OpenModel before = bench.open();
  folder.write("text.png", "no picture");
  for (const char* wrong : {"text.png", "missing.png"}) {
    bench.open_image(folder / wrong);
    CHECK_THAT(bench.robot().value("model.trouble"), ContainsSubstring(wrong));
    CHECK(bench.open() == before);
  }
  bench.fixture.document().undo();
  bench.settle();
  CHECK(bench.open().image->path.empty());
  CHECK(bench.tells_expected());
}

TEST_CASE("image model: a picture is dropped onto it, other files are opened as always") {
  ImageBench bench;
  CHECK(dropped_action("a/b.PNG", bench.fixture.view()) == Action::OpenImage);
  CHECK(dropped_action("b.jpeg", bench.fixture.view()) == Action::OpenImage);
  CHECK(dropped_action("b.headlight", bench.fixture.view()) == Action::OpenPath);
  ViewState plain;
  CHECK(dropped_action("b.png", plain) == Action::OpenPath);
}

TEST_CASE("image model: the pages of lens, parts and heads are of the class token") {
  ImageBench bench;
  bench.model().position = 4;  // of no meaning here
  bench.model().page = ModelPage::Layers;
  bench.settle();
  CHECK(bench.robot().value("model.lens.2.0") == bench.robot().value("model.prediction.0"));
  bench.model().page = ModelPage::Parts;
  bench.settle();
  REQUIRE(bench.model().current_parts());
  CHECK(bench.model().current_parts()->of.position == 0);
  CHECK(bench.robot().shows("model.parts.sum"));
  bench.model().part = std::pair(LayerPlace(1), Index{0});
  bench.settle();
  CHECK(bench.model().answer->sources.size() == 10);
}

TEST_CASE("image model: patches are put in from a kept image") {
  ImageBench bench;
  bench.fixture.view().baseline = {std::make_shared<const Layer>(bench.fixture.layer()), "kept",
                                   bench.fixture.document().session().work};
  OpenModel other = bench.open();
  const NamedArray image = library_array("vit", "image");
  set_image(other, {"", Eigen::Map<const Matrix>(image.values.data(), image.shape[0],
                                                 image.shape[1] * image.shape[2])});
  bench.edit(SetModelImage{other.image});
  bench.model().page = ModelPage::Patches;
  bench.settle();
  CHECK_THAT(bench.robot().value("model.estimate.note"), ContainsSubstring("an image"));
  bench.click("model.patches.compute");
  REQUIRE(bench.model().patches);
  CHECK_FALSE(bench.model().patches->failure);
  CHECK(bench.model().patches->map.logits.rows() == 3);
}
