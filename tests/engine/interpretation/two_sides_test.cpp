// Models of two sides: what a window shows of their layers, their changes, and how their parts sum.
#include <random>

#include "engine/analysis/tables.h"
#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/interpretation/attribution.h"
#include "engine/interpretation/heads_glance.h"
#include "engine/interpretation/open_model_edit.h"
#include "engine/network/layer_at.h"
#include "tests/engine/interpretation/sides_support.h"
#include "tests/support/layer_settings.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::vector<std::string> kModels = {"t5", "bart"};

std::string why(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A random change of a random layer.
void change_at_random(OpenModel& work, std::mt19937& random) {
  const NetworkConfig& config = work.network->config();
  const std::vector<LayerPlace> places = layer_places(config);
  const LayerPlace place = places[random() % places.size()];
  const Index heads = config_of(config, place.side).heads, tokens = token_count(work, place.side);
  LayerChanges& layer = work.on.layers[place];
  switch (random() % 6) {
    case 0:
      set_head(work, place, static_cast<Index>(random()) % heads, HeadState::Off);
      break;
    case 1:
      layer.settings = own_settings({LayerSetting::Scale}, [&](Layer& m) {
        m.attention.scale = {ScaleKind::Number, 0.5 + static_cast<double>(random() % 4)};
      });
      break;
    case 2: {
      const std::vector<SettingCase> cases =
          setting_cases(layer_settings_of(*work.network, place, tokens), tokens,
                        token_count(work, place.side == Side::Own ? Side::Own : Side::Encoder));
      layer.settings = cases[random() % cases.size()].settings;
      break;
    }
    case 3: {
      const auto parameter = kParameters[random() % 4];
      OwnWeights own = stored_weights(*work.network, place, parameter);
      own.w(0, 1) += 0.5f;
      layer.weights[static_cast<std::size_t>(parameter)] = std::make_shared<const OwnWeights>(own);
      break;
    }
    case 4:
      if (place.side != Side::Cross)
        add_patch(work, {PatchStage::Residual, place.layer, 0, static_cast<Index>(random()) % tokens, 0,
                         Matrix::Constant(1, 4, 0.5f), place.side});
      break;
    default: {
      const Side side = random() % 2 == 0 ? Side::Encoder : Side::Own;
      std::vector<std::int32_t> ids = ids_of(work, side);
      ids[random() % ids.size()] = static_cast<std::int32_t>(random() % 80);
      set_ids(work, ids, side);
    }
  }
  std::erase_if(work.on.layers, [](const auto& one) { return one.second == LayerChanges{}; });
}

}  // namespace

TEST_CASE("two sides: the layers of encoder, decoder and cross-attention have the library's weights") {
  for (const std::string& model : kModels) {
    const OpenModel work = two_sided(model);
    NetworkPass pass = pass_over(work);
    const std::vector<LayerPlace> places = layer_places(work.network->config());
    REQUIRE(places.size() == 6);
    for (const LayerPlace place : places) {
      INFO(model << " " << side_name(place.side) << " " << place.layer);
      const Layer layer = layer_at(pass, place);
      validate(layer);
      CHECK(layer.token_count() == token_count(work, place.side));
      CHECK(layer.self_attention() == (place.side != Side::Cross));
      CHECK(layer.key_count() == token_count(work, place.side == Side::Own ? Side::Own : Side::Encoder));
      const Evaluator evaluator = evaluate(layer);
      const NamedArray golden = library_array(
          model, std::string(side_name(place.side)) + ".weights." + std::to_string(place.layer));
      for (Index head = 0; head < layer.head_count(); ++head) {
        const Matrix weights = evaluator.matrix(Stage::Weights, 0, head);
        CHECK(near_golden(weights, golden_matrix(golden, head)));
        if (place.side == Side::Cross)
          CHECK(largest_difference(weights, pass.cross_weights(place.layer, head)) < kRounding);
      }
    }
    CHECK(near_golden(pass.logits(0, pass.token_count()), golden_matrix(library_array(model, "logits"))));
    CHECK(near_golden(pass.memory(), golden_matrix(library_array(model, "encoder.output"))));
  }
}

