// Bundles: a session with its arrays, its model and its report in one archive that opens without the files it
// was made of, and what is refused of damaged ones and of other models.
#include <zip.h>

#include <nlohmann/json.hpp>

#include <map>

#include "engine/arrays/zip_archive.h"
#include "engine/core/file.h"
#include "engine/network/layer_at.h"
#include "engine/session/model_folder_field.h"
#include "engine/session/report_files.h"
#include "tests/engine/interpretation/sides_support.h"
#include "tests/support/environment.h"
#include "tests/support/format_support.h"
#include "tests/support/model_files.h"

using namespace headlight;
using namespace headlight_test;
using nlohmann::json;

namespace {

using Members = std::map<std::string, std::string>;

// A cache of its own, and a folder for sessions.
struct Place {
  TemporaryFolder cache, folder;
  Variable variable{"XDG_CACHE_HOME", cache.path().c_str()};
  fs::path operator/(const std::string& name) const { return folder / name; }
  fs::path models() const { return cache / "headlight/models"; }
};

// A model's session with a head off and a matrix of numbers of its own.
Session session_on(const fs::path& model, const std::vector<std::int32_t>& ids = golden_ids("gpt2")) {
  OpenModel work;
  work.network = std::make_shared<const Network>(model);
  work.ids = ids;
  work.layer = 1;
  set_head(work, 0, 1, HeadState::Off);
  OwnWeights own = stored_weights(*work.network, 0, Parameter::Output);
  own.w(1, 1) = 4;
  work.on.layers[0].weights[3] = std::make_shared<const OwnWeights>(own);
  Session session;
  session.title = "bundled";
  session.layer = shown_layer(work);
  session.work = std::make_shared<const OpenModel>(std::move(work));
  return session;
}

Matrix residual_of(const Session& session) {
  NetworkPass pass(session.work->network);
  take_state(pass, state_of(*session.work));
  return pass.residual(session.work->network->config().layers);
}

Members members_of(const fs::path& path) {
  const ZipArchive archive(path, {"session file", "", FileForm::Session});
  Members members;
  for (const ZipMember& member : archive.members()) {
    std::string bytes(static_cast<std::size_t>(member.size), '\0');
    ZipReading reading(archive, member, "");
    reading.read(bytes.data(), bytes.size());
    members[member.name] = bytes;
  }
  return members;
}

// An archive as another program writes it; link: the member that is a symbolic link.
fs::path write_members(const fs::path& path, const Members& members, const std::string& link = "") {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  REQUIRE(archive != nullptr);
  for (const auto& [name, bytes] : members) {
    zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const auto index =
        static_cast<zip_uint64_t>(zip_file_add(archive, name.c_str(), source, ZIP_FL_OVERWRITE));
    if (name == link)
      zip_file_set_external_attributes(archive, index, 0, ZIP_OPSYS_UNIX, zip_uint32_t{0120777} << 16);
  }
  REQUIRE(zip_close(archive) == 0);
  return path;
}

json text_of_bundle(const Members& members) {
  return json::parse(members.at("session.json"));
}

}  // namespace

