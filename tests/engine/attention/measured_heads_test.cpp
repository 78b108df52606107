// Head measures for every kind of storage, and of the small layer trained until it had an induction head.
#include "engine/attention/measured_heads.h"

#include <algorithm>
#include <cmath>

#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("measured heads: the same however the stages are kept") {
  Dice dice(321);
  Layer layer;
  for (int i = 0; i < 200; ++i)
    layer.tokens.push_back("t" + std::to_string(dice.below(60)));
  layer.embeddings = {dice.matrix(200, 6)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 6;
  layer.attention.num_heads = 3;
  layer.attention.mask = MaskKind::Causal;
  draw_weights(layer, {});
  const Evaluator whole = evaluate(layer, StorageKind::Stages);
  for (const StorageKind storage : {StorageKind::Scores, StorageKind::Map}) {
    const Evaluator other = evaluate(layer, storage);
    REQUIRE(other.storage() == storage);
    for (Index head = 0; head < 3; ++head) {
      const MeasuresRequest request{0, head, {PictureKind::Head, 1}};
      const HeadMeasures measures = measures_of(whole, nullptr, request);
      const HeadMeasures kept = measures_of(other, nullptr, request);
      for (std::size_t i = 0; i < kHeadMeasureCount; ++i) {
        INFO(head_measure_table()[i].name);
        REQUIRE(kept.values[i].has_value());
        CHECK_THAT(*kept.values[i],
                   WithinAbs(*measures.values[i], 1e-4 * (1 + std::abs(*measures.values[i]))));
      }
      // The summary computes the same numbers in a cheaper way.
      const HeadSummary summary = other.head({0, head});
      CHECK_THAT(summary.first_weight, WithinAbs(*measures.of(HeadMeasure::FirstToken), 1e-4));
      CHECK_THAT(summary.entropy_bits, WithinAbs(*measures.of(HeadMeasure::Entropy), 1e-3));
    }
  }
}

TEST_CASE("measured heads: the trained induction head is found, and the previous-token head before it") {
  const auto best = [](const char* file, HeadMeasure measure) {
    const Evaluator evaluator = evaluate(load_session(source_root() + "/assets/examples/" + file).layer);
    float most = 0;
    for (Index head = 0; head < evaluator.layer().head_count(); ++head)
      most = std::max(most, measures_of(evaluator, nullptr, {0, head, {}}).of(measure).value_or(0));
    return most;
  };
  CHECK(best("induction-head.headlight", HeadMeasure::Induction) > 0.5f);
  CHECK(best("previous-token-head.headlight", HeadMeasure::PreviousToken) > 0.5f);
}

TEST_CASE("measured heads: a painted mask is a picture, whether it is in force or not") {
  Dice dice(322);
  Layer layer;
  layer.tokens = {"a", "b", "c"};
  layer.embeddings = {dice.matrix(3, 2)};
  layer.attention.d_out = 2;
  layer.custom_mask = Matrix::Identity(3, 3);
  layer.attention.mask = MaskKind::None;
  const Evaluator evaluator = evaluate(layer);
  const Matrix& weights = evaluator.matrix(Stage::Weights, 0, 0);
  const double expected = double{weights.trace()} / (double{weights.norm()} * std::sqrt(3.0));
  CHECK_THAT(
      measures_of(evaluator, nullptr, {0, 0, {PictureKind::Mask, 0}}).of(HeadMeasure::LikePicture).value(),
      WithinAbs(expected, 1e-6));
}
