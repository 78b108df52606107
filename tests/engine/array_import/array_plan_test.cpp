#include "engine/array_import/array_plan.h"

#include <algorithm>

#include "engine/array_import/array_plan_notes.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Role = ArrayRole;
constexpr WeightLayout kRowsIn = WeightLayout::InOut, kRowsOut = WeightLayout::OutIn;

// 6 tokens, d_in 3, d_out 2, drawn weights.
Layer drawn_for_plan(Projection projection = Projection::Linear) {
  Layer layer;
  layer.tokens.assign(6, "t");
  layer.embeddings.emplace_back(Matrix::Zero(6, 3));
  layer.attention.projection = projection;
  layer.attention.d_out = projection == Projection::None ? 3 : 2;
  if (projection == Projection::Linear) draw_weights(layer, WeightRecipe{});
  return layer;
}

ArrayChoice choice(Role role, std::vector<Index> shape, WeightLayout layout = kRowsIn) {
  return {std::string("the ") + role_id(role), std::move(shape), role, layout, false};
}

ArrayPlan plan(const std::vector<ArrayChoice>& choices, const Layer& layer = drawn_for_plan(),
               std::optional<Index> heads = std::nullopt) {
  return plan_arrays(choices, heads, layer);
}

std::string notes_text(const std::vector<ArrayChoice>& choices, const Layer& layer = drawn_for_plan()) {
  const PlanNotes notes = plan_notes(plan(choices, layer), layer);
  std::string text;
  for (const auto& list : {notes.changes, notes.replaced})
    for (const std::string& note : list)
      text += note + "\n";
  return text;
}

}  // namespace

TEST_CASE("array plan: nothing chosen changes nothing") {
  const Layer layer = drawn_for_plan();
  const ArrayPlan same = plan({}, layer);
  CHECK(same.tokens == 6);
  CHECK(same.d_in == 3);
  CHECK(same.d_out == 2);
  CHECK(same.weight(Parameter::Query) == PartSource::Kept);
  CHECK(same.weight(Parameter::Output) == PartSource::Unused);
  CHECK(notes_text({}, layer) == "");
}

TEST_CASE("array plan: embeddings bring T and d_in, and untouched weights are drawn again") {
  const ArrayPlan wide = plan({choice(Role::Embeddings, {4, 5})});
  CHECK(wide.tokens == 4);
  CHECK(wide.d_in == 5);
  CHECK(wide.d_out == 2);
  CHECK(wide.tokens_fate == TokensSource::Numbered);
  CHECK(wide.weight(Parameter::Value) == PartSource::Drawn);
  CHECK(notes_text({choice(Role::Embeddings, {4, 5})}) ==
        "T 6 → 4\nd_in 3 → 5\nthe tokens become 0 to 3\n"
        "W_query, W_key and W_value are drawn anew (torch.rand, seed 123)\n");
  CHECK(notes_text({choice(Role::Embeddings, {2, 6, 3})}) == "B 1 → 2\nthe tokens become 0 to 5\n");
  CHECK_THAT(notes_text({choice(Role::Embeddings, {1, 3})}), ContainsSubstring("the token becomes 0\n"));
  CHECK(plan({choice(Role::Embeddings, {6, 5})}, drawn_for_plan(Projection::None)).d_out == 5);
}

TEST_CASE("array plan: one matrix of another d_out leaves the others to be drawn") {
  const std::vector<ArrayChoice> query = {choice(Role::QueryWeight, {64, 3}, kRowsOut)};
  const ArrayPlan one = plan(query);
  CHECK(one.d_out == 64);
  CHECK(one.weight(Parameter::Query) == PartSource::Given);
  CHECK(one.weight(Parameter::Key) == PartSource::Drawn);
  CHECK(one.layout == kRowsIn);  // drawn weights have the model's layout
  CHECK(notes_text(query) == "d_out 2 → 64\nW_key and W_value are drawn anew (torch.rand, seed 123)\n");
  CHECK(plan({choice(Role::QueryWeight, {3, 2})}).weight(Parameter::Key) == PartSource::Kept);
}

TEST_CASE("array plan: a whole layer brings its layout, its biases and its output projection") {
  const std::vector<ArrayChoice> layer = {
      choice(Role::Embeddings, {4, 8}), choice(Role::FusedWeight, {24, 8}, kRowsOut),
      choice(Role::FusedBias, {24}), choice(Role::OutputWeight, {8, 8}, kRowsOut),
      choice(Role::OutputBias, {8})};
  const ArrayPlan whole = plan(layer, drawn_for_plan(Projection::None), 4);
  CHECK(whole.layout == kRowsOut);
  CHECK(whole.projection == Projection::Linear);
  CHECK(whole.qkv_bias);
  CHECK(whole.output_projection);
  CHECK(whole.num_heads == 4);
  CHECK(whole.bias(Parameter::Output) == PartSource::Given);
  CHECK(notes_text(layer, drawn_for_plan(Projection::None)) ==
        "T 6 → 4\nd_in 3 → 8\nd_out 3 → 8\nprojection none → linear\nbiases off → on\n"
        "output projection off → on\nthe tokens become 0 to 3\n");
}

