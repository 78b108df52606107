// The worker with a reference layer beside the edited one.
#include <chrono>
#include <memory>
#include <thread>

#include "engine/attention/difference.h"
#include "engine/layer/lines.h"
#include "engine/worker/worker.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Layer lesson_like() {
  Dice dice(81);
  Layer layer;
  layer.tokens = {"a", "b", "c", "d"};
  layer.embeddings = {dice.matrix(4, 3)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  layer.attention.num_heads = 2;
  draw_weights(layer, {});
  return layer;
}

Layer drawn(Layer layer, std::int64_t seed) {
  WeightRecipe recipe;
  recipe.seed = seed;
  draw_weights(layer, recipe);
  return layer;
}

ViewRequest comparing(std::shared_ptr<const Layer> reference) {
  ViewRequest requested;
  for (const TileContent content :
       {TileContent::Stage, TileContent::Reference, TileContent::Difference, TileContent::ValueWeighted,
        TileContent::ValueWeightedReference, TileContent::ValueWeightedDifference}) {
    requested.tiles.emplace_back();
    requested.tiles.back().content = content;
  }
  requested.changes = {{Stage::Weights, 0, 1, 5}};
  requested.reference = std::move(reference);
  return requested;
}

// The result for this request at this revision; null after the deadline.
std::shared_ptr<const ViewResult> answer_to(Worker& worker, const ViewRequest& requested,
                                            std::uint64_t revision) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    const auto answer = worker.answer();
    if (answer && answer->revision >= revision && answer->requested == requested && worker.idle())
      return answer;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return nullptr;
}

}  // namespace

TEST_CASE("worker: A, B and their difference in one answer, as the engine has them") {
  const auto kept = std::make_shared<const Layer>(drawn(lesson_like(), 123));
  const Layer present = drawn(lesson_like(), 789);
  Worker worker(std::make_shared<const Layer>(present), [] {});
  const ViewRequest requested = comparing(kept);
  worker.request(requested);
  const auto answer = answer_to(worker, requested, 1);
  REQUIRE(answer);
  const Evaluator a = evaluate(*kept), b = evaluate(present);
  const Matrix& before = a.matrix(Stage::Weights, 0, 0);
  const Matrix& after = b.matrix(Stage::Weights, 0, 0);
  CHECK(same_bits(answer->tiles[0]->values, after));
  CHECK(same_bits(answer->tiles[1]->values, before));
  CHECK(same_bits(answer->tiles[2]->values, after - before));
  const Matrix products_before = a.value_weighted(Stage::Weights, 0, 0),
               products_after = b.value_weighted(Stage::Weights, 0, 0);
  CHECK(same_bits(answer->tiles[3]->values, products_after));
  CHECK(same_bits(answer->tiles[4]->values, products_before));
  CHECK(same_bits(answer->tiles[5]->values, products_after - products_before));
  REQUIRE(answer->find(requested.changes[0]));
  const ChangeList expected = largest_changes(a, b, requested.changes[0]);
  REQUIRE(answer->changes[0]->largest.size() == expected.largest.size());
  CHECK(answer->changes[0]->largest[0].difference() == expected.largest[0].difference());
}

TEST_CASE("worker: the difference follows every edit, the reference stays") {
  const auto kept = std::make_shared<const Layer>(lesson_like());
  Layer present = *kept;
  Worker worker(kept, [] {});
  const ViewRequest requested = comparing(kept);
  worker.request(requested);
  auto answer = answer_to(worker, requested, 1);
  REQUIRE(answer);
  CHECK(answer->tiles[2]->values.isZero(0));
  CHECK(answer->changes[0]->changed == 0);
  for (std::uint64_t revision = 2; revision < 10; ++revision) {
    const CellsEdit edit{{}, 1, 1, Matrix::Constant(1, 1, static_cast<float>(revision) / 4)};
    apply_edit(edit, present);
    worker.post(edit, revision);
    answer = answer_to(worker, requested, revision);
    REQUIRE(answer);
    CHECK(same_bits(answer->tiles[1]->values, evaluate(*kept).matrix(Stage::Weights, 0, 0)));
    CHECK(same_bits(answer->tiles[2]->values, evaluate(present).matrix(Stage::Weights, 0, 0) -
                                                  evaluate(*kept).matrix(Stage::Weights, 0, 0)));
  }
}

TEST_CASE("worker: another reference at the same revision is another difference") {
  const auto first = std::make_shared<const Layer>(drawn(lesson_like(), 1));
  const auto second = std::make_shared<const Layer>(drawn(lesson_like(), 2));
  Worker worker(second, [] {});
  worker.request(comparing(first));
  const auto before = answer_to(worker, comparing(first), 1);
  REQUIRE(before);
  CHECK_FALSE(before->tiles[2]->values.isZero(0));
  worker.request(comparing(second));
  const auto after = answer_to(worker, comparing(second), 1);
  REQUIRE(after);
  CHECK(after->tiles[2]->values.isZero(0));
  CHECK(after->tiles[0] == before->tiles[0]);  // the current layer's tile is reused
}

