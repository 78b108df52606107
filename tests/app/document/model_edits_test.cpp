// Edits of the open model: they are collected, and become one step when their layer is computed.
#include "app/document/model_edits.h"

#include <algorithm>
#include <functional>

#include "app/document/document.h"
#include "engine/core/error.h"
#include "engine/network/layer_at.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/catch.h"
#include "tests/support/model_files.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Session open_session() {
  NetworkPass pass = golden_pass("gpt2");
  OpenModel work;
  work.network = pass.network_owner();
  work.ids = pass.ids();
  Session session;
  session.layer = layer_at(pass, 0);
  session.work = std::make_shared<const OpenModel>(std::move(work));
  return session;
}

std::shared_ptr<const Layer> layer_of(const OpenModel& work) {
  NetworkPass pass(work.network);
  take_state(pass, state_of(work));
  return std::make_shared<const Layer>(layer_at(pass, work.layer));
}

EditOpenModel off(Index layer, Index head) {
  return {SetHead{layer, head, HeadState::Off}, "Switch off"};
}

}  // namespace

TEST_CASE("model edits: they wait until their layer is there, become one step, and undo takes it back") {
  Document document(open_session());
  const std::shared_ptr<const OpenModel> before = document.session().work;
  const std::uint64_t revision = document.revision();
  document.run(off(0, 1));
  document.run(EditOpenModel{ShowLayer{2}, "Another layer"});
  CHECK(document.session().work == before);
  CHECK(document.revision() == revision);
  CHECK_FALSE(document.can_undo());
  CHECK(document.list_model_edits().size() == 2);
  CHECK(document.edited_model()->layer == 2);
  CHECK(list_changes(*document.edited_model()).size() == 1);
  document.commit_model_edits(layer_of(*document.edited_model()));
  CHECK(document.list_model_edits().empty());
  CHECK(document.session().work->layer == 2);
  CHECK(document.undo_name() == "Another layer");
  document.undo();
  CHECK(*document.session().work == *before);
  CHECK(document.edited_model() == document.session().work);
  document.redo();
  CHECK(document.session().work->layer == 2);
}

TEST_CASE("model edits: another layer is a step that leaves the session saved, a head that is off is not") {
  Document document(open_session());
  document.run(EditOpenModel{ShowLayer{2}, "Another layer"});
  document.commit_model_edits(layer_of(*document.edited_model()));
  CHECK(document.can_undo());
  CHECK(document.saved());
  CHECK(document.unsaved_steps() == 0);
  document.run(EditOpenModel{ShowLayer{1}, "Another layer"});
  document.run(off(0, 1));
  document.commit_model_edits(layer_of(*document.edited_model()));
  CHECK_FALSE(document.saved());
  document.undo();
  CHECK(document.saved());
}

TEST_CASE("model edits: what does not fit is reported, and changes nothing") {
  Document document(open_session());
  const std::shared_ptr<const OpenModel> before = document.edited_model();
  CHECK_FALSE(document.take_model_outcome().has_value());
  for (const OpenModelEdit& edit : std::vector<OpenModelEdit>{
           SetModelIds{{-1}}, SetModelIds{{}}, SetModelIds{std::vector<std::int32_t>(100000, 1)},
           SetModelIdsText{"1, x"}, ShowLayer{99}, ShowLayer{-1}, SetHead{99, 0, HeadState::Off},
           SetHead{0, 99, HeadState::Off}, KeepOnlyHead{0, -1}, SwitchChange{{ChangeKind::Head, 0, 1, true}},
           RemoveChange{{ChangeKind::Patch, 0, 3, true}}}) {
    document.run(EditOpenModel{edit, "Edit"});
    CHECK(document.edited_model() == before);
    CHECK(document.list_model_edits().empty());
    const std::optional<std::string> outcome = document.take_model_outcome();
    REQUIRE(outcome.has_value());
    CHECK_FALSE(outcome->empty());
  }
  document.run(off(0, 1));
  CHECK(document.take_model_outcome() == "");
  document.run(off(0, 1));  // a repeated edit changes nothing
  CHECK(document.list_model_edits().size() == 1);
  document.discard_model_edits();
  CHECK(document.edited_model() == document.session().work);
}

