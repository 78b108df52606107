#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/network/layer_at.h"
#include "tests/engine/network/network_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Matrix left_stream(NetworkPass& pass) {
  return pass.residual(pass.network().config().layers);
}

}  // namespace

TEST_CASE("patches: another text's whole stream at a layer makes its own of all that follows") {
  for (const std::string family : kNetworks) {
    INFO(family);
    NetworkPass pass = golden_pass(family), source = pass_of_other_text(family);
    const Matrix before = left_stream(pass), wanted = left_stream(source);
    for (Index layer = 0; layer <= pass.network().config().layers; ++layer) {
      pass.set_patches({{PatchStage::Residual, layer, 0, 0, 0, source.residual(layer)}});
      CHECK(largest_difference(left_stream(pass), wanted) < kRounding);
      pass.set_patches({});
      CHECK(largest_difference(left_stream(pass), before) < kRounding);
    }
  }
}

TEST_CASE("patches: a stage's own numbers change nothing, others do, and undone all is as before") {
  for (const std::string family : kNetworks) {
    NetworkPass pass = golden_pass(family);
    const NetworkConfig& c = pass.network().config();
    const Matrix before = left_stream(pass);
    const Index layer = 1, d_k = c.head_width, row = 3, rows = 2;
    const auto head = [&](const MatrixRef& all) { return Matrix(all.block(row, d_k, rows, d_k)); };
    const std::vector<Patch> own = {
        {PatchStage::Input, layer, 0, row, 0, pass.attention_input(layer).middleRows(row, rows)},
        {PatchStage::Queries, layer, 1, row, 0, head(pass.queries(layer))},
        {PatchStage::Keys, layer, 1, row, 0, head(pass.keys(layer))},
        {PatchStage::Values, layer, 1, row, 0, head(pass.values(layer))},
        {PatchStage::Context, layer, 1, row, 0, head(pass.concat(layer))},
        {PatchStage::Weights, layer, 1, row, 0, pass.attention_weights(layer, 1).middleRows(row, rows)},
        {PatchStage::AttentionAdded, layer, 0, row, 0, pass.attention_added(layer, row, rows)},
        {PatchStage::MlpAdded, layer, 0, row, 0, pass.mlp_added(layer, row, rows)},
    };
    for (Patch patch : own) {
      INFO(family << ", stage " << static_cast<int>(patch.stage));
      pass.set_patches({patch});
      CHECK(largest_difference(left_stream(pass), before) < kRounding);
      patch.values.col(0).array() += 0.5f;  // one column only: a norm removes a constant shift of all columns
      pass.set_patches({patch});
      const Matrix changed = left_stream(pass);
      CHECK(largest_difference(changed, before) > 1e-3f);
      if (c.causal) CHECK(largest_difference(changed.topRows(row), before.topRows(row)) < kRounding);
      // A new pass has the same result.
      NetworkPass other(pass.network_owner());
      other.set_ids(golden_ids(family));
      other.set_patches({patch});
      CHECK(largest_difference(left_stream(other), changed) < kRounding);
      pass.set_patches({});
      CHECK(largest_difference(left_stream(pass), before) < kRounding);
    }
  }
}

TEST_CASE("patches: the layer's own model has them, and comes to what the pass adds") {
  for (const std::string family : kNetworks) {
    NetworkPass pass = golden_pass(family), source = pass_of_other_text(family);
    const NetworkConfig& c = pass.network().config();
    const Index d = c.head_width, tokens = pass.token_count();
    const std::vector<Patch> all = {
        {PatchStage::Queries, 1, 1, 2, 0, source.queries(1).block(2, d, 3, d)},
        {PatchStage::Keys, 1, 0, 4, 1, source.keys(1).block(4, 1, 1, 2)},
        {PatchStage::Values, 1, 1, 0, 0, source.values(1).middleCols(d, d)},
        {PatchStage::Weights, 1, 2, 3, 0, Matrix::Constant(1, tokens, 0.25f)},
        {PatchStage::Context, 1, 3, 5, 0, source.concat(1).block(5, 3 * d, 1, d)},
    };
    pass.set_patches(all);
    pass.set_heads(1, {HeadState::Mean});
    const Layer layer = layer_at(pass, 1);
    CHECK(layer.overwritten.size() == all.size() + 1);
    const Evaluator evaluator = evaluate(layer);
    const Stage queries = patch_stage_of(layer, Stage::Queries) ? Stage::Queries : Stage::RotatedQueries;
    INFO(family);
    CHECK(largest_difference(evaluator.matrix(queries, 0, 1), pass.queries(1).middleCols(d, d)) < kRounding);
    CHECK(largest_difference(evaluator.matrix(Stage::Weights, 0, 2), pass.attention_weights(1, 2)) <
          kRounding);
    for (Index head = 1; head < 4; ++head)
      CHECK(largest_difference(evaluator.matrix(Stage::Context, 0, head),
                               pass.concat(1).middleCols(head * d, d)) < kRounding);
    for (Index token = 0; token < tokens; ++token)
      CHECK(largest_difference(evaluator.matrix(Stage::Output, 0, 0).row(token),
                               pass.projected_heads(1, token)) < 3 * kRounding);
  }
}

