// Layers in the formats of real model families, opened by confirming the proposed roles: the results equal
// PyTorch's.
#include <algorithm>
#include <chrono>
#include <thread>

#include "app/ui/dialogs/array_chooser.h"
#include "tests/support/catch.h"
#include "tests/support/family_cases.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::difference_from_pytorch;
using headlight_test::family_layer;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;
using headlight_test::TemporaryFolder;

namespace {

struct FamilyDialog {
  ArrayChooserState state;
  PanelFixture fixture;

  explicit FamilyDialog(const std::string& lesson)
      : fixture(lesson_session(lesson), [this](UiContext& ui) { array_chooser(ui, state); }, {1280, 800}) {}

  void settle() {
    for (int i = 0; i < 2000; ++i) {
      fixture.robot().frames(2);
      if (!state.reading()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    fixture.robot().frames(2);
  }
  void open_file(const std::filesystem::path& path) {
    open_array_chooser(state, path);
    settle();
  }
  void open(const std::string& family) { open_file(family_layer(family)); }
  void switch_to(std::size_t layer) {
    fixture.view().layers.asked = layer;
    for (int i = 0; i < 2000 && (i < 2 || state.layers.reading.running()); ++i) {
      fixture.robot().frames(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    fixture.robot().frames(2);
    CHECK(fixture.view().layers.at == layer);
  }
  // Confirms the proposed roles. Returns the dialog's message, or "" if it accepted them.
  std::string confirm() {
    const auto problem = [this] {
      return fixture.robot().shows("arrays.message") ? fixture.robot().value("arrays.message")
                                                     : std::string();
    };
    if (!problem().empty()) return problem();
    fixture.robot().key(Key::Enter);
    settle();
    return state.open ? "the dialog stays open: " + problem() : std::string();
  }
};

// The lesson that `default_session` opens.
constexpr const char* kFirstLesson = "05-all-queries-at-once";

void check_opened(const std::string& family) {
  FamilyDialog dialog(kFirstLesson);
  dialog.open(family);
  REQUIRE(dialog.confirm() == "");
  CHECK(dialog.fixture.errors().empty());
  CHECK(difference_from_pytorch(dialog.fixture.layer(), family) == "");
}

// `array`: an array of the second layer; the button "arrays.layer" selects this layer.
void check_next_layer(const std::string& family, const std::string& array) {
  FamilyDialog dialog(kFirstLesson);
  dialog.open(family);
  const std::vector<ArrayEntry>& entries = dialog.state.choices.entries();
  const auto at = std::find_if(entries.begin(), entries.end(),
                               [&](const ArrayEntry& entry) { return entry.name == array; });
  REQUIRE(at != entries.end());
  dialog.fixture.robot().click("arrays.list." + std::to_string(at - entries.begin()));
  dialog.settle();
  dialog.fixture.robot().click("arrays.layer");
  dialog.fixture.robot().frames(2);
  REQUIRE(dialog.confirm() == "");
  CHECK(difference_from_pytorch(dialog.fixture.layer(), family, "layer1_") == "");
}

}  // namespace

TEST_CASE("families: a layer of GPT-2 is opened with nothing to choose") {
  check_opened("gpt2");
}
TEST_CASE("families: a layer of GPT-NeoX, fused by heads and partly turned") {
  check_opened("gpt_neox");
}
TEST_CASE("families: a layer of Llama, with heads that share keys and values") {
  check_opened("llama");
}
TEST_CASE("families: a layer of Mistral, with its window") {
  check_opened("mistral");
}
TEST_CASE("families: a layer of Qwen 2, with biases and a window that is not in use") {
  check_opened("qwen2");
}
TEST_CASE("families: a layer of Gemma 2, with its softcap, scale and window") {
  check_opened("gemma2");
}
TEST_CASE("families: a layer of BERT, with texts that are filled up") {
  check_opened("bert");
}
TEST_CASE("families: a layer of T5's encoder, with its bias by distance") {
  check_opened("t5");
}
TEST_CASE("families: T5's decoder looks at the encoder's tokens") {
  check_opened("cross_attention");
}
TEST_CASE("families: a layer of T5's decoder, which looks back only") {
  check_opened("t5_decoder");
}
TEST_CASE("families: a layer of GPT-J, of whose heads neighbours are turned") {
  check_opened("gptj");
}

TEST_CASE("families: every other layer of Gemma 2 has no window") {
  check_next_layer("gemma2", "model.layers.1.self_attn.q_proj.weight");
}
TEST_CASE("families: every layer of T5 has the bias of the first") {
  check_next_layer("t5", "encoder.block.1.layer.0.SelfAttention.q.weight");
}

TEST_CASE("families: the switch of layers takes T5's bias along") {
  FamilyDialog dialog(kFirstLesson);
  dialog.open("t5");
  REQUIRE(dialog.confirm() == "");
  REQUIRE(dialog.fixture.view().layers.count == 2);
  dialog.switch_to(1);
  CHECK(difference_from_pytorch(dialog.fixture.layer(), "t5", "layer1_") == "");
  dialog.switch_to(0);
  CHECK(difference_from_pytorch(dialog.fixture.layer(), "t5") == "");
}

TEST_CASE("families: one that is opened after another keeps nothing of it") {
  FamilyDialog dialog(kFirstLesson);
  for (const std::string family : {"gemma2", "t5", "bert", "gpt_neox", "cross_attention", "mistral", "gpt2",
                                   "t5", "llama", "qwen2", "cross_attention", "bert", "gemma2"}) {
    dialog.open(family);
    CHECK(dialog.confirm() == "");
    CHECK(difference_from_pytorch(dialog.fixture.layer(), family) == "");
    dialog.state.open = false;
  }
}

TEST_CASE("families: without its config.json a Llama asks for theta, and proposes heads") {
  const TemporaryFolder folder;
  const std::filesystem::path copy = folder.path() / "layer.safetensors";
  std::filesystem::copy_file(family_layer("llama"), copy);
  FamilyDialog dialog(kFirstLesson);
  dialog.open_file(copy);
  auto& robot = dialog.fixture.robot();
  CHECK_THAT(robot.value("arrays.outcome"), ContainsSubstring("theta 10000 is proposed"));
  CHECK_THAT(robot.value("arrays.outcome"), ContainsSubstring("3 heads are proposed: heads of 16"));
  robot.click("arrays.heads");
  robot.click("arrays.heads.6");
  robot.click("arrays.theta");
  robot.type("0");
  robot.key(Key::Enter);
  CHECK(dialog.state.open);
  CHECK(robot.shows("arrays.theta"));
  robot.key(Key::Escape);
  REQUIRE(dialog.state.open);
  robot.click("arrays.theta");
  robot.type("500000");
  robot.key(Key::Enter);
  dialog.settle();
  REQUIRE(dialog.state.open);
  CHECK_THAT(robot.value("arrays.outcome"), ContainsSubstring("theta 500000"));
  CHECK_THAT(robot.value("arrays.outcome"), !ContainsSubstring("theta 10000"));
  REQUIRE(dialog.confirm() == "");
  CHECK(difference_from_pytorch(dialog.fixture.layer(), "llama") == "");
}

TEST_CASE("families: a config.json that cannot be read is named, and the arrays open all the same") {
  const TemporaryFolder folder;
  const std::filesystem::path copy = folder.path() / "layer.safetensors";
  std::filesystem::copy_file(family_layer("bert"), copy);
  folder.write("config.json", R"({"rope_theta": "large"})");
  FamilyDialog dialog(kFirstLesson);
  dialog.open_file(copy);
  CHECK_THAT(dialog.fixture.robot().value("arrays.outcome"),
             ContainsSubstring("config.json: rope_theta: it is \"large\", expected a number above 0"));
  REQUIRE(dialog.confirm() == "");
  CHECK(dialog.fixture.layer().sequence_count() == 3);
}

TEST_CASE(
    "families: a switch of layers sets what the new layer's family sets otherwise, and leaves the rest") {
  FamilyDialog dialog(kFirstLesson);
  dialog.open("gemma2");
  REQUIRE(dialog.confirm() == "");
  dialog.switch_to(1);
  CHECK(difference_from_pytorch(dialog.fixture.layer(), "gemma2", "layer1_") == "");
  dialog.switch_to(0);
  CHECK(difference_from_pytorch(dialog.fixture.layer(), "gemma2") == "");
  dialog.open("llama");
  REQUIRE(dialog.confirm() == "");
  AttentionSettings settings = dialog.fixture.layer().attention;
  settings.position.theta = 777;
  settings.mask = MaskKind::None;
  dialog.fixture.document().run(SetAttention{settings});
  dialog.switch_to(1);
  CHECK(dialog.fixture.layer().attention.position.theta == 777);
  CHECK(dialog.fixture.layer().attention.mask == MaskKind::None);
}

TEST_CASE("families: dropout and heads of the session that was open do not stay") {
  FamilyDialog dialog("22-two-heads-with-dropout");
  dialog.open("gpt2");
  REQUIRE(dialog.confirm() == "");
  CHECK(difference_from_pytorch(dialog.fixture.layer(), "gpt2") == "");
}
