// Sessions as archives: when they are written, their contents, and what is rejected.
#include <zip.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>

#include "engine/arrays/npy.h"
#include "engine/arrays/zip_archive.h"
#include "engine/core/file.h"
#include "engine/layer/reshape.h"
#include "tests/engine/session/session_support.h"
#include "tests/support/format_support.h"
#include "tests/support/random_sessions.h"

using namespace headlight;
using namespace headlight_test;
using nlohmann::json;

namespace {

Session session_of(Index tokens, Index d_in) {
  Dice dice(7);
  Session session;
  session.title = "large";
  session.layer.tokens.assign(static_cast<std::size_t>(tokens), "t");
  session.layer.embeddings = {dice.matrix(tokens, d_in)};
  session.layer.attention.d_out = d_in;
  return session;
}

bool is_archive(const fs::path& path) {
  return begins_as_zip(read_piece(path, 0, 4));
}

// A zip archive as another program writes it, deflated or stored.
fs::path write_zip(const fs::path& path, const std::vector<std::pair<std::string, std::string>>& members,
                   bool deflate = false) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  REQUIRE(archive != nullptr);
  for (const auto& [name, content] : members) {
    zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
    const zip_int64_t index = zip_file_add(archive, name.c_str(), source, 0);
    REQUIRE(index >= 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                             deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 9);
  }
  REQUIRE(zip_close(archive) == 0);
  return path;
}

// The text of a session with the given value of "embeddings".
std::string text_with(const json& embeddings) {
  json document = small_session();
  document["embeddings"] = embeddings;
  return document.dump();
}
const json kReference = {{"file", "x.npy"}};
const std::string kArray = npy_bytes({"", {2, 3}, {1, 2, 3, 4, 5, 6}});

void refuse(const fs::path& path, const std::string& what, const std::string& where,
            const std::string& hint) {
  check_error([&] { load_session(path); }, what, where, hint);
}

}  // namespace

TEST_CASE("session archive: many numbers make one, and few do not") {
  const TemporaryFolder folder;
  const Session few = session_of(512, 512), many = session_of(513, 512);
  save_session(few, folder / "few.headlight");
  save_session(many, folder / "many.headlight");
  CHECK_FALSE(is_archive(folder / "few.headlight"));
  CHECK(is_archive(folder / "many.headlight"));
  CHECK(differences(load_session(folder / "few.headlight"), few) == "");
  CHECK(differences(load_session(folder / "many.headlight"), many) == "");
  CHECK(fs::file_size(folder / "many.headlight") < 4 * 513 * 512 + 8000);
  // A small session is saved as text again, in the same file.
  save_session(few, folder / "many.headlight");
  CHECK_FALSE(is_archive(folder / "many.headlight"));
  CHECK(folder.names() == std::vector<std::string>{"few.headlight", "many.headlight"});
}

TEST_CASE("session archive: it is told by its content, whatever it is called") {
  const TemporaryFolder folder;
  const Session session = session_of(3, 2);
  save_session(session, folder / "a.json", SessionForm::Archive);
  save_session(session, folder / "b.zip", SessionForm::Text);
  CHECK(is_archive(folder / "a.json"));
  CHECK(differences(load_session(folder / "a.json"), session) == "");
  CHECK(differences(load_session(folder / "b.zip"), session) == "");
}

TEST_CASE("session archive: its text and plain .npy files, the same bytes every time") {
  const TemporaryFolder folder;
  Session session = session_of(3, 2);
  session.layer.attention.mask = MaskKind::Custom;
  session.layer.custom_mask = (Matrix(3, 3) << 1, 0, 0, 1, 1, 0, 1, 1, 1).finished();
  save_session(session, folder / "a.headlight", SessionForm::Archive);
  save_session(session, folder / "b.headlight", SessionForm::Archive);
  CHECK(read_file(folder / "a.headlight") == read_file(folder / "b.headlight"));
  const std::vector<ArrayEntry> arrays = list_npz(folder / "a.headlight");
  REQUIRE(arrays.size() == 2);
  CHECK(arrays[0].name == "embeddings");
  CHECK(arrays[0].shape == std::vector<Index>{3, 2});
  CHECK(arrays[1].name == "attention.mask");
  CHECK(arrays[1].bytes == 9);  // one byte for each cell
  CHECK(read_npz(folder / "a.headlight", "attention.mask").values[3] == 1);
}

TEST_CASE("session archive: packed by another program, in another order, with arrays of other types") {
  const TemporaryFolder folder;
  const std::string doubles =
      npy_file(npy_header("<f8", "(2, 3)", true), bytes_of<double>({1, 4, 2, 5, 3, 6}));
  for (const bool deflate : {false, true}) {
    const fs::path path = write_zip(folder / "x.headlight",
                                    {{"x.npy", doubles}, {"session.json", text_with(kReference)}}, deflate);
    const Session session = load_session(path);
    CHECK(session.title == "small");
    CHECK(session.layer.embeddings[0] == (Matrix(2, 3) << 1, 2, 3, 4, 5, 6).finished());
    CHECK(session.origins.empty());
  }
}

TEST_CASE("session archive: a file beside it can be referred to as well, and its own members come first") {
  const TemporaryFolder folder;
  folder.write("x.npy", npy_bytes({"", {2, 3}, {9, 9, 9, 9, 9, 9}}));
  const fs::path path = folder / "x.headlight";
  write_zip(path, {{"session.json", text_with(kReference)}});
  CHECK(load_session(path).layer.embeddings[0](0, 0) == 9);
  write_zip(path, {{"session.json", text_with(kReference)}, {"x.npy", kArray}});
  CHECK(load_session(path).layer.embeddings[0](0, 0) == 1);
  write_zip(path, {{"session.json", text_with({{"file", "./x.npy"}})}, {"x.npy", kArray}});
  CHECK(load_session(path).layer.embeddings[0](0, 0) == 9);
}

