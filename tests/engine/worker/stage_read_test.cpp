// Functions that read the stages on the worker's thread.
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "engine/core/error.h"
#include "engine/worker/worker.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Layer model_of(Index tokens) {
  Dice dice(91);
  Layer layer;
  layer.tokens.assign(static_cast<std::size_t>(tokens), "token");
  layer.embeddings = {dice.matrix(tokens, 8)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 8;
  layer.attention.num_heads = 2;
  layer.attention.mask = MaskKind::Causal;
  draw_weights(layer, {});
  return layer;
}

CellsEdit first_number_edit(float value) {
  return {{}, 0, 0, Matrix::Constant(1, 1, value)};
}

Layer edited(Layer layer, float value) {
  apply_edit(first_number_edit(value), layer);
  return layer;
}

// Copies the weights of the first head into `weights`.
StageRead reading(std::uint64_t revision, Matrix& weights) {
  return {revision, kAllStages, nullptr, [&weights](const Evaluator& evaluator, const Evaluator*) {
            weights = evaluator.matrix(Stage::Weights, 0, 0);
          }};
}

bool comes_true(std::future<bool>& done) {
  if (done.wait_for(std::chrono::seconds(60)) != std::future_status::ready)
    throw std::runtime_error("the read does not end");
  return done.get();
}

Matrix weights_of(const Layer& layer) {
  return evaluate(layer).matrix(Stage::Weights, 0, 0);
}

// A read that blocks until `go` is set, so that other reads and edits queue behind it.
struct LongRead {
  LongRead(Worker& worker, std::uint64_t revision, StageSet stages = kAllStages)
      : done(worker.read_stages({revision, stages, nullptr, [this](const Evaluator&, const Evaluator*) {
                                   inside.set_value();
                                   go.get_future().wait();
                                 }})) {
    inside.get_future().wait();
  }
  std::promise<void> inside, go;
  std::future<bool> done;
};

}  // namespace

TEST_CASE("worker: a reader reads the stages of its revision, on the worker's thread") {
  const Layer layer = model_of(6);
  Worker worker(
      std::make_shared<const Layer>(layer), [] {}, 7);
  Matrix weights;
  std::future<bool> done = worker.read_stages(reading(7, weights));
  REQUIRE(comes_true(done));
  CHECK(same_bits(weights, weights_of(layer)));
  std::thread::id thread;
  done = worker.read_stages({7, 0, nullptr, [&](const Evaluator&, const Evaluator* reference) {
                               thread = std::this_thread::get_id();
                               CHECK(reference == nullptr);
                             }});
  REQUIRE(comes_true(done));
  CHECK(thread != std::this_thread::get_id());
}

TEST_CASE("worker: a reader comes after the edits before it and before those behind it") {
  const Layer layer = model_of(6);
  Worker worker(std::make_shared<const Layer>(layer), [] {});
  LongRead first(worker, 1);
  // Of several edits of one cell only the last one is applied, except for a revision with a pending read.
  Matrix second, third, fourth;
  worker.post(first_number_edit(2), 2);
  std::future<bool> of_second = worker.read_stages(reading(2, second));
  worker.post(first_number_edit(3), 3);
  worker.post(first_number_edit(4), 4);
  std::future<bool> of_fourth = worker.read_stages(reading(4, fourth));
  std::future<bool> of_third = worker.read_stages(reading(3, third));
  CHECK_FALSE(comes_true(of_third));  // revision 3 was not the newest
  first.go.set_value();
  CHECK(comes_true(first.done));
  REQUIRE(comes_true(of_second));
  REQUIRE(comes_true(of_fourth));
  CHECK(same_bits(second, weights_of(edited(layer, 2))));
  CHECK(same_bits(fourth, weights_of(edited(layer, 4))));
  CHECK(third.size() == 0);
}

