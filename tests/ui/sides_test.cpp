// Models of two sides in the window: their layers, texts, map, parts and changes.
#include <set>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "tests/engine/interpretation/sides_support.h"
#include "tests/ui/support/model_bench.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct SidesBench : ModelBench {
  explicit SidesBench(const std::string& model = "t5", ImVec2 size = {1280, 800})
      : ModelBench(library_folder(model), size) {}
  void show(LayerPlace place) { edit(ShowLayer{place}); }
};

Matrix weights_on_screen(const Layer& layer, Index head) {
  return evaluate(layer).matrix(Stage::Weights, 0, head);
}

}  // namespace

TEST_CASE("sides: a model of two sides opens with a text for each") {
  SidesBench bench("bart");
  CHECK(bench.open().source_ids == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(bench.open().ids.front() == 2);  // decoder_start_token_id
  CHECK(bench.robot().value("model.source") == "0, 1, 2, 3, 4, 5, 6, 7");
  CHECK(bench.robot().value("model.text").starts_with("2, 0, 1"));
  CHECK_THAT(bench.robot().value("model.decoder"), ContainsSubstring("behind “2”"));
  CHECK(bench.tells_expected());
}

TEST_CASE("sides: the switch of layers has those of both sides and of cross-attention") {
  SidesBench bench;
  const LayersView& layers = bench.fixture.view().layers;
  CHECK(layers.names ==
        std::vector<std::string>{"encoder 0", "encoder 1", "decoder 0", "decoder 1", "cross 0", "cross 1"});
  CHECK(layers.at == 2);
  bench.fixture.view().layers.asked = 5;
  bench.settle();
  CHECK(bench.open().layer == LayerPlace(Side::Cross, 1));
  CHECK_FALSE(bench.fixture.layer().self_attention());
  CHECK(bench.fixture.view().layers.at == 5);
}

TEST_CASE("sides: the shown layers have the library's weights") {
  for (const std::string model : {"t5", "bart"}) {
    SidesBench bench(model);
    bench.edit(SetModelIds{library_ids(model, "encoder.ids"), Side::Encoder});
    bench.edit(SetModelIds{library_ids(model, "decoder.ids")});
    for (const LayerPlace place : layer_places(bench.open().network->config())) {
      INFO(model << " " << side_name(place.side) << " " << place.layer);
      bench.show(place);
      const NamedArray golden = library_array(
          model, std::string(side_name(place.side)) + ".weights." + std::to_string(place.layer));
      for (Index head = 0; head < 4; ++head)
        CHECK(near_golden(weights_on_screen(bench.fixture.layer(), head), golden_matrix(golden, head)));
    }
    const Matrix logits = golden_matrix(library_array(model, "logits"));
    CHECK(near_golden(*bench.model().answer->logits, logits.bottomRows(1)));
  }
}

TEST_CASE("sides: both texts are typed, and the predictions follow") {
  SidesBench bench;
  bench.robot().click("model.source");
  bench.robot().type(", 33");
  bench.settle();
  CHECK(bench.open().source_ids.back() == 33);
  CHECK(bench.tells_expected());
  const std::vector<std::int32_t> before = bench.open().ids;
  bench.click("model.continue");
  CHECK(bench.open().ids.size() == before.size() + 1);
  CHECK(bench.open().source_ids.back() == 33);
  CHECK(bench.tells_expected());
  bench.fixture.document().undo();
  bench.settle();
  CHECK(bench.open().ids == before);
}

TEST_CASE("sides: the map has three named sections, and a cross layer opens from it") {
  SidesBench bench;
  CHECK_THAT(bench.robot().value("model.side.encoder"), ContainsSubstring("Encoder"));
  CHECK_THAT(bench.robot().value("model.side.decoder"), ContainsSubstring("Decoder"));
  CHECK_THAT(bench.robot().value("model.side.cross"), ContainsSubstring("Cross"));
  CHECK(bench.robot().value("model.layer.0") == "layer 0");
  CHECK(bench.robot().value("model.layer.5") == "layer 1");
  const Rect encoder = bench.robot().widget("model.head.encoder.1.0").rect,
             decoder = bench.robot().widget("model.head.decoder.0.0").rect,
             title = bench.robot().widget("model.side.decoder").rect;
  CHECK((encoder.bottom() <= title.y || encoder.right() <= title.x));  // below it, or beside it
  CHECK(title.bottom() <= decoder.y);
  bench.click("model.head.cross.1.2");
  CHECK(bench.open().layer == LayerPlace(Side::Cross, 1));
  CHECK(bench.fixture.view().head == 2);
  CHECK(bench.fixture.view().focus_view == FocusView::Heatmap);
}

TEST_CASE("sides: edits of a cross layer are changes of the model, and what it cannot do is refused") {
  SidesBench bench;
  bench.show({Side::Cross, 0});
  const double before = bench.expected().front().probability;
  AttentionSettings settings = bench.fixture.layer().attention;
  settings.disabled_heads = {1};
  bench.fixture.document().run(SetAttention{settings});
  bench.settle();
  REQUIRE(list_changes(bench.open()).size() == 1);
  CHECK(change_text(bench.open(), list_changes(bench.open()).front(), {}) ==
        "cross layer 0, head 1 switched off");
  CHECK(bench.expected().front().probability != before);
  CHECK(bench.tells_expected());
  CHECK_THROWS_WITH(
      bench.fixture.document().run(SetCells{{InputKind::Embeddings}, 0, 0, Matrix::Constant(1, 1, 9)}),
      ContainsSubstring("X of cross-attention"));
}

TEST_CASE("sides: the parts of a logit have those of cross-attention, and sum to it") {
  SidesBench bench;
  bench.model().page = ModelPage::Parts;
  bench.settle();
  CHECK_THAT(bench.robot().value("model.parts.sum"), ContainsSubstring("cross-attention"));
  const Attribution& parts = *bench.model().answer->parts;
  const double sum = parts.embedding + parts.constant +
                     static_cast<double>(parts.heads.sum() + parts.output_bias.sum() + parts.mlps.sum() +
                                         parts.cross_heads.sum() + parts.cross_bias.sum());
  CHECK_THAT(sum, WithinAbs(static_cast<double>(bench.model().answer->predictions.front().logit), 1e-3));
  bench.model().part = std::pair(LayerPlace(Side::Cross, 1), Index{2});
  bench.settle();
  CHECK(bench.model().answer->sources.size() == token_count(bench.open(), Side::Encoder));
  CHECK(bench.robot().shows("model.source.0"));
}

TEST_CASE("sides: bart's parts are refused by name, and everything else is there") {
  SidesBench bench("bart");
  bench.model().page = ModelPage::Parts;
  bench.settle();
  CHECK_THAT(bench.robot().value("model.page.note"), ContainsSubstring("norms the sums"));
  bench.model().page = ModelPage::Layers;
  bench.settle();
  CHECK(bench.robot().shows("model.lens.0.0"));
}

TEST_CASE("sides: patches go into the decoder's text from a kept source") {
  SidesBench bench;
  bench.fixture.view().baseline = {std::make_shared<const Layer>(bench.fixture.layer()), "kept",
                                   bench.fixture.document().session().work};
  bench.edit(SetModelIds{{9, 8, 7, 6, 5, 4, 3, 2}, Side::Encoder});
  bench.model().page = ModelPage::Patches;
  bench.settle();
  CHECK_THAT(bench.robot().value("model.estimate.note"), ContainsSubstring("two sides"));
  bench.click("model.patches.compute");
  REQUIRE(bench.model().patches);
  REQUIRE_FALSE(bench.model().patches->failure);
  // The stream behind the last layer, put in at the last token, gives the kept prediction.
  NetworkPass kept(bench.open().network);
  take_state(kept, state_of(*bench.fixture.view().baseline.work));
  const PatchMapResult& map = *bench.model().patches;
  const Index last = map.map.logits.rows() - 1, token = map.map.logits.cols() - 1;
  CHECK_THAT(map.map.logits(last, token),
             WithinAbs(chosen_logit(kept.logits(map.logit.position, 1).row(0), map.logit), 1e-4));
}

TEST_CASE("sides: commands on tokens edit the text of the side that is shown") {
  SidesBench bench;
  const std::vector<std::int32_t> source = bench.open().source_ids, own = bench.open().ids;
  bench.show({Side::Encoder, 0});
  bench.fixture.document().run(RemoveToken{1});
  bench.settle();
  CHECK(bench.open().source_ids.size() == source.size() - 1);
  CHECK(bench.open().ids == own);
  bench.show({Side::Cross, 0});
  bench.fixture.document().run(RemoveToken{1});
  bench.settle();
  CHECK(bench.open().ids.size() == own.size() - 1);
  bench.fixture.document().run(ChangeLines{{LineKind::Key, LineChange::Remove, 0, 1, 0}});
  bench.settle();
  CHECK(bench.open().source_ids.size() == source.size() - 2);
  CHECK(bench.fixture.layer().key_count() == static_cast<Index>(source.size()) - 2);
}

TEST_CASE("sides: undo goes back over layers of all sides, with the numbers that they had") {
  SidesBench bench;
  std::vector<Matrix> seen = {weights_on_screen(bench.fixture.layer(), 0)};
  for (const LayerPlace place : {LayerPlace(Side::Encoder, 1), LayerPlace(Side::Cross, 0), LayerPlace(1)}) {
    bench.show(place);
    seen.push_back(weights_on_screen(bench.fixture.layer(), 0));
  }
  for (std::size_t i = seen.size() - 1; i-- > 0;) {
    bench.fixture.document().undo();
    bench.settle();
    CHECK(largest_difference(weights_on_screen(bench.fixture.layer(), 0), seen[i]) == 0);
  }
}

TEST_CASE("sides: with a tokenizer both texts are words, and the decoder's title says what it begins with") {
  const T5WithWords folder;
  ModelBench bench(folder.path().string());
  CHECK_THAT(bench.robot().value("model.decoder"), ContainsSubstring("behind “<pad>”"));
  bench.edit(SetModelText{"w7 w8", Side::Encoder});
  bench.edit(SetModelText{"w9"});
  CHECK(bench.open().ids == std::vector<std::int32_t>{0, 9});
  CHECK(bench.robot().value("model.source") == "w7 w8");
  CHECK(bench.robot().value("model.text") == "w9");
  bench.click("model.continue");
  CHECK(bench.open().ids.size() == 3);
  CHECK(bench.open().text.starts_with("w9"));
  bench.click("model.as_ids");
  CHECK(bench.robot().value("model.source") == "7, 8, 1");
  CHECK(bench.robot().value("model.text").starts_with("0, 9, "));
}
