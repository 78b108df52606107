// The worker measures heads: at once if that is fast, else head by head, without delaying requests.
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "engine/attention/measured_heads.h"
#include "engine/worker/worker.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Layer model_of(Index tokens, Index heads) {
  Dice dice(311);
  Layer layer;
  for (Index i = 0; i < tokens; ++i)
    layer.tokens.push_back("t" + std::to_string(dice.below(tokens / 2 + 1)));
  layer.embeddings = {dice.matrix(tokens, 8)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 8;
  layer.attention.num_heads = heads;
  layer.attention.mask = MaskKind::Causal;
  draw_weights(layer, {});
  return layer;
}

CellsEdit first_number(float value) {
  return {{}, 0, 0, Matrix::Constant(1, 1, value)};
}

ViewRequest measuring(Index heads, HeadPicture picture = {}) {
  ViewRequest requested;
  for (Index head = 0; head < heads; ++head)
    requested.measures.push_back({0, head, picture});
  return requested;
}

// The result with all measures of this revision; null after the deadline.
std::shared_ptr<const ViewResult> measured_by(Worker& worker, std::uint64_t revision) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (std::chrono::steady_clock::now() < deadline) {
    const auto answer = worker.answer();
    const bool all = answer && answer->revision >= revision && !answer->measures.empty();
    if (all && answer->all_measured() && worker.idle()) return answer;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return nullptr;
}

// A worker whose thread waits, however the threads are scheduled, while a result of one revision lacks
// measures. Rows are computed when they are read.
class Held {
 public:
  explicit Held(const Layer& layer)
      : worker(
            std::make_shared<const Layer>(layer), [this] { wait_here(); }, 1, kTooLittle) {}
  ~Held() { go_on(); }

  // Lets the worker go on to the next result of this revision that lacks measures.
  void stop_at(std::uint64_t revision) { let_go(revision); }
  void go_on() { let_go(std::nullopt); }

  bool stopped() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(120), [&] { return waits_; });
  }

  // Whether a read of the revision at which the worker waits comes after all measures. The worker waits again
  // after the read.
  bool read_sees_all_measured(std::uint64_t revision) {
    bool all = true;
    std::future<bool> read = worker.read_stages(
        {revision, stage_bit(Stage::Weights), nullptr, [&](const Evaluator& evaluator, const Evaluator*) {
           (void)evaluator.row({Stage::Weights, 0, 0, 5});
           all = worker.answer()->all_measured();
           stop_at(revision);
         }});
    go_on();
    return !read.get() || all;
  }

 private:
  static constexpr double kTooLittle = 1;  // bytes

  void wait_here() {
    std::unique_lock lock(mutex_);
    if (!revision_) return;  // also before the worker is made
    const auto answer = worker.answer();
    if (!answer || answer->revision != *revision_ || answer->share < 1) return;
    if (answer->measures.empty() || answer->all_measured()) return;
    waits_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !waits_; });
  }
  void let_go(std::optional<std::uint64_t> revision) {
    const std::lock_guard lock(mutex_);
    revision_ = revision;
    waits_ = false;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::uint64_t> revision_;
  bool waits_ = false;

 public:
  Worker worker;  // ends before what its thread waits for
};

void check_same(const ViewResult& answer, const Evaluator& expected, const Evaluator* reference) {
  for (std::size_t i = 0; i < answer.requested.measures.size(); ++i) {
    REQUIRE(answer.measures[i].measures);
    const HeadMeasures own = measures_of(expected, reference, answer.requested.measures[i]);
    CHECK(answer.measures[i].measures->values == own.values);
  }
}

}  // namespace

TEST_CASE("worker: measures heads of the revision that is asked for, and of each later one") {
  const Layer layer = model_of(12, 4);
  Worker worker(std::make_shared<const Layer>(layer), [] {});
  worker.request(measuring(4, {PictureKind::Head, 2}));
  auto answer = measured_by(worker, 1);
  REQUIRE(answer);
  check_same(*answer, evaluate(layer), nullptr);
  CHECK_THAT(
      answer->find(MeasuresRequest{0, 2, {PictureKind::Head, 2}})->of(HeadMeasure::LikePicture).value(),
      WithinAbs(1.0, 1e-6));
  CHECK(answer->find(MeasuresRequest{0, 2, {}}) == nullptr);  // not requested without a picture

  worker.post(first_number(3), 2);
  answer = measured_by(worker, 2);
  REQUIRE(answer);
  Layer changed = layer;
  changed.embeddings[0](0, 0) = 3;
  check_same(*answer, evaluate(changed), nullptr);
}

