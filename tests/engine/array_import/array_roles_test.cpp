#include "engine/array_import/array_roles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/array_import/array_names.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Shape = std::vector<Index>;
using Role = ArrayRole;

// T 5, d_in 8, d_out 4.
Layer model_of_roles(WeightLayout layout = WeightLayout::InOut) {
  Layer layer;
  layer.tokens.assign(5, "t");
  layer.embeddings.emplace_back(5, 8);
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  layer.weights.layout = layout;
  return layer;
}

RoleProposal first_of(const std::string& name, const Shape& shape, const Layer& layer = model_of_roles()) {
  INFO(name << ", shape " << shape_text(shape));
  const std::vector<RoleProposal> proposals = propose_roles(name, shape, layer);
  REQUIRE_FALSE(proposals.empty());
  return proposals.front();
}

std::vector<Role> roles_of(const Shape& shape) {
  std::vector<Role> roles;
  for (const RoleProposal& proposal : propose_roles("some_array", shape, model_of_roles()))
    roles.push_back(proposal.role);
  std::sort(roles.begin(), roles.end());
  return roles;
}

void check_name(const std::string& name, const Shape& shape, Role role, WeightLayout layout) {
  INFO(name << ", shape " << shape_text(shape));
  const RoleProposal proposal = first_of(name, shape);
  CHECK(proposal.role == role);
  CHECK(proposal.layout == layout);
  CHECK(proposal.named);
}

}  // namespace

TEST_CASE("array roles: names of the projects that write such files") {
  const WeightLayout in_out = WeightLayout::InOut, out_in = WeightLayout::OutIn;
  check_name("h.0.attn.c_attn.weight", {768, 2304}, Role::FusedWeight, in_out);
  check_name("transformer.h.11.attn.c_proj.weight", {768, 768}, Role::OutputWeight, in_out);
  check_name("model.layers.0.self_attn.q_proj.weight", {4096, 4096}, Role::QueryWeight, out_in);
  check_name("model.layers.0.self_attn.k_proj.weight", {1024, 4096}, Role::KeyWeight, out_in);
  check_name("model.layers.0.self_attn.o_proj.weight", {4096, 4096}, Role::OutputWeight, out_in);
  check_name("encoder.layer.3.attention.self.value.weight", {64, 64}, Role::ValueWeight, out_in);
  check_name("self_attn.in_proj_weight", {96, 32}, Role::FusedWeight, out_in);
  check_name("blocks.1.attn.qkv.weight", {96, 32}, Role::FusedWeight, out_in);
  check_name("mixer.Wqkv.weight", {96, 32}, Role::FusedWeight, out_in);
  check_name("c_attn.Conv1D", {24, 36}, Role::FusedWeight, in_out);
  check_name("W_query.weight", {6, 6}, Role::QueryWeight, out_in);
  check_name("W_query", {6, 6}, Role::QueryWeight, in_out);
  check_name("wk", {6, 6}, Role::KeyWeight, in_out);
  check_name("to_v.weight", {6, 6}, Role::ValueWeight, out_in);
  check_name("q_lin.weight", {6, 6}, Role::QueryWeight, out_in);
  check_name("sa/out_proj/weight", {6, 6}, Role::OutputWeight, out_in);
  for (const char* name : {"embeddings", "x", "layers.0.hidden_states", "inputs"})
    check_name(name, {7, 9}, Role::Embeddings, in_out);
  check_name("mask", {7, 7}, Role::Mask, in_out);
  check_name("queries", {1, 2, 7, 4}, Role::Queries, in_out);
  check_name("layers.3.key_states", {7, 4}, Role::Keys, in_out);
  check_name("values", {2, 7, 4}, Role::Values, in_out);
  for (const char* name : {"Q", "q", "attn/Q", "layers.0.q"})
    check_name(name, {7, 4}, Role::Queries, in_out);
  check_name("K", {2, 7, 4}, Role::Keys, in_out);
  check_name("v", {1, 2, 7, 4}, Role::Values, in_out);
  check_name("attn.q.weight", {6, 6}, Role::QueryWeight, out_in);
  check_name("tokens", {20}, Role::Tokens, in_out);
  check_name("encoder.layer.3.attention.output.dense.weight", {64, 64}, Role::OutputWeight, out_in);
  check_name("encoder.block.0.layer.0.SelfAttention.o.weight", {64, 64}, Role::OutputWeight, out_in);
  check_name("encoder.block.0.layer.0.SelfAttention.q.weight", {64, 64}, Role::QueryWeight, out_in);
  check_name("attentions", {12, 12, 96, 96}, Role::AttentionWeights, in_out);
  check_name("weights", {12, 96, 96}, Role::AttentionWeights, in_out);
  check_name("attention_mask", {2, 1, 1, 5}, Role::Mask, in_out);
  check_name("h.0.attn.bias", {1, 1, 1024, 1024}, Role::Mask, in_out);
}

