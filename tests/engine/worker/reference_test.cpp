// The worker with a second state beside the one that is edited.
#include <chrono>
#include <memory>
#include <thread>

#include "engine/attention/difference.h"
#include "engine/model/lines.h"
#include "engine/worker/worker.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Model lesson_like() {
  Dice dice(81);
  Model model;
  model.tokens = {"a", "b", "c", "d"};
  model.embeddings = {dice.matrix(4, 3)};
  model.attention.projection = Projection::Linear;
  model.attention.d_out = 4;
  model.attention.num_heads = 2;
  draw_weights(model, {});
  return model;
}

Model drawn(Model model, std::int64_t seed) {
  WeightRecipe recipe;
  recipe.seed = seed;
  draw_weights(model, recipe);
  return model;
}

Wish comparing(std::shared_ptr<const Model> reference) {
  Wish wish;
  for (const TileContent content : {TileContent::Stage, TileContent::Reference, TileContent::Difference}) {
    wish.tiles.emplace_back();
    wish.tiles.back().content = content;
  }
  wish.changes = {{Stage::Weights, 0, 1, 5}};
  wish.reference = std::move(reference);
  return wish;
}

// The answer to the wish with this revision in it; null when it never comes.
std::shared_ptr<const Answer> answer_to(Worker& worker, const Wish& wish, std::uint64_t revision) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    const auto answer = worker.answer();
    if (answer && answer->revision >= revision && answer->wish == wish && worker.idle()) return answer;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return nullptr;
}

}  // namespace

TEST_CASE("worker: A, B and their difference in one answer, as the engine has them") {
  const auto kept = std::make_shared<const Model>(drawn(lesson_like(), 123));
  const Model present = drawn(lesson_like(), 789);
  Worker worker(std::make_shared<const Model>(present), [] {});
  const Wish wish = comparing(kept);
  worker.wish(wish);
  const auto answer = answer_to(worker, wish, 1);
  REQUIRE(answer);
  const Evaluator a = evaluate(*kept), b = evaluate(present);
  const Matrix& before = a.matrix(Stage::Weights, 0, 0);
  const Matrix& after = b.matrix(Stage::Weights, 0, 0);
  CHECK(same_bits(answer->tiles[0]->values, after));
  CHECK(same_bits(answer->tiles[1]->values, before));
  CHECK(same_bits(answer->tiles[2]->values, after - before));
  REQUIRE(answer->find(wish.changes[0]));
  const ChangeList expected = largest_changes(a, b, wish.changes[0]);
  REQUIRE(answer->changes[0]->largest.size() == expected.largest.size());
  CHECK(answer->changes[0]->largest[0].difference() == expected.largest[0].difference());
}

TEST_CASE("worker: the difference follows every edit, the reference stays") {
  const auto kept = std::make_shared<const Model>(lesson_like());
  Model present = *kept;
  Worker worker(kept, [] {});
  const Wish wish = comparing(kept);
  worker.wish(wish);
  auto answer = answer_to(worker, wish, 1);
  REQUIRE(answer);
  CHECK(answer->tiles[2]->values.isZero(0));
  CHECK(answer->changes[0]->changed == 0);
  for (std::uint64_t revision = 2; revision < 10; ++revision) {
    const CellsEdit edit{{}, 1, 1, Matrix::Constant(1, 1, static_cast<float>(revision) / 4)};
    apply_edit(edit, present);
    worker.post(edit, revision);
    answer = answer_to(worker, wish, revision);
    REQUIRE(answer);
    CHECK(same_bits(answer->tiles[1]->values, evaluate(*kept).matrix(Stage::Weights, 0, 0)));
    CHECK(same_bits(answer->tiles[2]->values, evaluate(present).matrix(Stage::Weights, 0, 0) -
                                                  evaluate(*kept).matrix(Stage::Weights, 0, 0)));
  }
}

TEST_CASE("worker: another reference at the same revision is another difference") {
  const auto first = std::make_shared<const Model>(drawn(lesson_like(), 1));
  const auto second = std::make_shared<const Model>(drawn(lesson_like(), 2));
  Worker worker(second, [] {});
  worker.wish(comparing(first));
  const auto before = answer_to(worker, comparing(first), 1);
  REQUIRE(before);
  CHECK_FALSE(before->tiles[2]->values.isZero(0));
  worker.wish(comparing(second));
  const auto after = answer_to(worker, comparing(second), 1);
  REQUIRE(after);
  CHECK(after->tiles[2]->values.isZero(0));
  CHECK(after->tiles[0] == before->tiles[0]);  // the present one is not computed again
}

TEST_CASE("worker: without a reference, or with another shape, there is no difference and all else comes") {
  Model longer = lesson_like();
  insert_token(longer, 0, "new", false);
  Worker worker(std::make_shared<const Model>(lesson_like()), [] {});
  for (const auto& reference :
       {std::shared_ptr<const Model>(), std::shared_ptr<const Model>(std::make_shared<Model>(longer))}) {
    const Wish wish = comparing(reference);
    worker.wish(wish);
    const auto answer = answer_to(worker, wish, 1);
    REQUIRE(answer);
    CHECK(answer->tiles[0]);
    CHECK((answer->tiles[1] != nullptr) == (reference != nullptr));
    CHECK_FALSE(answer->tiles[2]);
    CHECK_FALSE(answer->changes[0]);
  }
  CHECK_FALSE(worker.take_failure());
}
