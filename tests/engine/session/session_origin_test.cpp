// References to array files: they are saved again while neither the array nor its file has changed.
#include <fstream>

#include "engine/arrays/npy.h"
#include "engine/core/file.h"
#include "tests/engine/session/session_support.h"
#include "tests/support/format_support.h"
#include "tests/support/random_sessions.h"

using namespace headlight;
using namespace headlight_test;
using nlohmann::json;

namespace {

// A session in a folder below the test's folder; its embeddings, W_query, mask and biases come from files
// there.
struct Work {
  Work() {
    folder.write("work/arrays/x.npy", npy_bytes({"", {2, 3}, {1, 2, 3, 4, 5, 6}}));
    write_npz(folder / "work/w.npz", {{"W_query", {3, 2}, {1, 2, 3, 4, 5, 6}}, {"b", {2}, {7, 8}}});
    folder.write("work/mask.csv", "1,0\n1,1\n");
    json document = small_session();
    document["embeddings"] = {{"file", "arrays/x.npy"}};
    document["attention"]["qkv_bias"] = true;
    document["attention"]["mask"] = {{"file", "mask.csv"}};
    document["weights"]["query"] = {{"file", "w.npz"}, {"name", "W_query"}};
    for (const char* bias : {"query_bias", "key_bias", "value_bias"})
      document["weights"][bias] = {{"file", "w.npz"}, {"name", "b"}};
    path = folder.write("work/s.headlight", document.dump());
  }
  // Saves the session under `name`, checks that it loads unchanged, and returns its text.
  json saved(const Session& session, const std::string& name) const {
    save_session(session, folder / name);
    CHECK(differences(session, load_session(folder / name)) == "");
    return json::parse(read_file(folder / name));
  }
  TemporaryFolder folder;
  fs::path path;
};

const json kInputs = {{"file", "arrays/x.npy"}};
const json kQueryMatrix = {{"file", "w.npz"}, {"name", "W_query"}};

}  // namespace

TEST_CASE("origins: references of every kind are saved as such") {
  const Work work;
  const Session session = load_session(work.path);
  CHECK(session.origins.size() == 6);
  const json again = work.saved(session, "work/s.headlight");
  CHECK(again["embeddings"] == kInputs);
  CHECK(again["attention"]["mask"] == json{{"file", "mask.csv"}});
  CHECK(again["weights"]["query"] == kQueryMatrix);
  CHECK(again["weights"]["key_bias"] == json{{"file", "w.npz"}, {"name", "b"}});
  CHECK(again["weights"]["key"].is_array());
}

TEST_CASE("origins: what was edited is written as numbers, and is a reference again once that is undone") {
  const Work work;
  Session session = load_session(work.path);
  const float before = session.layer.embeddings[0](1, 1);
  session.layer.embeddings[0](1, 1) = 0.5f;
  CHECK(work.saved(session, "work/s.headlight")["embeddings"] == json{{1, 2, 3}, {4, 0.5, 6}});
  CHECK(work.saved(session, "work/s.headlight")["weights"]["query"] == kQueryMatrix);
  session.layer.embeddings[0](1, 1) = before;
  CHECK(work.saved(session, "work/s.headlight")["embeddings"] == kInputs);
  session.layer.embeddings[0](0, 0) = -0.0f;
  CHECK(work.saved(session, "work/s.headlight")["embeddings"].is_array());
}

TEST_CASE("origins: a file that was written since is not referred to") {
  const Work work;
  const Session session = load_session(work.path);
  work.folder.write("work/arrays/x.npy", npy_bytes({"", {2, 3}, {9, 9, 9, 9, 9, 9}}));
  fs::remove(work.folder / "work/w.npz");
  const json again = work.saved(session, "work/s.headlight");
  CHECK(again["embeddings"] == json{{1, 2, 3}, {4, 5, 6}});
  CHECK(again["weights"]["query"].is_array());
  CHECK(again["attention"]["mask"] == json{{"file", "mask.csv"}});
}

TEST_CASE("origins: saved elsewhere, what lies below is referred to from there, and the rest is written") {
  const Work work;
  const Session session = load_session(work.path);
  const json above = work.saved(session, "s.headlight");
  CHECK(above["embeddings"] == json{{"file", "work/arrays/x.npy"}});
  CHECK(above["weights"]["query"] == json{{"file", "work/w.npz"}, {"name", "W_query"}});
  const json below = work.saved(session, "work/arrays/s.headlight");
  CHECK(below["embeddings"] == json{{"file", "x.npy"}});
  CHECK(below["weights"]["query"].is_array());
  fs::create_directory(work.folder / "other");
  const json aside = work.saved(session, "other/s.headlight");
  CHECK(aside["embeddings"].is_array());
  // Saved again in the original folder, the reference is valid.
  CHECK(work.saved(session, "work/again.headlight")["embeddings"] == kInputs);
}

TEST_CASE("origins: what a session refers to is not what it is saved over") {
  const Work work;
  const Session session = load_session(work.path);
  save_session(session, work.folder / "work/arrays/x.npy");
  CHECK(differences(session, load_session(work.folder / "work/arrays/x.npy")) == "");
}

TEST_CASE("origins: a large file stays beside a small session, also where other arrays are edited") {
  const TemporaryFolder folder;
  Dice dice(5);
  const Matrix x = dice.matrix(1000, 300);
  folder.write("embeddings.npy", npy_bytes({"", {1000, 300}, {x.data(), x.data() + x.size()}}));
  json document = plain_session();
  document["tokens"] = std::vector<std::string>(1000, "t");
  document["embeddings"] = {{"file", "embeddings.npy"}};
  document["given"] = {{"query", {{"file", "embeddings.npy"}}}};
  Session session = load_session(folder.write("s.headlight", document.dump()));
  const fs::path path = folder / "s.headlight";
  save_session(session, path);
  CHECK(fs::file_size(path) < 20'000);
  CHECK(differences(session, load_session(path)) == "");
  // Edited keys are many numbers: the session becomes an archive, and the reference remains.
  session.layer.given[1][0](0, 0) = 0.25f;
  save_session(session, path);
  CHECK(fs::file_size(path) < 4 * 1000 * 300 + 20'000);
  const Session again = load_session(path);
  CHECK(differences(session, again) == "");
  CHECK(again.origins.size() == 1);
  session = again;
  session.title = "saved from the archive";
  save_session(session, path);
  CHECK(fs::file_size(path) < 4 * 1000 * 300 + 20'000);
  CHECK(differences(session, load_session(path)) == "");
}

TEST_CASE("origins: a fingerprint tells shapes and bits apart") {
  const Matrix a = Matrix::Zero(2, 3), b = Matrix::Zero(3, 2);
  Matrix c = a, d = Matrix::Zero(100, 100), e = d;
  c(1, 2) = -0.0f;
  e(50, 50) = 1;
  CHECK(fingerprint({&a}) != fingerprint({&b}));
  CHECK(fingerprint({&a}) != fingerprint({&c}));
  CHECK(fingerprint({&a}) != fingerprint({&a, &a}));
  CHECK(fingerprint({&d}) != fingerprint({&e}));
  Matrix copy = e;
  CHECK(fingerprint({&copy}) == fingerprint({&e}));
}
