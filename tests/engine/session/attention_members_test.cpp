// Every setting of attention that a session can have is saved, and described.
#include "engine/session/attention_members.h"

#include "engine/core/file.h"
#include "engine/session/attention_field.h"
#include "tests/support/catch.h"
#include "tests/support/changed_member.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

AttentionSettings saved(const AttentionSettings& settings) {
  Layer layer, again;
  layer.attention = settings;
  JsonWriter out;
  ArrayWriter written(false, {});
  write_attention(out, layer, written);
  ArrayReader read(".");
  read_attention(parse_json(out.take()), read, again);
  return again.attention;
}

template <class... Settings>
std::vector<std::string> declared_names() {
  std::vector<std::string> all;
  for (const std::vector<std::string>& names : {member_names<Settings>()...})
    all.insert(all.end(), names.begin(), names.end());
  return all;
}

}  // namespace

TEST_CASE("attention members: a setting that is changed is saved, whichever it is") {
  AttentionSettings settings;
  settings.d_out = 4;
  settings.position.kind = PositionKind::Rotary;
  settings.mask = MaskKind::Rules;
  REQUIRE(saved(settings) == settings);
  int changes = 0;
  for_each_change(settings, [&](AttentionSettings changed) {
    ++changes;
    if (!changed.position.slopes.empty()) changed.position.kind = PositionKind::Alibi;
    CHECK(saved(changed) == changed);
  });
  CHECK(changes > 30);
}

TEST_CASE("attention members: the description of the format has each of them") {
  const std::string text = read_file(source_root() + "/engine/session/FORMAT.md");
  for (const std::string& name :
       declared_names<AttentionSettings, Position, RotaryScaling, MaskRules, Dropout>())
    CHECK_THAT(text, ContainsSubstring('"' + name + '"'));
}
