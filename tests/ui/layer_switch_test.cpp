// Several layers of one file: the field in the top bar, its keys, and undo of a switch.
#include "app/ui/dialogs/layer_switch.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "app/ui/dialogs/array_chooser.h"
#include "app/ui/main_window/workbench.h"
#include "engine/arrays/npy.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;
using headlight_test::TemporaryFolder;

namespace {

constexpr Index kLayers = 4, kHeads = 2, kTokens = 20;

// Causal attention; the first rows of all layers are equal. In layer l each later query gives its own token
// l / 10 more than the others.
NamedArray attentions() {
  NamedArray array{"attentions", {kLayers, kHeads, kTokens, kTokens}, {}};
  for (Index layer = 0; layer < kLayers; ++layer)
    for (Index head = 0; head < kHeads; ++head)
      for (Index q = 0; q < kTokens; ++q)
        for (Index k = 0; k < kTokens; ++k) {
          const float more = q > 0 ? static_cast<float>(layer) / 10 : 0;
          const float share = (1 - more) / static_cast<float>(q + 1);
          array.values.push_back(k > q ? 0 : k == q ? share + more : share);
        }
  return array;
}

struct SwitchWindow {
  TemporaryFolder folder;
  WorkbenchState state;
  ArrayChooserState arrays;
  bool bar_alone = false;  // draws the top bar alone, so that the robot can click it
  PanelFixture fixture;

