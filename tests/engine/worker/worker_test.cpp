// The engine on its own thread. Tests wait for conditions, never a fixed time; only a hang reaches a
// deadline.
#include "engine/worker/worker.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/layer/lines.h"
#include "engine/layer/reshape.h"
#include "tests/support/catch.h"
#include "tests/support/no_threads.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr auto kDeadline = std::chrono::seconds(60);

// Counts the worker's notifications and waits until a condition is true.
class Bell {
 public:
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      ++rings_;
    }
    rung_.notify_all();
  }
  template <class Condition>
  bool wait_for(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kDeadline;
    std::unique_lock lock(mutex_);
    for (;;) {
      const int seen = rings_;
      lock.unlock();
      if (condition()) return true;
      lock.lock();
      if (!rung_.wait_until(lock, deadline, [&] { return rings_ != seen; })) return false;
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  int rings_ = 0;
};

// A worker and its bell. The bell must outlive the worker, as the window must.
struct Engine {
  explicit Engine(const Layer& layer, double memory_budget = default_memory_budget())
      : worker(
            std::make_shared<const Layer>(layer), [this] { bell.ring(); }, 1, memory_budget) {}

  // The result of the newest request at `revision` or later; null after the deadline.
  std::shared_ptr<const ViewResult> answer_of(std::uint64_t revision) {
    std::shared_ptr<const ViewResult> answer;
    const bool came = bell.wait_for([&] {
      answer = worker.answer();
      return answer && answer->revision >= revision && worker.idle();
    });
    return came ? answer : nullptr;
  }

  Bell bell;
  Worker worker;
};

Layer small_model(std::uint32_t seed = 61) {
  Dice dice(seed);
  Layer layer = random_layer(dice);
  while (layer.token_count() < 4 || layer.attention.projection != Projection::Linear)
    layer = random_layer(dice);
  layer.attention.normalization = Normalization::Softmax;
  return layer;
}

// Large enough that edits arrive while it computes.
Layer busy_model() {
  Dice dice(62);
  Layer layer;
  layer.tokens.assign(120, "token");
  layer.embeddings = {dice.matrix(120, 16), dice.matrix(120, 16)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 16;
  layer.attention.num_heads = 4;
  layer.attention.mask = MaskKind::Causal;
  draw_weights(layer, WeightRecipe{});
  return layer;
}

// Long enough that mapping it takes several steps.
Layer long_model() {
  Dice dice(63);
  Layer layer;
  layer.tokens.assign(3000, "token");
  layer.embeddings = {dice.matrix(3000, 16)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 16;
  layer.attention.mask = MaskKind::Causal;
  draw_weights(layer, WeightRecipe{});
  return layer;
}

ViewRequest request_for(Stage stage, Index head = 0) {
  ViewRequest requested;
  requested.tiles.emplace_back();
  requested.tiles.back().stage = stage;
  requested.tiles.back().head = head;
  return requested;
}

CellsEdit embedding(Index row, Index column, float value) {
  return {{}, row, column, Matrix::Constant(1, 1, value)};
}

}  // namespace

TEST_CASE("worker: answers a wish with the numbers of the evaluator") {
  const Layer layer = small_model();
  Engine engine(layer);
  ViewRequest requested = request_for(Stage::Weights);
  requested.traces = {{Stage::Context, 0, 0, 1, 0}, {Stage::Weights, 0, 0, 2, 1}};
  requested.rows.emplace_back();
  requested.points.push_back({{Stage::Queries, Stage::Keys}});
  engine.worker.request(requested);
  const auto answer = engine.answer_of(1);
  REQUIRE(answer);
  const Evaluator expected = evaluate(layer);
  CHECK(answer->revision == 1);
  CHECK(answer->requested == requested);
  REQUIRE(answer->tiles.size() == 1);
  REQUIRE(answer->traces.size() == 2);
  REQUIRE(answer->rows.size() == 1);
  CHECK(same_bits(answer->tiles[0]->values, expected.matrix(Stage::Weights, 0, 0)));
  CHECK(answer->traces[0]->value == expected.trace(requested.traces[0]).value);
  CHECK(answer->traces[1]->chain.weight == expected.trace(requested.traces[1]).chain.weight);
  CHECK(answer->rows[0]->values == expected.row(requested.rows[0]).values);
  REQUIRE(answer->points.size() == 1);
  CHECK(answer->find(requested.points[0])->points == expected.points(requested.points[0]).points);
  CHECK(answer->compute_ms >= 0.0);
  CHECK_FALSE(engine.worker.take_failure().has_value());
}

TEST_CASE("worker: answers carry the newest revision") {
  Layer layer = small_model();
  Engine engine(layer);
  engine.worker.request(request_for(Stage::Output));
  for (std::uint64_t revision = 2; revision < 30; ++revision) {
    const CellsEdit edit = embedding(0, 0, static_cast<float>(revision));
    apply_edit(edit, layer);
    engine.worker.post(edit, revision);
    const auto answer = engine.answer_of(revision);
    REQUIRE(answer);
    CHECK(answer->revision == revision);
    CHECK(same_bits(answer->tiles[0]->values, evaluate(layer).matrix(Stage::Output, 0, 0)));
  }
}

TEST_CASE("worker: a flood of edits of every kind ends in the right numbers") {
  Dice dice(63);
  Layer layer = busy_model();
  Engine engine(layer);
  engine.worker.request(request_for(Stage::Output));
  std::uint64_t revision = 1;
  for (int i = 0; i < 400; ++i) {
    Edit edit = embedding(dice.below(4), dice.below(layer.d_in()), static_cast<float>(dice.real(-1, 1)));
    if (i % 7 == 3) {
      AttentionSettings settings = layer.attention;
      settings.scale = {ScaleKind::Number, dice.real(0.1, 1.0)};
      edit = SettingsEdit{settings};
    } else if (i % 50 == 20) {
      Layer changed = layer;
      insert_token(changed, 0, "new", true);
      edit = LayerEdit{std::make_shared<Layer>(changed)};
    }
    apply_edit(edit, layer);
    engine.worker.post(std::move(edit), ++revision);
  }
  const auto answer = engine.answer_of(revision);
  REQUIRE(answer);
  CHECK(answer->revision == revision);
  CHECK(answer->tiles[0]->total_rows == layer.token_count());
  // Within rounding: which edits the worker takes together, and so how many rows are computed at once,
  // depends on the threads.
  CHECK(answer->tiles[0]->values.isApprox(evaluate(layer).matrix(Stage::Output, 0, 0), 1e-6f));
  CHECK_FALSE(engine.worker.take_failure().has_value());
}

TEST_CASE("worker: a drag over one cell keeps the edits of other cells before it") {
  Layer layer = busy_model();
  Engine engine(layer);
  engine.worker.request(request_for(Stage::Embeddings));
  std::uint64_t revision = 1;
  for (Index column = 0; column < 4; ++column)
    for (int step = 0; step < 20; ++step) {
      const CellsEdit edit = embedding(1, column, static_cast<float>(step));
      apply_edit(edit, layer);
      engine.worker.post(edit, ++revision);
    }
  const auto answer = engine.answer_of(revision);
  REQUIRE(answer);
  CHECK(same_bits(answer->tiles[0]->values, layer.embeddings[0]));
}

TEST_CASE("worker: the newest wish wins") {
  const Layer layer = busy_model();
  Engine engine(layer);
  for (int i = 0; i < 50; ++i)
    for (Stage stage : {Stage::Scores, Stage::Weights, Stage::Keys})
      engine.worker.request(request_for(stage, i % 4));
  engine.worker.request(request_for(Stage::Context, 3));
  const auto answer = engine.answer_of(1);
  REQUIRE(answer);
  CHECK(answer->requested == request_for(Stage::Context, 3));
  CHECK(same_bits(answer->tiles[0]->values, evaluate(layer).matrix(Stage::Context, 0, 3)));
}

TEST_CASE("worker: a wish stands until another comes") {
  Engine engine(small_model());
  engine.worker.request(request_for(Stage::Keys));
  REQUIRE(engine.answer_of(1));
  engine.worker.post(embedding(0, 0, 3.0f), 2);
  const auto answer = engine.answer_of(2);
  REQUIRE(answer);
  CHECK(answer->requested == request_for(Stage::Keys));
}

TEST_CASE("worker: what has not changed is not computed again") {
  Engine engine(small_model());
  ViewRequest requested = request_for(Stage::Keys);
  engine.worker.request(requested);
  const auto first = engine.answer_of(1);
  REQUIRE(first);
  requested.tiles.push_back(request_for(Stage::Values).tiles[0]);
  engine.worker.request(requested);
  REQUIRE(engine.bell.wait_for([&] { return engine.worker.answer()->tiles.size() == 2; }));
  CHECK(engine.worker.answer()->tiles[0] == first->tiles[0]);  // the same object
}

TEST_CASE("worker: an address that does not exist gives null, and its neighbours their numbers") {
  Engine engine(small_model());
  ViewRequest requested = request_for(Stage::Weights, 99);
  requested.tiles.push_back(request_for(Stage::Weights).tiles[0]);
  requested.traces = {{Stage::Output, 0, 0, 1000, 0}, {Stage::Output, 0, 0, 0, 0}};
  requested.rows = {{Stage::Weights, -1, 0, 0, 8}, {Stage::Weights, 0, 0, 0, 8}};
  engine.worker.request(requested);
  const auto answer = engine.answer_of(1);
  REQUIRE(answer);
  CHECK(answer->tiles[0] == nullptr);
  CHECK(answer->tiles[1] != nullptr);
  CHECK(answer->traces[0] == nullptr);
  CHECK(answer->traces[1] != nullptr);
  CHECK(answer->rows[0] == nullptr);
  CHECK(answer->rows[1] != nullptr);
  CHECK_FALSE(engine.worker.take_failure().has_value());
}

TEST_CASE("worker: an address that an edit takes away turns null") {
  Layer layer = small_model();
  Engine engine(layer);
  ViewRequest requested;
  requested.traces = {{Stage::Output, 0, 0, layer.token_count() - 1, 0}};
  engine.worker.request(requested);
  const auto before = engine.answer_of(1);
  REQUIRE(before);
  CHECK(before->traces[0] != nullptr);
  remove_token(layer, 0);
  engine.worker.post(LayerEdit{std::make_shared<Layer>(layer)}, 2);
  const auto after = engine.answer_of(2);
  REQUIRE(after);
  CHECK(after->traces[0] == nullptr);
}

TEST_CASE("worker: it is idle by the time it announces its last answer") {
  std::atomic<Worker*> started = nullptr;
  std::atomic<std::uint64_t> seen_when_idle = 0;
  Bell bell;
  Worker worker(std::make_shared<const Layer>(small_model()), [&] {
    if (Worker* w = started.load()) {
      const auto answer = w->answer();
      if (answer && w->idle()) seen_when_idle = answer->revision;
    }
    bell.ring();
  });
  started = &worker;
  for (std::uint64_t revision = 2; revision < 20; ++revision) {
    worker.post(embedding(0, 0, static_cast<float>(revision)), revision);
    REQUIRE(bell.wait_for([&] { return seen_when_idle == revision; }));
  }
}

TEST_CASE("worker: with nothing to do it becomes idle, and stays so") {
  Engine engine(small_model());
  REQUIRE(engine.bell.wait_for([&] { return engine.worker.idle(); }));
  CHECK(engine.worker.answer() == nullptr);  // nothing was requested
  engine.worker.request({});
  const auto answer = engine.answer_of(1);
  REQUIRE(answer);
  CHECK(answer->tiles.empty());
}

TEST_CASE("worker: a long sequence is shown while it is mapped, and whole in the end") {
  const Layer layer = long_model();
  Engine engine(layer, 1e6);
  ViewRequest requested = request_for(Stage::Weights);
  requested.tiles[0].max_rows = requested.tiles[0].max_columns = 64;
  engine.worker.request(requested);
  const std::shared_ptr<const ViewResult> answer = engine.answer_of(1);
  REQUIRE(answer);
  CHECK(answer->share == 1);
  CHECK(answer->storage == StorageKind::Map);
  CHECK_FALSE(engine.worker.progress());
  const Evaluator expected = evaluate(layer, StorageKind::Map);
  REQUIRE(answer->tiles[0]);
  CHECK(same_numbers(answer->tiles[0]->values, expected.tile(requested.tiles[0]).values));
}

TEST_CASE("worker: edits that come while a sequence is mapped are in the answer that follows") {
  const Layer layer = long_model();
  Engine engine(layer, 1e6);
  ViewRequest requested = request_for(Stage::Queries);
  requested.tiles.push_back({});
  engine.worker.request(requested);
  for (std::uint64_t revision = 2; revision <= 30; ++revision) {
    engine.worker.post(embedding(7, 3, 0.1f * static_cast<float>(revision)), revision);
    std::this_thread::yield();
  }
  const std::shared_ptr<const ViewResult> answer = engine.answer_of(30);
  REQUIRE(answer);
  CHECK(answer->revision == 30);
  Layer changed = layer;
  changed.embeddings[0](7, 3) = 0.1f * 30.0f;
  const Evaluator expected = evaluate(changed, StorageKind::Map);
  REQUIRE(answer->tiles[0]);
  CHECK(same_numbers(answer->tiles[0]->values, expected.tile(requested.tiles[0]).values));
}

TEST_CASE("worker: an edit of one head leaves the tiles of the others as they are") {
  Engine engine(busy_model());
  ViewRequest requested = request_for(Stage::Weights, 0);
  requested.tiles.push_back(request_for(Stage::Weights, 1).tiles[0]);
  engine.worker.request(requested);
  const std::shared_ptr<const ViewResult> before = engine.answer_of(1);
  CellsEdit edit{{InputKind::Weight, 0, Parameter::Query}, 0, 0, Matrix::Constant(1, 1, 3.0f)};
  engine.worker.post(edit, 2);
  const std::shared_ptr<const ViewResult> after = engine.answer_of(2);
  REQUIRE(before);
  REQUIRE(after);
  CHECK(before->tiles[0] != after->tiles[0]);
  CHECK(before->tiles[1] == after->tiles[1]);
}

TEST_CASE("worker: it can be destroyed at any moment, busy or not") {
  const auto layer = std::make_shared<const Layer>(busy_model());
  for (int round = 0; round < 40; ++round) {
    std::atomic<int> rings = 0;
    Worker worker(layer, [&] { ++rings; });
    for (int i = 0; i < round; ++i) {
      worker.post(embedding(i % 4, 0, static_cast<float>(i)), static_cast<std::uint64_t>(i) + 2);
      worker.request(request_for(Stage::Output));
    }
  }
  SUCCEED("every worker has ended");
}

// Edits that the document has applied but that fail here, as they do without enough memory.
TEST_CASE("worker: a failure is handed over once, and until the whole model is given nothing is told") {
  Layer layer = small_model();
  Engine engine(layer);
  engine.worker.request(request_for(Stage::Output));
  const auto before = engine.answer_of(1);
  REQUIRE(before);
  CHECK_FALSE(engine.worker.take_model_request());
  // Both edits are taken together; the valid second one applies to a layer that the engine does not have.
  engine.worker.post(embedding(1000, 0, 1.0f), 2);
  engine.worker.post(embedding(1, 0, 0.5f), 3);
  REQUIRE(engine.bell.wait_for([&] { return engine.worker.idle(); }));
  CHECK(engine.worker.answer() == before);
  const auto failure = engine.worker.take_failure();
  REQUIRE(failure.has_value());
  CHECK_THAT(*failure, ContainsSubstring("does not fit"));
  CHECK_FALSE(engine.worker.take_failure().has_value());
  CHECK(engine.worker.take_model_request());
  CHECK_FALSE(engine.worker.take_model_request());
  apply_edit(embedding(0, 0, 0.25f), layer);  // the document's result of edit 2
  apply_edit(embedding(1, 0, 0.5f), layer);
  std::future<bool> too_early = engine.worker.read_stages({3, kAllStages, nullptr, [](auto&, auto*) {}});
  CHECK_FALSE(too_early.get());
  engine.worker.post(LayerEdit{std::make_shared<Layer>(layer)}, 3);
  const auto answer = engine.answer_of(3);
  REQUIRE(answer);
  CHECK(same_bits(answer->tiles[0]->values, evaluate(layer).matrix(Stage::Output, 0, 0)));
  std::future<bool> read = engine.worker.read_stages({3, kAllStages, nullptr, [](auto&, auto*) {}});
  CHECK(read.get());
  CHECK_FALSE(engine.worker.take_model_request());
}

TEST_CASE("worker: no tile of a model that was given up is taken for one of the next") {
  Layer layer = small_model();
  Engine engine(layer);
  ViewRequest requested = request_for(Stage::Keys);
  requested.tiles.push_back(request_for(Stage::Output).tiles[0]);
  engine.worker.request(requested);
  REQUIRE(engine.answer_of(1));
  for (std::uint64_t revision = 2; revision <= 8; revision += 2) {
    engine.worker.post(embedding(1000, 0, 1.0f), revision);
    REQUIRE(engine.bell.wait_for([&] { return engine.worker.idle(); }));
    apply_edit(embedding(0, 0, static_cast<float>(revision)), layer);
    engine.worker.post(LayerEdit{std::make_shared<Layer>(layer)}, revision);
    const auto answer = engine.answer_of(revision);
    REQUIRE(answer);
    CHECK(same_bits(answer->tiles[0]->values, evaluate(layer).matrix(Stage::Keys, 0, 0)));
    CHECK(same_bits(answer->tiles[1]->values, evaluate(layer).matrix(Stage::Output, 0, 0)));
  }
}

TEST_CASE("worker: a whole model that fails as well is asked for again with the next edit only") {
  Layer layer = small_model(), broken = layer;
  broken.embeddings[0](0, 0) = std::numeric_limits<float>::quiet_NaN();
  Engine engine(layer);
  const auto request_after = [&](Edit edit, std::uint64_t revision) {
    engine.worker.post(std::move(edit), revision);
    REQUIRE(engine.bell.wait_for([&] { return engine.worker.idle(); }));
    return engine.worker.take_model_request();
  };
  REQUIRE(engine.bell.wait_for([&] { return engine.worker.idle(); }));
  CHECK(request_after(embedding(1000, 0, 1.0f), 2));
  CHECK_FALSE(request_after(LayerEdit{std::make_shared<Layer>(broken)}, 2));
  CHECK(request_after(embedding(0, 0, 1.0f), 3));
  CHECK_FALSE(request_after(LayerEdit{std::make_shared<Layer>(layer)}, 3));
  // A failing layer that replaces a working one: the memory of the working one is freed.
  CHECK(request_after(LayerEdit{std::make_shared<Layer>(broken)}, 4));
}

TEST_CASE("worker: where no thread can be started there is an error") {
  const NoThreads none;
  CHECK_THROWS_AS(Worker(std::make_shared<const Layer>(small_model()), [] {}), Error);
}

TEST_CASE("worker: a model that cannot be used is announced, and the next good one mends it") {
  Layer broken = small_model();
  broken.embeddings[0](0, 0) = std::numeric_limits<float>::quiet_NaN();
  Engine engine(broken);
  std::optional<std::string> failure;
  REQUIRE(engine.bell.wait_for([&] { return (failure = engine.worker.take_failure()).has_value(); }));
  CHECK_THAT(*failure, ContainsSubstring("not a finite number"));
  engine.worker.request(request_for(Stage::Output));
  engine.worker.post(embedding(0, 0, 1.0f), 2);
  engine.worker.post(LayerEdit{std::make_shared<Layer>(small_model())}, 3);
  const auto answer = engine.answer_of(3);
  REQUIRE(answer);
  CHECK(same_bits(answer->tiles[0]->values, evaluate(small_model()).matrix(Stage::Output, 0, 0)));
  CHECK_FALSE(engine.worker.take_failure().has_value());
}
