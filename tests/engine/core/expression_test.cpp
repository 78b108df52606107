#include "engine/core/expression.h"

#include <cmath>
#include <numbers>
#include <string>

#include "engine/core/error.h"
#include "tests/support/catch.h"

using headlight::Error;
using headlight::Expression;
using headlight_test::ContainsSubstring;

namespace {

double value_of(const std::string& text, double x = 0) {
  return Expression(text).at(x);
}

// The message of the `Error` for the text, evaluated at x = 2.
std::string expression_fault(const std::string& text) {
  try {
    Expression(text).at(2);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing is wrong";
}

}  // namespace

TEST_CASE("expression: arithmetic binds as in Python") {
  CHECK(value_of("1/3") == 1.0 / 3);
  CHECK(value_of("-2*0.5") == -1);
  CHECK(value_of("1 + 2 * 3 - 4/2") == 5);
  CHECK(value_of("(1+2)*3") == 9);
  CHECK(value_of("8/4/2") == 1);
  CHECK(value_of("5-3-1") == 1);
  CHECK(value_of("2^3^2") == 512);
  CHECK(value_of("-2^2") == -4);
  CHECK(value_of("(-2)^2") == 4);
  CHECK(value_of("2^-1") == 0.5);
  CHECK(value_of("2**10") == 1024);
  CHECK(value_of("2*-3") == -6);
  CHECK(value_of("1e-3*2") == 2e-3);
  CHECK(value_of(".5+1.") == 1.5);
}

TEST_CASE("expression: functions and constants") {
  CHECK(value_of("sqrt(2)") == std::sqrt(2.0));
  CHECK(value_of("exp(1)") == std::exp(1.0));
  CHECK(value_of("log(e)") == std::log(std::numbers::e));
  CHECK(value_of("sin(pi/2) + cos(0)") == 2);
  CHECK(value_of("tanh(0.5)") == std::tanh(0.5));
  CHECK(value_of("abs(-3)") == 3);
  CHECK(value_of("min(3, 1, 2)") == 1);
  CHECK(value_of("max(3, 1)") == 3);
  CHECK(value_of("sqrt(max(1, 4)) ^ 2") == 4);
}

TEST_CASE("expression: x is what the cell holds") {
  CHECK(value_of("x*1.5", 2) == 3);
  CHECK(value_of("x^2 - x", 3) == 6);
  CHECK(Expression("x+1").uses_x());
  CHECK_FALSE(Expression("max(1, 2)").uses_x());
}

TEST_CASE("expression: what can't be worked out is named with its place") {
  CHECK_THAT(expression_fault("1/0"),
             ContainsSubstring("character 2") && ContainsSubstring("division by zero"));
  CHECK_THAT(expression_fault("1/(x-2)"), ContainsSubstring("division by zero"));
  CHECK_THAT(expression_fault("2*foo"),
             ContainsSubstring("character 3") && ContainsSubstring("\"foo\"") && ContainsSubstring("sqrt"));
  CHECK_THAT(expression_fault("(1+2"), ContainsSubstring("character 1") && ContainsSubstring("never closed"));
  CHECK_THAT(expression_fault("1+2)"), ContainsSubstring("character 4") && ContainsSubstring("never opened"));
  CHECK_THAT(expression_fault("sqrt(-1)"), ContainsSubstring("character 1") && ContainsSubstring("finite"));
  CHECK_THAT(expression_fault("log(0)"), ContainsSubstring("finite"));
  CHECK_THAT(expression_fault("10^400"), ContainsSubstring("finite"));
  CHECK_THAT(expression_fault("1+"), ContainsSubstring("missing at the end"));
  CHECK_THAT(expression_fault("*2"), ContainsSubstring("character 1"));
  CHECK_THAT(expression_fault("2 3"), ContainsSubstring("character 3") && ContainsSubstring("operator"));
  CHECK_THAT(expression_fault("2x"), ContainsSubstring("operator is missing"));
  CHECK_THAT(expression_fault("--3"), ContainsSubstring("two signs"));
  CHECK_THAT(expression_fault("sqrt 2"), ContainsSubstring("sqrt(2)"));
  CHECK_THAT(expression_fault("sqrt(1, 2)"), ContainsSubstring("one number"));
  CHECK_THAT(expression_fault("min(1)"), ContainsSubstring("two numbers"));
  CHECK_THAT(expression_fault("()"), ContainsSubstring("expected"));
  CHECK_THAT(expression_fault(""), ContainsSubstring("nothing"));
  CHECK_THAT(expression_fault("1 $ 2"), ContainsSubstring("\"$\""));
  CHECK_THAT(expression_fault("max(1, 2"), ContainsSubstring("never closed"));
  CHECK_THAT(expression_fault(std::string(500, '(')), ContainsSubstring("too many"));
}

TEST_CASE("expression: however deep a text is nested, the stack holds") {
  const auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i)
      text += part;
    return text;
  };
  CHECK_THAT(expression_fault(repeated("3^", 60'000)), ContainsSubstring("too many powers"));
  CHECK_THAT(expression_fault(repeated("1^", 60'000) + "1"), ContainsSubstring("too many powers"));
  CHECK_THAT(expression_fault(repeated("1**-", 60'000) + "1"), ContainsSubstring("too many powers"));
  CHECK_THAT(expression_fault(repeated("1^(", 60'000)), ContainsSubstring("too many"));
  CHECK_THAT(expression_fault(repeated("(", 60'000)), ContainsSubstring("too many parentheses"));
  CHECK_THAT(expression_fault(repeated("sqrt(", 60'000)), ContainsSubstring("too many parentheses"));
  CHECK_THAT(expression_fault(repeated("-", 60'000) + "1"), ContainsSubstring("two signs"));
  // What is not nested may be long.
  CHECK_THAT(expression_fault("min(" + repeated("1,", 70) + "1)"), ContainsSubstring("at most 64 numbers"));
  CHECK(value_of(repeated("1^", 64) + "1") == 1);
  CHECK(value_of(repeated("1^1+", 1'000) + "1") == 1'001);
  CHECK(value_of(repeated("(1)*", 1'000) + "1") == 1);
}
