// The journal of a session's changes, as bytes.
#include "app/recovery/journal.h"

#include "tests/support/catch.h"
#include "tests/support/changed_member.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::string journal_of(const AttentionSettings& settings) {
  std::string bytes = journal_start({12, 34, 5, "/a/file.headlight", {}});
  Change change;
  change.edit = SettingsEdit{settings};
  append_record(bytes, change, 6);
  return bytes;
}

}  // namespace

TEST_CASE("journal: a setting that is changed is stored, whichever it is") {
  int changes = 0;
  for_each_change({}, [&](const AttentionSettings& changed) {
    ++changes;
    const std::optional<Journal> journal = parse_journal(journal_of(changed));
    REQUIRE(journal.has_value());
    REQUIRE(journal->records.size() == 1);
    CHECK(std::get<SettingsEdit>(*journal->records.front().edit).attention == changed);
    CHECK(journal->changes == 6);
  });
  CHECK(changes > 30);
}

TEST_CASE("journal: that of another version, or of a program with other settings, is not read") {
  const std::string bytes = journal_of({});
  REQUIRE(parse_journal(bytes).has_value());
  const std::size_t end = bytes.find('\n');
  for (const char* first : {"headlight-journal 1", "headlight-journal 2", "headlight-journal 3",
                            "headlight-journal 4 1", "headlight-journal 5 1", ""}) {
    INFO(first);
    CHECK_FALSE(parse_journal(first + bytes.substr(end)).has_value());
  }
}
