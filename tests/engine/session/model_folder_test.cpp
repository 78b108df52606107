// A session on a whole model stores a reference to the folder and the changes only.
#include <nlohmann/json.hpp>

#include "engine/core/file.h"
#include "engine/interpretation/layer_difference.h"
#include "engine/network/layer_model.h"
#include "engine/session/model_folder_field.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Session changed_session(const std::string& family) {
  const NetworkPass pass = golden_pass(family);
  OpenModel work;
  work.network = pass.network_owner();
  work.ids = pass.ids();
  work.layer = 1;
  const auto tokens = static_cast<Index>(work.ids.size());
  set_head(work, 0, 1, HeadState::Off);
  set_head(work, 1, 2, HeadState::Mean);
  work.on.layers[1].temperature = 1.5;
  work.on.layers[0].allowed = std::make_shared<const Matrix>(Matrix::Ones(tokens, tokens));
  add_patch(work, {PatchStage::Residual, 2, 0, 3, 1, Matrix::Constant(1, 4, 0.25f)});
  add_patch(work, {PatchStage::Context, 0, 2, 1, 0, Matrix::Constant(2, 3, -0.5f)});
  const Model frame = layer_frame_of(*work.network, 0, tokens);
  OwnWeights own{frame.weights.matrix(Parameter::Output), frame.weights.bias(Parameter::Output)};
  own.w(1, 1) = 4;
  work.on.layers[0].weights[3] = std::make_shared<const OwnWeights>(own);
  switch_change(work, {ChangeKind::Patch, 2, 0, true});
  Session session;
  session.title = "changed";
  session.model = shown_layer(work);
  session.work = std::make_shared<const OpenModel>(std::move(work));
  return session;
}

std::string message_for(const std::string& text) {
  try {
    (void)parse_session(text, ".", "x.headlight");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("model folder: a session keeps the reference and the changes, in both forms of the file") {
  const TemporaryFolder folder;
  for (const std::string family : {"gpt2", "qwen3", "bert"})
    for (const SessionForm form : {SessionForm::Text, SessionForm::Archive}) {
      const Session session = changed_session(family);
      save_session(session, folder / "x.headlight", form);
      const Session again = load_session(folder / "x.headlight");
      REQUIRE(again.work);
      CHECK(again.work->ids == session.work->ids);
      CHECK(again.work->layer == 1);
      const std::vector<ChangeEntry> entries = list_changes(*session.work);
      REQUIRE(list_changes(*again.work) == entries);
      for (const ChangeEntry& entry : entries)
        CHECK(change_text(*again.work, entry, {}) == change_text(*session.work, entry, {}));
      CHECK(again.work->on.patches == session.work->on.patches);
      CHECK(again.work->off.patches == session.work->off.patches);
      const OwnWeights &a = *again.work->on.layers.at(0).weights[3],
                       &b = *session.work->on.layers.at(0).weights[3];
      CHECK(a.w == b.w);
      CHECK(a.bias == b.bias);
      NetworkPass one(session.work->network), two(again.work->network);
      take_state(one, state_of(*session.work));
      take_state(two, state_of(*again.work));
      const Index layers = session.work->network->config().layers;
      CHECK(largest_difference(one.residual(layers), two.residual(layers)) == 0);
      CHECK(session_text(again) == session_text(session));
    }
}

TEST_CASE("model folder: what cannot be opened is said with its place") {
  using nlohmann::json;
  const json good = json::parse(session_text(changed_session("gpt2")));
  const auto with = [&](const std::string& pointer, const json& value) {
    json changed = good;
    changed[json::json_pointer(pointer)] = value;
    return message_for(changed.dump());
  };
  CHECK(with("/model_folder/path", "/no/such/folder").find("model_folder.path") != std::string::npos);
  CHECK(with("/model_folder/bytes", 7).find("another model") != std::string::npos);
  CHECK(with("/model_folder/header", "0").find("another model") != std::string::npos);
  CHECK(with("/model_folder/ids", json::array({1, 99999})).find("outside the vocabulary") !=
        std::string::npos);
  CHECK(with("/model_folder/layer", 9).find("model_folder.layer") != std::string::npos);
  CHECK(with("/model_folder/changes/0/layer", 9).find("changes[0].layer") != std::string::npos);
  CHECK(with("/model_folder/changes/0", json{{"layer", 0}}).find("changes[0].parameter") !=
        std::string::npos);
  CHECK(with("/tokens", json::array({"a"})).find("beside a model's folder") != std::string::npos);
}