TEST_CASE("array plan: all weights without biases leave none; one bias makes the others zero") {
  Layer layer = drawn_for_plan();
  layer.attention.qkv_bias = true;
  draw_weights(layer, WeightRecipe{InitKind::Linear, 7});
  const std::vector<ArrayChoice> weights = {
      choice(Role::QueryWeight, {3, 2}), choice(Role::KeyWeight, {3, 2}), choice(Role::ValueWeight, {3, 2})};
  CHECK_FALSE(plan(weights, layer).qkv_bias);
  const ArrayPlan one = plan({choice(Role::KeyBias, {2})}, drawn_for_plan());
  CHECK(one.qkv_bias);
  CHECK(one.bias(Parameter::Key) == PartSource::Given);
  CHECK(one.bias(Parameter::Query) == PartSource::Zeros);
  CHECK_THAT(notes_text({choice(Role::KeyBias, {2})}),
             ContainsSubstring("the bias of W_query and the bias of W_value are zero"));
  CHECK(plan({choice(Role::KeyBias, {2})}, layer).bias(Parameter::Query) == PartSource::Kept);
}

TEST_CASE("array plan: weights of another d_in without embeddings draw those anew, and say so") {
  const std::vector<ArrayChoice> weights = {choice(Role::FusedWeight, {8, 24})};
  CHECK(plan(weights).embeddings_drawn);
  CHECK_THAT(notes_text(weights), ContainsSubstring("the embeddings are drawn anew: torch.rand, seed 123"));
  CHECK_FALSE(plan({choice(Role::FusedWeight, {3, 24})}).embeddings_drawn);
}

TEST_CASE("array plan: heads stay where they divide d_out, else there is one") {
  Layer layer = drawn_for_plan();
  layer.attention.num_heads = 2;
  CHECK(plan({choice(Role::QueryWeight, {3, 4})}, layer).num_heads == 2);
  CHECK(plan({choice(Role::QueryWeight, {3, 5})}, layer).num_heads == 1);
  check_error(
      [&] {
        plan({choice(Role::QueryWeight, {3, 4})}, layer, 3);
      },
      "3 heads do not divide d_out 4", "heads", "divides 4");
}

TEST_CASE("array plan: what does not go together is refused by name") {
  check_error(
      [] {
        plan({choice(Role::QueryWeight, {3, 4}), choice(Role::KeyWeight, {3, 2})});
      },
      "W_key has d_out 2, but W_query (the query) has 4", "the key", "leave one of the two out");
  check_error(
      [] {
        plan({choice(Role::Embeddings, {6, 4}), choice(Role::KeyWeight, {3, 2})});
      },
      "W_key has d_in 3, but embeddings (the embeddings) has 4", "the key", "flip a layout");
  check_error(
      [] {
        plan({choice(Role::QueryWeight, {3, 2}), choice(Role::FusedWeight, {3, 6})});
      },
      "are for the same place", "the fused", "choose one");
  check_error([] { plan({choice(Role::FusedWeight, {3, 7})}); }, "3 x 7", "the fused", "flip the layout");
  check_error([] { plan({choice(Role::OutputWeight, {2, 3})}); }, "2 x 3", "the output", "d_out x d_out");
  check_error(
      [] {
        plan({choice(Role::Mask, {5, 5})});
      },
      "the mask is 5 x 5, expected 6 x 6", "the mask", "each token");
  check_error([] { plan({choice(Role::Mask, {2, 6, 6})}); }, "2 x 6 x 6", "the mask", "each token");
  check_error(
      [] {
        plan({choice(Role::Embeddings, {40000, 3})});
      },
      "40000 tokens", "the embeddings", "take a part");
  check_error([] { plan({choice(Role::Embeddings, {0, 3})}); }, "0 x 3", "the embeddings", "T x d_in");
  check_error([] { plan({choice(Role::Embeddings, {6})}); }, "shape 6", "the embeddings", "T x d_in");
  check_error([] { plan({choice(Role::QueryBias, {2, 2})}); }, "2 x 2", "the query_bias", "one row");
  check_error(
      [] {
        plan({choice(Role::OutputWeight, {4, 4})}, drawn_for_plan(Projection::None));
      },
      "d_out 4, but d_in is 3", "", "give W_query, W_key and W_value");
}

