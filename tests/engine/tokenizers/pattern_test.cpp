#include "engine/tokenizers/pattern.h"

#include "engine/tokenizers/pattern_dialect.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// The matches with "|" between them.
std::string matches(const std::string& expression, const std::string& text) {
  std::string found;
  for (const Stretch& stretch : Pattern::expression(expression, "pattern").stretches(text))
    if (stretch.match) found += text.substr(stretch.begin, stretch.end - stretch.begin) + "|";
  return found;
}

std::string translated(const std::string& expression) {
  return pcre_expression(expression, "pattern");
}

}  // namespace

TEST_CASE("pattern: stretches cover the text") {
  const std::vector<Stretch> stretches = Pattern::expression("b+", "pattern").stretches("abbc");
  REQUIRE(stretches.size() == 3);
  CHECK((stretches[0].begin == 0 && stretches[0].end == 1 && !stretches[0].match));
  CHECK((stretches[1].begin == 1 && stretches[1].end == 3 && stretches[1].match));
  CHECK((stretches[2].begin == 3 && stretches[2].end == 4 && !stretches[2].match));
  CHECK(Pattern::expression("b", "pattern").stretches("").empty());
}

TEST_CASE("pattern: matches without characters") {
  CHECK(matches("x*", "axxb") == "|xx||");
  CHECK(matches("", "é") == "||");
  CHECK(Pattern::expression("x*", "pattern").replaced("axb", "-") == "-a-b-");
}

TEST_CASE("pattern: sets and signs mean what they do to Oniguruma") {
  CHECK(matches(R"(\w+)", "a\u0301b\u00B2 c_1") == "a\u0301b|c_1|");
  CHECK(matches(R"(\s)", "a\u180Eb\u3000c") == "\u3000|");
  CHECK(matches(R"([^\s]+)", "a\u00A0b") == "a|b|");
  CHECK(matches(R"([^\S\n]+)", "a \t\nb") == " \t|");
  CHECK(matches(R"(\h+)", "xFaceg") == "Face|");
  CHECK(matches(R"(^a$)", "a\na") == "a|a|");
  CHECK(matches("a.b", "a\nb") == "");
  CHECK(matches("(?m:a.b)", "a\nb") == "a\nb|");
  CHECK(matches("(?i:ab)+c", "aBAbc") == "aBAbc|");
  CHECK(matches("a{,2}b", "aaab") == "aab|");
  CHECK(matches("a{x}", "a{x}") == "a{x}|");
  CHECK(matches(R"(\u65E5+)", "a日日") == "日日|");
  CHECK(matches("[]a]+", "]a[") == "]a|");
  CHECK(matches("[[:digit:]]+", "a12") == "12|");
  CHECK(matches(R"([\p{Han}ー]+|\P{L})", "日本ー1") == "日本ー|1|");
  CHECK(matches("a++b?+", "aab") == "aab|");
  CHECK(translated(R"(\p{L}+\\s\[)") == R"(\p{L}+\\s\[)");
}

TEST_CASE("pattern: what would mean something else is refused") {
  for (const char* expression : {"[a[bc]]", "[a-z&&b]", "a{1,3}+", R"([\W])"})
    check_error([&] { translated(expression); }, "the expression", "pattern", "write the same without it");
  check_error([] { Pattern::expression("a(b", "split.pattern"); }, "\"a(b\" cannot be used: missing closing",
              "split.pattern", "mend it");
}

TEST_CASE("pattern: an expression that never ends is named") {
  const std::string text(40, 'a');
  check_error([&] { matches("(a+)+[bc]", text); }, "\"(a+)+[bc]\" cannot be followed", "pattern",
              "so many ways");
  check_error([&] { matches("((a|aa)+)+[bc]", std::string(200'000, 'a')); }, "cannot be followed", "pattern",
              "so many ways");
}

TEST_CASE("pattern: an expression that reads to the end from everywhere is named") {
  check_error([] { matches("a*[bc]", std::string(1'000'000, 'a')); }, "it takes too long", "pattern",
              "so many ways");
}

TEST_CASE("pattern: a text to look for") {
  CHECK(Pattern::literal("a.", "pattern").replaced("a.aba.", "x") == "xabx");
  check_error([] { Pattern::literal("", "pattern"); }, "empty", "pattern", "write the text");
  const Pattern every = Pattern::literal("a", "pattern");
  check_error([&] { every.replaced(std::string(1000, 'a'), std::string(1'000'000, 'b')); }, "16 MiB",
              "pattern", "shorter");
}
