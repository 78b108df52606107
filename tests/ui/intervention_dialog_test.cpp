// The dialog of an intervention: what its fields make, what it says of mistakes, and editing a listed one.
#include "app/ui/model/intervention_dialog.h"

#include "engine/arrays/npy.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/model_bench.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using PlaceNumbers = std::vector<Index>;

struct InterventionBench : ModelBench {
  explicit InterventionBench(const std::string& family = "gpt2") : ModelBench(family) {
    click("model.tab.changes");
  }
  void begin() {
    click("model.change.add");
    REQUIRE(robot().shows("intervention.ok"));
  }
  void pick(const std::string& box, const std::string& entry) {
    if (robot().value("intervention." + box) == entry) return;
    robot().click("intervention." + box);
    click("intervention." + box + "." + entry);
  }
  void fill(const std::string& field, const std::string& text) {
    robot().click("intervention." + field);
    robot().key(Key::A, {.ctrl = true});
    robot().type(text);
  }
  std::string message(const std::string& field) {
    const std::string name = "intervention.message." + field;
    return robot().shows(name) ? robot().value(name) : "";
  }
  const Intervention& added() {
    REQUIRE_FALSE(robot().shows("intervention.ok"));
    REQUIRE_FALSE(open().on.interventions.empty());
    return *open().on.interventions.back();
  }
};

// The field that a mistake is at, and what is said of it.
struct FieldMistake {
  std::string place, how, field, typed, said;
};

}  // namespace

TEST_CASE("intervention dialog: a head is set to zero at a token, as one step that is listed and undone") {
  InterventionBench bench;
  bench.click("model.tab.predictions");
  const std::string before = bench.robot().value("model.prediction.0");
  bench.click("model.tab.changes");
  bench.begin();
  bench.pick("place", "head");
  bench.pick("layer", "1");
  bench.fill("units", "2");
  bench.fill("positions", "1, -1");
  bench.click("intervention.ok");
  CHECK(bench.added().place == InterventionPlace::Head);
  CHECK(bench.added().how == InterventionHow::Zero);
  CHECK(bench.added().layer == 1);
  CHECK(bench.added().units == PlaceNumbers{2});
  CHECK(bench.added().positions == PlaceNumbers{1, -1});
  CHECK(bench.robot().value("model.change.0") == "on");
  CHECK(bench.tells_expected());
  CHECK(bench.fixture.document().undo_name() == "Intervention");
  bench.fixture.document().undo();
  bench.settle();
  CHECK(bench.open().on.interventions.empty());
  bench.click("model.tab.predictions");
  CHECK(bench.robot().value("model.prediction.0") == before);
}

TEST_CASE("intervention dialog: a mistake is told at its field, and the model stays as it is") {
  const std::vector<FieldMistake> mistakes = {
      {"head", "zero", "units", "9", "there is no head 9 (they go from 0 to 3"},
      {"head", "zero", "units", "1, 0-2", "head 1 is named twice"},
      {"head", "zero", "units", "3-1", "ends before it begins"},
      {"neuron", "zero", "units", "x", "is no number"},
      {"mlp", "zero", "positions", "999", "there is no token 999"},
      {"mlp", "value", "value", "1, 2", "does not fit"},
      {"mlp", "value", "value", "two", "two"},
      {"residual", "add", "direction", "1, 2", "it has 2 numbers"},
      {"residual", "project_out", "direction", "none.npy", "none.npy"},
      {"residual", "add", "strength", "much", "much"},
      {"keys", "mean", "texts", "/none/of/these.txt", "these.txt"},
      {"keys", "resample", "text", " ", "there is no text"},
      {"weights", "mean", "how", "", "weights have no mean"}};
  InterventionBench bench;
  const TemporaryFolder folder;
  folder.write("texts.txt", "the key\n");
  bench.begin();
  for (const FieldMistake& mistake : mistakes) {
    INFO(mistake.place << ", " << mistake.how << ", " << mistake.field << ": " << mistake.typed);
    bench.intervention.fields = {};
    bench.intervention.fields.texts = (folder / "texts.txt").string();
    bench.settle();
    bench.pick("place", mistake.place);
    bench.pick("how", mistake.how);
    if (!mistake.typed.empty()) bench.fill(mistake.field, mistake.typed);
    bench.click("intervention.ok");
    CHECK_THAT(bench.message(mistake.field), ContainsSubstring(mistake.said));
    CHECK(bench.robot().shows("intervention.ok"));
    CHECK(list_changes(bench.open()).empty());
  }
  bench.robot().key(Key::Escape);
  bench.settle();
  CHECK_FALSE(bench.robot().shows("intervention.ok"));
  CHECK(bench.fixture.errors().empty());
}

