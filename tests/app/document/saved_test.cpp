// Whether the document is saved: after writing and reading files, and after undo to the saved point.
#include <filesystem>
#include <fstream>
#include <string>

#include "app/document/document.h"
#include "engine/core/error.h"
#include "tests/app/lesson_text/edited_lesson.h"
#include "tests/app/lesson_text/lesson_support.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

namespace fs = std::filesystem;

Session saved_session() {
  Dice dice(81);
  Session result;
  result.title = "Saved";
  result.layer.tokens = {"a", "b"};
  result.layer.embeddings = {dice.matrix(2, 2)};
  result.layer.attention.d_out = 2;
  return result;
}

SetCells cell(float value, std::uint64_t gesture = 0) {
  return {{}, 0, 0, Matrix::Constant(1, 1, value), gesture};
}

}  // namespace

TEST_CASE("saved: a fresh document is, a changed one is not, and undoing brings it back") {
  Document document(saved_session());
  CHECK(document.saved());
  document.run(cell(1.0f));
  CHECK_FALSE(document.saved());
  document.undo();
  CHECK(document.saved());
  document.redo();
  CHECK_FALSE(document.saved());
}

TEST_CASE("saved: whatever edits lead to is written so that it is read again") {
  Dice dice(82);
  for (const std::string& stem : lesson_stems()) {
    EditedLesson lesson(lesson_session(stem));
    for (int edits = 0; edits < 40; ++edits) {
      const auto edit = lesson.random_edit(dice);
      INFO(stem << ", edit " << edits << ", " << edit.value_or("refused"));
      Session session;
      session.layer = lesson.layer();
      const std::string text = session_text(session);
      REQUIRE(session_text(parse_session(text, ".", "x.headlight")) == text);
    }
  }
}

TEST_CASE("saved: what was saved is what is opened, bit for bit") {
  const TemporaryFolder folder;
  Document document(saved_session());
  document.run(cell(0.1f));
  document.run(SetTitle{"New title", "New notes"});
  document.save(folder / "a.headlight");
  CHECK(document.saved());
  CHECK((document.path() == folder / "a.headlight"));
  Document other(saved_session());
  other.open(folder / "a.headlight");
  CHECK(same_layer(other.layer(), document.layer()));
  CHECK(other.session().title == "New title");
  CHECK(other.session().notes == "New notes");
  CHECK((other.path() == folder / "a.headlight"));
  CHECK(other.saved());
}

TEST_CASE("saved: undoing and redoing around the saved point") {
  const TemporaryFolder folder;
  Document document(saved_session());
  document.run(cell(1.0f));
  document.run(cell(2.0f));
  document.save(folder / "a.headlight");
  document.undo();
  CHECK_FALSE(document.saved());
  document.undo();
  CHECK_FALSE(document.saved());
  document.redo();
  document.redo();
  CHECK(document.saved());
  document.run(cell(3.0f));
  CHECK_FALSE(document.saved());
  document.undo();
  CHECK(document.saved());
}

TEST_CASE("saved: a saved point that was undone and overwritten cannot come back") {
  const TemporaryFolder folder;
  Document document(saved_session());
  document.run(cell(1.0f));
  document.save(folder / "a.headlight");
  document.undo();
  document.run(cell(2.0f));
  CHECK_FALSE(document.saved());
  document.undo();
  CHECK_FALSE(document.saved());
  document.redo();
  CHECK_FALSE(document.saved());
}

TEST_CASE("saved: a gesture that goes on after saving is a change") {
  const TemporaryFolder folder;
  Document document(saved_session());
  document.run(cell(1.0f, 9));
  document.save(folder / "a.headlight");
  document.run(cell(2.0f, 9));
  CHECK_FALSE(document.saved());
  document.undo();
  CHECK(document.saved());
  CHECK(document.layer().embeddings[0](0, 0) == 1.0f);
}

TEST_CASE("saved: a file that cannot be written leaves the document unsaved and its path as it was") {
  const TemporaryFolder folder;
  Document document(saved_session());
  document.save(folder / "a.headlight");
  document.run(cell(1.0f));
  CHECK_THROWS_AS(document.save(folder / "missing/folder/b.headlight"), Error);
  CHECK_FALSE(document.saved());
  CHECK((document.path() == folder / "a.headlight"));
}

TEST_CASE("saved: a file that cannot be read leaves the document as it was") {
  const TemporaryFolder folder;
  std::ofstream(folder / "broken.headlight") << "{ \"format\": ";
  Document document(saved_session());
  document.run(cell(1.0f));
  const Layer before = document.layer();
  CHECK_THROWS_AS(document.open(folder / "broken.headlight"), Error);
  CHECK_THROWS_AS(document.open(folder / "missing.headlight"), Error);
  CHECK(same_layer(document.layer(), before));
  CHECK(document.session().title == "Saved");
  CHECK(document.can_undo());
  CHECK_FALSE(document.path().has_value());
  CHECK(document.revision() == 2);
}