TEST_CASE("two sides: what cross-attention adds is what its layer puts out") {
  for (const std::string& model : kModels) {
    NetworkPass pass = pass_over(two_sided(model));
    for (Index layer = 0; layer < pass.network().config().layers; ++layer) {
      const Evaluator evaluator = evaluate(layer_at(pass, {Side::Cross, layer}));
      CHECK(largest_difference(evaluator.matrix(Stage::Concat, 0, 0),
                               pass.cross_heads(layer, 0, pass.token_count())) < kRounding);
    }
  }
}

TEST_CASE("two sides: every setting of every side is followed as the layer by itself has it, and undone") {
  for (const std::string& model : kModels)
    for (const Side side : {Side::Encoder, Side::Own, Side::Cross}) {
      OpenModel work = two_sided(model);
      work.layer = {side, 1};
      NetworkPass pass = pass_over(work);
      const Matrix before = pass.logits(0, pass.token_count());
      const Layer layer = layer_at(pass, work.layer);
      for (const SettingCase& one : setting_cases(layer, layer.token_count(), layer.key_count())) {
        INFO(model << " " << side_name(side) << ": " << one.name);
        Layer edited = layer;
        put_settings(one.settings, edited);
        const OpenModel changed = after_edit(work, edited, layer);
        REQUIRE(list_changes(changed).size() == 1);
        take_state(pass, state_of(changed));
        const Evaluator evaluator = evaluate(edited);
        const Matrix expected = evaluator.matrix(Stage::Concat, 0, 0);
        NetworkPass& own = pass.of_side(side);
        const Matrix concat =
            side == Side::Cross ? own.cross_heads(1, 0, own.token_count()) : Matrix(own.concat(1));
        const float most = (one.cancels ? 100 : 1) * kRounding;
        CHECK(largest_difference(concat, expected) < most * std::max(1.0f, expected.cwiseAbs().maxCoeff()));
        CHECK(largest_difference(pass.logits(0, pass.token_count()), before) > 1e-5f);
        NetworkPass anew = pass_over(changed);
        CHECK(largest_difference(pass.logits(0, pass.token_count()), anew.logits(0, anew.token_count())) <
              most);
        CHECK(after_edit(changed, layer_at(pass, work.layer), layer) == changed);
        take_state(pass, state_of(work));
        CHECK(pass.logits(0, pass.token_count()) == before);
      }
    }
}

TEST_CASE("two sides: a pass that follows changes computes what a new one does") {
  std::mt19937 random(7);
  for (const std::string& model : kModels) {
    OpenModel work = two_sided(model);
    NetworkPass pass = pass_over(work);
    for (int step = 0; step < 60; ++step) {
      if (step % 12 == 11) work.on = {};
      change_at_random(work, random);
      INFO(model << " step " << step << ", " << list_changes(work).size() << " changes");
      take_state(pass, state_of(work));
      NetworkPass anew = pass_over(work);
      const Index layers = work.network->config().layers;
      CHECK(largest_difference(pass.memory(), anew.memory()) < kRounding);
      CHECK(largest_difference(pass.residual(layers), anew.residual(layers)) < kRounding);
      CHECK(largest_difference(pass.logits(0, pass.token_count()), anew.logits(0, anew.token_count())) <
            kRounding);
      CHECK(largest_difference(pass.mlp_added(1, 0, 3), anew.mlp_added(1, 0, 3)) < kRounding);
    }
  }
}

