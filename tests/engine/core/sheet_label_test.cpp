#include "engine/core/sheet_label.h"

#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("labels of sheets: what would be run there has an apostrophe, and loses it again") {
  for (const char* text :
       {"=1+1", "+cmd|' /C calc'!A0", "-x", "@SUM(A1)", "\t=1", "\r=1", "=", "-", "'=1", "''-x"}) {
    INFO(text);
    CHECK(sheet_label(text) == "'" + std::string(text));
    CHECK(label_of_sheet(sheet_label(text)) == text);
  }
  for (const char* text :
       {"", "a", "-5", "+0.5", "-1e3", "-inf", "a=b", "'", "'s", "don't", "''", " =1", "\u2212"}) {
    INFO(text);
    CHECK(sheet_label(text) == text);
    CHECK(label_of_sheet(text) == text);
  }
}
