// The recovery files hold the document's session to the last bit, after any commands and at any moment.
#include "app/recovery/autosave_writer.h"

#include <algorithm>
#include <fstream>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "tests/app/recovery/random_commands.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kPatience{60};

Session session_of(Layer layer) {
  Session session;
  session.title = "Kept";
  session.layer = std::move(layer);
  return session;
}

// A document whose changes are written to recovery files in `folder`. Sessions of at most `small` numbers are
// written whole each time, others by the journal.
struct Kept {
  Kept(Session session, const fs::path& folder, Index small = 0)
      : document(std::move(session)), keeper({folder, std::chrono::milliseconds(0), small}) {
    keeper.follow_opened({}, document.take_unchanged());
    document.set_change_listener(
        [this](Change change) { keeper.note(std::move(change), document.unsaved_steps()); });
  }
  Document document;
  AutosaveWriter keeper;
};

// A copy of the folder as a crash would leave it now: no process holds the locks of the copied files.
class Aftermath {
 public:
  explicit Aftermath(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder))
      fs::copy(entry.path(), folder_.path() / entry.path().filename());
    kept = UnsavedSessions(folder_.path());
  }

 private:
  TemporaryFolder folder_;

 public:
  UnsavedSessions kept;
};

fs::path file_with(const TemporaryFolder& folder, const std::string& ending) {
  for (const std::string& name : folder.names())
    if (name.ends_with(ending)) return folder / name;
  return {};
}

Session small_session(Index tokens = 2, Index d_in = 3) {
  Layer layer;
  layer.tokens.assign(static_cast<std::size_t>(tokens), "t");
  layer.embeddings = {Matrix::Constant(tokens, d_in, 0.25f)};
  layer.attention.d_out = d_in;
  return session_of(std::move(layer));
}

SetCells cell(float value, std::uint64_t gesture = 0) {
  return {{}, 1, 2, Matrix::Constant(1, 1, value), gesture};
}

}  // namespace

TEST_CASE("recovery: whatever is done, what is kept is the session, bit for bit") {
  for (std::uint32_t seed = 0; seed < 16; ++seed) {
    Dice dice(seed);
    const TemporaryFolder folder;
    const Index small = seed % 3 == 0 ? 1 << 20 : 0;  // written whole each time, or by the journal
    Kept kept(session_of(random_layer(dice)), folder.path(), small);
    std::size_t checked = 0;
    for (int step = 0; step < 60; ++step) {
      random_step(dice, kept.document);
      if (dice.chance(0.3)) REQUIRE(kept.keeper.write_now(kPatience));
      if (dice.chance(0.85) || !kept.keeper.write_now(kPatience)) continue;
      INFO("seed " << seed << ", step " << step);
      const Aftermath aftermath(folder.path());
      if (kept.document.saved()) {
        CHECK(aftermath.kept.list().empty());
        continue;
      }
      REQUIRE(aftermath.kept.list().size() == 1);
      CHECK(aftermath.kept.list().front().changes == kept.document.unsaved_steps());
      CHECK(session_text(aftermath.kept.load(0)) == session_text(kept.document.session()));
      ++checked;
    }
    CHECK(checked > 0);
    CHECK_FALSE(kept.keeper.needs_session());
  }
}

TEST_CASE("recovery: what the journal still knows can be undone") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Dice dice(seed);
    const TemporaryFolder folder;
    Kept kept(session_of(random_layer(dice)), folder.path());
    for (int step = 0; step < 30; ++step)
      random_step(dice, kept.document);
    if (kept.document.saved()) continue;
    REQUIRE(kept.keeper.write_now(kPatience));
    INFO("seed " << seed);
    const Aftermath aftermath(folder.path());
    const std::string whole = session_text(load_session(aftermath.kept.file(0)));
    RecoveredSession recovered = aftermath.kept.recover(0);
    Document document(small_session());
    document.replace(std::move(recovered.session), std::nullopt, std::nullopt, std::move(recovered.steps));
    while (document.can_undo())
      document.undo();
    CHECK(session_text(document.session()) == whole);
    while (document.can_redo())
      document.redo();
    CHECK(session_text(document.session()) == session_text(kept.document.session()));
  }
}

