// The named masks, each against its matrix.
#include "engine/layer/mask_presets.h"

#include <initializer_list>

#include "tests/support/catch.h"

using namespace headlight;

namespace {

Matrix rows(std::initializer_list<std::initializer_list<float>> values) {
  Matrix matrix(static_cast<Index>(values.size()), static_cast<Index>(values.begin()->size()));
  Index r = 0;
  for (const auto& row : values) {
    Index c = 0;
    for (float value : row)
      matrix(r, c++) = value;
    ++r;
  }
  return matrix;
}

}  // namespace

TEST_CASE("mask presets: causal hides what comes later") {
  CHECK(causal_mask(3) == rows({{1, 0, 0}, {1, 1, 0}, {1, 1, 1}}));
  CHECK(open_mask(2) == rows({{1, 1}, {1, 1}}));
}

TEST_CASE("mask presets: a window has a left and a right width of its own") {
  CHECK(window_mask(4, 1, 0) == rows({{1, 0, 0, 0}, {1, 1, 0, 0}, {0, 1, 1, 0}, {0, 0, 1, 1}}));
  CHECK(window_mask(4, 0, 2) == rows({{1, 1, 1, 0}, {0, 1, 1, 1}, {0, 0, 1, 1}, {0, 0, 0, 1}}));
  CHECK(window_mask(3, 0, 0) == rows({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  CHECK(window_mask(3, 9, 9) == open_mask(3));
  CHECK(window_mask(3, 2, 0) == causal_mask(3));
}

TEST_CASE("mask presets: the last block may be shorter") {
  CHECK(block_mask(5, 2) ==
        rows({{1, 1, 0, 0, 0}, {1, 1, 0, 0, 0}, {0, 0, 1, 1, 0}, {0, 0, 1, 1, 0}, {0, 0, 0, 0, 1}}));
  CHECK(block_mask(3, 7) == open_mask(3));
}

TEST_CASE("mask presets: the prefix is seen by all, the rest is causal") {
  CHECK(prefix_mask(4, 2) == rows({{1, 1, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}}));
  CHECK(prefix_mask(3, 0) == causal_mask(3));
  CHECK(prefix_mask(3, 3) == open_mask(3));
}

TEST_CASE("mask presets: nobody attends to padding, and padding beyond the end does nothing") {
  CHECK(padding_mask(3, {1}) == rows({{1, 0, 1}, {1, 0, 1}, {1, 0, 1}}));
  CHECK(padding_mask(3, {0, 1, 2}) == Matrix::Zero(3, 3));
  CHECK(padding_mask(2, {2, -1}) == open_mask(2));
}

TEST_CASE("mask presets: a preset is recognised by its matrix alone") {
  for (Index count : {1, 2, 5, 8})
    for (Index number = 0; number <= count + 1; ++number) {
      INFO(count << " tokens, number " << number);
      for (const MaskPreset& preset : {MaskPreset{MaskPresetKind::Window, number, 1, 2, 1, {}},
                                       MaskPreset{MaskPresetKind::Window, 1, number, 2, 1, {}},
                                       MaskPreset{MaskPresetKind::Block, 1, 0, number + 1, 1, {}},
                                       MaskPreset{MaskPresetKind::Prefix, 1, 0, 2, number, {}},
                                       MaskPreset{MaskPresetKind::Padding, 1, 0, 2, 1, {number}}}) {
        const Matrix mask = mask_of(preset, count);
        const auto found = recognize_mask(mask);
        const bool plain = mask == open_mask(count) || mask == causal_mask(count);
        REQUIRE(found.has_value() != plain);
        if (found) CHECK(mask_of(*found, count) == mask);  // another preset may have the same mask
      }
    }
  CHECK(recognize_mask(window_mask(6, 2, 1)) == MaskPreset{MaskPresetKind::Window, 2, 1, 2, 1, {}});
  CHECK(recognize_mask(padding_mask(6, {0, 4}))->padding == std::vector<Index>{0, 4});
}

TEST_CASE("mask presets: a mask of one's own is none of them") {
  Matrix mask = window_mask(6, 2, 1);
  mask(5, 0) = 1;
  CHECK_FALSE(recognize_mask(mask));
  CHECK_FALSE(recognize_mask(Matrix()));
}

TEST_CASE("mask presets: the mask in use as a matrix agrees with who may attend to whom") {
  Layer layer;
  layer.tokens = {"a", "b", "c"};
  layer.embeddings = {Matrix::Ones(3, 2)};
  layer.custom_mask = padding_mask(3, {1});
  for (const MaskKind kind : {MaskKind::None, MaskKind::Causal, MaskKind::Custom}) {
    layer.attention.mask = kind;
    const Matrix mask = mask_matrix(layer);
    for (Index query = 0; query < 3; ++query)
      for (Index key = 0; key < 3; ++key)
        CHECK((mask(query, key) != 0.0f) == layer.may_attend(query, key));
  }
}