TEST_CASE("two sides: the encoder's output stays as it is while only the decoder changes") {
  OpenModel work = two_sided("t5");
  NetworkPass pass = pass_over(work);
  const Matrix before = pass.logits(0, pass.token_count());
  const float* const memory = pass.memory().data();
  set_head(work, {Side::Cross, 0}, 1, HeadState::Off);
  set_head(work, 1, 2, HeadState::Off);
  take_state(pass, state_of(work));
  CHECK(pass.memory().data() == memory);
  CHECK(largest_difference(pass.logits(0, pass.token_count()), before) > 1e-3f);
  set_head(work, {Side::Encoder, 0}, 1, HeadState::Off);
  take_state(pass, state_of(work));
  CHECK(largest_difference(pass.memory(), golden_matrix(library_array("t5", "encoder.output"))) > 1e-3f);
}

TEST_CASE("two sides: a head of cross-attention that is off adds what its rows of W_output would not") {
  for (const std::string& model : kModels) {
    OpenModel off = two_sided(model), without = off;
    set_head(off, {Side::Cross, 1}, 2, HeadState::Off);
    OwnWeights own = stored_weights(*off.network, {Side::Cross, 1}, Parameter::Output);
    const Index width = off.network->config().head_width;
    own.w.middleRows(2 * width, width).setZero();
    without.on.layers[{Side::Cross, 1}].weights[3] = std::make_shared<const OwnWeights>(own);
    NetworkPass a = pass_over(off), b = pass_over(without), plain = pass_over(two_sided(model));
    CHECK(largest_difference(a.logits(0, a.token_count()), b.logits(0, b.token_count())) < kRounding);
    CHECK(largest_difference(a.logits(0, a.token_count()), plain.logits(0, a.token_count())) > 1e-4f);
  }
}

TEST_CASE("two sides: what is edited of a layer becomes changes, and the model with them has that layer") {
  for (const std::string& model : kModels)
    for (const Side side : {Side::Encoder, Side::Own, Side::Cross}) {
      INFO(model << " " << side_name(side));
      OpenModel work = two_sided(model);
      work.layer = {side, 1};
      NetworkPass pass = pass_over(work);
      const Layer layer = layer_at(pass, work.layer);
      Layer edited = layer;
      CHECK(after_edit(work, edited, layer) == work);
      edited.weights.matrix(Parameter::Key)(3, 2) += 0.5f;
      edited.attention.disabled_heads = {1};
      edited.attention.scale = {ScaleKind::Number, static_cast<double>(edited.scale_factor()) / 2};
      edited.attention.mask = MaskKind::Custom;
      edited.custom_mask = Matrix::Ones(edited.token_count(), edited.key_count());
      edited.custom_mask(2, 1) = 0;
      if (side != Side::Cross) edited.embeddings.front()(2, 5) += 1.0f;
      const OpenModel changed = after_edit(work, edited, layer);
      CHECK(list_changes(changed).size() == (side == Side::Cross ? 4 : 5));
      CHECK(list_changes(changed).front() == ChangeEntry{ChangeKind::Head, {side, 1}, 1, true});
      CHECK(change_text(changed, list_changes(changed).front(), {}) ==
            std::string(side_name(side)) + " layer 1, head 1 switched off");
      NetworkPass again = pass_over(changed);
      const Layer shown = layer_at(again, work.layer);
      const Evaluator a = evaluate(edited), b = evaluate(shown);
      CHECK(largest_difference(a.matrix(Stage::Output, 0, 0), b.matrix(Stage::Output, 0, 0)) < kRounding);
      CHECK(after_edit(changed, shown, shown) == changed);
    }
}

