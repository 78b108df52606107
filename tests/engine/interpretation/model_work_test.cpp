#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/network/layer_at.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/layer_settings.h"

using namespace headlight;
using namespace headlight_test;

namespace {

OpenModel work_of(const std::string& family) {
  const NetworkPass pass = golden_pass(family);
  OpenModel work;
  work.network = pass.network_owner();
  work.ids = pass.ids();
  work.layer = 1;
  return work;
}

NetworkPass pass_of(const OpenModel& work) {
  NetworkPass pass(work.network);
  take_state(pass, state_of(work));
  return pass;
}

Matrix left_stream(const OpenModel& work) {
  NetworkPass pass = pass_of(work);
  return pass.residual(work.network->config().layers);
}

}  // namespace

TEST_CASE("model work: ids are read as they are typed") {
  CHECK(ids_from_text(" 464, 3797,3332\n7 ") == std::vector<std::int32_t>{464, 3797, 3332, 7});
  CHECK(ids_from_text(ids_text({0, 12, 5})) == std::vector<std::int32_t>{0, 12, 5});
  CHECK(ids_from_text(" , ").empty());
  for (const char* wrong : {"1,x", "3.5", "99999999999"})
    CHECK_THROWS_AS(ids_from_text(wrong), Error);
}

TEST_CASE("work: what is edited of a layer becomes changes, and the model with them has that layer") {
  for (const std::string family : {"gpt2", "gpt_neox", "llama3", "gemma2", "bert"}) {
    INFO(family);
    const OpenModel work = work_of(family);
    NetworkPass pass = pass_of(work);
    const Layer layer = layer_at(pass, work.layer);
    Layer edited = layer;
    CHECK(after_edit(work, edited, layer) == work);
    edited.weights.matrix(Parameter::Value)(3, 2) += 0.5f;
    edited.attention.disabled_heads = {1};
    const double half = static_cast<double>(edited.scale_factor()) / 2;
    edited.attention.scale = {ScaleKind::Number, half};
    edited.attention.softcap /= 2;
    edited.attention.mask = MaskKind::Custom;
    edited.custom_mask = Matrix::Ones(edited.token_count(), edited.token_count());
    edited.embeddings.front()(2, 5) += 1.0f;
    const OpenModel changed = after_edit(work, edited, layer);
    CHECK(list_changes(changed).size() == (edited.attention.softcap > 0 ? 6 : 5));
    CHECK(list_changes(changed).front() == ChangeEntry{ChangeKind::Head, 1, 1, true});
    NetworkPass again = pass_of(changed);
    const Layer shown = layer_at(again, work.layer);
    CHECK(largest_difference(shown.embeddings.front(), edited.embeddings.front()) == 0);
    CHECK(shown.weights.matrix(Parameter::Value) == edited.weights.matrix(Parameter::Value));
    CHECK(shown.attention.disabled_heads == edited.attention.disabled_heads);
    CHECK(shown.scale_factor() == edited.scale_factor());
    CHECK(shown.custom_mask == edited.custom_mask);
    // Unchanged parts compare equal, so nothing is computed again.
    CHECK(after_edit(changed, shown, shown) == changed);
    const OpenModel back = after_edit(changed, layer, shown);
    CHECK(back.on.layers.empty());
    CHECK(left_stream(back) == left_stream(work));
  }
}

TEST_CASE("work: every setting of a layer is a change with its words, switched, removed and followed") {
  for (const std::string family : {"gpt2", "llama3", "qwen3", "gemma2", "bert"}) {
    const OpenModel work = work_of(family);
    NetworkPass pass = pass_of(work);
    const Layer layer = layer_at(pass, work.layer);
    const Matrix before = left_stream(work);
    for (const SettingCase& one : setting_cases(layer, layer.token_count(), layer.token_count())) {
      INFO(family << ": " << one.name);
      Layer edited = layer;
      put_settings(one.settings, edited);
      OpenModel changed = after_edit(work, edited, layer);
      REQUIRE(list_changes(changed).size() == 1);
      const ChangeEntry entry = list_changes(changed).front();
      CHECK(entry.kind == ChangeKind::Setting);
      CHECK(change_text(changed, entry, {}).starts_with("layer 1: "));
      const Matrix followed = left_stream(changed);
      CHECK(largest_difference(followed, before) > 1e-4f);
      NetworkPass again = pass_of(changed);
      CHECK(after_edit(changed, layer_at(again, work.layer), layer) == changed);
      switch_change(changed, entry);
      CHECK(left_stream(changed) == before);
      switch_change(changed, list_changes(changed).front());
      CHECK(left_stream(changed) == followed);
      remove_change(changed, entry);
      CHECK(changed == work);
    }
  }
}