  SwitchWindow()
      : fixture(lesson_session("15-linear-layers"), [this](UiContext& ui) {
          bar_alone ? top_bar(ui, state) : workbench(ui, state);
          array_chooser(ui, arrays);
        }) {
    robot().frames(4);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  void settle() {
    for (int i = 0; i < 2000; ++i) {
      robot().frames(2);
      if (!arrays.reading() && !arrays.layers.reading.running()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    robot().frames(3);
  }
  void open(const std::vector<NamedArray>& all) {
    write_npz(folder / "a.npz", all);
    open_array_chooser(arrays, folder / "a.npz");
    settle();
    robot().key(Key::Enter);
    settle();
    REQUIRE_FALSE(arrays.open);
  }
  void key(Key key) {
    robot().key(key, {false, false, true});
    settle();
  }
  // The layer in the model, computed from its weights.
  int layer() {
    const Matrix& weights = fixture.layer().given_weights.matrices.front();
    return static_cast<int>(std::lround((weights(5, 5) - weights(5, 0)) * 10));
  }
};

}  // namespace

TEST_CASE("layer switch: the field and the keys go through the layers, and stay within them") {
  SwitchWindow window;
  CHECK_FALSE(window.robot().shows("toolbar.layer"));
  window.open({attentions()});
  CHECK(window.layer() == 0);
  REQUIRE(window.robot().shows("toolbar.layer"));
  window.key(Key::Up);
  CHECK(window.layer() == 0);
  CHECK(window.fixture.document().undo_name() == "Arrays from a.npz");
  window.key(Key::Down);
  CHECK(window.layer() == 1);
  CHECK(window.fixture.document().undo_name() == "Layer 1");
  window.bar_alone = true;
  window.robot().frames(2);
  window.robot().click("toolbar.layer");
  window.robot().click("toolbar.layer.3");
  window.settle();
  window.bar_alone = false;
  window.robot().frames(2);
  CHECK(window.layer() == 3);
  window.key(Key::Down);
  CHECK(window.layer() == 3);
  window.key(Key::Up);
  CHECK(window.layer() == 2);
  CHECK(window.fixture.errors().empty());
}

TEST_CASE("layer switch: undo goes back layer by layer, and the field follows") {
  SwitchWindow window;
  window.open({attentions()});
  window.key(Key::Down);
  window.key(Key::Down);
  CHECK(window.layer() == 2);
  window.fixture.document().undo();
  window.robot().frames(3);
  CHECK(window.layer() == 1);
  CHECK(window.fixture.view().layers.at == 1);
  window.fixture.document().undo();
  window.fixture.document().undo();
  window.robot().frames(3);
  CHECK_FALSE(window.robot().shows("toolbar.layer"));  // the model has nothing from the file
  window.fixture.document().redo();
  window.robot().frames(3);
  CHECK(window.robot().shows("toolbar.layer"));
  CHECK(window.fixture.view().layers.at == 0);
}

TEST_CASE("layer switch: view, colours and selection stay") {
  SwitchWindow window;
  window.open({attentions()});
  ViewState& view = window.fixture.view();
  view.focus_view = FocusView::Row;
  view.head = 1;
  view.selection.cell = CellAddress{Stage::Weights, 0, 1, 7, 3};
  view.picture.colors_of(Stage::Weights).shared = false;
  const StageColors colors = view.picture.colors_of(Stage::Weights);
  window.key(Key::Down);
  CHECK(window.layer() == 1);
  CHECK(view.focus_view == FocusView::Row);
  CHECK(view.head == 1);
  CHECK(view.selection.cell == CellAddress{Stage::Weights, 0, 1, 7, 3});
  CHECK(view.picture.colors_of(Stage::Weights) == colors);
}

TEST_CASE(
    "layer switch: a layer is there in the frame that asks for it, and is read anew once the file changes") {
  SwitchWindow window;
  window.open({attentions()});
  const auto switched = [&](std::size_t layer) {
    window.fixture.view().layers.asked = layer;
    window.robot().frames(1);
    return window.layer() == static_cast<int>(layer) && !window.arrays.layers.reading.running();
  };
  CHECK(switched(1));
  CHECK(switched(3));
  std::filesystem::remove(window.folder / "a.npz");
  CHECK(switched(2));  // the file is not read again
  NamedArray other = attentions();
  for (Index i = 0; i < kHeads * kTokens * kTokens; ++i)
    other.values[static_cast<std::size_t>(i)] = 0.5f;
  write_npz(window.folder / "a.npz", {other});
  std::filesystem::last_write_time(window.folder / "a.npz",
                                   std::filesystem::file_time_type::clock::now() + std::chrono::seconds(9));
  window.fixture.view().layers.asked = 0;
  window.settle();
  CHECK(window.fixture.layer().given_weights.matrices[0](5, 19) == 0.5f);
}

TEST_CASE("layer switch: layers with names of their own are switched too") {
  SwitchWindow window;
  const NamedArray all = attentions();
  std::vector<NamedArray> apart;
  for (Index layer = 0; layer < kLayers; ++layer) {
    apart.push_back(layer_slice(all, layer));
    apart.back().name = "arr_" + std::to_string(layer);
  }
  window.open(apart);
  CHECK(window.fixture.view().layers.count == 4);
  window.key(Key::Down);
  window.key(Key::Down);
  CHECK(window.layer() == 2);
}

TEST_CASE("layer switch: it belongs to the session that it was opened in") {
  SwitchWindow window;
  window.open({attentions()});
  CHECK(window.robot().shows("toolbar.layer"));
  // Another session, even with the same numbers.
  window.fixture.document().replace(window.fixture.document().session(), std::nullopt);
  window.robot().frames(3);
  CHECK_FALSE(window.robot().shows("toolbar.layer"));
  window.key(Key::Down);
  CHECK(window.layer() == 0);
}

TEST_CASE("layer switch: the dialog tells of rows that do not sum to 1 before they are in the model") {
  SwitchWindow window;
  NamedArray array = attentions();
  array.values[5] += 0.5f;
  write_npz(window.folder / "a.npz", {array});
  open_array_chooser(window.arrays, window.folder / "a.npz");
  window.settle();
  CHECK_THAT(
      window.robot().value("arrays.outcome"),
      ContainsSubstring("1 of 160 rows of the attention weights does not sum to 1: attentions[0, 0, 0] "
                        "sums to 1.5"));
}

TEST_CASE("layer switch: layers go into a session that is itself of saved attention") {
  SwitchWindow window;
  Session session;
  session.layer.tokens = {"a", "b", "c"};
  session.layer.attention.projection = Projection::Weights;
  session.layer.attention.num_heads = 2;
  session.layer.attention.d_out = 2;
  session.layer.given_weights = {1, 2, {Matrix::Identity(3, 3), Matrix::Identity(3, 3)}};
  window.fixture.document().replace(session, std::nullopt);
  window.robot().frames(3);
  window.open({attentions(), {"W_other", {2, 2}, {1, 2, 3, 4}}});
  CHECK(window.layer() == 0);
  window.key(Key::Down);
  CHECK(window.layer() == 1);
}

TEST_CASE("layer switch: what is proposed is applied at once where that was asked for") {
  SwitchWindow window;
  write_npz(window.folder / "a.npz", {attentions()});
  open_array_chooser(window.arrays, window.folder / "a.npz", true);
  window.settle();
  CHECK_FALSE(window.arrays.open);
  CHECK(window.layer() == 0);
  CHECK(window.robot().shows("toolbar.layer"));
  // After an error the dialog stays open.
  window.folder.write("broken.npz", "no archive");
  open_array_chooser(window.arrays, window.folder / "broken.npz", true);
  window.settle();
  CHECK(window.arrays.open);
  CHECK(window.robot().shows("arrays.message"));
}