TEST_CASE(
    "model edits: those that wait are applied anew to what undo, or an edit of the layer, has made of the "
    "model") {
  Document document(open_session());
  document.run(off(0, 1));
  document.commit_model_edits(layer_of(*document.edited_model()));
  document.run(off(1, 2));
  document.undo();
  CHECK(list_changes(*document.session().work).empty());
  REQUIRE(list_changes(*document.edited_model()).size() == 1);
  CHECK(list_changes(*document.edited_model()).front() == ChangeEntry{ChangeKind::Head, 1, 2, true});
  AttentionSettings settings = document.layer().attention;
  settings.disabled_heads = {0};
  document.run(SetAttention{settings});
  CHECK(list_changes(*document.edited_model()).size() == 2);
  CHECK(list_changes(*document.session().work).size() == 1);
  Session without_model = document.session();
  without_model.work = nullptr;
  document.replace(std::move(without_model), std::nullopt);
  CHECK(document.edited_model() == nullptr);
  CHECK(document.list_model_edits().empty());
}

TEST_CASE("model edits: commands of tokens edit the text of the model that is open, others its layer") {
  Document document(open_session());
  const std::vector<std::int32_t> ids = document.session().work->ids;
  document.run(RemoveToken{1});
  REQUIRE(document.edited_model()->ids.size() == ids.size() - 1);
  CHECK(document.edited_model()->ids[1] == ids[2]);
  CHECK(document.list_model_edits().back().name == "Remove token");
  document.run(ChangeLines{{LineKind::Token, LineChange::Duplicate, 0, 2, 0}});
  CHECK(document.edited_model()->ids.size() == ids.size() + 1);
  CHECK_FALSE(document.can_undo());
  document.run(SetTitle{"Another", ""});
  CHECK(document.session().title == "Another");
  CHECK(document.can_undo());
}

TEST_CASE("model edits: tokens are inserted, moved and replaced as in a session without a model") {
  const std::vector<std::int32_t> ids = open_session().work->ids;
  REQUIRE(ids.size() >= 5);
  const auto after = [&](const Command& command) {
    Document document(open_session());
    document.run(command);
    CHECK_FALSE(document.list_model_edits().empty());
    return document.edited_model()->ids;
  };
  const auto with = [&](const std::function<void(std::vector<std::int32_t>&)>& change) {
    std::vector<std::int32_t> changed = ids;
    change(changed);
    return changed;
  };
  const auto lines = [](LineChange change, Index from, Index count, Index to) {
    return ChangeLines{{LineKind::Token, change, from, count, to}};
  };
  InsertToken copy;
  copy.at = 3;
  copy.copy = true;
  CHECK(after(copy) == with([](auto& all) { all.insert(all.begin() + 3, all[2]); }));
  copy.at = 0;
  CHECK(after(copy) == with([](auto& all) { all.insert(all.begin(), all[0]); }));
  CHECK(after(MoveToken{1, 3}) == with([](auto& all) { std::rotate(&all[1], &all[2], &all[4]); }));
  CHECK(after(lines(LineChange::Move, 0, 2, 2)) ==
        with([](auto& all) { std::rotate(&all[0], &all[2], &all[4]); }));
  CHECK(after(lines(LineChange::Remove, 1, 2, 0)) ==
        with([](auto& all) { all.erase(all.begin() + 1, all.begin() + 3); }));
  const auto count = static_cast<Index>(ids.size());
  CHECK(after(lines(LineChange::Insert, 1, 1, 0)) ==
        with([](auto& all) { all.insert(all.begin() + 1, all[1]); }));
  CHECK(after(lines(LineChange::Insert, count, 1, 0)) == with([](auto& all) { all.push_back(all.back()); }));
}

TEST_CASE("model edits: the words of a text become the model's text, and a label its own tokens") {
  Document document(open_session());
  const Network& network = *document.session().work->network;
  REQUIRE(network.tokenizer());
  document.run(ReplaceTokens{{"the", "cat", "sat"}, {}});
  CHECK(document.edited_model()->text == "the cat sat");
  CHECK(document.edited_model()->ids == network.tokenizer()->encode("the cat sat"));
  const std::vector<std::int32_t> ids = document.edited_model()->ids;
  InsertToken named;
  named.at = 1;
  named.label = "cat";
  document.run(named);
  std::vector<std::int32_t> expected = ids, label = network.tokenizer()->encode("cat");
  expected.insert(expected.begin() + 1, label.begin(), label.end());
  CHECK(document.edited_model()->ids == expected);
}

