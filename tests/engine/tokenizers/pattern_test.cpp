#include "engine/tokenizers/pattern.h"

#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// The matches, each followed by "|".
std::string matches(const std::string& expression, const std::string& text) {
  std::string found;
  for (const Stretch& stretch : Pattern::expression(expression, "pattern").stretches(text))
    if (stretch.match) found += text.substr(stretch.begin, stretch.end - stretch.begin) + "|";
  return found;
}

std::string with_replaced(const Pattern& pattern, const std::string& text, const std::string& content) {
  return pattern.replaced(text, content, Allowance(text.size()));
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
  CHECK(with_replaced(Pattern::expression("x*", "pattern"), "axb", "-") == "-a-b-");
}

TEST_CASE("pattern: sets and signs mean what they do to Oniguruma") {
  CHECK(matches(R"(\w+)", "a\u0301b\u00B2 c_1") == "a\u0301b\u00B2|c_1|");
  CHECK(matches(R"([\w]+)", "a\u0301b\u00B2 c_1") == "a\u0301b|c_1|");
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
  CHECK(matches(R"(\\s\[|\p{L}+)", "\\s[ab") == "\\s[|ab|");
  CHECK(matches("[[:space:]]+", "a\u180Eb\u3000 c") == "\u3000 |");
  CHECK(matches("[[:^space:]]+", "a b") == "a|b|");
  CHECK(matches("[[:punct:]]+", "a.!b") == ".!|");
  CHECK(matches(R"(\p{Punct}+)", "a$.b") == ".|");
  CHECK(matches("[a-z&&[^aeiou]]+", "ab-cde") == "b|cd|");
  CHECK(matches("[a[bc]]+", "xabcx") == "abc|");
  CHECK(matches(R"([\W\d]+)", "a1 !b") == "1 !|");
  CHECK(matches(R"([^\W\d]+)", "a1 !b") == "a|b|");
  CHECK(matches(R"(\bb|\Bc)", "ab b bc c") == "b|b|c|");
}

TEST_CASE("pattern: properties by their names") {
  CHECK(matches(R"(\p{L}+)", "aé\u65E5 1") == "aé\u65E5|");
  CHECK(matches(R"([^\s\p{L}\p{N}]+)", "a!2?") == "!|?|");
  CHECK(matches(R"(\p{^L}+)", "a1b") == "1|");
  CHECK(matches(R"(\p{Han}+)", "\u3001\u65E5") == "\u65E5|");  // a comma of many scripts is not Han
  CHECK(matches(R"([[a]\p{Emoji_Modifier}]+)", "xa\U0001F3FB") == "a\U0001F3FB|");
  CHECK(matches("a{1,3}+", "aaaa") == "aaaa|");  // a repeated count, not a possessive one
}

TEST_CASE("pattern: what is no expression is refused") {
  for (const std::string& expression :
       {std::string("a(b"), std::string("[z-a]"), std::string("[a"), std::string(R"(\p{no such})"),
        std::string(5000, '(') + std::string(5000, ')')})
    check_error([&] { Pattern::expression(expression, "split.pattern"); }, "cannot be used", "split.pattern",
                "mend it");
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
  CHECK(with_replaced(Pattern::literal("a.", "pattern"), "a.aba.", "x") == "xabx");
  check_error([] { Pattern::literal("", "pattern"); }, "empty", "pattern", "write the text");
  const Pattern every = Pattern::literal("a", "pattern");
  check_error([&] { with_replaced(every, std::string(1000, 'a'), std::string(1'000'000, 'b')); },
              "beyond 1 MiB", "pattern", "shorter");
}