TEST_CASE("worker: a reader reads a second state beside its own") {
  const auto kept = std::make_shared<const Layer>(model_of(6));
  const Layer present = edited(*kept, 3);
  Worker worker(std::make_shared<const Layer>(present), [] {});
  Matrix before, after;
  std::future<bool> done =
      worker.read_stages({1, kAllStages, kept, [&](const Evaluator& evaluator, const Evaluator* reference) {
                            after = evaluator.matrix(Stage::Weights, 0, 1);
                            if (reference) before = reference->matrix(Stage::Weights, 0, 1);
                          }});
  REQUIRE(comes_true(done));
  CHECK(same_bits(before, evaluate(*kept).matrix(Stage::Weights, 0, 1)));
  CHECK(same_bits(after, evaluate(present).matrix(Stage::Weights, 0, 1)));
}

TEST_CASE("worker: what a reader throws comes back to who sent it, and the worker goes on") {
  const Layer layer = model_of(6);
  Worker worker(std::make_shared<const Layer>(layer), [] {});
  std::future<bool> done = worker.read_stages({1, kAllStages, nullptr, [](const Evaluator& evaluator, auto*) {
                                                 evaluator.matrix(Stage::Weights, 0, 9);
                                               }});
  CHECK_THROWS_AS(comes_true(done), Error);
  CHECK_FALSE(worker.take_failure());
  Matrix weights;
  done = worker.read_stages(reading(1, weights));
  REQUIRE(comes_true(done));
  CHECK(same_bits(weights, weights_of(layer)));
}

TEST_CASE("worker: nobody reads a state that does not come to be") {
  Layer layer = model_of(6);
  Worker worker(std::make_shared<const Layer>(layer), [] {});
  worker.post(CellsEdit{{}, 1000, 0, Matrix::Constant(1, 1, 1.0f)}, 2);
  Matrix weights;
  std::future<bool> done = worker.read_stages(reading(2, weights));
  CHECK_FALSE(comes_true(done));
  CHECK(worker.take_failure());
  layer.tokens.clear();
  Worker broken(std::make_shared<const Layer>(layer), [] {});
  done = broken.read_stages(reading(1, weights));
  CHECK_FALSE(comes_true(done));
  CHECK(weights.size() == 0);
}

TEST_CASE("worker: a pass towards what a reader reads is left for an edit behind it") {
  constexpr double kTooLittle = 1;        // bytes; the scores are mapped
  Layer largest = model_of(kMostTokens);  // the fastest machine takes several steps
  largest.attention.num_heads = 8;
  Worker worker(
      std::make_shared<const Layer>(largest), [] {}, 1, kTooLittle);
  // Posts the edit before the pass begins, however slowly this thread runs.
  LongRead first(worker, 1, 0);
  Matrix weights;
  std::future<bool> left = worker.read_stages(reading(1, weights));
  worker.post(LayerEdit{std::make_shared<const Layer>(model_of(6))}, 2);
  first.go.set_value();
  CHECK(comes_true(first.done));
  CHECK_FALSE(comes_true(left));
  RowSummary row;
  std::future<bool> done =
      worker.read_stages({2, stage_bit(Stage::Weights), nullptr, [&](const Evaluator& evaluator, auto*) {
                            row = evaluator.row({Stage::Weights, 0, 0, 5});
                          }});
  REQUIRE(comes_true(done));
  CHECK(row.values.size() > 0);
}

TEST_CASE("worker: it can end while somebody reads, and others wait") {
  const auto layer = std::make_shared<const Layer>(model_of(40));
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> read = 0;
    std::vector<std::future<bool>> reads;
    {
      Worker worker(layer, [] {});
      for (int i = 0; i < round; ++i) {
        reads.push_back(worker.read_stages({1, kAllStages, nullptr, [&](auto&, auto*) { ++read; }}));
        if (i == 10) std::this_thread::yield();
      }
    }
    int come = 0;
    for (std::future<bool>& done : reads)
      if (comes_true(done)) ++come;
    CHECK(come == read);
  }
}