TEST_CASE("recovery: numbers that were dragged are undone at once, by their name") {
  const TemporaryFolder folder;
  Kept kept(small_session(), folder.path());
  kept.document.run(cell(4));
  REQUIRE(kept.keeper.write_now(kPatience));  // writes the whole session; later changes go into the journal
  for (const float value : {5.0f, 6.0f, 7.0f})
    kept.document.run(cell(value, 7));
  kept.document.run(SetTitle{"Another", ""});
  REQUIRE(kept.keeper.write_now(kPatience));
  RecoveredSession recovered = Aftermath(folder.path()).kept.recover(0);
  Document document(small_session());
  document.replace(std::move(recovered.session), std::nullopt, std::nullopt, std::move(recovered.steps));
  CHECK(document.undo_name() == "Change names");
  document.undo();
  CHECK(document.undo_name() == "Edit embedding");
  document.undo();
  CHECK(document.layer().embeddings[0](1, 2) == 4.0f);
  CHECK_FALSE(document.can_undo());
}

TEST_CASE("recovery: edits of a large session go into the journal, and the whole is written once") {
  const TemporaryFolder folder;
  Kept kept(small_session(40, 30), folder.path());
  kept.document.run(cell(1));
  REQUIRE(kept.keeper.write_now(kPatience));
  const auto written = fs::last_write_time(file_with(folder, ".headlight"));
  const auto length = fs::file_size(file_with(folder, ".journal"));
  for (int i = 0; i < 100; ++i)
    kept.document.run(cell(0.5f * static_cast<float>(i), 7));
  REQUIRE(kept.keeper.write_now(kPatience));
  CHECK(fs::last_write_time(file_with(folder, ".headlight")) == written);
  CHECK(fs::file_size(file_with(folder, ".journal")) > length + 100 * 50);
  CHECK(fs::file_size(file_with(folder, ".journal")) < length + 100 * 150);
  CHECK(Aftermath(folder.path()).kept.load(0).layer.embeddings[0](1, 2) == 49.5f);

  kept.document.run(InsertToken{0, "new", false});  // has no journal record: the session is written whole
  REQUIRE(kept.keeper.write_now(kPatience));
  CHECK(fs::last_write_time(file_with(folder, ".headlight")) > written);
  CHECK(Aftermath(folder.path()).kept.load(0).layer.tokens.front() == "new");
}

TEST_CASE(
    "recovery: a journal that was cut off or damaged anywhere gives the state of its last whole record") {
  const TemporaryFolder folder;
  Kept kept(small_session(), folder.path());
  std::vector<std::string> states;
  for (int i = 0; i < 5; ++i) {
    if (i == 3)
      kept.document.run(SetTitle{"Title", "notes"});
    else
      kept.document.run(cell(static_cast<float>(i)));
    REQUIRE(kept.keeper.write_now(kPatience));
    states.push_back(session_text(kept.document.session()));
  }
  const Aftermath aftermath(folder.path());
  const fs::path journal = aftermath.kept.file(0).replace_extension(".journal");
  const std::string bytes = read_file(journal);
  std::size_t reached = 0;
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    for (const bool damaged : {false, true}) {
      std::string cut = bytes.substr(0, damaged ? bytes.size() : length);
      if (damaged && length < cut.size()) cut[length] = static_cast<char>(cut[length] ^ 0x55);
      std::ofstream(journal, std::ios::binary | std::ios::trunc) << cut;
      const std::string text = session_text(aftermath.kept.load(0));
      const auto at = std::find(states.begin(), states.end(), text) - states.begin();
      REQUIRE(at < static_cast<std::ptrdiff_t>(states.size()));
      if (damaged) continue;
      REQUIRE(static_cast<std::size_t>(at) >= reached);
      reached = static_cast<std::size_t>(at);
    }
  }
  CHECK(reached == states.size() - 1);
}

TEST_CASE("recovery: a journal behind another session than the one that lies there does not count") {
  const TemporaryFolder folder;
  Kept kept(small_session(), folder.path());
  kept.document.run(cell(1));
  REQUIRE(kept.keeper.write_now(kPatience));
  kept.document.run(cell(2));
  REQUIRE(kept.keeper.write_now(kPatience));
  const Aftermath aftermath(folder.path());
  save_session(small_session(), aftermath.kept.file(0));
  CHECK(aftermath.kept.load(0).layer.embeddings[0](1, 2) == 0.25f);
}

