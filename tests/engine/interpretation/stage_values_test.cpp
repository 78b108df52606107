// The values of a pass at each place that can be overwritten.
#include "engine/interpretation/stage_values.h"

#include "tests/engine/network/network_support.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("stage values: put into another text's pass, they are what that pass then has at the same place") {
  for (const std::string family : kNetworks) {
    NetworkPass source = pass_of_other_text(family);
    const Index tokens = source.token_count(), layer = 1;
    for (const PatchStage stage :
         {PatchStage::Residual, PatchStage::Input, PatchStage::Queries, PatchStage::Keys, PatchStage::Values,
          PatchStage::Weights, PatchStage::Context, PatchStage::AttentionAdded, PatchStage::MlpAdded}) {
      INFO(family << ", stage " << static_cast<int>(stage));
      const NetworkConfig& config = source.network().config();
      const bool of_keys = stage == PatchStage::Keys || stage == PatchStage::Values;
      const bool has_heads = of_keys || stage == PatchStage::Queries || stage == PatchStage::Weights ||
                             stage == PatchStage::Context;
      const Index head = has_heads ? (of_keys ? config.kv_heads : config.heads) - 1 : 0;
      const PatchPlace place{stage, layer, head};
      const Matrix values = stage_values(source, place);
      REQUIRE(values.rows() == tokens);
      NetworkPass pass = golden_pass(family);
      CHECK(largest_difference(stage_values(pass, place), values) > 1e-3f);  // the texts differ
      pass.set_patches({{stage, layer, head, 0, 0, values}});
      CHECK(largest_difference(stage_values(pass, place), values) == 0);
    }
  }
}