TEST_CASE("two sides: what cross-attention cannot do is refused by name") {
  OpenModel work = two_sided("t5");
  work.layer = {Side::Cross, 0};
  NetworkPass pass = pass_over(work);
  const Layer layer = layer_at(pass, work.layer);
  const auto edited = [&](auto change) {
    Layer other = layer;
    change(other);
    return why([&] { (void)after_edit(work, other, layer); });
  };
  CHECK(says(edited([](Layer& m) { m.embeddings.front()(0, 0) += 1; }), "X of cross-attention"));
  CHECK(says(edited([](Layer& m) { m.key_embeddings.front()(0, 0) += 1; }), "what the encoder leaves"));
  CHECK(says(edited([](Layer& m) { m.key_tokens.pop_back(); }), "the encoder's text"));
  const OpenModel before = work;
  const auto refused = [&](const OpenModelEdit& edit) {
    return why([&] { apply_open_model_edit(edit, work); });
  };
  CHECK(says(refused(SetHead{{Side::Cross, 0}, 1, HeadState::Mean}), "not replaced by its mean"));
  CHECK(says(refused(AddPatch{{PatchStage::Weights, 0, 0, 0, 0, Matrix::Ones(1, 1), Side::Cross}}),
             "cross-attention are not overwritten"));
  CHECK(says(refused(ShowLayer{{Side::Cross, 9}}), "no layer 9"));
  CHECK(work == before);
  OpenModel plain;
  plain.network = open_model("gpt2");
  set_ids(plain, {1, 2, 3});
  CHECK(says(why([&] { apply_open_model_edit(ShowLayer{{Side::Encoder, 0}}, plain); }), "one side"));
  CHECK(says(why([&] { apply_open_model_edit(SetModelIds{{1}, Side::Encoder}, plain); }), "one side"));
}

TEST_CASE("two sides: a shorter source switches off the changes that lie beyond its end") {
  OpenModel work = two_sided("t5");
  const Index source = token_count(work, Side::Encoder), own = token_count(work);
  add_patch(work, {PatchStage::Residual, 1, 0, source - 1, 0, Matrix::Ones(1, 8), Side::Encoder});
  add_patch(work, {PatchStage::Residual, 1, 0, 0, 0, Matrix::Ones(1, 8)});
  work.on.layers[{Side::Cross, 0}].settings = painted_mask(Matrix::Ones(own, source));
  work.on.layers[0].settings = painted_mask(Matrix::Ones(own, own));
  set_ids(work, {work.source_ids.begin(), work.source_ids.end() - 1}, Side::Encoder);
  CHECK(work.on.patches.size() == 1);
  CHECK(work.off.patches.size() == 1);
  CHECK(work.on.layers.size() == 1);
  CHECK(work.off.layers.count({Side::Cross, 0}) == 1);
  CHECK_NOTHROW(pass_over(work));
}

TEST_CASE("two sides: the parts sum to the logit with those of cross-attention") {
  OpenModel work = two_sided("t5");
  for (const bool changed : {false, true}) {
    if (changed) {
      set_head(work, {Side::Cross, 1}, 2, HeadState::Off);
      set_head(work, 0, 1, HeadState::Mean);
    }
    NetworkPass pass = pass_over(work);
    const LogitChoice logit{pass.token_count() - 1, 3, 5};
    const Attribution parts = attribute(pass, logit);
    const Matrix logits = pass.logits(logit.position, 1);
    const double sum = parts.embedding + parts.constant +
                       static_cast<double>(parts.heads.sum() + parts.output_bias.sum() + parts.mlps.sum() +
                                           parts.cross_heads.sum() + parts.cross_bias.sum());
    CHECK_THAT(parts.logit, WithinAbs(double{logits(0, 3) - logits(0, 5)}, 1e-4));
    CHECK_THAT(sum, WithinAbs(parts.logit, 1e-4));
    float of_tables = 0;
    for (const ResultTable& table : part_tables(parts))
      of_tables += table.values.sum();
    CHECK_THAT(of_tables, WithinAbs(2 * parts.logit, 2e-4));  // the last row is the sum
    CHECK(parts.cross_heads.cwiseAbs().maxCoeff() > 1e-3f);
    CHECK((parts.cross_heads(1, 2) == 0) == changed);
    for (Index head = 0; head < 4; ++head)
      CHECK_THAT(attribute_sources(pass, logit, {Side::Cross, 1}, head).sum(),
                 WithinAbs(parts.cross_heads(1, head), 1e-4));
  }
  NetworkPass bart = pass_over(two_sided("bart"));
  CHECK(says(why([&] { (void)attribute(bart, {0, 3, {}}); }), "has no parts that stay sums"));
}