TEST_CASE("work: biases of projections are switched on and off, and weights may be stored either way") {
  for (const std::string family : {"gpt2", "llama"}) {
    INFO(family);
    const OpenModel work = work_of(family);
    NetworkPass pass = pass_of(work);
    const Layer layer = layer_at(pass, work.layer);
    Layer edited = layer;
    for (const Parameter parameter : kParameters)
      edited.weights.matrix(parameter) = edited.weights.matrix(parameter).transpose().eval();
    edited.weights.layout = WeightLayout::OutIn;
    CHECK(after_edit(work, edited, layer) == work);
    edited.attention.qkv_bias = !edited.attention.qkv_bias;
    for (const Parameter parameter : {Parameter::Query, Parameter::Key, Parameter::Value})
      edited.weights.bias(parameter) = Matrix::Constant(1, parameter_width(edited, parameter), 0.5f);
    const OpenModel changed = after_edit(work, edited, layer);
    CHECK(list_changes(changed).size() == 3);
    NetworkPass again = pass_of(changed);
    const Evaluator expected = evaluate(edited);
    CHECK(largest_difference(again.concat(1), expected.matrix(Stage::Concat, 0, 0)) < kRounding);
    const Evaluator shown = evaluate(layer_at(again, work.layer));
    CHECK(largest_difference(shown.matrix(Stage::Output, 0, 0), expected.matrix(Stage::Output, 0, 0)) <
          kRounding);
    CHECK(after_edit(changed, shown.layer(), shown.layer()) == changed);
  }
}

TEST_CASE("work: a change that is switched off counts for nothing and stays listed") {
  OpenModel work = work_of("llama");
  const OpenModel unchanged = work;
  const Matrix before = left_stream(work);
  set_head(work, 0, 2, HeadState::Off);
  set_head(work, 0, 3, HeadState::Mean);
  add_patch(work, {PatchStage::Residual, 1, 0, 2, 0, Matrix::Ones(1, 8)});
  REQUIRE(list_changes(work).size() == 3);
  const Matrix changed = left_stream(work);
  CHECK(largest_difference(changed, before) > 1e-3f);
  const auto switch_each = [&] {
    for (std::size_t i = 0; i < 3; ++i) {
      const ChangeEntry entry = list_changes(work)[i];
      switch_change(work, entry);
      const ChangeEntry now = list_changes(work)[i];  // at the same place in the list
      CHECK(now.kind == entry.kind);
      CHECK(now.on != entry.on);
    }
  };
  switch_each();
  REQUIRE(list_changes(work).size() == 3);
  for (const ChangeEntry& entry : list_changes(work))
    CHECK_FALSE(entry.on);
  CHECK(largest_difference(left_stream(work), before) == 0);
  switch_each();
  CHECK(largest_difference(left_stream(work), changed) == 0);
  while (!list_changes(work).empty())
    remove_change(work, list_changes(work).back());
  CHECK(work == unchanged);
}

TEST_CASE("work: a shorter text switches off what lies beyond its end") {
  OpenModel work = work_of("gpt2");
  const auto tokens = static_cast<Index>(work.ids.size());
  add_patch(work, {PatchStage::Residual, 1, 0, tokens - 1, 0, Matrix::Ones(1, 8)});
  add_patch(work, {PatchStage::Residual, 1, 0, 0, 0, Matrix::Ones(1, 8)});
  work.on.layers[0].settings = painted_mask(Matrix::Ones(tokens, tokens));
  set_ids(work, {work.ids.begin(), work.ids.end() - 1});
  CHECK(work.on.patches.size() == 1);
  CHECK(work.off.patches.size() == 1);
  CHECK(work.on.layers.empty());
  CHECK(work.off.layers.at(0).settings[static_cast<std::size_t>(LayerSetting::Mask)] != nullptr);
  CHECK_NOTHROW(left_stream(work));
}

TEST_CASE("work: a layer that is no more one of the model is refused by name") {
  const OpenModel work = work_of("gpt2");
  NetworkPass pass = pass_of(work);
  const Layer layer = layer_at(pass, work.layer);
  const auto why = [&](auto change) -> std::string {
    Layer edited = layer;
    change(edited);
    try {
      (void)after_edit(work, edited, layer);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(why([](Layer& m) { m.attention.num_heads = 2; }).find("other heads") != std::string::npos);
  CHECK(why([](Layer& m) { m.attention.projection = Projection::None; }).find("as its family makes them") !=
        std::string::npos);
  CHECK(why([](Layer& m) { m.attention.d_k = 4; }).find("another width") != std::string::npos);
  CHECK(why([](Layer& m) {
          m.weights.recipe = WeightRecipe{};
          m.attention.dropout = {0.5, true, {}};
        }).find("give the dropout a seed") != std::string::npos);
  CHECK(why([](Layer& m) { m.tokens.pop_back(); }).find("other tokens") != std::string::npos);
  CHECK(why([](Layer& m) { m.weights.matrix(Parameter::Key) = Matrix::Zero(2, 2); }).find("weights.key") !=
        std::string::npos);
}
