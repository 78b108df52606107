// Scratch memory is lent, reused, and freed with its owner.
#include "engine/simd/workspace.h"

#include <algorithm>

#include "engine/attention/evaluator.h"
#include "engine/core/parallel.h"
#include "engine/core/stopping.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("workspace: a buffer that came back is lent again, and release() frees it") {
  Workspace workspace;
  CHECK(workspace.bytes() == 0);
  const float* first = nullptr;
  {
    Scratch scratch(workspace, 1000);
    first = scratch.data();
    CHECK(workspace.bytes() >= 1000 * sizeof(float));
    workspace.release();  // does not free memory on loan
    CHECK(workspace.bytes() >= 1000 * sizeof(float));
    std::fill_n(scratch.data(), 1000, 1.0f);
  }
  const std::size_t held = workspace.bytes();
  {
    Scratch scratch(workspace, 900);
    CHECK(scratch.data() == first);
    Scratch other(workspace, 900);
    CHECK(other.data() != first);
  }
  CHECK(workspace.bytes() > held);
  workspace.release();
  CHECK(workspace.bytes() == 0);
}

TEST_CASE("workspace: growing requests do not pile up, and very large buffers are not kept") {
  Workspace workspace;
  for (Index count = 1; count < 5000; count += 7)
    Scratch(workspace, count).data()[count - 1] = 0;
  CHECK(workspace.bytes() < 2 * 5000 * sizeof(float));
  Scratch(workspace, Index{5} << 20);
  CHECK(workspace.bytes() < 2 * 5000 * sizeof(float));
}

TEST_CASE("workspace: tasks that run at the same time have buffers of their own") {
  Workspace workspace;
  for_each_index(200, 1e9, [&](Index task) {
    Scratch scratch(workspace, 2000), other(workspace, 10);
    std::fill_n(scratch.data(), 2000, static_cast<float>(task));
    std::fill_n(other.data(), 10, -1.0f);
    const bool own = std::all_of(scratch.data(), scratch.data() + 2000,
                                 [&](float number) { return number == static_cast<float>(task); });
    if (!own) throw Stopped();
  });
  const auto most = static_cast<std::size_t>(thread_count()) * 2 * 2500 * sizeof(float);
  CHECK(workspace.bytes() <= most);
}

TEST_CASE("workspace: an evaluator's scratch memory goes with it, however it stores its stages") {
  constexpr Index kTokens = 400;
  Dice dice(3);
  Layer layer;
  layer.tokens.assign(kTokens, "x");
  layer.embeddings = {dice.matrix(kTokens, 24)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 24;
  layer.attention.mask = MaskKind::Causal;
  draw_weights(layer, {InitKind::Linear, 7, {kParameters.begin(), kParameters.end()}});
  const std::size_t before = Workspace::bytes_of_all();
  for (const StorageKind kind : {StorageKind::Stages, StorageKind::Scores, StorageKind::Map}) {
    {
      Evaluator evaluator(layer, kind);
      evaluator.refresh();
      evaluator.apply(CellsEdit{{InputKind::Embeddings, 0}, 5, 0, Matrix::Ones(1, 1)});
      evaluator.refresh();
      CHECK(Workspace::bytes_of_all() > before);
    }
    CHECK(Workspace::bytes_of_all() == before);
  }
}

TEST_CASE("workspace: the scratch memory of a pass over a model goes with it") {
  const std::size_t before = Workspace::bytes_of_all();
  {
    NetworkPass pass = golden_pass("llama");
    pass.logits(0, pass.token_count());
    CHECK(Workspace::bytes_of_all() > before);
    const std::size_t of_one = Workspace::bytes_of_all();
    const NetworkPass copy = pass;  // a copy starts without scratch memory
    CHECK(Workspace::bytes_of_all() == of_one);
  }
  CHECK(Workspace::bytes_of_all() == before);
}