TEST_CASE("recovery: what is saved, or undone to what was saved, leaves nothing behind") {
  const TemporaryFolder folder, files;
  Kept kept(small_session(), folder.path());
  kept.document.run(cell(1));
  REQUIRE(kept.keeper.write_now(kPatience));
  CHECK(folder.names().size() == 3);
  kept.document.undo();
  REQUIRE(kept.keeper.write_now(kPatience));
  CHECK(folder.names().empty());
  kept.document.redo();
  REQUIRE(kept.keeper.write_now(kPatience));
  CHECK(folder.names().size() == 3);
  kept.document.save(files / "mine.headlight");
  kept.keeper.follow_saved({kept.document.path(), kept.document.stamp()});
  REQUIRE(kept.keeper.write_now(kPatience));
  CHECK(folder.names().empty());

  kept.document.run(cell(3));
  REQUIRE(kept.keeper.write_now(kPatience));
  const Aftermath aftermath(folder.path());
  REQUIRE(aftermath.kept.list().size() == 1);
  CHECK(aftermath.kept.list().front().path == files / "mine.headlight");
  REQUIRE(aftermath.kept.list().front().stamp.has_value());
  CHECK_FALSE(changed_since(files / "mine.headlight", *aftermath.kept.list().front().stamp));
  kept.keeper.forget();
  CHECK(folder.names().empty());
}

TEST_CASE("recovery: the keeper ends with everything written") {
  const TemporaryFolder folder;
  {
    Kept kept(small_session(), folder.path());
    for (int i = 0; i < 50; ++i)
      kept.document.run(cell(static_cast<float>(i)));
  }
  const UnsavedSessions left(folder.path());
  REQUIRE(left.list().size() == 1);
  CHECK(left.load(0).layer.embeddings[0](1, 2) == 49.0f);
}

TEST_CASE("recovery: another session that is opened takes the place of the one before") {
  const TemporaryFolder folder;
  Kept kept(small_session(), folder.path());
  kept.document.run(cell(1));
  kept.document.replace(small_session(3, 4), std::nullopt);
  kept.keeper.follow_opened({}, kept.document.take_unchanged());
  REQUIRE(kept.keeper.write_now(kPatience));
  CHECK(folder.names().empty());
  kept.document.run(cell(5));
  REQUIRE(kept.keeper.write_now(kPatience));
  CHECK(session_text(Aftermath(folder.path()).kept.load(0)) == session_text(kept.document.session()));
}

TEST_CASE("recovery: where nothing can be written it says so once, and goes on once it can") {
  const TemporaryFolder folder;
  const fs::path in_the_way = folder.write("state", "a file, not a folder");
  Kept kept(small_session(), in_the_way / "recovery");
  kept.document.run(cell(1));
  CHECK_FALSE(kept.keeper.write_now(kPatience));
  const auto trouble = kept.keeper.take_trouble();
  REQUIRE(trouble.has_value());
  CHECK_THAT(*trouble, ContainsSubstring("not kept"));
  CHECK_FALSE(kept.keeper.write_now(kPatience));
  CHECK_FALSE(kept.keeper.take_trouble().has_value());
  fs::remove(in_the_way);
  kept.document.run(cell(2));
  CHECK(kept.keeper.write_now(kPatience));
  CHECK(Aftermath(in_the_way / "recovery").kept.load(0).layer.embeddings[0](1, 2) == 2.0f);
}

TEST_CASE("recovery: changes follow the session that was opened, however many come before the first write") {
  for (const Index small : {Index{0}, Index{1000}}) {
    const TemporaryFolder folder;
    Kept kept(small_session(), folder.path(), small);
    const auto opened = std::make_shared<const Session>(small_session(3, 4));
    kept.document.replace(*opened, std::nullopt);
    kept.keeper.follow_opened({}, opened);
    kept.document.run(InsertToken{1, "new"});
    kept.document.run(cell(7));
    kept.document.undo();
    kept.document.run(cell(8));
    REQUIRE(kept.keeper.write_now(kPatience));
    CHECK(session_text(Aftermath(folder.path()).kept.load(0)) == session_text(kept.document.session()));
    CHECK(session_text(*opened) == session_text(session_of(small_session(3, 4).layer)));
  }
}
