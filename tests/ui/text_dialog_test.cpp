// The dialog "Tokens from text", and the command that it sends.
#include "app/ui/dialogs/text_dialog.h"

#include <filesystem>
#include <variant>

#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;
using headlight_test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

struct Dialog {
  TextDialogState state;
  PanelFixture fixture;

  Dialog() : fixture(lesson_session("16-causal-mask"), [this](UiContext& ui) { text_dialog(ui, state); }) {
    open_text_dialog(state, fixture.layer());
    robot().frames(5);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  const Layer& layer() const { return fixture.layer(); }
  void fill(const std::string& name, const std::string& text) {
    robot().click(name);
    robot().key(Key::A, {.ctrl = true});
    robot().type(text);
  }
  void accept() {
    robot().click("text.ok");
    robot().frames(2);
  }
};

struct TableFile {
  TemporaryFolder folder;
  fs::path path;
  explicit TableFile(const std::string& text) : path(folder.write("table.csv", text)) {}
};

}  // namespace

TEST_CASE("text: it begins with the session's tokens and tells how many there are") {
  Dialog dialog;
  CHECK(dialog.robot().value("text.input") == "Your journey starts with one step");
  CHECK(dialog.robot().value("text.count") == "6 tokens");
  CHECK(dialog.robot().value("text.d_in") == std::to_string(dialog.layer().d_in()));
  dialog.fill("text.input", "the cat, the dog");
  CHECK(dialog.robot().value("text.count") == "5 tokens, 4 different");
}

TEST_CASE("text: a sentence replaces all tokens in one undo step, the same word with the same vector") {
  Dialog dialog;
  const Layer before = dialog.layer();
  dialog.fill("text.input", "the cat saw the dog.");
  dialog.fill("text.seed", "7");
  dialog.accept();
  CHECK_FALSE(dialog.state.open);
  REQUIRE(dialog.fixture.commands().size() == 1);
  CHECK(dialog.layer().tokens == std::vector<std::string>{"the", "cat", "saw", "the", "dog", "."});
  const Matrix& x = dialog.layer().embeddings.at(0);
  CHECK(x == draw_token_embeddings(dialog.layer().tokens, 7, before.d_in()));
  CHECK(x.row(0) == x.row(3));
  CHECK(dialog.fixture.document().undo_name() == "Tokens from text");
  dialog.fixture.document().undo();
  CHECK(dialog.layer().tokens == before.tokens);
  CHECK(dialog.layer().embeddings == before.embeddings);
}

TEST_CASE("text: another d_in brings weights that fit") {
  Dialog dialog;
  dialog.fill("text.d_in", "5");
  dialog.accept();
  CHECK(dialog.fixture.errors().empty());
  CHECK(dialog.layer().d_in() == 5);
  CHECK_NOTHROW(validate(dialog.layer()));
}

TEST_CASE("text: what can't be used is answered in the dialog, and the session stays") {
  Dialog dialog;
  SECTION("no word") {
    dialog.fill("text.input", "  ");
    dialog.accept();
    CHECK_THAT(dialog.robot().value("text.message"), ContainsSubstring("empty"));
  }
  SECTION("no seed") {
    dialog.fill("text.seed", "many");
    dialog.accept();
    CHECK_THAT(dialog.robot().value("text.message"), ContainsSubstring("seed"));
  }
  SECTION("d_in of nothing") {
    dialog.fill("text.d_in", "0");
    dialog.accept();
    CHECK_THAT(dialog.robot().value("text.message"), ContainsSubstring("d_in"));
  }
  SECTION("a table that is not there") {
    dialog.fill("text.table", "/nowhere/table.csv");
    dialog.accept();
    CHECK_THAT(dialog.robot().value("text.message"), ContainsSubstring("table.csv"));
  }
  SECTION("a table with a wrong width") {
    const TableFile table("Your,1,2\njourney,1,2,3\n");
    dialog.fill("text.table", table.path.string());
    dialog.accept();
    CHECK_THAT(dialog.robot().value("text.message"), ContainsSubstring("line 2"));
  }
  CHECK(dialog.state.open);
  CHECK(dialog.fixture.commands().empty());
}

TEST_CASE("text: vectors are taken from a table") {
  Dialog dialog;
  const TableFile table("token,x,y\ncat,0.1,0.2\nsat,-1,1e-1\n");
  dialog.fill("text.input", "cat sat cat");
  dialog.fill("text.table", table.path.string());
  dialog.accept();
  REQUIRE(dialog.layer().tokens.size() == 3);
  CHECK(dialog.layer().embeddings.at(0)(2, 1) == 0.2f);
  CHECK(dialog.layer().embeddings.at(0)(1, 0) == -1.0f);
}

TEST_CASE("text: thousands of tokens are asked about before they are taken") {
  Dialog dialog;
  dialog.robot().click("text.seed");  // an active text field would keep its own copy
  for (int i = 0; i < 1500; ++i)
    dialog.state.text += " more";
  dialog.robot().frames(2);
  dialog.accept();
  CHECK(dialog.fixture.commands().empty());
  CHECK_THAT(dialog.robot().value("text.message"), ContainsSubstring("1506 tokens"));
  dialog.accept();
  REQUIRE(dialog.fixture.commands().size() == 1);
  CHECK(dialog.layer().token_count() == 1506);
  TextDialogState far;
  for (int i = 0; i < 33000; ++i)
    far.text += "a ";
  CHECK_THROWS_AS(tokens_from_text(far), Error);
}

TEST_CASE("text: Escape leaves everything as it is") {
  Dialog dialog;
  dialog.robot().key(Key::Escape);
  dialog.robot().key(Key::Escape);
  dialog.robot().frames(2);
  CHECK_FALSE(dialog.state.open);
  CHECK(dialog.fixture.commands().empty());
}