TEST_CASE("array plan: the shapes alone are enough to propose roles for the next array") {
  const Layer shapes = shapes_of(plan({choice(Role::Embeddings, {4, 8})}));
  CHECK(shapes.d_in() == 8);
  CHECK(shapes.token_count() == 4);
  CHECK(propose_roles("a", {8, 2}, shapes).front().role == Role::QueryWeight);
  CHECK(propose_roles("a", {4, 8}, shapes).front().role == Role::Embeddings);
}

TEST_CASE("array plan: fused roles collide with their parts, and with nothing else") {
  CHECK(roles_collide(Role::FusedWeight, Role::KeyWeight));
  CHECK(roles_collide(Role::ValueBias, Role::FusedBias));
  CHECK(roles_collide(Role::Mask, Role::Mask));
  CHECK_FALSE(roles_collide(Role::FusedWeight, Role::OutputWeight));
  CHECK_FALSE(roles_collide(Role::FusedWeight, Role::FusedBias));
  CHECK_FALSE(roles_collide(Role::QueryWeight, Role::KeyWeight));
}

TEST_CASE("array plan: queries, keys and values as they are") {
  const std::vector<ArrayChoice> all = {choice(Role::Queries, {2, 3, 4, 5}), choice(Role::Keys, {2, 3, 4, 5}),
                                        choice(Role::Values, {2, 4, 15})};
  const ArrayPlan given = plan(all);
  CHECK(given.projection == Projection::Given);
  CHECK(given.sequences == 2);
  CHECK(given.tokens == 4);
  CHECK(given.d_out == 15);
  CHECK(given.num_heads == 3);
  CHECK(given.weight(Parameter::Query) == PartSource::Unused);
  CHECK(notes_text(all) ==
        "B 1 → 2\nT 6 → 4\nd_out 2 → 15\nheads 1 → 3\nprojection linear → Q, K, V given\n"
        "the embeddings, which then play no part, are left out\nthe tokens become 0 to 3\n");
  CHECK(plan(all, drawn_for_plan(), 5).num_heads == 5);
  CHECK(notes_text({choice(Role::Keys, {6, 2})}) ==
        "projection linear → Q, K, V given\nthe queries and the values stay as they are now\n");
  check_error(
      [] {
        plan({choice(Role::Keys, {6, 4})});
      },
      "the queries are missing", "", "give 6 x 4 numbers");
  check_error(
      [] {
        plan({choice(Role::Keys, {6, 2}), choice(Role::QueryWeight, {3, 2})});
      },
      "do not go together", "the query", "either given or made by weights");
  CHECK(roles_collide(Role::Keys, Role::QueryWeight));
  CHECK_FALSE(same_place(Role::Keys, Role::KeyWeight));
  CHECK_FALSE(roles_collide(Role::Keys, Role::OutputWeight));
  CHECK_FALSE(roles_collide(Role::Keys, Role::Values));
}

TEST_CASE("array plan: what was given goes when other tokens or weights come") {
  Layer layer = drawn_for_plan();
  set_projection(layer, Projection::Given);
  CHECK(plan({choice(Role::Embeddings, {6, 5})}, layer).projection == Projection::Given);
  CHECK(plan({choice(Role::Embeddings, {4, 5})}, layer).projection == Projection::None);
  CHECK(plan({choice(Role::QueryWeight, {3, 2})}, layer).projection == Projection::Linear);
  CHECK(plan({choice(Role::OutputWeight, {2, 2})}, layer).given[0] == PartSource::Kept);
}

TEST_CASE("array plan: saved attention is attention, whatever the model's tokens are") {
  const std::vector<ArrayChoice> saved = {choice(Role::AttentionWeights, {12, 96, 96})};
  const ArrayPlan weights = plan(saved);
  CHECK(weights.projection == Projection::Weights);
  CHECK(weights.num_heads == 12);
  CHECK(weights.tokens == 96);
  CHECK(weights.key_tokens == 0);
  CHECK_FALSE(weights.embeddings_drawn);
  CHECK(weights.weight(Parameter::Query) == PartSource::Unused);
  CHECK_THAT(notes_text(saved), ContainsSubstring("projection linear → weights given"));
  const ArrayPlan cross =
      plan({choice(Role::AttentionWeights, {2, 3, 4, 5}), choice(Role::Values, {2, 3, 5, 7})});
  CHECK(cross.sequences == 2);
  CHECK(cross.tokens == 4);
  CHECK(cross.key_tokens == 5);
  CHECK(cross.d_out == 21);
  check_error(
      [] {
        plan({choice(Role::AttentionWeights, {3, 4, 5}), choice(Role::Values, {5, 7})});
      },
      "3 heads do not divide the values' width 7", "the values", "B x H x Tk x d_v");
  check_error(
      [] {
        plan({choice(Role::AttentionWeights, {3, 4, 4}), choice(Role::QueryWeight, {3, 2})});
      },
      "do not go together", "the query", "has no effect");
}