TEST_CASE("worker: without a reference, or with another shape, there is no difference and all else comes") {
  Layer longer = lesson_like();
  insert_token(longer, 0, "new", false);
  Worker worker(std::make_shared<const Layer>(lesson_like()), [] {});
  for (const auto& reference :
       {std::shared_ptr<const Layer>(), std::shared_ptr<const Layer>(std::make_shared<Layer>(longer))}) {
    const ViewRequest requested = comparing(reference);
    worker.request(requested);
    const auto answer = answer_to(worker, requested, 1);
    REQUIRE(answer);
    CHECK(answer->tiles[0]);
    CHECK((answer->tiles[1] != nullptr) == (reference != nullptr));
    CHECK_FALSE(answer->tiles[2]);
    CHECK_FALSE(answer->changes[0]);
  }
  CHECK_FALSE(worker.take_failure());
}

TEST_CASE("worker: an answer says how the stages of A are stored, as long as it is the same A") {
  const auto kept = std::make_shared<const Layer>(drawn(lesson_like(), 123));
  Evaluator evaluator = evaluate(drawn(lesson_like(), 789));
  const Evaluator mapped = evaluate(*kept, StorageKind::Map);
  ViewRequest requested;
  CHECK_FALSE(make_result(evaluator, nullptr, requested, 5, nullptr)->reference_storage);
  requested.reference = kept;
  const std::shared_ptr<const ViewResult> answer = make_result(evaluator, &mapped, requested, 5, nullptr);
  CHECK(answer->reference_storage == StorageKind::Map);
  CHECK(result_since(answer, 6, kept)->reference_storage == StorageKind::Map);
  CHECK_FALSE(result_since(answer, 5, std::make_shared<const Layer>(*kept))->reference_storage);
}

TEST_CASE("worker: of an answer only what is of the present model and the present A is told") {
  const auto kept = std::make_shared<const Layer>(drawn(lesson_like(), 123));
  Worker worker(
      std::make_shared<const Layer>(drawn(lesson_like(), 789)), [] {}, 5);
  ViewRequest requested = comparing(kept);
  requested.traces = {{Stage::Weights, 0, 1, 2, 1}};
  requested.rows = {{Stage::Weights, 0, 1, 2, 8}};
  requested.heads = {{0, 1}};
  requested.measures = {{0, 1, {}}, {0, 1, {PictureKind::SameBaselineHead, 0}}};
  worker.request(requested);
  const auto answer = answer_to(worker, requested, 5);
  REQUIRE(answer);
  CHECK(result_since(answer, 5, kept) == answer);
  const auto older = result_since(answer, 6, kept);
  for (const TileRequest& request : requested.tiles)
    CHECK_FALSE(older->find(request));
  CHECK_FALSE(older->find(requested.traces[0]));
  CHECK_FALSE(older->find(requested.rows[0]));
  CHECK_FALSE(older->find(requested.heads[0]));
  CHECK_FALSE(older->find(requested.changes[0]));
  CHECK_FALSE(older->find(requested.measures[0]));
  const auto other_a = result_since(answer, 5, std::make_shared<const Layer>(*kept));
  CHECK(other_a->find(requested.tiles[0]));
  CHECK_FALSE(other_a->find(requested.tiles[1]));
  CHECK_FALSE(other_a->find(requested.tiles[2]));
  CHECK_FALSE(other_a->find(requested.changes[0]));
  CHECK(other_a->find(requested.traces[0]));
  CHECK(other_a->find(requested.measures[0]));
  CHECK_FALSE(other_a->find(requested.measures[1]));
}

TEST_CASE("worker: what an unfinished answer has taken over is of the revision before") {
  const Layer layer = drawn(lesson_like(), 123);
  Worker worker(
      std::make_shared<const Layer>(layer), [] {}, 5);
  ViewRequest requested = comparing(nullptr);
  requested.tiles.resize(2);
  requested.tiles[1] = {};
  requested.tiles[1].stage = Stage::Output;
  requested.changes.clear();
  requested.traces = {{Stage::Weights, 0, 1, 2, 1}};
  worker.request(requested);
  const auto whole = answer_to(worker, requested, 5);
  REQUIRE(whole);
  Evaluator evaluator(layer, StorageKind::Map);
  while (!evaluator.refresh_for(1000, kAllStages)) {
  }
  const std::shared_ptr<ViewResult> partly = partial_result(evaluator, requested, 6, whole.get());
  partly->share = 0.5;  // as during a pass
  CHECK(partly->tile_revision(0) == 6);
  CHECK(partly->tile_revision(1) == 5);
  CHECK(partly->revision_of_others() == 5);
  const auto told = result_since(partly, 6, nullptr);
  CHECK(told->find(requested.tiles[0]));
  CHECK_FALSE(told->find(requested.tiles[1]));
  CHECK_FALSE(told->find(requested.traces[0]));
}
