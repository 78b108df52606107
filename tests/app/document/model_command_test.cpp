// Edits of the open model: each is a step at once, and its shown layer follows when it is computed.
#include "app/document/model_command.h"

#include <algorithm>
#include <functional>

#include "app/document/document.h"
#include "engine/core/error.h"
#include "engine/network/layer_at.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/catch.h"
#include "tests/support/model_files.h"
#include "tests/support/random_models.h"

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

// The document with the layer of its model, as the program computes it.
void compute(Document& document) {
  const auto work = document.session().work;
  document.run(TakeLayer{work, layer_of(*work)});
}

std::string refused_edit(Document& document, const Command& command) {
  try {
    document.run(command);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

EditOpenModel off(Index layer, Index head) {
  return {SetHead{layer, head, HeadState::Off}, "Switch off"};
}

}  // namespace

TEST_CASE("model edits: each is a step at once, its layer follows, and undo takes both back") {
  Document document(open_session());
  const OpenModel before = *document.session().work;
  const Layer layer = document.layer();
  document.run(EditOpenModel{ShowLayer{1}, "Another layer"});
  CHECK(document.session().work->layer == 1);
  CHECK(document.undo_name() == "Another layer");
  CHECK_FALSE(document.has_layer());
  CHECK(same_layer(document.layer(), layer));
  document.run(off(0, 1));  // before the layer of the first is there
  compute(document);
  CHECK(document.has_layer());
  const Layer computed = document.layer();
  CHECK_FALSE(same_layer(computed, layer));
  CHECK(document.undo_name() == "Switch off");
  document.undo();
  CHECK(document.session().work->layer == 1);
  CHECK_FALSE(document.has_layer());  // it was never there
  document.undo();
  CHECK(*document.session().work == before);
  CHECK(document.has_layer());
  CHECK(same_layer(document.layer(), layer));
  document.redo();
  document.redo();
  CHECK(document.has_layer());
  CHECK(same_layer(document.layer(), computed));
}

TEST_CASE("model edits: a layer that comes too late is not taken") {
  Document document(open_session());
  document.run(EditOpenModel{ShowLayer{1}, "Another layer"});
  const TakeLayer late{document.session().work, layer_of(*document.session().work)};
  document.undo();
  const std::uint64_t revision = document.revision();
  document.run(late);
  document.run(EditOpenModel{ShowLayer{2}, "Another layer"});
  document.run(late);
  CHECK_FALSE(document.has_layer());
  CHECK(document.revision() == revision + 1);
}

TEST_CASE("model edits: those of one gesture are one step, with its layers or before them") {
  Document document(open_session());
  std::vector<std::int32_t> ids = document.session().work->ids;
  const std::vector<std::int32_t> before = ids;
  const auto type = [&] {
    ids.push_back(1);
    document.run(EditOpenModel{SetModelIds{ids}, "Text", 7});
  };
  type();
  type();
  compute(document);
  type();
  CHECK(document.session().work->ids == ids);
  document.undo();
  CHECK(document.session().work->ids == before);
  CHECK(document.has_layer());
  CHECK_FALSE(document.can_undo());
}

TEST_CASE("model edits: a layer that cannot be computed takes its steps back, and only them") {
  Document document(open_session());
  document.run(off(0, 1));
  compute(document);
  const std::shared_ptr<const OpenModel> kept = document.session().work;
  document.run(off(1, 2));
  document.run(EditOpenModel{ShowLayer{1}, "Another layer"});
  document.run(GiveUpLayer{});
  CHECK(document.session().work == kept);
  CHECK(document.has_layer());
  document.run(GiveUpLayer{});
  CHECK(document.session().work == kept);
}

TEST_CASE("model edits: the layer takes no edit of its own while it is still to be computed") {
  Document document(open_session());
  AttentionSettings settings = document.layer().attention;
  settings.disabled_heads = {0};
  document.run(RemoveToken{1});
  const std::shared_ptr<const OpenModel> shorter = document.session().work;
  CHECK_THAT(refused_edit(document, SetAttention{settings}), ContainsSubstring("still being computed"));
  CHECK(document.session().work == shorter);
  document.run(SetTitle{"Another", ""});
  compute(document);
  CHECK(refused_edit(document, SetAttention{settings}) == "");
  CHECK(list_changes(*document.session().work).size() == 1);
}

TEST_CASE("model edits: what changes no number of the layer needs no other one") {
  Document document(open_session());
  document.run(EditOpenModel{ChooseSet{ChosenSet{"/set.tsv", {}}}, "Data set"});
  CHECK(document.session().work->set);
  CHECK(document.has_layer());
  document.undo();
  CHECK_FALSE(document.session().work->set);
  CHECK(document.has_layer());
}

TEST_CASE("model edits: a layer that was left before it was computed is computed when that is undone") {
  Document document(open_session());
  document.run(EditOpenModel{ShowLayer{1}, "Another layer"});
  document.run(LeaveModel{});
  CHECK(document.has_layer());
  document.undo();
  CHECK_FALSE(document.has_layer());
  compute(document);
  document.run(LeaveModel{});
  document.undo();
  CHECK(document.has_layer());
}

TEST_CASE("model edits: another layer is a step that leaves the session saved, a head that is off is not") {
  Document document(open_session());
  document.run(EditOpenModel{ShowLayer{2}, "Another layer"});
  compute(document);
  CHECK(document.can_undo());
  CHECK(document.saved());
  CHECK(document.unsaved_steps() == 0);
  document.run(off(0, 1));
  CHECK_FALSE(document.saved());
  document.undo();
  CHECK(document.saved());
}

TEST_CASE("model edits: what does not fit is refused, and changes nothing") {
  Document document(open_session());
  const std::shared_ptr<const OpenModel> before = document.session().work;
  for (const OpenModelEdit& edit : std::vector<OpenModelEdit>{
           SetModelIds{{-1}}, SetModelIds{{}}, SetModelIds{std::vector<std::int32_t>(100000, 1)},
           SetModelIdsText{"1, x"}, ShowLayer{99}, ShowLayer{-1}, SetHead{99, 0, HeadState::Off},
           SetHead{0, 99, HeadState::Off}, KeepOnlyHead{0, -1}, SwitchChange{{ChangeKind::Head, 0, 1, true}},
           RemoveChange{{ChangeKind::Patch, 0, 3, true}}}) {
    CHECK_FALSE(refused_edit(document, EditOpenModel{edit, "Edit"}).empty());
    CHECK(document.session().work == before);
    CHECK_FALSE(document.can_undo());
  }
  document.run(off(0, 1));
  document.run(off(0, 1));  // a repeated edit changes nothing
  document.undo();
  CHECK_FALSE(document.can_undo());
}

TEST_CASE("model edits: commands of tokens edit the text of the model that is open, others its layer") {
  Document document(open_session());
  const std::vector<std::int32_t> ids = document.session().work->ids;
  document.run(RemoveToken{1});
  REQUIRE(document.session().work->ids.size() == ids.size() - 1);
  CHECK(document.session().work->ids[1] == ids[2]);
  CHECK(document.undo_name() == "Remove token");
  document.run(ChangeLines{{LineKind::Token, LineChange::Duplicate, 0, 2, 0}});
  CHECK(document.session().work->ids.size() == ids.size() + 1);
  const std::shared_ptr<const OpenModel> work = document.session().work;
  document.run(SetTitle{"Another", ""});
  CHECK(document.session().title == "Another");
  CHECK(document.session().work == work);
}

TEST_CASE("model edits: tokens are inserted, moved and replaced as in a session without a model") {
  const std::vector<std::int32_t> ids = open_session().work->ids;
  REQUIRE(ids.size() >= 5);
  const auto after = [&](const Command& command) {
    Document document(open_session());
    document.run(command);
    CHECK(document.undo_name() == command_name(command));
    return document.session().work->ids;
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
  CHECK(document.session().work->text == "the cat sat");
  CHECK(document.session().work->ids == network.tokenizer()->encode("the cat sat"));
  const std::vector<std::int32_t> ids = document.session().work->ids;
  InsertToken named;
  named.at = 1;
  named.label = "cat";
  document.run(named);
  std::vector<std::int32_t> expected = ids, label = network.tokenizer()->encode("cat");
  expected.insert(expected.begin() + 1, label.begin(), label.end());
  CHECK(document.session().work->ids == expected);
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
    CHECK_THAT(refused_edit(document, command), ContainsSubstring("has no tokenizer.json"));
  }
  CHECK(document.session().work->ids == std::vector<std::int32_t>{1, 2, 3});
  CHECK_FALSE(document.can_undo());
  named.copy = true;  // needs no name
  document.run(named);
  CHECK(document.session().work->ids == std::vector<std::int32_t>{1, 1, 2, 3});
}

TEST_CASE("model edits: an intervention is a step of its own, is replaced in its turn, and undone") {
  Document document(open_session());
  Intervention zero;
  zero.place = InterventionPlace::Head;
  zero.units = {1};
  document.run(EditOpenModel{AddIntervention{zero}, "Intervention"});
  compute(document);
  Intervention later = zero;
  later.units = {2};
  document.run(EditOpenModel{AddIntervention{later}, "Intervention"});
  compute(document);
  CHECK(document.undo_name() == "Intervention");
  const std::shared_ptr<const OpenModel> both = document.session().work;
  REQUIRE(both->on.interventions.size() == 2);
  Intervention other = zero;
  other.units = {3};
  document.run(EditOpenModel{ReplaceIntervention{list_changes(*both)[0], other}, "Intervention"});
  compute(document);
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
  document.run(EditOpenModel{SwitchChange{list_changes(*document.session().work)[0]}, "Switch change off"});
  zero.positions = {1000};
  document.run(
      EditOpenModel{ReplaceIntervention{list_changes(*document.session().work)[0], zero}, "Intervention"});
  CHECK(document.session().work->on.interventions.empty());
  REQUIRE(document.session().work->off.interventions.size() == 1);
  CHECK(document.session().work->off.interventions[0]->positions == std::vector<Index>{1000});
}

TEST_CASE("model edits: an intervention that does not fit is refused, and nothing is changed") {
  Document document(open_session());
  const std::shared_ptr<const OpenModel> before = document.session().work;
  Intervention wrong;
  wrong.layer = 99;
  CHECK_THAT(refused_edit(document, EditOpenModel{AddIntervention{wrong}, "Intervention"}),
             ContainsSubstring("there is no layer 99"));
  document.run(EditOpenModel{SetHead{0, 1, HeadState::Off}, "Switch off"});
  const ReplaceIntervention of_a_head{list_changes(*document.session().work)[0], Intervention()};
  CHECK_THAT(refused_edit(document, EditOpenModel{of_a_head, "Intervention"}),
             ContainsSubstring("no intervention"));
  CHECK(document.session().work->on.interventions.empty());
  CHECK(before->on.interventions.empty());
}