TEST_CASE("array plan: heads that share keys and values are told from the shapes") {
  const std::vector<ArrayChoice> llama = {
      choice(Role::KeyWeight, {256, 1024}, kRowsOut), choice(Role::OutputWeight, {1024, 1024}, kRowsOut),
      choice(Role::QueryWeight, {1024, 1024}, kRowsOut), choice(Role::ValueWeight, {256, 1024}, kRowsOut)};
  const ArrayPlan proposed = plan(llama);
  CHECK(proposed.num_heads == 16);
  CHECK(proposed.num_kv_heads == 4);
  CHECK(proposed.heads_reason == "heads of 64");
  const ArrayPlan chosen = plan(llama, drawn_for_plan(), 8);
  CHECK(chosen.num_kv_heads == 2);
  CHECK(chosen.heads_reason.empty());
  check_error([&] { plan(llama, drawn_for_plan(), 2); }, "2 heads of 512 do not share keys that are 256 wide",
              "heads", "divides 256");
  const ArrayPlan given = plan({choice(Role::Queries, {1, 6, 5, 4}), choice(Role::Keys, {1, 2, 7, 4}),
                                choice(Role::Values, {1, 2, 7, 4}), choice(Role::Mask, {5, 7})});
  CHECK(given.num_heads == 6);
  CHECK(given.num_kv_heads == 2);
  CHECK(given.key_tokens == 7);
  CHECK(given.mask_given);
  // The name and W_query determine the width, in any order of the arrays.
  const ArrayPlan wide =
      plan({choice(Role::OutputWeight, {96, 128}, kRowsOut), choice(Role::FusedWeight, {384, 96}, kRowsOut)},
           drawn_for_plan(), 2);
  CHECK(wide.d_out == 96);
  CHECK(wide.d_k == 64);
}

TEST_CASE("array plan: values of a width of their own") {
  const ArrayPlan given =
      plan({choice(Role::Queries, {5, 8}), choice(Role::Keys, {5, 8}), choice(Role::Values, {5, 12})},
           drawn_for_plan(), 2);
  CHECK(given.d_out == 12);
  CHECK(given.d_k == 4);
  CHECK(given.d_v == 0);
  CHECK(given.out_of(Parameter::Value) == 12);
  const ArrayPlan grouped = plan({choice(Role::Queries, {1, 6, 5, 4}), choice(Role::Keys, {1, 2, 5, 4}),
                                  choice(Role::Values, {1, 2, 5, 7})});
  CHECK(grouped.num_heads == 6);
  CHECK(grouped.num_kv_heads == 2);
  CHECK(grouped.d_out == 42);
  CHECK(grouped.value_width == 14);
  const ArrayPlan layer = plan({choice(Role::QueryWeight, {3, 8}), choice(Role::KeyWeight, {3, 8}),
                                choice(Role::ValueWeight, {3, 12}), choice(Role::OutputWeight, {12, 5})},
                               drawn_for_plan(), 4);
  CHECK(layer.d_out == 5);
  CHECK(layer.d_k == 2);
  CHECK(layer.d_v == 3);
  CHECK_FALSE(layer.heads_possible(8));
  check_error(
      [] {
        plan({choice(Role::Queries, {5, 8}), choice(Role::Keys, {5, 8}), choice(Role::Values, {5, 12})},
             drawn_for_plan(), 8);
      },
      "values that are 12 wide do not go with 8 heads", "heads", "choose heads");
  Layer own = drawn_for_plan();
  own.attention.d_k = 4;
  own.attention.d_v = 7;
  own.attention.output_projection = true;
  draw_weights(own, WeightRecipe{});
  const ArrayPlan kept = plan({choice(Role::Embeddings, {4, 3})}, own);
  CHECK(kept.d_k == 4);
  CHECK(kept.d_v == 7);
}

TEST_CASE("array plan: heads of a new width are proposed, and said to be") {
  const ArrayPlan gpt2 = plan({choice(Role::FusedWeight, {768, 2304}), choice(Role::Embeddings, {6, 768})});
  CHECK(gpt2.num_heads == 12);
  CHECK(gpt2.heads_reason == "heads of 64");
}

TEST_CASE("array plan: a mask of keys is one for each sequence") {
  CHECK(plan({choice(Role::Mask, {6})}).key_mask);
  CHECK(plan({choice(Role::Mask, {2, 1, 1, 6}), choice(Role::Embeddings, {2, 6, 3})}).key_mask);
  CHECK_FALSE(plan({choice(Role::Mask, {6, 6})}).key_mask);
  check_error([] { plan({choice(Role::Mask, {3, 6})}); }, "3 x 6", "the mask", "each token");
}
