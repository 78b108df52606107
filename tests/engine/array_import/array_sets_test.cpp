#include "engine/array_import/array_sets.h"

#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Layer model_of_sets() {
  Layer layer;
  layer.tokens.assign(6, "t");
  layer.embeddings.emplace_back(Matrix::Zero(6, 3));
  layer.attention.d_out = 3;
  return layer;
}

ArrayEntry set_entry(const std::string& name, std::vector<Index> shape) {
  ArrayEntry result;
  result.name = name;
  result.shape = std::move(shape);
  return result;
}

// One line for each member: its name and its role.
std::string described(const ArraySet& set, const std::vector<ArrayEntry>& entries) {
  std::string text;
  for (const ArraySet::Member& member : set.members)
    text += entries[member.entry].name + " " + role_id(member.proposal.role) + "\n";
  return text;
}

}  // namespace

TEST_CASE(
    "array sets: the layers of GPT-2, without the masks that are too large and the feed-forward layer") {
  std::vector<ArrayEntry> entries = {set_entry("wte.weight", {50, 8})};
  for (const char* layer : {"h.0", "h.1"}) {
    const std::string at = layer;
    entries.push_back(set_entry(at + ".attn.bias", {1, 1, 16, 16}));
    entries.push_back(set_entry(at + ".attn.c_attn.bias", {24}));
    entries.push_back(set_entry(at + ".attn.c_attn.weight", {8, 24}));
    entries.push_back(set_entry(at + ".attn.c_proj.weight", {8, 8}));
    entries.push_back(set_entry(at + ".mlp.c_proj.weight", {8, 8}));
  }
  const std::vector<ArraySet> sets = find_array_sets(entries, model_of_sets());
  REQUIRE(sets.size() == 2);
  CHECK(sets[0].layer == "h.0.attn");
  CHECK(described(sets[1], entries) ==
        "h.1.attn.c_attn.bias fused_bias\nh.1.attn.c_attn.weight fused\nh.1.attn.c_proj.weight output\n");
}

TEST_CASE("array sets: arrays without a layer belong to every layer, and their d_in tells the layouts") {
  const std::vector<ArrayEntry> entries = {set_entry("a.W_query", {8, 3}), set_entry("b.W_query", {8, 3}),
                                           set_entry("embeddings", {4, 8}), set_entry("mask", {4, 4}),
                                           set_entry("tokens", {20})};
  const std::vector<ArraySet> sets = find_array_sets(entries, model_of_sets());
  REQUIRE(sets.size() == 2);
  CHECK(described(sets[1], entries) == "b.W_query query\nembeddings embeddings\nmask mask\ntokens tokens\n");
  CHECK(sets[1].members.front().proposal.layout == WeightLayout::InOut);
  CHECK(sets[1].members.front().proposal.fits);
}

TEST_CASE(
    "array sets: the layers of T5's encoder and those of its decoder have the bias of their first one") {
  std::vector<ArrayEntry> entries;
  for (const char* stack : {"decoder", "encoder"})
    for (const char* block : {".block.0", ".block.1"})
      for (const char* part : {".layer.0.SelfAttention", ".layer.1.EncDecAttention"}) {
        const std::string at = std::string(stack) + block + part;
        entries.push_back(set_entry(at + ".q.weight", {8, 8}));
        if (at.ends_with("0.layer.0.SelfAttention"))
          entries.push_back(set_entry(at + ".relative_attention_bias.weight", {8, 2}));
      }
  for (const ArraySet& set : find_array_sets(entries, model_of_sets())) {
    const std::string stack = set.layer.substr(0, 7);
    const bool biased = set.layer.ends_with("SelfAttention");
    CHECK(described(set, entries) ==
          set.layer + ".q.weight query\n" +
              (biased
                   ? stack + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight relative_bias\n"
                   : ""));
  }
}

TEST_CASE("array sets: a place is filled once, and what cannot be read is left out") {
  std::vector<ArrayEntry> entries = {set_entry("c_attn.weight", {3, 9}), set_entry("q_proj", {3, 3}),
                                     set_entry("x", {6, 3}), set_entry("embeddings", {6, 3}),
                                     set_entry("wo", {3, 3})};
  entries[4].problem = Error("damaged", "wo", "");
  const std::vector<ArraySet> sets = find_array_sets(entries, model_of_sets());
  REQUIRE(sets.size() == 1);
  CHECK(described(sets[0], entries) == "c_attn.weight fused\nx embeddings\n");
}

TEST_CASE("array sets: names that say nothing make no set; too many tokens are no reason to fail") {
  CHECK(find_array_sets({set_entry("arr_0", {6, 3}), set_entry("arr_1", {3, 2})}, model_of_sets()).empty());
  CHECK(find_array_sets({}, model_of_sets()).empty());
  CHECK(find_array_sets({set_entry("embeddings", {Index{1} << 40, 3})}, model_of_sets()).size() == 1);
}

TEST_CASE("array sets: the state of a module of attention alone, without a layer's name") {
  const auto roles = [](std::vector<ArrayEntry> entries) {
    Layer layer;
    layer.tokens.assign(3, "t");
    layer.embeddings.emplace_back(Matrix::Zero(3, 8));
    layer.attention.d_out = 8;
    const auto sets = find_array_sets(entries, layer);
    REQUIRE(sets.size() == 1);
    std::vector<ArrayRole> found;
    for (const ArraySet::Member& member : sets.front().members)
      found.push_back(member.proposal.role);
    return found;
  };
  CHECK(roles({set_entry("query_key_value.weight", {24, 8}), set_entry("dense.weight", {8, 8})}) ==
        std::vector{ArrayRole::FusedHeadsWeight, ArrayRole::OutputWeight});
  CHECK(roles({set_entry("self.query.weight", {8, 8}), set_entry("output.dense.bias", {8})}) ==
        std::vector{ArrayRole::QueryWeight, ArrayRole::OutputBias});
}