TEST_CASE("array roles: the numbered layer of a name") {
  CHECK(numbered_layer_of("h.0.attn.c_attn.weight") == "h.0");
  CHECK(numbered_layer_of("encoder.layer.11.attention.self.query.weight") == "encoder.layer.11");
  CHECK(numbered_layer_of("encoder.block.11.layer.0.SelfAttention.q.weight") == "encoder.block.11");
  CHECK(numbered_layer_of("layer3/W_query") == "layer3");
  CHECK(numbered_layer_of("attn/W_query").empty());
  CHECK(numbered_layer_of("W_query1").empty());
  CHECK(numbered_layer_of("..").empty());
}

TEST_CASE("array roles: names of biases") {
  const WeightLayout any = WeightLayout::InOut;
  check_name("h.0.attn.c_attn.bias", {2304}, Role::FusedBias, any);
  check_name("self_attn.in_proj_bias", {96}, Role::FusedBias, any);
  check_name("h.0.attn.c_proj.bias", {768}, Role::OutputBias, any);
  check_name("q_proj.bias", {768}, Role::QueryBias, any);
  check_name("query_bias", {1, 768}, Role::QueryBias, any);
  check_name("W_key.bias", {768}, Role::KeyBias, any);
  check_name("b_value", {768}, Role::ValueBias, any);
  check_name("bk", {768}, Role::KeyBias, any);
}

TEST_CASE("array roles: names that say nothing") {
  for (const char* name : {"", ".", "weight", "h.0.mlp.c_proj.weight", "ln_1.bias", "ln_1.weight",
                           "monkey.weight", "bias", "_bias", "\xFF\xFE"}) {
    INFO(name);
    CHECK_FALSE(read_array_name(name, 2).role.has_value());
  }
}

TEST_CASE("array roles: what a shape allows") {
  CHECK(roles_of({7}) == std::vector{Role::QueryBias, Role::KeyBias, Role::ValueBias, Role::OutputBias});
  CHECK(roles_of({6}) ==
        std::vector{Role::QueryBias, Role::KeyBias, Role::ValueBias, Role::OutputBias, Role::FusedBias});
  CHECK(roles_of({7, 9}) == std::vector{Role::Embeddings, Role::QueryWeight, Role::KeyWeight,
                                        Role::ValueWeight, Role::Queries, Role::Keys, Role::Values});
  CHECK(roles_of({7, 7}) == std::vector{Role::Embeddings, Role::QueryWeight, Role::KeyWeight,
                                        Role::ValueWeight, Role::OutputWeight, Role::Mask, Role::Queries,
                                        Role::Keys, Role::Values});
  CHECK(roles_of({7, 21}) == std::vector{Role::Embeddings, Role::QueryWeight, Role::KeyWeight,
                                         Role::ValueWeight, Role::FusedWeight, Role::Queries, Role::Keys,
                                         Role::Values});
  CHECK(first_of("some_array", {12, 96, 96}).role == Role::AttentionWeights);
  CHECK(first_of("x", {12, 96, 96}).role == Role::Embeddings);
  CHECK(first_of("attentions", {2, 4, 5, 6}).role == Role::AttentionWeights);
  CHECK(roles_of({2, 7, 9}) == std::vector{Role::Embeddings});
  CHECK(roles_of({1, 7, 7}) == std::vector{Role::Embeddings, Role::Mask, Role::AttentionWeights});
  CHECK(roles_of({1, 1, 7, 7}) == std::vector{Role::Mask, Role::AttentionWeights});
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{0, 0}, Shape{0, 8}, Shape{2, 3, 4, 5},
                             Shape{std::numeric_limits<Index>::max(), 0}}) {
    INFO(shape_text(shape));
    CHECK(roles_of(shape).empty());
  }
  // A name gives no role that the shape rules out.
  CHECK_FALSE(first_of("q_proj.weight", {7}).named);
  CHECK(propose_roles("c_attn.weight", {7, 8}, model_of_roles()).front().role != Role::FusedWeight);
}

