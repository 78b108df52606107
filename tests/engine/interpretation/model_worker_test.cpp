#include "engine/interpretation/model_worker.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "engine/attention/evaluator.h"
#include "engine/training/untrained_model.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/layer_settings.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

ModelState state_of(const std::string& family) {
  return {{golden_ids(family), {}, nullptr}, open_model(family), {}, {}};
}

ModelResult waited_for(ModelWorker& worker) {
  while (true) {
    if (std::optional<ModelResult> answer = worker.take()) return std::move(*answer);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Compares logits only: the order of those that differ by rounding may vary.
void check_same(const std::vector<Prediction>& a, const std::vector<Prediction>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    CHECK_THAT(a[i].logit, WithinAbs(b[i].logit, 1e-4));
}

}  // namespace

TEST_CASE("model worker: everything that is asked for, of the state as it is") {
  std::atomic<int> woken = 0;
  ModelWorker worker([&] { ++woken; });
  const ModelState state = state_of("gpt2");
  ModelRequest request;
  request.position = 4;
  request.lens = true;
  request.picture_side = 8;
  request.layer = 1;
  request.parts = LogitChoice{4, 3, {}};
  worker.ask(state, request);
  const ModelResult answer = waited_for(worker);
  REQUIRE_FALSE(answer.failure);
  CHECK(answer.state == state);
  CHECK(answer.request == request);
  // The result may be found just before its notification.
  for (int i = 0; i < 60'000 && woken == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(woken == 1);
  CHECK(worker.progress() == 1);
  NetworkPass pass = golden_pass("gpt2");
  check_same(answer.predictions, likeliest(pass.logits(4, 1).row(0), 10));
  check_same(answer.lens.back(), answer.predictions);
  CHECK(answer.glance->all.size() == 12);
  CHECK(answer.parts->heads.rows() == 3);
  const Evaluator evaluator = evaluate(*answer.layer);
  CHECK(largest_difference(evaluator.matrix(Stage::Weights, 0, 2), pass.attention_weights(1, 2)) < kRounding);
}

TEST_CASE("model worker: the newest of many questions is answered, and changes come and go") {
  ModelWorker worker([] {});
  ModelState state = state_of("llama3");
  const ModelState plain = state;
  ModelRequest request;
  request.position = 3;
  for (int i = 0; i < 50; ++i) {
    state.ids[5] = i;
    state.layers[1].heads = {i % 2 == 0 ? HeadState::Off : HeadState::Mean};
    state.layers[0].settings = own_settings({LayerSetting::Scale}, [&](Layer& m) {
      m.attention.scale = {ScaleKind::Number, 1 + 0.1 * i};
    });
    worker.ask(state, request);
  }
  const ModelResult newest = waited_for(worker);
  CHECK(newest.state == state);
  NetworkPass pass(state.network);
  take_state(pass, state);
  check_same(newest.predictions, likeliest(pass.logits(3, 1).row(0), 10));
  CHECK_FALSE(worker.running());
  worker.ask(plain, request);
  const ModelResult again = waited_for(worker);
  NetworkPass unchanged = golden_pass("llama3");
  check_same(again.predictions, likeliest(unchanged.logits(3, 1).row(0), 10));
}

TEST_CASE("model worker: while there is no request it keeps panels, and answers the same") {
  const TemporaryFolder folder;
  UntrainedModel made;
  made.shape.width = 256;
  made.texts = {folder.write("text.txt", "the cat sat on the mat, and the dog sat on the cat")};
  made.output = folder / "model";
  save_untrained_model(made);
  ModelState state;
  state.network = std::make_shared<const Network>(made.output);
  state.ids = {1, 2, 3, 4, 5, 6, 7, 8};
  ModelWorker worker([] {});
  ModelRequest request;
  request.position = 7;
  worker.ask(state, request);
  const ModelResult first = waited_for(worker);
  CHECK_FALSE(worker.running());
  for (int i = 0; i < 2000 && kept_share(state.network->weights()).missing > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(kept_share(state.network->weights()).missing == 0);
  state.ids.back() = 9;
  worker.ask(state, request);
  waited_for(worker);
  state.ids.back() = 8;
  worker.ask(state, request);
  CHECK(largest_difference(*waited_for(worker).logits, *first.logits) < kRounding);
  worker.forget();
}

TEST_CASE("model worker: what cannot be is told, and the next request is answered") {
  ModelWorker worker([] {});
  ModelState state = state_of("gpt2");
  const ModelState good = state;
  state.ids.assign(100, 1);
  worker.ask(state, {});
  CHECK(waited_for(worker).failure);
  state = good;
  state.patches = {{PatchStage::Residual, 9, 0, 0, 0, Matrix::Ones(1, 1)}};
  worker.ask(state, {});
  CHECK(waited_for(worker).failure);
  worker.ask(good, {});
  CHECK_FALSE(waited_for(worker).failure);
  // The same worker, another model.
  worker.ask(state_of("qwen2"), {});
  CHECK(waited_for(worker).predictions.size() == 10);
}

TEST_CASE("model state: a pass that takes states one after the other is that of the last one") {
  for (const std::string family : kNetworks) {
    INFO(family);
    ModelState state = state_of(family);
    const Index tokens = static_cast<Index>(state.ids.size()), last = state.network->config().layers;
    NetworkPass pass(state.network);
    const auto check = [&] {
      take_state(pass, state);
      NetworkPass other(state.network);
      take_state(other, state);
      CHECK(largest_difference(pass.residual(last), other.residual(last)) < kRounding);
    };
    check();
    state.layers[0].settings = painted_mask(Matrix::Identity(tokens, tokens));
    state.layers[1].heads = {HeadState::Off};
    check();
    state.patches = {{PatchStage::Residual, 1, 0, tokens - 1, 0, Matrix::Ones(1, 4)}};
    check();
    state.layers.erase(0);
    state.ids.resize(state.ids.size() - 2);
    state.patches.clear();
    check();
    const Factor& value = state.network->weights().layers[1].value;
    state.layers[1].weights[2] =
        std::make_shared<OwnWeights>(OwnWeights{2 * widened(value), widened_bias(value)});
    check();
    state.layers.clear();
    check();
  }
}
