// Interventions of a pass: against patches of the same numbers, against new passes, and what is refused.
// Their numbers by definition are those of tests/python/model_test.py.
#include <array>

#include "engine/core/error.h"
#include "engine/network/network_pass.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr std::array kPlaces = {InterventionPlace::Residual, InterventionPlace::Queries,
                                InterventionPlace::Keys,     InterventionPlace::Values,
                                InterventionPlace::Weights,  InterventionPlace::Head,
                                InterventionPlace::Neuron,   InterventionPlace::Mlp};
constexpr std::array kHows = {InterventionHow::Zero,  InterventionHow::Mean, InterventionHow::Resample,
                              InterventionHow::Value, InterventionHow::Add,  InterventionHow::ProjectOut};

PairArray constant_value(float value) {
  return {1, 1, {Matrix::Constant(1, 1, value)}};
}

Index place_numbers(const NetworkPass& pass, InterventionPlace place) {
  const NetworkConfig& c = pass.network().config();
  if (place == InterventionPlace::Residual || place == InterventionPlace::Mlp) return c.width;
  if (place == InterventionPlace::Weights) return pass.token_count();
  return place == InterventionPlace::Neuron ? 1 : c.head_width;
}

// Every member that the change needs, at the last token of the last unit.
std::shared_ptr<const Intervention> change_of(const NetworkPass& pass, InterventionPlace place,
                                              InterventionHow how, Index layer) {
  Intervention change;
  change.place = place;
  change.how = how;
  change.layer = layer;
  if (place != InterventionPlace::Residual && place != InterventionPlace::Mlp) change.units = {-1};
  change.positions = {1, -1};
  if (how == InterventionHow::Mean) change.texts = {{1, 5, 9}, pass.ids()};
  if (how == InterventionHow::Resample) {
    change.texts = {pass.ids()};
    std::reverse(change.texts.front().begin() + 2, change.texts.front().end());
  }
  if (how == InterventionHow::Value) change.value = constant_value(0.25f);
  if (how == InterventionHow::Add || how == InterventionHow::ProjectOut)
    change.direction = Matrix::Constant(1, place_numbers(pass, place), 0.5f);
  return std::make_shared<const Intervention>(std::move(change));
}

Matrix changed_output(NetworkPass& pass) {
  return pass.network().predicts() ? pass.logits(0, pass.token_count())
                                   : Matrix(pass.residual(pass.network().config().layers));
}