TEST_CASE("array roles: what fits the model comes first") {
  CHECK(first_of("a", {5, 8}).role == Role::Embeddings);
  CHECK(first_of("a", {5, 8}).fits);
  CHECK(first_of("a", {1, 5, 8}).fits);
  CHECK_FALSE(first_of("a", {2, 5, 8}).fits);
  CHECK(first_of("a", {8, 4}).role == Role::QueryWeight);
  CHECK(first_of("a", {4, 4}).role == Role::OutputWeight);
  CHECK(first_of("a", {5, 5}).role == Role::Mask);
  CHECK(first_of("a", {4}).role == Role::QueryBias);
  CHECK(first_of("a", {12}).role == Role::FusedBias);
  // The name takes precedence over the fit.
  CHECK(first_of("mask", {4, 4}).role == Role::Mask);
  CHECK_FALSE(first_of("mask", {4, 4}).fits);
  // Without a projection the first weight matrix may set d_out.
  Layer plain = model_of_roles();
  plain.attention.projection = Projection::None;
  plain.attention.d_out = 8;
  CHECK(first_of("W_query", {8, 3}, plain).fits);
}

TEST_CASE("array roles: the layout by shape, name and model") {
  const WeightLayout in_out = WeightLayout::InOut, out_in = WeightLayout::OutIn;
  // d_in is 8: the shape determines the layout, even against the name.
  CHECK(first_of("q_proj.weight", {8, 4}).layout == in_out);
  CHECK(first_of("W_query", {4, 8}).layout == out_in);
  CHECK(first_of("W_query", {4, 8}).fits);
  // Square: the name determines the layout, without a name the layer.
  CHECK(first_of("q_proj.weight", {8, 8}).layout == out_in);
  CHECK(first_of("a", {9, 7}).layout == in_out);
  for (const RoleProposal& proposal : propose_roles("a", {9, 7}, model_of_roles(out_in)))
    CHECK(proposal.layout == out_in);
  CHECK(first_of("W_query", {8, 8}).flippable);
  CHECK_FALSE(first_of("mask", {8, 8}).flippable);
  // Fused: the proportions decide, even against the name; then which side is divisible by three.
  CHECK(first_of("c_attn.weight", {18, 6}).layout == out_in);
  CHECK(first_of("c_attn.weight", {18, 6}).flippable);
  CHECK(first_of("in_proj_weight", {7, 21}).layout == in_out);
  CHECK_FALSE(first_of("in_proj_weight", {7, 21}).flippable);
  CHECK(first_of("in_proj_weight", {8, 12}).layout == in_out);
  CHECK(first_of("in_proj_weight", {8, 12}).fits);
  CHECK(first_of("in_proj_weight", {12, 8}).fits);
  CHECK(first_of("qkv", {30, 6}).layout == out_in);
}

TEST_CASE("array roles: every role has a name of its own") {
  std::vector<std::string> names;
  for (int role = 0; role <= static_cast<int>(Role::AttentionWeights); ++role)
    names.push_back(role_name(static_cast<Role>(role)));
  CHECK(names.front() == "embeddings");
  CHECK(names.back() == "attention weights");
  std::sort(names.begin(), names.end());
  CHECK(std::unique(names.begin(), names.end()) == names.end());
}