TEST_CASE("worker: what is measured already is not measured again") {
  Worker worker(std::make_shared<const Layer>(model_of(12, 2)), [] {});
  ViewRequest requested = measuring(2);
  worker.request(requested);
  const auto first = measured_by(worker, 1);
  REQUIRE(first);
  requested.rows.emplace_back();
  requested.measures.push_back({0, 1, {PictureKind::Head, 0}});
  worker.request(requested);
  std::shared_ptr<const ViewResult> second;
  do
    second = measured_by(worker, 1);
  while (second && !(second->requested == requested));
  REQUIRE(second);
  CHECK(second->measures[0].measures == first->measures[0].measures);
  CHECK(second->measures[1].measures == first->measures[1].measures);
}

TEST_CASE("worker: heads are compared with those of the state that is kept, and follow another one") {
  const Layer layer = model_of(10, 2);
  const auto kept = [&](float first) {
    Layer other = layer;
    other.embeddings[0](0, 0) = first;
    return std::make_shared<const Layer>(other);
  };
  Worker worker(std::make_shared<const Layer>(layer), [] {});
  for (const float first : {5.0f, -4.0f}) {
    ViewRequest requested = measuring(2, {PictureKind::SameBaselineHead, 0});
    requested.reference = kept(first);
    worker.request(requested);
    std::shared_ptr<const ViewResult> answer;
    do
      answer = measured_by(worker, 1);
    while (answer && !(answer->requested == requested));
    REQUIRE(answer);
    const Evaluator reference = evaluate(*requested.reference);
    check_same(*answer, evaluate(layer), &reference);
    CHECK(answer->measures[0].measures->of(HeadMeasure::LikePicture).value() < 0.9999f);
  }
}

TEST_CASE("worker: a head or a picture that does not exist is none, and its neighbours have their numbers") {
  const Layer layer = model_of(10, 2);
  Worker worker(std::make_shared<const Layer>(layer), [] {});
  ViewRequest requested;
  requested.measures = {{0, 0, {PictureKind::Head, 7}},
                        {0, 9, {}},
                        {3, 0, {}},
                        {0, 1, {PictureKind::Mask, 0}},
                        {0, 1, {PictureKind::BaselineHead, 0}}};
  worker.request(requested);
  const auto answer = measured_by(worker, 1);
  REQUIRE(answer);
  CHECK_FALSE(answer->measures[1].measures);
  CHECK_FALSE(answer->measures[2].measures);
  for (const std::size_t i : {std::size_t{0}, std::size_t{3}, std::size_t{4}}) {
    REQUIRE(answer->measures[i].measures);
    CHECK_FALSE(answer->measures[i].measures->of(HeadMeasure::LikePicture));
    CHECK(answer->measures[i].measures->of(HeadMeasure::Diagonal));
  }
  CHECK_FALSE(worker.take_failure());
}

TEST_CASE("worker: what is asked for meanwhile comes before the rest of the heads, which come all the same") {
  const Layer layer = model_of(4000, 8);
  Held held(layer);
  held.stop_at(1);
  held.worker.request(measuring(8));
  REQUIRE(held.stopped());
  CHECK_FALSE(held.read_sees_all_measured(1));
  REQUIRE(held.stopped());
  held.worker.post(first_number(2), 2);
  held.stop_at(2);
  REQUIRE(held.stopped());
  CHECK_FALSE(held.worker.answer()->all_measured());
  CHECK_FALSE(held.read_sees_all_measured(2));
  held.go_on();  // measuring continues without another request

  const auto answer = measured_by(held.worker, 2);
  REQUIRE(answer);
  Layer changed = layer;
  changed.embeddings[0](0, 0) = 2;
  const Evaluator expected = evaluate(changed, StorageKind::Map);
  const HeadMeasures last = measures_of(expected, nullptr, {0, 7, {}});
  for (std::size_t i = 0; i < kHeadMeasureCount; ++i)
    if (last.values[i])
      CHECK_THAT(*answer->measures[7].measures->values[i], WithinAbs(*last.values[i], 1e-3));
}

TEST_CASE(
    "worker: a read with another baseline, while heads are compared with the first one, changes no measure") {
  const Layer layer = model_of(700, 8);
  const auto baseline = [&](float first) {
    Layer other = layer;
    other.embeddings[0](0, 0) = first;
    return std::make_shared<const Layer>(other);
  };
  const auto first = baseline(5), second = baseline(-4);
  Worker worker(std::make_shared<const Layer>(layer), [] {});
  ViewRequest requested = measuring(8, {PictureKind::SameBaselineHead, 0});
  requested.reference = first;
  worker.request(requested);
  while (!worker.answer())
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  for (int i = 0; i < 20; ++i)
    CHECK(
        worker.read_stages({1, stage_bit(Stage::Weights), second, [](const Evaluator&, const Evaluator*) {}})
            .get());
  const auto answer = measured_by(worker, 1);
  REQUIRE(answer);
  const Evaluator reference = evaluate(*first);
  check_same(*answer, evaluate(layer), &reference);
}