TEST_CASE("bundle: it opens with its model after the model's folder is gone, and all edits apply") {
  const Place place;
  Matrix expected;
  std::string changes;
  {
    const ModelCopy model("gpt2");
    const Session session = session_on(model.path());
    expected = residual_of(session);
    REQUIRE(carries_model(session, WithModel::Small));
    CHECK_FALSE(carries_model(session, WithModel::Never));
    save_bundle(session, place / "x.headlight", {true, {}});
    CHECK_FALSE(session.bundle);
  }
  const Members members = members_of(place / "x.headlight");
  CHECK(members.count("model/config.json") == 1);
  CHECK(members.count("model/model.safetensors") == 1);
  CHECK(members.count("model/tokenizer.json") == 1);
  CHECK(members.at("session.json").find(fs::temp_directory_path().string()) == std::string::npos);
  const Session again = load_session(place / "x.headlight");
  REQUIRE(again.work);
  REQUIRE(again.bundle);
  CHECK(again.bundle->with_model);
  CHECK(again.work->network->tokenizer().has_value());
  CHECK(changes_in_words(*again.work).size() == 2);
  CHECK(largest_difference(residual_of(again), expected) == 0);
  CHECK(again.work->network->checkpoint().folder().string().starts_with(place.models().string()));
  const auto mode = fs::status(place.models()).permissions();
  CHECK((mode & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
}

TEST_CASE("bundle: saved again it is one, also under another name and after its cache is gone") {
  const Place place;
  const Session session = session_on(model_folder("gpt2"));
  const Matrix expected = residual_of(session);
  save_bundle(session, place / "x.headlight", {true, {}});
  Session again = load_session(place / "x.headlight");
  again.title = "changed";
  save_session(again, place / "x.headlight");
  save_session(again, place / "y.headlight");
  fs::remove_all(place.models());
  for (const char* name : {"x.headlight", "y.headlight"}) {
    const Session last = load_session(place / name);
    CHECK(last.title == "changed");
    CHECK(last.bundle->with_model);
    CHECK(largest_difference(residual_of(last), expected) == 0);
  }
  // What recovery keeps has no files, and is one when it is saved.
  save_session(again, place / "kept.headlight", SessionForm::Recovery);
  CHECK_FALSE(begins_as_zip(read_piece(place / "kept.headlight", 0, 4)));
  CHECK(load_session(place / "kept.headlight").bundle->with_model);
}

TEST_CASE("bundle: unpacked files are reused, and unpacked again if they differ") {
  const Place place;
  save_bundle(session_on(model_folder("gpt2")), place / "x.headlight", {true, {}});
  const fs::path folder = load_session(place / "x.headlight").work->network->checkpoint().folder();
  const fs::path weights = folder / "model.safetensors";
  const auto written = fs::last_write_time(weights);
  const std::string bytes = read_file(weights);
  CHECK(load_session(place / "x.headlight").work->network->checkpoint().folder() == folder);
  CHECK(fs::last_write_time(weights) == written);
  std::string other = bytes;
  other.back() = static_cast<char>(other.back() ^ 1);
  write_file_atomically(weights, other);
  load_session(place / "x.headlight");
  CHECK(read_file(weights) == bytes);
  // No folder of an unfinished unpacking is left.
  CHECK(std::distance(fs::directory_iterator(place.models()), fs::directory_iterator()) == 1);
}

TEST_CASE("bundle: models of two sides, of images, of an adapter and in a GGUF file go in whole") {
  const Place place;
  Session session;
  session.title = "two sides";
  OpenModel sides = two_sided("t5");
  session.layer = shown_layer(sides);
  session.work = std::make_shared<const OpenModel>(sides);
  save_bundle(session, place / "t5.headlight", {true, {}});
  const Session t5 = load_session(place / "t5.headlight");
  CHECK(t5.work->source_ids == sides.source_ids);
  CHECK(largest_difference(residual_of(t5), residual_of(session)) == 0);

  OpenModel seen;
  seen.network = std::make_shared<const Network>(library_folder("vit"));
  OpenImage image = first_image(*seen.network);
  image.pixels(0, 0) += 1;
  image.path = place / "picture.png";  // a file that the other machine does not have
  set_image(seen, image);
  session.layer = shown_layer(seen);
  session.work = std::make_shared<const OpenModel>(seen);
  save_bundle(session, place / "vit.headlight", {true, {}});
  CHECK(load_session(place / "vit.headlight").work->image->pixels == image.pixels);

  const fs::path gguf = source_root() + "/tests/golden/gguf/gpt2.gguf";
  const Session of_file = session_on(gguf, {1, 2, 3});
  save_bundle(of_file, place / "gguf.headlight", {true, {}});
  const Session read = load_session(place / "gguf.headlight");
  CHECK(read.work->network->checkpoint().folder().filename() == "gpt2.gguf");
  CHECK(largest_difference(residual_of(read), residual_of(of_file)) == 0);
}

TEST_CASE("bundle: without its model it names it, and another folder is chosen or refused") {
  const Place place;
  Matrix expected;
  const ModelCopy elsewhere("gpt2");
  {
    const ModelCopy model("gpt2");
    const Session session = session_on(model.path());
    expected = residual_of(session);
    save_bundle(session, place / "x.headlight", {false, {}});
    save_session(session, place / "plain.headlight");
  }
  for (const char* name : {"x.headlight", "plain.headlight"}) {
    INFO(name);
    const fs::path file = place / name;
    try {
      load_session(file);
      FAIL("it opened");
    } catch (const ModelNotFound& error) {
      CHECK_THAT(error.name(), ContainsSubstring("headlight-test-"));
      CHECK_THAT(error.what(), ContainsSubstring("is not there"));
      CHECK_THAT(error.what(), ContainsSubstring("header "));
      CHECK_THAT(error.what(), ContainsSubstring("--model"));
      CHECK(error.where().starts_with(file.string()));
    }
    for (const fs::path& chosen : {elsewhere.path(), elsewhere.path() / "config.json"}) {
      const Session again = load_session(file, nullptr, chosen);
      CHECK(largest_difference(residual_of(again), expected) == 0);
      CHECK(again.work->path.empty());
    }
    try {
      load_session(file, nullptr, model_folder("llama"));
      FAIL("it opened");
    } catch (const ModelNotFound& error) {
      CHECK_THAT(error.what(), ContainsSubstring("another model"));
    }
    CHECK_THROWS_AS(load_session(file, nullptr, place / "nowhere"), ModelNotFound);
  }
}

TEST_CASE("bundle: arrays of files beside the session go in as numbers") {
  const Place place;
  place.folder.write("x.csv", "1,2,3\n4,5,6\n");
  place.folder.write("x.headlight", R"({"format": "headlight-session", "version": 1, "title": "",
    "tokens": ["a", "b"], "embeddings": {"file": "x.csv"}, "attention": {"projection": "none"}})");
  const Session session = load_session(place / "x.headlight");
  REQUIRE(session.origins.size() == 1);
  fs::create_directory(place / "out");
  save_bundle(session, place / "out/y.headlight", {});
  fs::remove(place / "x.csv");
  const Session again = load_session(place / "out/y.headlight");
  CHECK(again.layer.embeddings[0] == session.layer.embeddings[0]);
  CHECK(again.bundle == Bundle{false, place / "out/y.headlight"});
}

TEST_CASE("bundle: the report goes with it, and stays when it is saved again") {
  const Place place;
  place.folder.write("x.report/report.md", "# What was found\n");
  place.folder.write("x.report/1-weights.svg", "<svg/>");
  place.folder.write("x.report/notes.txt", "not a file of a report");
  Session session;
  session.layer.tokens = {"a"};
  session.layer.embeddings = {Matrix::Ones(1, 2)};
  session.layer.attention.d_out = 2;
  save_session(session, place / "x.headlight");
  save_bundle(session, place / "b.headlight", {false, place / "x.headlight"});
  const auto check = [&](const fs::path& file) {
    const std::vector<ReportFile> files = report_files(file);
    REQUIRE(files.size() == 2);
    CHECK(files[0].name == "1-weights.svg");
    CHECK(files[1].bytes == "# What was found\n");
  };
  check(place / "b.headlight");
  const Session bundle = load_session(place / "b.headlight");
  save_session(bundle, place / "b.headlight");
  check(place / "b.headlight");
  save_session(bundle, place / "c.headlight");
  check(place / "c.headlight");
  // A report beside the bundle is newer than that in it.
  place.folder.write("b.report/report.md", "# Newer\n");
  save_session(bundle, place / "b.headlight");
  fs::remove_all(place / "b.report");
  CHECK(report_files(place / "b.headlight").front().bytes == "# Newer\n");
  CHECK(report_files(place / "none.headlight").empty());
}

TEST_CASE("bundle: damaged and contrived archives are refused, and nothing of them stays") {
  const Place place;
  save_bundle(session_on(model_folder("gpt2")), place / "x.headlight", {true, {}});
  const Members good = members_of(place / "x.headlight");
  const auto refused = [&](const Members& members, const std::string& what, const std::string& link = "") {
    const fs::path file = write_members(place / "bad.headlight", members, link);
    const Error error = error_of([&] { load_session(file); });
    INFO(error.what());
    CHECK_THAT(error.what(), ContainsSubstring(what));
    CHECK(error.where().starts_with(file.string()));
    CHECK((!fs::exists(place.models()) || fs::is_empty(place.models())));
  };
  const auto with_file = [&](const std::string& pointer, const json& value) {
    Members changed = good;
    json text = text_of_bundle(good);
    text[json::json_pointer("/model_folder/files" + pointer)] = value;
    changed["session.json"] = text.dump();
    return changed;
  };
  Members changed = good;
  changed["model/model.safetensors"].back() ^= 1;
  refused(changed, "not those that the session was saved with");
  changed = good;
  changed["model/model.safetensors"].pop_back();
  refused(changed, "and the session says");
  changed = good;
  changed.erase("model/tokenizer.json");
  refused(changed, "is missing");
  changed = good;
  changed["model/../../escape"] = "x";
  refused(changed, "leads out of the archive");
  changed = good;
  changed["/etc/escape"] = "x";
  refused(changed, "leads out of the archive");
  refused(good, "is a symbolic link", "model/config.json");
  refused(with_file("/0/name", "../escape"), "is not that of a file in one folder");
  refused(with_file("/0/name", ".hidden"), "is not that of a file in one folder");
  refused(with_file("/0/name", "a/b"), "is not that of a file in one folder");
  refused(with_file("/1/name", text_of_bundle(good)["model_folder"]["files"][0]["name"]),
          "two files are named");
  refused(with_file("", json::array()), "expected a list of files");
  refused(with_file("/0/hash", "0000000000000000"), "not those that the session was saved with");
  // A file that is a megabyte of zeros for each of its kilobytes.
  changed = with_file("/0/bytes", 200'000'000);
  changed["model/" + text_of_bundle(good)["model_folder"]["files"][0]["name"].get<std::string>()] =
      std::string(200'000'000, '\0');
  refused(changed, "no model is packed as tightly");
  // Its text alone has no archive to take the model from.
  place.folder.write("text.headlight", good.at("session.json"));
  check_error([&] { load_session(place / "text.headlight"); }, "members of an archive", "model_folder.files",
              "bundle itself");
}

TEST_CASE("bundle: a cache that cannot be written to is said") {
  const Place place;
  save_bundle(session_on(model_folder("gpt2")), place / "x.headlight", {true, {}});
  place.folder.write("file", "");
  const Variable no_folder("XDG_CACHE_HOME", (place / "file").c_str());
  check_error([&] { load_session(place / "x.headlight"); }, "cannot be used", "models", "XDG_CACHE_HOME");
}