std::string refused_change(NetworkPass& pass, const Intervention& change) {
  try {
    pass.set_interventions({std::make_shared<const Intervention>(change)});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("interventions: a changed pass is a new pass with the same changes") {
  for (const std::string family : kNetworks) {
    INFO(family);
    NetworkPass kept = golden_pass(family);
    const Matrix untouched = changed_output(kept);
    for (const InterventionPlace place : kPlaces)
      for (const InterventionHow how : kHows) {
        if (place == InterventionPlace::Weights && how == InterventionHow::Mean) continue;
        const Interventions changes = {change_of(kept, place, how, 1)};
        INFO(intervention_text(*changes.front(), Counting()));
        kept.set_interventions(changes);
        NetworkPass anew(kept.network_owner());
        anew.set_interventions(changes);
        anew.set_ids(kept.ids());
        CHECK(largest_difference(changed_output(kept), changed_output(anew)) <= kRounding);
        CHECK(largest_difference(kept.numbers_at(place, 1), anew.numbers_at(place, 1)) <= kRounding);
      }
    kept.set_interventions({});
    CHECK(largest_difference(changed_output(kept), untouched) <= kRounding);
  }
}

TEST_CASE("interventions: a place that is given is a patch of the same numbers") {
  struct Twin {
    InterventionPlace place;
    PatchStage stage;
  };
  for (const std::string family : kNetworks)
    for (const auto& [place, stage] : {Twin{InterventionPlace::Residual, PatchStage::Residual},
                                       Twin{InterventionPlace::Values, PatchStage::Values},
                                       Twin{InterventionPlace::Weights, PatchStage::Weights},
                                       Twin{InterventionPlace::Head, PatchStage::Context},
                                       Twin{InterventionPlace::Mlp, PatchStage::MlpAdded}}) {
      INFO(family);
      NetworkPass changed = golden_pass(family), patched = golden_pass(family);
      Intervention given;
      given.place = place;
      given.how = InterventionHow::Value;
      given.layer = 1;
      given.positions = {2};
      given.value = constant_value(-0.5f);
      const bool heads = place != InterventionPlace::Residual && place != InterventionPlace::Mlp;
      if (heads) given.units = {0};
      changed.set_interventions({std::make_shared<const Intervention>(given)});
      patched.set_patches({{stage, 1, 0, 2, 0, Matrix::Constant(1, place_numbers(patched, place), -0.5f)}});
      CHECK(largest_difference(changed_output(changed), changed_output(patched)) <= kRounding);
    }
}

TEST_CASE("interventions: those of the same numbers are applied one after the other") {
  NetworkPass pass = golden_pass("gpt2");
  Intervention given, added;
  given.place = added.place = InterventionPlace::Residual;
  given.layer = added.layer = 1;
  given.how = InterventionHow::Value;
  given.value = constant_value(2);
  added.how = InterventionHow::Add;
  added.direction = Matrix::Constant(1, pass.network().config().width, 0.5f);
  added.strength = 3;
  const auto first = std::make_shared<const Intervention>(given),
             then = std::make_shared<const Intervention>(added);
  pass.set_interventions({first, then});
  CHECK(pass.residual(1).isConstant(3.5f));
  pass.set_interventions({then, first});
  CHECK(pass.residual(1).isConstant(2));
}

TEST_CASE("interventions: a text that they do not fit is refused, and the pass stays as it is") {
  NetworkPass pass = golden_pass("gpt2");
  Intervention change;
  change.layer = 1;
  change.positions = {pass.token_count() - 1};
  pass.set_interventions({std::make_shared<const Intervention>(change)});
  const Matrix before = changed_output(pass);
  CHECK_THROWS_AS(pass.set_ids({1, 2, 3}), Error);
  CHECK(largest_difference(changed_output(pass), before) == 0);
}

TEST_CASE("interventions: what is wrong with one is said, with its member") {
  NetworkPass pass = golden_pass("gpt2");
  Intervention change;
  change.name = "changes[1]";
  change.place = InterventionPlace::Head;
  change.layer = pass.network().config().layers;
  CHECK(refused_change(pass, change).find("changes[1].layer: there is no layer 3") == 0);
  change.layer = 0;
  change.units = {4};
  CHECK(refused_change(pass, change).find("changes[1].head: there is no head 4") == 0);
  change.units = {1, -3};
  CHECK(refused_change(pass, change).find("changes[1].head: head 1 is named twice") == 0);
  change.units = {};
  change.positions = {1000};
  CHECK(refused_change(pass, change).find("changes[1].position: there is no position 1000") == 0);
  change.positions = {};
  change.how = InterventionHow::Add;
  change.direction = Matrix::Ones(1, 3);
  CHECK(refused_change(pass, change).find("changes[1].direction: it has 3 numbers, expected 8") == 0);
  change.how = InterventionHow::ProjectOut;
  change.direction = Matrix::Zero(1, 8);
  CHECK(refused_change(pass, change).find("changes[1].direction: it is zero") == 0);
  change.how = InterventionHow::Value;
  change.value = {1, 1, {Matrix::Ones(1, 3)}};
  CHECK(refused_change(pass, change).find("changes[1].value: it has the shape 1 x 1 x 3") == 0);
  change.place = InterventionPlace::Weights;
  change.how = InterventionHow::Mean;
  change.texts = {{1, 2}};
  CHECK(refused_change(pass, change).find("changes[1].how: weights have no mean") == 0);
  change.how = InterventionHow::Resample;
  CHECK(refused_change(pass, change).find("changes[1].text: it has 2 tokens") == 0);
  change.place = InterventionPlace::Head;
  change.positions = {0, 1, 2};
  change.from = {1, 0};
  CHECK(refused_change(pass, change).find("changes[1].positions: 2 positions of the other text") == 0);
  CHECK(pass.interventions().empty());
}
