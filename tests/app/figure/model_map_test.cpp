// The map of all heads: a grid of square pictures with the names of layers and heads, and one bar.
#include "app/export/model_picture.h"

#include <algorithm>
#include <set>

#include "engine/core/error.h"
#include "tests/app/figure/figure_support.h"
#include "tests/support/catch.h"

using namespace headlight_test;

namespace {

HeadsOverview overview(Index layers, Index heads) {
  HeadsOverview glance;
  glance.layers = layers;
  glance.heads = heads;
  for (Index i = 0; i < layers * heads; ++i) {
    HeadOverview head;
    head.picture = ramp_tile(Stage::Weights, 6, 6, 0, 1);
    mask_future(head.picture);
    head.picture.request.head = i % heads;
    glance.all.push_back(std::move(head));
  }
  return glance;
}

FigureGrid map_of(Index layers, Index heads, const FigureOptions& options = {},
                  FigureFormat format = FigureFormat::Svg) {
  return model_map(overview(layers, heads), tokens(6), "a model", options, format);
}

std::vector<Rect> pictures_in(const FigureGrid& map) {
  std::vector<Rect> pictures;
  for (const PlacedPlan& placed : map.plans)
    if (placed.plan.cells.rows > 0) {
      Rect rect = placed.plan.cells.rect;
      rect.x += placed.x;
      rect.y += placed.y;
      pictures.push_back(rect);
    }
  return pictures;
}

std::multiset<std::string> words_of(const FigureGrid& map) {
  std::multiset<std::string> words;
  for (const PlannedText& text : map.texts)
    words.insert(text.text);
  return words;
}

}  // namespace

TEST_CASE("map: square pictures of one size, four pixels apart in both directions") {
  FigureOptions options;
  options.font_size_pt = 9;  // 12 px, at which lengths are as planned
  const std::vector<Rect> pictures = pictures_in(map_of(3, 4, options));
  REQUIRE(pictures.size() == 12);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    CHECK_THAT(pictures[i].width, WithinAbs(pictures[i].height, 1e-6));
    CHECK_THAT(pictures[i].width, WithinAbs(pictures[0].width, 1e-6));
    if (i % 4 > 0) CHECK_THAT(pictures[i].x - pictures[i - 1].right(), WithinAbs(4, 1e-6));
    if (i >= 4) CHECK_THAT(pictures[i].y - pictures[i - 4].bottom(), WithinAbs(4, 1e-6));
  }
}

TEST_CASE("map: layers down and heads across, once each, and one bar as high as all pictures") {
  const FigureGrid map = map_of(3, 4);
  const std::multiset<std::string> words = words_of(map);
  for (const char* name :
       {"head 0", "head 3", "layer 0", "layer 2", "Attention weights of all heads", "a model"})
    CHECK(words.count(name) == 1);
  const std::vector<Rect> pictures = pictures_in(map);
  std::vector<PlannedBar> bars;
  for (const PlacedPlan& placed : map.plans)
    bars.insert(bars.end(), placed.plan.bars.begin(), placed.plan.bars.end());
  REQUIRE(bars.size() == 1);
  CHECK_THAT(bars[0].rect.y, WithinAbs(pictures.front().y, 1));
  CHECK_THAT(bars[0].rect.height, WithinAbs(pictures.back().bottom() - pictures.front().y, 1e-6));
  CHECK(bars[0].rect.x > pictures.back().right());
  CHECK(bars[0].rect.right() < map.width);
}

TEST_CASE("map: where names have no room, their numbers stand, and the word once for all") {
  FigureOptions options;
  options.width = Length{420, LengthUnit::Pixels};
  const FigureGrid map = map_of(12, 12, options);
  CHECK(map.width == 420);
  const std::multiset<std::string> words = words_of(map);
  CHECK(words.count("head") == 1);
  CHECK(words.count("layer") == 1);
  CHECK(words.count("11") == 2);
  for (const Rect& picture : pictures_in(map)) {
    CHECK(picture.x >= 0);
    CHECK(picture.right() <= 420);
  }
}

TEST_CASE("map: a page without room is refused, and each head may have its own range") {
  FigureOptions options;
  options.width = Length{60, LengthUnit::Pixels};
  CHECK_THROWS_AS(map_of(12, 12, options), Error);
  options = {};
  options.colors.shared = false;
  for (const PlacedPlan& placed : map_of(2, 2, options).plans)
    CHECK(placed.plan.bars.empty());
}
