// Settings that a layer of a model has of its own, against the layer by itself: the evaluator, which shares
// no code with the pass but the kernels.
#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/network/layer_at.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/layer_settings.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr Index kLayer = 1;

NetworkPass pass_with(const std::string& family, const std::vector<std::int32_t>& ids,
                      const OwnSettings& settings) {
  NetworkPass pass(open_model(family));
  pass.set_ids(ids);
  pass.set_settings(kLayer, settings);
  return pass;
}

Matrix left(NetworkPass& pass) {
  return pass.residual(pass.network().config().layers);
}

float apart(const Matrix& a, const Matrix& b) {
  return largest_difference(a, b) / std::max(1.0f, b.cwiseAbs().maxCoeff());
}

// Scores that nearly cancel lose digits.
float most_apart(const SettingCase& one) {
  return one.cancels ? 1e-2f : kRounding;
}

void check_layer(NetworkPass& pass, const Evaluator& evaluator, float most) {
  CHECK(apart(pass.concat(kLayer), evaluator.matrix(Stage::Concat, 0, 0)) < most);
  for (Index head = 0; head < pass.network().config().heads; ++head) {
    CHECK(apart(pass.attention_weights(kLayer, head), evaluator.matrix(Stage::Weights, 0, head)) < most);
    CHECK(apart(pass.dropped_weights(kLayer, head), evaluator.matrix(Stage::Dropped, 0, head)) < most);
  }
}

// The layers that follow compute what they do if the numbers of the layer by itself are put into the
// unchanged model.
void check_following(NetworkPass& pass, NetworkPass plain, const Evaluator& evaluator, float most) {
  std::vector<Patch> patches;
  for (Index head = 0; head < pass.network().config().heads; ++head)
    patches.push_back({PatchStage::Context, kLayer, head, 0, 0, evaluator.matrix(Stage::Context, 0, head)});
  plain.set_patches(patches);
  CHECK(apart(left(pass), left(plain)) < most);
}

// The folder of a model whose config.json has another value for a member.
std::shared_ptr<const Network> with_config(const TemporaryFolder& folder, const std::string& family,
                                           const std::string& member, const nlohmann::json& value) {
  std::filesystem::copy(model_folder(family), folder.path(), std::filesystem::copy_options::recursive);
  std::ifstream file(folder / "config.json");
  nlohmann::json config = nlohmann::json::parse(file);
  config[member] = value;
  folder.write("config.json", config.dump());
  return std::make_shared<const Network>(folder.path());
}

}  // namespace

TEST_CASE(
    "own settings: every one is followed as the layer by itself has it, by all layers above, and undone") {
  for (const std::string family : kNetworks) {
    NetworkPass pass = golden_pass(family), plain = golden_pass(family);
    const Matrix before = left(pass);
    const Index tokens = pass.token_count();
    for (const SettingCase& one : setting_cases(pass.layer_frame(kLayer), tokens, tokens)) {
      INFO(family << ": " << one.name);
      pass.set_settings(kLayer, one.settings);
      const Evaluator evaluator = evaluate(layer_at(pass, kLayer));
      CHECK(largest_difference(left(pass), before) > 1e-4f);
      check_layer(pass, evaluator, most_apart(one));
      check_following(pass, plain, evaluator, most_apart(one));
      pass.set_settings(kLayer, {});
      CHECK(largest_difference(left(pass), before) == 0);
    }
  }
}

TEST_CASE("own settings: a text that grows, shrinks and changes is as if it were new") {
  for (const std::string family : {"gpt2", "llama3", "gemma2", "bert"}) {
    const std::vector<std::int32_t> golden = golden_ids(family);
    const auto tokens = static_cast<Index>(golden.size());
    const NetworkPass frames = golden_pass(family);
    for (const SettingCase& one : setting_cases(frames.layer_frame(kLayer), tokens, tokens)) {
      INFO(family << ": " << one.name);
      NetworkPass pass = pass_with(family, golden, one.settings);
      std::vector<std::int32_t> ids = golden;
      const auto check = [&] {
        left(pass);
        pass.set_ids(ids);
        NetworkPass other = pass_with(family, ids, pass.settings(kLayer));
        CHECK(apart(left(pass), left(other)) < most_apart(one));
      };
      ids[5] = golden[1];
      check();
      ids.resize(6);
      check();
      for (std::size_t i = 0; i < one.settings.size(); ++i)
        CHECK((pass.settings(kLayer)[i] != nullptr) ==
              (one.settings[i] && setting_fits(*one.settings[i], 6, 6)));
      ids.push_back(golden[2]);
      check();
    }
  }
}