TEST_CASE("intervention dialog: numbers of other texts, given ones and directions change the prediction") {
  InterventionBench bench;
  const TemporaryFolder folder;
  const std::string texts = folder.write("texts.txt", "the key\nthe cabinet is here\n").string();
  NamedArray direction;
  direction.shape = {bench.open().network->config().width};
  for (Index i = 0; i < direction.shape[0]; ++i)
    direction.values.push_back(i % 2 == 0 ? 0.5f : -1);
  const std::string array = folder.write("direction.npy", npy_bytes(direction)).string();
  const auto add = [&](const char* place, const char* how, const char* field, const std::string& typed) {
    INFO(place << " " << how);
    bench.begin();
    bench.pick("place", place);
    bench.pick("how", how);
    bench.fill(field, typed);
    bench.click("intervention.ok");
    const Intervention& added = bench.added();
    CHECK(bench.tells_expected());
    return added;
  };
  const Intervention mean = add("values", "mean", "texts", texts);
  REQUIRE(mean.texts.size() == 2);
  CHECK(mean.texts[1] == bench.open().network->encode("the cabinet is here"));
  const Intervention value = add("mlp", "value", "value", "0.25");
  CHECK(value.value == PairArray{1, 1, {Matrix::Constant(1, 1, 0.25f)}});
  const Intervention moved = add("residual", "add", "direction", array);
  CHECK(moved.direction == Matrix(Eigen::Map<const Matrix>(direction.values.data(), 1, direction.shape[0])));
  CHECK(moved.strength == 1);
  CHECK(add("residual", "project_out", "direction", array).how == InterventionHow::ProjectOut);
  CHECK(bench.open().on.interventions.size() == 4);
  bench.begin();
  bench.pick("place", "mlp");
  bench.pick("how", "resample");
  bench.fill("text", bench.open().text + " on");
  bench.fill("positions", "2, 3");
  bench.fill("from", "3, -1");
  bench.click("intervention.ok");
  CHECK(bench.added().from == PlaceNumbers{3, -1});
  CHECK(bench.tells_expected());
}

TEST_CASE("intervention dialog: a listed one is changed in its place, and keeps what is not typed again") {
  InterventionBench bench;
  Intervention moved;
  moved.how = InterventionHow::Add;
  moved.layer = 1;
  moved.positions = {0, 1, 2, -1};
  moved.direction = Matrix::Constant(1, bench.open().network->config().width, 0.5f);
  bench.edit(AddIntervention{moved});
  Intervention zero;
  zero.place = InterventionPlace::Mlp;
  zero.layer = 1;
  bench.edit(AddIntervention{zero});
  bench.click("model.change.0.edit");
  CHECK(bench.robot().value("intervention.positions") == "0-2, -1");
  CHECK(bench.robot().value("intervention.strength") == "1");
  bench.fill("strength", "-3");
  bench.robot().key(Key::Enter);
  bench.settle();
  REQUIRE(bench.open().on.interventions.size() == 2);
  const Intervention& changed = *bench.open().on.interventions[0];
  CHECK(changed.strength == -3);
  CHECK(changed.positions == moved.positions);
  CHECK(changed.direction == moved.direction);
  CHECK(bench.tells_expected());
  bench.click("model.change.0.remove");
  CHECK(bench.open().on.interventions.size() == 1);
  CHECK(bench.fixture.errors().empty());
}

TEST_CASE("intervention dialog: it begins with the head and the token of the selected cell") {
  InterventionBench bench;
  const auto begun = [&](Stage stage, Index head, Index row, Index column) {
    bench.model().intervenes = InterventionRequest{std::nullopt, CellAddress{stage, 0, head, row, column}};
    bench.settle();
    const std::string units =
        bench.robot().shows("intervention.units") ? " " + bench.robot().value("intervention.units") : "";
    std::string found = bench.robot().value("intervention.place") + units + " at " +
                        bench.robot().value("intervention.positions");
    bench.click("intervention.cancel");
    return found;
  };
  CHECK(begun(Stage::Weights, 1, 3, 2) == "weights 1 at 3");
  CHECK(begun(Stage::Keys, 2, 4, 0) == "keys 2 at 4");
  CHECK(begun(Stage::Embeddings, 0, 2, 1) == "residual at 2");
  const Index width = bench.open().network->config().head_width;
  CHECK(begun(Stage::Concat, 0, 1, 3 * width) == "head 3 at 1");
  bench.fixture.preferences().count_from = 1;
  CHECK(begun(Stage::Context, 0, 0, 1) == "head 1 at 1");
}

TEST_CASE("intervention dialog: lists are counted as the window counts, and tokens have their words") {
  ModelBench bench(source_root() + "/assets/examples/words");
  bench.edit(SetModelText{"Tom gave the key to"});
  InterventionFields fields;
  fields.place = InterventionPlace::Head;
  fields.units = "1, 3 - 5";
  fields.positions = "Tom, -1";
  const Intervention made = intervention_from_fields(bench.open(), fields, Counting{1});
  CHECK(made.units == PlaceNumbers{0, 2, 3, 4});
  CHECK(made.positions == PlaceNumbers{1, -1});
  const InterventionFields again = fields_of(std::make_shared<const Intervention>(made), Counting{1});
  CHECK(again.units == "1, 3-5");
  CHECK(again.positions == "2, -1");
  fields.units = "0";
  try {
    intervention_from_fields(bench.open(), fields, Counting{1});
    FAIL("there is no head 0 where they are counted from 1");
  } catch (const Error& error) {
    CHECK(error.where() == "units");
    CHECK_THAT(error.hint(), ContainsSubstring("from 1 to 6"));
  }
  fields = {};
  fields.place = InterventionPlace::Neuron;
  fields.how = InterventionHow::Value;
  fields.units = "0-2";
  fields.value = "1, 2, 3";  // one each
  CHECK(intervention_from_fields(bench.open(), fields, {}).value.heads == 3);
}

TEST_CASE("intervention dialog: a model of two sides has none, and its button says so") {
  ModelBench bench(source_root() + "/tests/golden/library/t5");
  bench.click("model.tab.changes");
  CHECK_FALSE(bench.robot().widget("model.change.add").enabled);
  bench.model().intervenes = InterventionRequest{};
  bench.settle();
  CHECK_FALSE(bench.robot().shows("intervention.ok"));
}
