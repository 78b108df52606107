#include "engine/interpretation/patch_map.h"

#include "engine/core/error.h"
#include "tests/engine/network/network_support.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("patch map: each cell is that of a pass with this one patch") {
  const std::string family = "qwen3";
  NetworkPass pass = golden_pass(family), source = pass_of_other_text(family);
  const Index last = pass.token_count() - 1, layers = pass.network().config().layers;
  for (const PatchStage stage : {PatchStage::Residual, PatchStage::AttentionAdded, PatchStage::MlpAdded}) {
    const Index rows = layers + (stage == PatchStage::Residual ? 1 : 0);
    Index calls = 0;
    const PatchMap map = patch_map(pass, source, stage, {last, 4, 9}, [&](Index done, Index all) {
      CHECK(done == ++calls);
      CHECK(all == rows * (last + 1));
    });
    REQUIRE(map.logits.rows() == rows);
    REQUIRE(map.logits.cols() == last + 1);
    REQUIRE(static_cast<Index>(map.values.size()) == rows);
    for (const auto& [layer, token] :
         {std::pair<Index, Index>{0, 2}, {1, 5}, {rows - 1, last}, {rows - 1, 0}}) {
      const Matrix values = stage == PatchStage::Residual         ? source.residual_row(layer, token)
                            : stage == PatchStage::AttentionAdded ? source.attention_added(layer, token, 1)
                                                                  : source.mlp_added(layer, token, 1);
      CHECK((map.values[static_cast<std::size_t>(layer)].row(token) - values).cwiseAbs().maxCoeff() < 1e-4f);
      NetworkPass one = golden_pass(family);
      one.set_patches({{stage, layer, 0, token, 0, values}});
      const Matrix logits = one.logits(last, 1);
      CHECK_THAT(map.logits(layer, token), WithinAbs(logits(0, 4) - logits(0, 9), 1e-4));
    }
  }
  CHECK(pass.patches().empty());
  source.set_ids({1, 2});
  CHECK_THROWS_AS(patch_map(pass, source, PatchStage::Residual, {last, 4, 9}, [](Index, Index) {}), Error);
}