TEST_CASE("own settings: of all layers they are those of a model whose config.json has them") {
  struct Case {
    const char *family, *member;
    nlohmann::json value;
    LayerSetting setting;
    std::function<void(Layer&)> change;
  };
  const std::vector<Case> cases = {
      {"gemma2", "attn_logit_softcapping", 0.5, LayerSetting::Softcap,
       [](Layer& m) { m.attention.softcap = 0.5; }},
      {"mistral", "sliding_window", 2, LayerSetting::Mask, [](Layer& m) { m.attention.rules.left = 1; }},
      {"llama", "rope_theta", 20, LayerSetting::Position, [](Layer& m) { m.attention.position.theta = 20; }},
  };
  for (const Case& one : cases) {
    INFO(one.family);
    const TemporaryFolder folder;
    NetworkPass expected(with_config(folder, one.family, one.member, one.value)),
        pass = golden_pass(one.family);
    expected.set_ids(pass.ids());
    const Index tokens = pass.token_count();
    CHECK(largest_difference(pass.logits(0, tokens), expected.logits(0, tokens)) > 1e-3f);
    for (Index layer = 0; layer < pass.network().config().layers; ++layer)
      pass.set_settings(layer, own_settings({one.setting}, [&](Layer& value) {
                          copy_setting(one.setting, pass.layer_frame(layer), value);
                          one.change(value);
                        }));
    CHECK(largest_difference(pass.logits(0, tokens), expected.logits(0, tokens)) < kRounding);
  }
}

TEST_CASE("own settings: what cannot be is refused by name, and the layer stays") {
  NetworkPass pass = golden_pass("gpt2");
  const Matrix before = left(pass);
  const auto why = [&](LayerSetting setting, const std::function<void(Layer&)>& change) -> std::string {
    try {
      pass.set_settings(kLayer, own_settings({setting}, change));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(why(LayerSetting::Softcap, [](Layer& m) { m.attention.softcap = -1; }),
             ContainsSubstring("softcap"));
  CHECK_THAT(why(LayerSetting::Sinks,
                 [](Layer& m) {
                   m.attention.sinks = {1, 2};
                 }),
             ContainsSubstring("2 sinks for 4 heads"));
  CHECK_THAT(why(LayerSetting::Mask,
                 [](Layer& m) {
                   m.attention.mask = MaskKind::Custom;
                   m.custom_mask = Matrix::Ones(3, 3);
                 }),
             ContainsSubstring("mask is 3 x 3"));
  CHECK_THAT(why(LayerSetting::Bias,
                 [](Layer& m) {
                   m.score_bias = {1, 3, {3, Matrix::Zero(1, 1)}};
                 }),
             ContainsSubstring("heads (H), has 3, expected 4 or 1"));
  CHECK_THAT(why(LayerSetting::Position,
                 [](Layer& m) {
                   m.attention.position.kind = PositionKind::Rotary;
                   m.attention.position.dims = 100;
                 }),
             ContainsSubstring("d_k is 8"));
  CHECK_THAT(why(LayerSetting::Dropout, [](Layer& m) { m.attention.dropout.probability = 2; }),
             ContainsSubstring("between 0 and 1"));
  CHECK(pass.settings(kLayer) == OwnSettings{});
  CHECK(largest_difference(left(pass), before) == 0);
}

TEST_CASE("own settings: dropout without a seed draws as with the seed 0") {
  const auto dropped = [](std::optional<std::int64_t> seed) {
    return own_settings({LayerSetting::Dropout}, [&](Layer& m) { m.attention.dropout = {0.3, true, seed}; });
  };
  const std::vector<std::int32_t> ids = golden_ids("llama");
  NetworkPass none = pass_with("llama", ids, dropped({})), zero = pass_with("llama", ids, dropped(0));
  CHECK(left(none) == left(zero));
}
