// What sets layers apart: marks beside the rows of the map, and the experts that the last token took.
#include <algorithm>

#include "engine/core/file.h"
#include "engine/json/json_document.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/ui/support/model_bench.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::ModelBench;

namespace {

std::string folder_in_library(const std::string& family) {
  return headlight_test::source_root() + "/tests/golden/library/" + family;
}

Json config_of_folder(const std::string& family) {
  return parse_json(read_file(folder_in_library(family) + "/config.json"));
}

std::string mark_of_layer(ModelBench& bench, std::size_t layer) {
  return bench.robot().value("model.layer." + std::to_string(layer));
}

}  // namespace

TEST_CASE("layer marks: local and global layers are told apart") {
  for (const std::string family : {"gemma3_text", "gpt_oss"}) {
    const Json types = config_of_folder(family)["layer_types"];
    ModelBench bench(folder_in_library(family));
    for (std::size_t layer = 0; layer < types.size(); ++layer) {
      INFO(family << " layer " << layer);
      const bool local = types[layer] == "sliding_attention";
      CHECK_THAT(mark_of_layer(bench, layer), ContainsSubstring(local ? ": local" : ": global"));
    }
  }
}

TEST_CASE("layer marks: layers without positions") {
  const Json turned = config_of_folder("smollm3")["no_rope_layers"];
  ModelBench bench(folder_in_library("smollm3"));
  for (std::size_t layer = 0; layer < turned.size(); ++layer)
    CHECK((mark_of_layer(bench, layer).find("no positions") != std::string::npos) == (turned[layer] == 0));
}

TEST_CASE("layer marks: layers with experts and sinks") {
  ModelBench bench(folder_in_library("gpt_oss"));
  CHECK_THAT(mark_of_layer(bench, 0), ContainsSubstring("experts, sinks"));
}

TEST_CASE("layer marks: layers that are all alike have none") {
  ModelBench bench(folder_in_library("llama"));
  CHECK(mark_of_layer(bench, 0) == "layer 0");
}

TEST_CASE("layer marks: the experts of the shown token are listed, the one with the largest share first") {
  ModelBench bench(folder_in_library("mixtral"));
  bench.click("model.page.layers");
  NetworkPass pass(bench.open().network);
  take_state(pass, state_of(bench.open()));
  const auto chosen = config_of_folder("mixtral")["num_experts_per_tok"].get<std::size_t>();
  for (Index layer = 0; layer < pass.network().config().layers; ++layer) {
    const Matrix shares = pass.expert_shares(layer);
    const auto row = shares.row(bench.model().shown_position());
    std::vector<Index> order;
    for (Index expert = 0; expert < row.cols(); ++expert)
      if (row(expert) > 0) order.push_back(expert);
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return row(a) > row(b); });
    REQUIRE(order.size() == chosen);
    std::string expected = "experts ";
    for (std::size_t i = 0; i < order.size(); ++i)
      expected += (i == 0 ? "" : ", ") + std::to_string(order[i]);
    CHECK(bench.robot().value("model.experts." + std::to_string(layer)) == expected);
  }
}
