// Every setting of attention that a session can have is saved.
#include "engine/session/attention_members.h"

#include "engine/session/attention_field.h"
#include "tests/support/catch.h"
#include "tests/support/changed_member.h"

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
