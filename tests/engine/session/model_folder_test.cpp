// A session on a whole model stores a reference to the folder and the changes only.
#include <nlohmann/json.hpp>

#include "engine/arrays/npy.h"
#include "engine/core/file.h"
#include "engine/network/layer_at.h"
#include "engine/session/model_folder_field.h"
#include "tests/engine/interpretation/sides_support.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/format_support.h"
#include "tests/support/layer_settings.h"

using namespace headlight;
using namespace headlight_test;

namespace {

OwnSettings scaled(double factor) {
  return own_settings({LayerSetting::Scale}, [&](Layer& m) {
    m.attention.scale = {ScaleKind::Number, factor};
  });
}

// One of each kind of numbers: given, a direction, and those of other texts, which is switched off.
void add_interventions(OpenModel& work) {
  const Index width = work.network->config().head_width;
  Intervention given;
  given.place = InterventionPlace::Head;
  given.how = InterventionHow::Value;
  given.layer = 1;
  given.units = {0, -1};
  given.positions = {2};
  given.value = {1, 2, {Matrix::Constant(1, width, 0.5f), Matrix::Constant(1, width, -0.25f)}};
  add_intervention(work, given);
  Intervention moved;
  moved.how = InterventionHow::Add;
  moved.layer = work.network->config().layers;
  moved.direction = Matrix::Constant(1, work.network->config().width, 0.125f);
  moved.strength = -2;
  add_intervention(work, moved);
  Intervention taken;
  taken.place = InterventionPlace::Neuron;
  taken.how = InterventionHow::Resample;
  taken.texts = {{1, 5, 9}};
  taken.positions = {0, 1};
  taken.from = {2, -1};
  add_intervention(work, taken, false);
}

Session changed_session(const std::string& family) {
  const NetworkPass pass = golden_pass(family);
  OpenModel work;
  work.network = pass.network_owner();
  work.ids = pass.ids();
  work.layer = 1;
  const auto tokens = static_cast<Index>(work.ids.size());
  set_head(work, 0, 1, HeadState::Off);
  set_head(work, 1, 2, HeadState::Mean);
  work.on.layers[1].settings = scaled(0.2);
  work.on.layers[0].settings = painted_mask(Matrix::Ones(tokens, tokens));
  add_patch(work, {PatchStage::Residual, 2, 0, 3, 1, Matrix::Constant(1, 4, 0.25f)});
  add_patch(work, {PatchStage::Context, 0, 2, 1, 0, Matrix::Constant(2, 3, -0.5f)});
  OwnWeights own = stored_weights(*work.network, 0, Parameter::Output);
  own.w(1, 1) = 4;
  work.on.layers[0].weights[3] = std::make_shared<const OwnWeights>(own);
  switch_change(work, {ChangeKind::Patch, 2, 0, true});
  add_interventions(work);
  Session session;
  session.title = "changed";
  session.layer = shown_layer(work);
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

TEST_CASE("model folder: every setting of a layer is kept in both forms of the file, on and off") {
  const TemporaryFolder folder;
  for (const std::string family : {"gpt2", "gemma2"}) {
    const NetworkPass pass = golden_pass(family);
    const Index tokens = pass.token_count();
    for (const SettingCase& one : setting_cases(pass.layer_frame(1), tokens, tokens))
      for (const bool on : {true, false})
        for (const SessionForm form : {SessionForm::Text, SessionForm::Archive}) {
          INFO(family << ": " << one.name);
          OpenModel work;
          work.network = pass.network_owner();
          work.ids = pass.ids();
          (on ? work.on : work.off).layers[1].settings = one.settings;
          Session session;
          session.title = "settings";
          session.layer = shown_layer(work);
          session.work = std::make_shared<const OpenModel>(std::move(work));
          save_session(session, folder / "x.headlight", form);
          const Session again = load_session(folder / "x.headlight");
          const std::vector<ChangeEntry> entries = list_changes(*session.work);
          REQUIRE(entries.size() == 1);
          REQUIRE(list_changes(*again.work) == entries);
          CHECK(change_text(*again.work, entries[0], {}) == change_text(*session.work, entries[0], {}));
          const auto setting = static_cast<LayerSetting>(entries[0].at);
          const auto value = [&](const Session& of) {
            return (on ? of.work->on : of.work->off)
                .layers.at(1)
                .settings[static_cast<std::size_t>(entries[0].at)];
          };
          CHECK(same_setting(setting, *value(again), *value(session)));
          CHECK(session_text(again) == session_text(session));
        }
  }
}

TEST_CASE("model folder: temperatures and masks of earlier files mean what they did") {
  using nlohmann::json;
  json file = json::parse(session_text(changed_session("gemma2")));
  const auto tokens = static_cast<Index>(file["model_folder"]["ids"].size());
  json rows = json::array();
  for (Index i = 0; i < tokens; ++i)
    rows.push_back(json(std::vector<int>(static_cast<std::size_t>(tokens), 1)));
  rows[3][1] = 0;
  file["model_folder"]["changes"] =
      json::array({{{"layer", 1}, {"temperature", 2}}, {{"layer", 1}, {"mask", rows}}});
  const Session session = parse_session(file.dump(), ".", "x.headlight");
  CHECK(changes_in_words(*session.work) ==
        std::vector<std::string>{"layer 1: softcap 2.5", "layer 1: scale 0.102", "layer 1: mask painted"});
  NetworkPass pass(session.work->network), plain(session.work->network);
  take_state(pass, state_of(*session.work));
  plain.set_ids(session.work->ids);
  Matrix allowed = Matrix::Ones(tokens, tokens);
  allowed(3, 1) = 0;
  plain.set_settings(1, painted_mask(allowed));
  // exp(c tanh(x / c) / 2) is the root of exp(c tanh(x / c)).
  Matrix halved = plain.attention_weights(1, 2).cwiseSqrt();
  halved.array().colwise() /= halved.rowwise().sum().array();
  CHECK(largest_difference(pass.attention_weights(1, 2), halved) < kRounding);
  file["model_folder"]["changes"][0]["temperature"] = 0;
  CHECK_THAT(message_for(file.dump()), ContainsSubstring("changes[0].temperature"));
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
  for (const auto& [settings, words] :
       std::vector<std::pair<json, std::string>>{{{{"softcap", -1}}, "softcap is not a number above 0"},
                                                 {{{"sinks", {1}}}, "1 sinks for 4 heads"},
                                                 {{{"mask", {{1}}}}, "mask is 1 x 1"},
                                                 {{{"num_heads", 2}}, "changes[0].attention.num_heads"},
                                                 {{{"dropout", {{"probability", 3}}}}, "between 0 and 1"}})
    CHECK_THAT(with("/model_folder/changes/0", json{{"layer", 2}, {"attention", settings}}),
               ContainsSubstring(words));
  // Each pair of forms of a change, though each is good by itself.
  const std::vector<std::pair<std::string, json>> forms = {
      {"state", "off"},       {"temperature", 2},    {"mask", {{1}}},
      {"parameter", "value"}, {"stage", "residual"}, {"attention", {{"softcap", 2}}}};
  for (const auto& [one, first] : forms)
    for (const auto& [other, second] : forms)
      if (one != other)
        CHECK_THAT(with("/model_folder/changes/0", json{{"layer", 0}, {one, first}, {other, second}}),
                   ContainsSubstring("does not go with"));
  CHECK_THAT(with("/model_folder/changes/0", json{{"layer", 0}, {"temperature", 2}, {"head", 1}}),
             ContainsSubstring("\"head\" does not go with \"temperature\""));
}

namespace {

Session session_of(OpenModel work) {
  Session session;
  session.title = "sides";
  session.layer = shown_layer(work);
  session.work = std::make_shared<const OpenModel>(std::move(work));
  return session;
}

Session changed_sides() {
  OpenModel work = two_sided("t5");
  work.layer = {Side::Cross, 1};
  const Index own = token_count(work), source = token_count(work, Side::Encoder);
  set_head(work, {Side::Encoder, 0}, 1, HeadState::Mean);
  set_head(work, {Side::Cross, 1}, 2, HeadState::Off);
  work.on.layers[{Side::Cross, 0}].settings = painted_mask(Matrix::Ones(own, source));
  work.on.layers[1].settings = scaled(2);
  add_patch(work, {PatchStage::Residual, 2, 0, 1, 0, Matrix::Constant(1, 4, 0.5f), Side::Encoder});
  add_patch(work, {PatchStage::MlpAdded, 0, 0, 1, 0, Matrix::Constant(1, 4, 0.5f)});
  OwnWeights weights = stored_weights(*work.network, {Side::Cross, 1}, Parameter::Key);
  weights.w(0, 0) = 3;
  work.on.layers[{Side::Cross, 1}].weights[1] = std::make_shared<const OwnWeights>(weights);
  return session_of(std::move(work));
}

// The message for a session whose member at the pointer is replaced, or removed for null.
std::string message_with(const nlohmann::json& good, const std::string& pointer,
                         const nlohmann::json& value) {
  nlohmann::json changed = good;
  if (value.is_null())
    changed["model_folder"].erase(pointer);
  else
    changed[nlohmann::json::json_pointer("/model_folder/" + pointer)] = value;
  return message_for(changed.dump());
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("model folder: a model of two sides keeps both texts, its side and the changes of each side") {
  const TemporaryFolder folder;
  for (const SessionForm form : {SessionForm::Text, SessionForm::Archive}) {
    const Session session = changed_sides();
    save_session(session, folder / "x.headlight", form);
    const Session again = load_session(folder / "x.headlight");
    REQUIRE(again.work);
    CHECK(same_input(*again.work, *session.work));
    CHECK(again.work->layer == LayerPlace(Side::Cross, 1));
    CHECK(list_changes(*again.work) == list_changes(*session.work));
    CHECK(again.work->on.patches == session.work->on.patches);
    NetworkPass one = pass_over(*session.work), two = pass_over(*again.work);
    CHECK(largest_difference(one.logits(0, one.token_count()), two.logits(0, two.token_count())) == 0);
    CHECK(session_text(again) == session_text(session));
    CHECK(again.layer.key_count() == token_count(*again.work, Side::Encoder));
  }
}

TEST_CASE("model folder: malformed sides are refused with their place") {
  const nlohmann::json good = nlohmann::json::parse(session_text(changed_sides()));
  CHECK(message_for(good.dump()).empty());
  CHECK(says(message_with(good, "source", nullptr), "model_folder.source"));
  CHECK(says(message_with(good, "source/ids", {1, 999}), "outside the vocabulary"));
  CHECK(says(message_with(good, "source/words", "a"), "model_folder.source"));
  CHECK(says(message_with(good, "side", "left"), "model_folder.side"));
  CHECK(says(message_with(good, "layer", 2), "model_folder.layer"));
  CHECK(says(message_with(good, "image", {{"path", "a.png"}}), "model_folder.image"));
  const nlohmann::json head = {{"side", "cross"}, {"layer", 0}, {"head", 1}, {"state", "mean"}};
  CHECK(says(message_with(good, "changes/0", head), "not replaced by its mean"));
  const nlohmann::json patch = {{"side", "cross"}, {"layer", 0}, {"stage", "weights"}, {"values", {{1}}}};
  CHECK(says(message_with(good, "changes/0", patch), "cross-attention are not overwritten"));
  const nlohmann::json plain = nlohmann::json::parse(session_text(changed_session("gpt2")));
  CHECK(says(message_with(plain, "side", "encoder"), "one side"));
  CHECK(says(message_with(plain, "source", {{"ids", {1}}}), "one side"));
}

TEST_CASE("model folder: an image is kept as the path of its file, or as its numbers, or is the program's") {
  const TemporaryFolder folder;
  const auto round_trip = [&](const OpenModel& work, SessionForm form) {
    save_session(session_of(work), folder / "x.headlight", form);
    return load_session(folder / "x.headlight");
  };
  for (const SessionForm form : {SessionForm::Text, SessionForm::Archive}) {
    OpenModel work = image_model();
    work.layer = 1;
    Session again = round_trip(work, form);
    CHECK(same_matrix(again.work->image->pixels, work.image->pixels));
    CHECK(again.work->image->path.empty());
    set_image(work, first_image(*work.network));
    CHECK_FALSE(says(session_text(session_of(work)), "\"image\""));
    again = round_trip(work, form);
    CHECK(same_matrix(again.work->image->pixels, work.image->pixels));
    std::ofstream(folder / "a.npy", std::ios::binary) << npy_bytes(library_array("vit", "image"));
    set_image(work, read_image(folder / "a.npy", *work.network));
    again = round_trip(work, form);
    CHECK(same_matrix(again.work->image->pixels, work.image->pixels));
    CHECK(std::filesystem::equivalent(again.work->image->path, folder / "a.npy"));
    CHECK(again.layer.tokens[1] == "patch 0,0");
  }
}

TEST_CASE("model folder: an image that is missing, or another one since, is told") {
  const TemporaryFolder folder;
  OpenModel work = image_model();
  NamedArray array = library_array("vit", "image");
  std::ofstream(folder / "a.npy", std::ios::binary) << npy_bytes(array);
  set_image(work, read_image(folder / "a.npy", *work.network));
  save_session(session_of(work), folder / "x.headlight");
  const auto message = [&] {
    try {
      (void)load_session(folder / "x.headlight");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message().empty());
  array.values[3] += 1;
  std::ofstream(folder / "a.npy", std::ios::binary) << npy_bytes(array);
  CHECK(says(message(), "another picture"));
  std::filesystem::remove(folder / "a.npy");
  CHECK(says(message(), "model_folder.image.path"));
  CHECK(says(message(), "a.npy"));
}

TEST_CASE("model folder: malformed images are refused with their place") {
  const nlohmann::json good = nlohmann::json::parse(session_text(session_of(image_model())));
  CHECK(message_for(good.dump()).empty());
  CHECK(says(message_with(good, "image/values", {{1, 2}, {3, 4}}), "model_folder.image"));
  CHECK(says(message_with(good, "image", {{"file", "a.png"}}), "model_folder.image"));
  CHECK(says(message_with(good, "image", nlohmann::json::object()), "model_folder.image.path"));
  CHECK(says(message_with(good, "ids", {1}), "reads images"));
  CHECK(says(message_with(good, "side", "decoder"), "one side"));
}

TEST_CASE("model folder: a text beside ids of another one is refused") {
  nlohmann::json session = nlohmann::json::parse(session_text([] {
    OpenModel work;
    work.network = std::make_shared<const Network>(source_root() + "/assets/examples/words");
    set_text(work, "Ann met Tom");
    return session_of(std::move(work));
  }()));
  CHECK(message_for(session.dump()).empty());
  session["model_folder"]["text"] = "Ann met Leo";
  CHECK_THAT(message_for(session.dump()), ContainsSubstring("not the text of the ids"));
  session["model_folder"].erase("text");
  CHECK(message_for(session.dump()).empty());
}

TEST_CASE("model folder: a data set is named from the session's folder, with the rows that are off") {
  const TemporaryFolder folder;
  Session session = changed_session("gpt2");
  const auto with_set = [&](const std::string& path, std::vector<Index> off) {
    auto work = std::make_shared<OpenModel>(*session.work);
    work->set = ChosenSet{path, std::move(off)};
    session.work = std::move(work);
    save_session(session, folder / "x.headlight", SessionForm::Text);
    return nlohmann::json::parse(read_file(folder / "x.headlight")).at("model_folder").at("set");
  };
  const std::string beside = (folder / "sets/pairs.tsv").string();
  const auto elsewhere = with_set("/elsewhere/pairs.tsv", {});
  CHECK(elsewhere.at("path") == "/elsewhere/pairs.tsv");
  CHECK_FALSE(elsewhere.contains("off"));
  const auto below = with_set(beside, {1, 4});
  CHECK(below.at("path") == "sets/pairs.tsv");
  CHECK(below.at("off") == nlohmann::json::parse("[1, 4]"));
  CHECK(load_session(folder / "x.headlight").work->set == session.work->set);
  CHECK_FALSE(parse_session(session_text(changed_session("gpt2")), ".", "x.headlight").work->set.has_value());
  auto file = nlohmann::json::parse(read_file(folder / "x.headlight"));
  file["model_folder"]["set"]["off"] = nlohmann::json::parse("[-1]");
  CHECK_THAT(message_for(file.dump()), ContainsSubstring("model_folder.set.off[0]"));
  file["model_folder"]["set"] = nlohmann::json::parse("{\"file\": \"pairs.tsv\"}");
  CHECK_THAT(message_for(file.dump()), ContainsSubstring("path"));
}