TEST_CASE("model edits: without a tokenizer a label is no token, which is said, and nothing changes") {
  const ModelCopy copy("gpt2");
  std::filesystem::remove(copy.path() / "tokenizer.json");
  NetworkPass pass(std::make_shared<const Network>(copy.path()));
  pass.set_ids({1, 2, 3});
  OpenModel work;
  work.network = pass.network_owner();
  work.ids = pass.ids();
  Session session;
  session.layer = layer_at(pass, 0);
  session.work = std::make_shared<const OpenModel>(std::move(work));
  Document document(std::move(session));
  InsertToken named;
  named.at = 1;
  named.label = "cat";
  for (const Command& command : {Command(RenameToken{1, "cat"}), Command(named)}) {
    document.run(command);
    CHECK_THAT(document.take_model_outcome().value_or(""), ContainsSubstring("has no tokenizer.json"));
  }
  CHECK(document.edited_model()->ids == std::vector<std::int32_t>{1, 2, 3});
  CHECK(document.list_model_edits().empty());
  named.copy = true;  // needs no name
  document.run(named);
  CHECK(document.edited_model()->ids == std::vector<std::int32_t>{1, 1, 2, 3});
}

TEST_CASE("model edits: an intervention is a step of its own, is replaced in its turn, and undone") {
  Document document(open_session());
  const auto commit = [&] { document.commit_model_edits(layer_of(*document.edited_model())); };
  Intervention zero;
  zero.place = InterventionPlace::Head;
  zero.units = {1};
  document.run(EditOpenModel{AddIntervention{zero}, "Intervention"});
  commit();
  Intervention later = zero;
  later.units = {2};
  document.run(EditOpenModel{AddIntervention{later}, "Intervention"});
  commit();
  CHECK(document.undo_name() == "Intervention");
  const std::shared_ptr<const OpenModel> both = document.session().work;
  REQUIRE(both->on.interventions.size() == 2);
  Intervention other = zero;
  other.units = {3};
  document.run(EditOpenModel{ReplaceIntervention{list_changes(*both)[0], other}, "Intervention"});
  commit();
  const Interventions& now = document.session().work->on.interventions;
  REQUIRE(now.size() == 2);
  CHECK(now[0]->units == std::vector<Index>{3});  // still the first one
  CHECK(now[1] == both->on.interventions[1]);
  document.undo();
  CHECK(*document.session().work == *both);
}

TEST_CASE("model edits: one that is off stays off when it is replaced, and need not fit the text") {
  Document document(open_session());
  Intervention zero;
  zero.positions = {0};
  document.run(EditOpenModel{AddIntervention{zero}, "Intervention"});
  document.run(EditOpenModel{SwitchChange{list_changes(*document.edited_model())[0]}, "Switch change off"});
  zero.positions = {1000};
  document.run(
      EditOpenModel{ReplaceIntervention{list_changes(*document.edited_model())[0], zero}, "Intervention"});
  CHECK(document.edited_model()->on.interventions.empty());
  REQUIRE(document.edited_model()->off.interventions.size() == 1);
  CHECK(document.edited_model()->off.interventions[0]->positions == std::vector<Index>{1000});
}

TEST_CASE("model edits: an intervention that does not fit is refused, and nothing is changed") {
  Document document(open_session());
  const std::shared_ptr<const OpenModel> before = document.edited_model();
  Intervention wrong;
  wrong.layer = 99;
  document.run(EditOpenModel{AddIntervention{wrong}, "Intervention"});
  const std::optional<std::string> refused = document.take_model_outcome();
  REQUIRE(refused);
  CHECK_THAT(*refused, ContainsSubstring("there is no layer 99"));
  document.run(EditOpenModel{SetHead{0, 1, HeadState::Off}, "Switch off"});
  document.run(EditOpenModel{ReplaceIntervention{list_changes(*document.edited_model())[0], Intervention()},
                             "Intervention"});
  CHECK_THAT(document.take_model_outcome().value(), ContainsSubstring("no intervention"));
  CHECK(document.edited_model()->on.interventions.empty());
  CHECK(before->on.interventions.empty());
}
