// Thousands of random sessions over every field are saved and loaded unchanged, in both forms of the file.
#include <map>

#include <nlohmann/json.hpp>

#include "engine/arrays/zip_archive.h"
#include "engine/core/file.h"
#include "tests/support/format_support.h"
#include "tests/support/random_sessions.h"

using namespace headlight;
using namespace headlight_test;
using nlohmann::json;

namespace {

// The pointer of each member of a document, and its kind, with "*" for list indices: "/lesson/steps/*/title".
void list_members(const json& value, const json::json_pointer& here, const std::string& kind,
                  std::vector<std::pair<json::json_pointer, std::string>>& members) {
  if (value.is_object())
    for (const auto& [key, member] : value.items()) {
      members.emplace_back(here / key, kind + "/" + key);
      list_members(member, here / key, kind + "/" + key, members);
    }
  if (value.is_array())
    for (std::size_t i = 0; i < value.size() && value[i].is_structured(); ++i)
      list_members(value[i], here / i, kind + "/*", members);
}

// Whether a session is unchanged if its file lacks one member.
bool survives_without(const json& document, const json::json_pointer& member, const Session& session) {
  json without = document;
  without.at(member.parent_pointer()).erase(member.back());
  try {
    return differences(parse_session(without.dump(), ".", "x"), session).empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("round trip: thousands of sessions as text, bit for bit") {
  Dice dice(131);
  for (int i = 0; i < 3000; ++i) {
    INFO("session " << i);
    const Session session = random_session(dice);
    const std::string text = session_text(session);
    const Session again = parse_session(text, ".", "x.headlight");
    REQUIRE(differences(session, again) == "");
    REQUIRE(session_text(again) == text);
  }
}

TEST_CASE("round trip: sinks and factors of pairs, bit for bit") {
  Dice dice(135);
  for (int i = 0; i < 200; ++i) {
    INFO("session " << i);
    Session session;
    session.layer = random_sink_layer(dice);
    const Session again = parse_session(session_text(session), ".", "x.headlight");
    CHECK(again.layer.attention.sinks == session.layer.attention.sinks);
    CHECK(again.layer.attention.position.scaling == session.layer.attention.position.scaling);
  }
}

TEST_CASE("round trip: a thousand sessions as archives, bit for bit") {
  const TemporaryFolder folder;
  const fs::path path = folder / "x.headlight";
  Dice dice(132);
  for (int i = 0; i < 1000; ++i) {
    INFO("session " << i);
    const Session session = random_session(dice);
    save_session(session, path, SessionForm::Archive);
    REQUIRE(begins_as_zip(read_piece(path, 0, 4)));
    REQUIRE(differences(session, load_session(path)) == "");
  }
}

TEST_CASE("round trip: an archive keeps the bits of what is no number") {
  const TemporaryFolder folder;
  Dice dice(133);
  Session session = random_session(dice);
  session.layer.attention.output_projection = false;
  session.layer.weights = {};
  Matrix& unused = session.layer.weights.matrix(Parameter::Output) = Matrix::Zero(2, 2);
  unused(0, 0) = std::bit_cast<float>(0x7fc12345u);
  unused(1, 0) = std::bit_cast<float>(0xffc00001u);
  if (session.layer.attention.projection == Projection::Linear) set_random_weights(dice, session.layer);
  save_session(session, folder / "x.headlight", SessionForm::Archive);
  const Session again = load_session(folder / "x.headlight");
  CHECK(same_bits(again.layer.weights.matrix(Parameter::Output), unused));
}

// Simulates a writer that omits a member: for each kind of member some session must then differ, so that the
// tests above would fail.
TEST_CASE("round trip: there is no member of the file that could be forgotten without being noticed") {
  Dice dice(134);
  std::map<std::string, bool> missed;  // by the kind of member
  for (int i = 0; i < 400; ++i) {
    const Session session = random_session(dice);
    const json document = json::parse(session_text(session));
    std::vector<std::pair<json::json_pointer, std::string>> members;
    list_members(document, json::json_pointer(), "", members);
    for (const auto& [member, kind] : members) {
      bool& is_missed = missed[kind];
      if (!is_missed) is_missed = !survives_without(document, member, session);
    }
  }
  for (const auto& [kind, is_missed] : missed) {
    INFO(kind);
    CHECK(is_missed);
  }
  CHECK(missed.size() == 113);  // every member in FORMAT.md
}
