#include "engine/interpretation/heads_glance.h"

#include "engine/attention/measured_heads.h"
#include "engine/interpretation/logit_lens.h"
#include "engine/network/layer_at.h"
#include "tests/engine/network/network_support.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("heads glance: pictures and measures are those of each layer's evaluator") {
  for (const std::string family : kNetworks) {
    INFO(family);
    NetworkPass pass = golden_pass(family);
    Index seen = 0;
    const HeadsOverview glance = overview_of_heads(pass, 6, [&](Index done, Index all) {
      CHECK(done == ++seen);
      CHECK(all == pass.network().config().layers);
    });
    for (Index layer = 0; layer < glance.layers; ++layer) {
      const Evaluator evaluator = evaluate(layer_at(pass, layer));
      for (Index head = 0; head < glance.heads; ++head) {
        const HeadOverview& one = glance.of(layer, head);
        TileRequest request;
        request.head = head;
        request.max_rows = request.max_columns = 6;
        const Tile tile = evaluator.tile(request);
        CHECK(largest_difference(one.picture.values, tile.values) < kRounding);
        CHECK(one.picture.marks == tile.marks);
        const HeadMeasures expected = measures_of(evaluator, nullptr, {0, head, {}});
        for (std::size_t i = 0; i < kHeadMeasureCount; ++i) {
          CHECK(one.measures.values[i].has_value() == expected.values[i].has_value());
          if (expected.values[i]) CHECK_THAT(*one.measures.values[i], WithinAbs(*expected.values[i], 1e-4));
        }
      }
    }
  }
}

TEST_CASE("logit lens: the last layer predicts what the model does, and each what its stream would") {
  NetworkPass pass = golden_pass("llama");
  const Index layers = pass.network().config().layers;
  const auto lens = logit_lens(pass, 5, 4);
  REQUIRE(static_cast<Index>(lens.size()) == layers + 1);
  const Matrix logits = pass.logits(5, 1);
  const std::vector<Prediction> last = likeliest(logits.row(0), 4);
  for (std::size_t i = 0; i < last.size(); ++i) {
    CHECK(lens.back()[i].id == last[i].id);
    CHECK_THAT(lens.back()[i].probability, WithinAbs(last[i].probability, 1e-6));
  }
  const Matrix early = pass.logits_of(pass.residual_row(1, 5));
  CHECK(lens[1].front().id == likeliest(early.row(0), 1).front().id);
}
