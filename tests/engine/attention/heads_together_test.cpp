// All heads in one matrix, their mean or the largest number: against plain loops, however the stages are
// stored.
#include <cmath>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// The slow twin.
Matrix pooled_by_hand(const Evaluator& evaluator, Stage stage, Index sequence, HeadPool pool) {
  const Index heads = stage_heads(evaluator.layer(), stage);
  Matrix made = evaluator.matrix(stage, sequence, 0);
  for (Index r = 0; r < made.rows(); ++r)
    for (Index c = 0; c < made.cols(); ++c) {
      double sum = 0, most = -std::numeric_limits<double>::infinity();
      for (Index head = 0; head < heads; ++head) {
        const double number = evaluator.matrix(stage, sequence, head)(r, c);
        sum += number;
        most = std::max(most, number);
      }
      made(r, c) = static_cast<float>(pool == HeadPool::Mean ? sum / static_cast<double>(heads) : most);
    }
  return made;
}

}  // namespace

TEST_CASE("heads together: random models, each stage and storage, as plain loops have them") {
  Dice dice(35);
  for (int round = 0; round < 40; ++round) {
    Layer layer = random_layer(dice);
    layer.attention.normalization = Normalization::Softmax;
    for (const StorageKind storage : {StorageKind::Stages, StorageKind::Scores}) {
      const Evaluator evaluator = evaluate(layer, storage);
      for (const StageInfo& info : stage_table()) {
        if (!info.per_head || !stage_exists(layer, info.stage)) continue;
        for (const HeadPool pool : {HeadPool::Mean, HeadPool::Maximum}) {
          const Matrix expected = pooled_by_hand(evaluator, info.stage, 0, pool);
          const Matrix found = evaluator.heads_together(info.stage, 0, pool);
          INFO(round << " " << info.name);
          REQUIRE(found.rows() == expected.rows());
          for (Index i = 0; i < found.size(); ++i) {
            const float a = found.data()[i], b = expected.data()[i];
            CHECK((a == b || (std::isnan(a) && std::isnan(b))));
          }
        }
      }
    }
  }
}

TEST_CASE("heads together: a tile has these numbers, and marks what every head marks") {
  Dice dice(36);
  Layer layer = random_layer(dice);
  while (layer.head_count() < 2 || layer.token_count() < 3)
    layer = random_layer(dice);
  layer.attention.normalization = Normalization::Softmax;
  const Evaluator evaluator = evaluate(layer);
  for (const HeadPool pool : {HeadPool::Mean, HeadPool::Maximum}) {
    TileRequest request;
    request.stage = Stage::Weights;
    request.content = content_of(pool);
    const Tile tile = evaluator.tile(request);
    const Matrix expected = evaluator.heads_together(Stage::Weights, 0, pool);
    for (Index r = 0; r < expected.rows(); ++r)
      for (Index c = 0; c < expected.cols(); ++c) {
        bool masked = true;
        for (Index head = 0; head < layer.head_count(); ++head)
          masked = masked && evaluator.mark(Stage::Weights, 0, head, r, c) == CellMark::Masked;
        CHECK((tile.mark(r, c) == CellMark::Masked) == masked);
        if (!masked) CHECK(tile.values(r, c) == expected(r, c));
      }
  }
}

TEST_CASE("heads together: stages without heads, and sequences that do not exist, are refused") {
  Dice dice(37);
  const Evaluator evaluator = evaluate(random_layer(dice));
  CHECK_THROWS_AS(evaluator.heads_together(Stage::Output, 0, HeadPool::Mean), Error);
  CHECK_THROWS_AS(evaluator.heads_together(Stage::Weights, 99, HeadPool::Mean), Error);
  try {
    evaluator.heads_together(Stage::Output, 0, HeadPool::Mean);
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("no heads") != std::string::npos);
  }
}