TEST_CASE("patches: weights of one on a single key take its value, also one that the mask closes") {
  NetworkPass pass = golden_pass("gpt2");
  const Index d_k = pass.network().config().head_width, last = pass.token_count() - 1;
  Matrix weights = Matrix::Zero(1, pass.token_count());
  weights(0, last) = 1;
  pass.set_patches({{PatchStage::Weights, 0, 2, 4, 0, weights}});
  CHECK(largest_difference(pass.concat(0).block(4, 2 * d_k, 1, d_k),
                           pass.values(0).block(last, 2 * d_k, 1, d_k)) == 0);
  CHECK(largest_difference(pass.attention_weights(0, 2).row(4), weights) == 0);
}

TEST_CASE("patches: a head's mean is that of its context over the tokens") {
  for (const std::string family : kNetworks) {
    INFO(family);
    NetworkPass pass = golden_pass(family);
    const Index d_k = pass.network().config().head_width;
    const Matrix context = pass.concat(1).middleCols(d_k, d_k);
    Matrix mean(context.rows(), d_k);
    mean.rowwise() = Eigen::RowVectorXf(context.colwise().mean());
    pass.set_heads(1, {HeadState::On, HeadState::Mean});
    const Matrix by_state = left_stream(pass);
    pass.set_heads(1, {});
    pass.set_patches({{PatchStage::Context, 1, 1, 0, 0, mean}});
    CHECK(largest_difference(left_stream(pass), by_state) < kRounding);
  }
}

TEST_CASE("patches: what lies outside is refused, and the others stay") {
  NetworkPass pass = golden_pass("llama");
  const Matrix one = Matrix::Ones(1, 1);
  const std::vector<Patch> good = {{PatchStage::Keys, 0, 1, 0, 0, one}};
  pass.set_patches(good);
  const Index tokens = pass.token_count();
  for (const Patch& bad : std::vector<Patch>{{PatchStage::Residual, 4, 0, 0, 0, one},
                                             {PatchStage::Values, 3, 0, 0, 0, one},
                                             {PatchStage::Keys, 0, 2, 0, 0, one},  // two key heads
                                             {PatchStage::Keys, 0, 0, tokens, 0, one},
                                             {PatchStage::Keys, 0, 0, 0, 8, one},
                                             {PatchStage::Weights, 0, 5, 0, tokens, one},
                                             {PatchStage::Residual, 0, 1, 0, 0, one},  // it has no heads
                                             {PatchStage::Input, 0, 1, 0, 0, one},
                                             {PatchStage::AttentionAdded, 0, 1, 0, 0, one},
                                             {PatchStage::MlpAdded, 0, 1, 0, 0, one},
                                             {PatchStage::Residual, 0, 0, -1, 0, one}})
    CHECK_THROWS_AS(pass.set_patches({good.front(), bad}), Error);
  CHECK(pass.patches() == good);
}

TEST_CASE("patches: a text that becomes shorter leaves out those behind its end") {
  NetworkPass pass = golden_pass("gpt2");
  pass.set_patches({{PatchStage::Residual, 1, 0, 8, 0, Matrix::Ones(2, 32)},
                    {PatchStage::Weights, 1, 0, 3, 0, Matrix::Ones(1, pass.token_count())}});
  std::vector<std::int32_t> ids = golden_ids("gpt2");
  ids.resize(5);
  pass.set_ids(ids);
  NetworkPass other(pass.network_owner());
  other.set_ids(ids);
  other.set_patches({{PatchStage::Weights, 1, 0, 3, 0, Matrix::Ones(1, 5)}});
  CHECK(largest_difference(left_stream(pass), left_stream(other)) < kRounding);
}

TEST_CASE(
    "patches: of lists that follow one another each has the result of a new pass, overlapping ones too") {
  const std::string family = kNetworks.front();
  NetworkPass pass = golden_pass(family);
  const Index width = pass.network().config().width;
  std::vector<Patch> kinds;
  for (const PatchStage stage : {PatchStage::Residual, PatchStage::AttentionAdded, PatchStage::MlpAdded})
    for (Index i = 0; i < 3; ++i)
      kinds.push_back({stage, 1, 0, 2, i, Matrix::Constant(2, width - i, 0.5f * static_cast<float>(i + 1))});
  const std::vector<std::vector<std::size_t>> lists = {{0, 1, 2}, {2, 1, 0},    {0},       {0, 3, 6},
                                                       {6, 3, 0}, {3, 4, 5, 8}, {3, 5, 8}, {8, 5, 3, 4},
                                                       {},        {1, 1, 2},    {1, 2, 1}};
  for (const std::vector<std::size_t>& list : lists) {
    std::vector<Patch> patches;
    for (const std::size_t which : list)
      patches.push_back(kinds[which]);
    pass.set_patches(patches);
    NetworkPass fresh(pass.network_owner());
    fresh.set_ids(golden_ids(family));
    fresh.set_patches(patches);
    CHECK(largest_difference(left_stream(pass), left_stream(fresh)) < kRounding);
  }
}

TEST_CASE("patches: two lists of 200,000 single numbers are compared in one walk") {
  const std::string family = kNetworks.front();
  NetworkPass pass = golden_pass(family);
  const Index width = pass.network().config().width;
  std::vector<Patch> patches;
  for (Index i = 0; i < 200'000; ++i)
    patches.push_back({PatchStage::Residual, 1, 0, i % 4, i / 4 % width, Matrix::Constant(1, 1, 0.25f)});
  pass.set_patches(patches);
  for (Patch& patch : patches)
    patch.values(0, 0) = 0.75f;
  pass.set_patches(patches);
  CHECK((pass.residual(1).topRows(4).array() == 0.75f).all());
}
