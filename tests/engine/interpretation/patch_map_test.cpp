#include "engine/interpretation/patch_map.h"

#include "engine/core/error.h"
#include "tests/engine/network/network_support.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("patch map: each cell is that of a pass with this one patch") {
  const std::string family = "qwen3";
  NetworkPass pass = golden_pass(family), source = pass_of_other_text(family);
  const Index last = pass.token_count() - 1, layers = pass.network().config().layers;
  Index calls = 0;
  const Matrix map = patch_map(pass, source, {last, 4, 9}, [&](Index done, Index all) {
    CHECK(done == ++calls);
    CHECK(all == (layers + 1) * (last + 1));
  });
  REQUIRE(map.rows() == layers + 1);
  REQUIRE(map.cols() == last + 1);
  for (const auto& [layer, token] : {std::pair<Index, Index>{0, 2}, {1, 5}, {layers, last}, {layers, 0}}) {
    NetworkPass one = golden_pass(family);
    one.set_patches({{PatchStage::Residual, layer, 0, token, 0, source.residual_row(layer, token)}});
    const Matrix logits = one.logits(last, 1);
    CHECK_THAT(map(layer, token), WithinAbs(logits(0, 4) - logits(0, 9), 1e-4));
  }
  CHECK(pass.patches().empty());
  source.set_ids({1, 2});
  CHECK_THROWS_AS(patch_map(pass, source, {last, 4, 9}, [](Index, Index) {}), Error);
}