TEST_CASE("array roles: a fused matrix is cut by columns or by rows") {
  // Row r, column c: 10 r + c.
  const NamedArray wide{"c_attn.weight", {2, 6}, {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}};
  const auto columns = split_fused(wide, WeightLayout::InOut);
  CHECK(columns[0].name == "c_attn.weight (query)");
  CHECK(columns[2].name == "c_attn.weight (value)");
  CHECK(columns[0].shape == Shape{2, 2});
  CHECK(columns[0].values == std::vector<float>{0, 1, 10, 11});
  CHECK(columns[1].values == std::vector<float>{2, 3, 12, 13});
  CHECK(columns[2].values == std::vector<float>{4, 5, 14, 15});

  const NamedArray high{"in_proj_weight", {3, 2}, {0, 1, 10, 11, 20, 21}};
  const auto rows = split_fused(high, WeightLayout::OutIn);
  CHECK(rows[1].name == "in_proj_weight (key)");
  CHECK(rows[1].shape == Shape{1, 2});
  CHECK(rows[1].values == std::vector<float>{10, 11});

  for (const WeightLayout layout : {WeightLayout::InOut, WeightLayout::OutIn}) {
    const auto biases = split_fused({"b", {6}, {1, 2, 3, 4, 5, 6}}, layout);
    CHECK(biases[0].shape == Shape{2});
    CHECK(biases[2].values == std::vector<float>{5, 6});
  }
  // Empty arrays are split into empty parts.
  CHECK(split_fused({"b", {0, 4}, {}}, WeightLayout::OutIn)[2].shape == Shape{0, 4});
  CHECK(split_fused({"b", {4, 0}, {}}, WeightLayout::InOut)[2].shape == Shape{4, 0});
}

TEST_CASE("array roles: what cannot be cut in three is refused") {
  const NamedArray high{"w", {3, 2}, {0, 1, 10, 11, 20, 21}};
  check_error([&] { split_fused(high, WeightLayout::InOut); }, "the 2 columns cannot be cut", "w",
              "flip the layout to out_in");
  check_error(
      [&] {
        split_fused({"w", {2, 3}, {0, 1, 2, 3, 4, 5}}, WeightLayout::OutIn);
      },
      "the 2 rows cannot be cut", "w", "flip the layout to in_out");
  check_error(
      [&] {
        split_fused({"w", {2, 2}, {0, 1, 2, 3}}, WeightLayout::OutIn);
      },
      "the 2 rows", "w", "a third each");
  check_error(
      [&] {
        split_fused({"b", {4}, {0, 1, 2, 3}}, WeightLayout::OutIn);
      },
      "the 4 numbers", "b", "a third each");
  check_error([&] { split_fused({"b", {}, {0}}, WeightLayout::OutIn); }, "no fused matrix", "b", "3n x d");
  check_error(
      [&] {
        split_fused({"b", {1, 1, 3}, {0, 1, 2}}, WeightLayout::OutIn);
      },
      "1 x 1 x 3", "b", "3n x d");
}

TEST_CASE("array roles: the summary counts what is not finite and looks past it") {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const ArraySummary summary = summary_of({"a", {2, 3}, {nan, 2, -infinity, -0.5f, infinity, nan}});
  CHECK(summary.shape == Shape{2, 3});
  CHECK(summary.count == 6);
  CHECK(summary.nan_count == 2);
  CHECK(summary.infinity_count == 2);
  CHECK(summary.min == -0.5f);
  CHECK(summary.max == 2.0f);
  const ArraySummary all_nan = summary_of({"a", {2}, {nan, nan}});
  CHECK(all_nan.nan_count == 2);
  CHECK_FALSE(all_nan.min.has_value());
  CHECK_FALSE(all_nan.max.has_value());
  const ArraySummary empty = summary_of({"a", {0, 0}, {}});
  CHECK(empty.count == 0);
  CHECK_FALSE(empty.min.has_value());
}
