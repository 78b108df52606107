// Nine tiny models against a plain NumPy computation (tests/golden/README.md).
#include "engine/attention/evaluator.h"
#include "engine/network/layer_at.h"
#include "tests/engine/network/network_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr float kNear = 3e-4f;

// Compares every stage that the golden file has for the layer.
void check_stages(NetworkPass& pass, const std::string& family, Index layer) {
  const std::string prefix = "layers." + std::to_string(layer) + ".";
  CHECK(largest_difference(pass.attention_input(layer),
                           golden_matrix(golden_array(family, prefix + "embeddings"))) < kNear);
  const Evaluator evaluator = evaluate(layer_at(pass, layer));
  Index seen = 0;
  for (const ArrayEntry& entry : list_arrays(model_folder(family) + "/golden.npz")) {
    if (!entry.name.starts_with(prefix) || entry.name == prefix + "embeddings") continue;
    const std::optional<Stage> stage = stage_from_name(entry.name.substr(prefix.size()));
    REQUIRE(stage);
    const NamedArray golden = golden_array(family, entry.name);
    for (Index head = 0; head < stage_heads(evaluator.layer(), *stage); ++head) {
      INFO(family << " " << entry.name << ", head " << head);
      CHECK(largest_difference(evaluator.matrix(*stage, 0, head), golden_matrix(golden, head)) < kNear);
    }
    ++seen;
  }
  CHECK(seen >= 9);
}

}  // namespace

TEST_CASE("network: residual stream, logits and every stage of nine families") {
  for (const std::string family : kNetworks) {
    INFO(family);
    NetworkPass pass = golden_pass(family);
    const Index layers = pass.network().config().layers;
    const NamedArray residual = golden_array(family, "residual");
    REQUIRE(residual.shape.front() == layers + 1);
    for (Index layer = 0; layer <= layers; ++layer)
      CHECK(largest_difference(pass.residual(layer), golden_matrix(residual, layer)) < kNear);
    if (family != "bert")
      CHECK(largest_difference(pass.logits(0, pass.token_count()),
                               golden_matrix(golden_array(family, "logits"))) < kNear);
    for (Index layer = 0; layer < layers; ++layer)
      check_stages(pass, family, layer);
  }
}

TEST_CASE("network: the ids of the golden texts are those of the folder's tokenizer") {
  for (const std::string family : kNetworks) {
    const auto network = open_model(family);
    std::vector<std::int32_t> ids =
        network->encode("Your journey starts with one step. The keys to the cabinet are on the table.");
    ids.resize(golden_ids(family).size());
    CHECK(ids == golden_ids(family));
  }
}