TEST_CASE("session archive: what is wrong with it is said") {
  const TemporaryFolder folder;
  const fs::path path = folder / "x.headlight";
  const std::string text = text_with(kReference);
  write_zip(path, {{"x.npy", kArray}});
  refuse(path, "holds no session.json", "x.headlight", "Open array file");
  write_zip(path, {{"session.json", text}});
  refuse(path, "no such file", "x.npy", "check the name");
  write_zip(path, {{"session.json", "{"}});
  refuse(path, "ends too early", "x.headlight", "cut off");
  write_zip(path, {{"session.json", text}, {"x.npy", kArray}, {"../evil.npy", kArray}});
  refuse(path, "leads out of the archive", "x.headlight", "without folders");
  write_zip(path, {{"session.json", text}, {"x.npy", kArray}, {"/evil", ""}});
  refuse(path, "leads out of the archive", "x.headlight", "without folders");
  write_zip(path, {{"session.json", text_with({{"file", "../x.npy"}})}, {"x.npy", kArray}});
  refuse(path, "leads out of the session's folder", "embeddings.file", "beside");
  write_zip(path, {{"session.json", text_with({{"file", "x.npy"}, {"name", "x"}})}, {"x.npy", kArray}});
  refuse(path, "without a name", "embeddings.name", "remove");
  write_zip(path, {{"session.json", text}, {"x.npy", npy_bytes({"", {3, 3}, std::vector<float>(9)})}});
  refuse(path, "is 3 x 3, expected 2 x 3", "embeddings[0]", "one row for each");
  write_zip(path, {{"session.json", text}, {"x.npy", npy_bytes({"", {6}, std::vector<float>(6)})}});
  refuse(path, "shape 6, expected tokens x d_in", "embeddings", "reshape");
  write_zip(path, {{"session.json", text}, {"x.npy", kArray.substr(0, kArray.size() - 1)}});
  refuse(path, "23 of 24 bytes", "embeddings: x.npy", "cut off");
  write_zip(path, {{"session.json", text}, {"x.npy", kArray + "x"}});
  refuse(path, "1 bytes follow the values", "embeddings: x.npy", "damaged");
  const std::string huge = npy_file(npy_header("<f4", "(100000, 1000000)"), "");
  write_zip(path, {{"session.json", text}, {"x.npy", huge}});
  refuse(path, "is larger than", "embeddings: x.npy", "too large");
}

TEST_CASE("session archive: cut off anywhere, or with a bit turned, it is an error or what was saved") {
  const TemporaryFolder folder;
  const fs::path path = folder / "x.headlight";
  const Session session = session_of(3, 2);
  save_session(session, path, SessionForm::Archive);
  const std::string whole = read_file(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    folder.write("cut.headlight", std::string_view(whole).substr(0, length));
    INFO(length);
    const Error error = error_of([&] { load_session(folder / "cut.headlight"); });
    CHECK_THAT(error.where(), ContainsSubstring("cut.headlight"));
  }
  for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 3) {
    std::string turned = whole;
    turned[bit / 8] = static_cast<char>(turned[bit / 8] ^ 1 << bit % 8);
    folder.write("turned.headlight", turned);
    INFO(bit);
    try {
      const Session again = load_session(folder / "turned.headlight");
      CHECK(same_layer(again.layer, session.layer));
    } catch (const Error& error) {
      CHECK_THAT(error.where(), ContainsSubstring("turned.headlight"));
    }
  }
}

#ifdef HEADLIGHT_OPTIMISED  // these tests use gigabytes

TEST_CASE(
    "session archive: a text that is too long to be opened again is refused before anything is touched") {
  const TemporaryFolder folder;
  Session session = session_of(3, 2);
  save_session(session, folder / "x.headlight");
  const std::string before = read_file(folder / "x.headlight");
  session.notes.assign(static_cast<std::size_t>(kMostSessionText) + 1, 'n');
  for (const SessionForm form : {SessionForm::Text, SessionForm::Archive})
    check_error([&] { save_session(session, folder / "x.headlight", form); }, "more than the 1073741824",
                "x.headlight", "shorten");
  CHECK(read_file(folder / "x.headlight") == before);
  CHECK(folder.names() == std::vector<std::string>{"x.headlight"});
}

TEST_CASE("session archive: more numbers than may be saved are refused wherever they come from") {
  Session session = session_of(3, 2);
  // Never written to, so the system does not allocate the pages.
  session.layer.weights.matrix(Parameter::Output) = Matrix(kMostLayerNumbers / 4096, 4096);
  CHECK_THAT(error_of([&] { validate(session.layer); }).what(), ContainsSubstring("can be saved and opened"));
  CHECK_THAT(error_of([&] { session_text(session); }).what(), ContainsSubstring("can be saved and opened"));
}

#endif

TEST_CASE("session archive: neither a pipe nor a device is saved to") {
  check_error([] { save_session(session_of(2, 2), "/dev/full"); }, "a device or a pipe", "/dev/full", "file");
}

TEST_CASE("session archive: 300 MB are saved and opened", "[.slow]") {
  const TemporaryFolder folder;
  const Session session = session_of(24'000, 3200);
  const auto seconds_of = [](const auto& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Session again;
  const double saving = seconds_of([&] { save_session(session, folder / "x.headlight"); });
  const double opening = seconds_of([&] { again = load_session(folder / "x.headlight"); });
  const double megabytes = static_cast<double>(fs::file_size(folder / "x.headlight")) / 1e6;
  WARN("saved at " << megabytes / saving << " MB/s, opened at " << megabytes / opening << " MB/s");
  CHECK(same_layer(session.layer, again.layer));
}