TEST_CASE("two sides: the overview has a row for each layer of each side") {
  for (const std::string& model : kModels) {
    NetworkPass pass = pass_over(two_sided(model));
    const HeadsOverview overview = overview_of_heads(pass, 32, [](Index, Index) {});
    REQUIRE(overview.layers == 6);
    for (Index row = 0; row < overview.layers; ++row) {
      const LayerPlace place = overview.place(row);
      CHECK(row_of(pass.network().config(), place) == row);
      const NamedArray golden = library_array(
          model, std::string(side_name(place.side)) + ".weights." + std::to_string(place.layer));
      for (Index head = 0; head < overview.head_count(row); ++head)
        CHECK(near_golden(overview.of(row, head).picture.values, golden_matrix(golden, head)));
      const HeadMeasures& first = overview.of(row, 0).measures;
      CHECK(first.of(HeadMeasure::PreviousToken).has_value() == (place.side != Side::Cross));
      CHECK(first.of(HeadMeasure::Entropy).has_value());
    }
  }
}

TEST_CASE("two sides: sides of other numbers of heads have rows of other lengths") {
  HeadsOverview overview{2, 4, std::vector<HeadOverview>(8), {{Side::Encoder, 0}, {Side::Own, 0}}, {4, 2}};
  CHECK(overview.head_count(0) == 4);
  CHECK(overview.head_count(1) == 2);
}

TEST_CASE("two sides: layers are named with their side") {
  const LayerNames plain(Counting{1}), sides(two_sided("t5").network->config(), Counting{0});
  CHECK(plain.text(2) == "layer 3");
  CHECK(plain.brief(2) == "L3");
  CHECK(sides.text({Side::Cross, 2}) == "cross layer 2");
  CHECK(sides.text(1) == "decoder layer 1");
  CHECK(sides.brief({Side::Encoder, 0}) == "E0");
}

TEST_CASE("two sides: the decoder's text begins as config.json says, and ends without what ends a text") {
  const T5WithWords folder;
  OpenModel work;
  work.network = std::make_shared<const Network>(folder.path());
  REQUIRE(work.network->decoder_start() == 0);
  set_text(work, "w7 w8", Side::Encoder);
  CHECK(work.source_ids == std::vector<std::int32_t>{7, 8, 1});
  set_text(work, "w9");
  CHECK(work.ids == std::vector<std::int32_t>{0, 9});
  set_text(work, "");
  CHECK(work.ids == std::vector<std::int32_t>{0});
  set_ids(work, {0, 12, 13});
  CHECK(work.text == "w12 w13");
  set_ids(work, {12, 13});  // ids are taken as they are
  CHECK(work.ids == std::vector<std::int32_t>{12, 13});
  CHECK(work.text == "w12 w13");
}

TEST_CASE("two sides: a token of the beginning that is no id is reported, and the text begins without it") {
  const TemporaryFolder folder;
  std::filesystem::copy_file(library_folder("bart") + "/model.safetensors", folder / "model.safetensors");
  std::ifstream file(library_folder("bart") + "/config.json");
  std::string config{std::istreambuf_iterator<char>(file), {}};
  const std::string member = "\"decoder_start_token_id\": 2";
  config.replace(config.find(member), member.size(), "\"decoder_start_token_id\": 900");
  folder.write("config.json", config);
  const Network network(folder.path());
  CHECK_FALSE(network.decoder_start());
  REQUIRE_FALSE(network.notes().empty());
  CHECK(says(network.notes().back(), "decoder_start_token_id, 900"));
}
