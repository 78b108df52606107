#include "engine/core/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string_view>

#include "engine/core/ascii.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

using Operation = Expression::Operation;
using Step = Expression::Step;
using Operands = const std::vector<double>&;

struct Function {
  std::string_view name;
  std::size_t least, most;  // operands
  double (*of)(Operands);
};
constexpr std::size_t kAnyNumber = 64;
const std::array<Function, 9> kFunctions = {{
    {"sqrt", 1, 1, [](Operands v) { return std::sqrt(v[0]); }},
    {"exp", 1, 1, [](Operands v) { return std::exp(v[0]); }},
    {"log", 1, 1, [](Operands v) { return std::log(v[0]); }},
    {"sin", 1, 1, [](Operands v) { return std::sin(v[0]); }},
    {"cos", 1, 1, [](Operands v) { return std::cos(v[0]); }},
    {"tanh", 1, 1, [](Operands v) { return std::tanh(v[0]); }},
    {"abs", 1, 1, [](Operands v) { return std::abs(v[0]); }},
    {"min", 2, kAnyNumber, [](Operands v) { return *std::min_element(v.begin(), v.end()); }},
    {"max", 2, kAnyNumber, [](Operands v) { return *std::max_element(v.begin(), v.end()); }},
}};
constexpr int kDeepest = 64;  // nested parentheses; powers of powers, as in 2^2^2

[[noreturn]] void refuse(std::size_t position, const std::string& what, const std::string& hint = {}) {
  throw Error(what, "character " + std::to_string(position + 1), hint);
}

std::string known_names() {
  std::string names = "known are pi, e, x for the cell itself";
  for (const Function& function : kFunctions)
    names.append(", ").append(function.name);
  return names;
}

bool is_of_name(char c) {
  return is_letter(c) || c == '_';
}

// Recursive descent, one function per rule of the grammar, from the loosest to the tightest binding.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<Step> parse() {
    skip_blanks();
    if (at_ == text_.size()) refuse(0, "there is nothing to work out", "write a number or 1/3");
    sum();
    if (peek() == ')') refuse(at_, "this parenthesis was never opened");
    if (at_ < text_.size()) refuse(at_, "an operator is missing before " + quoted(), "write * to multiply");
    return std::move(steps_);
  }

 private:
  void sum() {
    product();
    while (peek() == '+' || peek() == '-') {
      const std::size_t position = at_;
      const Operation operation = take() == '+' ? Operation::Add : Operation::Subtract;
      product();
      add(operation, 2, position);
    }
  }

  void product() {
    signed_power();
    while (peek() == '/' || (peek() == '*' && !text_.substr(at_).starts_with("**"))) {
      const std::size_t position = at_;
      const Operation operation = take() == '*' ? Operation::Multiply : Operation::Divide;
      signed_power();
      add(operation, 2, position);
    }
  }

  void signed_power() {
    const std::size_t position = at_;
    if (peek() != '+' && peek() != '-') return power();
    const bool negative = take() == '-';
    if (peek() == '+' || peek() == '-') refuse(at_, "two signs stand in a row");
    power();
    if (negative) add(Operation::Negate, 1, position);
  }

  void power() {
    operand();
    const std::size_t position = at_;
    if (peek() == '^') {
      take();
    } else if (text_.substr(at_).starts_with("**")) {
      take();
      take();
    } else {
      return;
    }
    if (++powers_ > kDeepest) refuse(position, "there are too many powers in a row");
    signed_power();
    --powers_;
    add(Operation::Power, 2, position);
  }

  void operand() {
    const char next = peek();
    if (next == '(') return parenthesis();
    if (is_digit(next) || next == '.') return number();
    if (is_of_name(next)) return name();
    if (at_ == text_.size()) refuse(at_, "a number is missing at the end");
    refuse(at_, "a number is expected, not " + quoted());
  }

  void parenthesis() {
    open();
    sum();
    close();
  }

  void number() {
    double value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, failed] = std::from_chars(text_.data() + at_, end, value);
    if (failed != std::errc())
      refuse(at_, "this is no number that can be kept", "write one like 0.43 or 1e-3");
    const std::size_t position = at_;
    at_ = static_cast<std::size_t>(stop - text_.data());
    skip_blanks();
    steps_.push_back({Operation::Number, value, 0, 0, position});
  }

  void name() {
    const std::size_t position = at_;
    while (at_ < text_.size() && (is_of_name(text_[at_]) || is_digit(text_[at_])))
      ++at_;
    const std::string_view word = text_.substr(position, at_ - position);
    skip_blanks();
    const auto constant = [&](double value) { steps_.push_back({Operation::Number, value, 0, 0, position}); };
    if (word == "pi") return constant(std::numbers::pi);
    if (word == "e") return constant(std::numbers::e);
    if (word == "x") return steps_.push_back({Operation::X, 0, 0, 0, position});
    for (std::size_t i = 0; i < kFunctions.size(); ++i) {
      if (word == kFunctions[i].name) return call(i, position);
    }
    refuse(position, "nothing is called \"" + std::string(word) + "\"", known_names());
  }

  void call(std::size_t function, std::size_t position) {
    const std::string name(kFunctions[function].name);
    if (peek() != '(') refuse(at_, name + " wants a parenthesis", "write " + name + "(2)");
    open();
    std::size_t operands = 1;
    sum();
    while (peek() == ',') {
      take();
      sum();
      ++operands;
    }
    if (operands < kFunctions[function].least)
      refuse(position, name + " wants two numbers or more", "write " + name + "(x, 0)");
    if (operands > kFunctions[function].most)
      refuse(position,
             name + " takes " +
                 (kFunctions[function].most == 1 ? "one number"
                                                 : "at most " + std::to_string(kAnyNumber) + " numbers"));
    close();
    steps_.push_back({Operation::Call, 0, function, operands, position});
  }

  void open() {
    opened_.push_back(at_);
    if (opened_.size() > kDeepest) refuse(at_, "there are too many parentheses");
    take();
  }
  void close() {
    if (peek() != ')') {
      if (at_ < text_.size()) refuse(at_, "an operator or ) is expected, not " + quoted());
      refuse(opened_.back(), "this parenthesis is never closed");
    }
    opened_.pop_back();
    take();
  }

  void add(Operation operation, std::size_t operands, std::size_t position) {
    steps_.push_back({operation, 0, 0, operands, position});
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char take() {
    const char taken = text_[at_++];
    skip_blanks();
    return taken;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t'))
      ++at_;
  }
  std::string quoted() const { return "\"" + std::string(text_.substr(at_, 1)) + "\""; }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Step> steps_;
  std::vector<std::size_t> opened_;  // positions of the open parentheses
  int powers_ = 0;                   // nesting depth of exponents
};

double result_of(const Step& step, Operands operands, double x) {
  switch (step.operation) {
    case Operation::Number:
      return step.number;
    case Operation::X:
      return x;
    case Operation::Negate:
      return -operands[0];
    case Operation::Add:
      return operands[0] + operands[1];
    case Operation::Subtract:
      return operands[0] - operands[1];
    case Operation::Multiply:
      return operands[0] * operands[1];
    case Operation::Divide:
      return operands[0] / operands[1];
    case Operation::Power:
      return std::pow(operands[0], operands[1]);
    case Operation::Call:
      return kFunctions[step.function].of(operands);
  }
  return 0;
}

}  // namespace

Expression::Expression(const std::string& text) : steps_(Parser(text).parse()) {}

double Expression::at(double x) const {
  std::vector<double> stack, operands;
  for (const Step& step : steps_) {
    const auto first = stack.end() - static_cast<std::ptrdiff_t>(step.operands);
    operands.assign(first, stack.end());
    stack.erase(first, stack.end());
    if (step.operation == Operation::Divide && operands[1] == 0) refuse(step.position, "division by zero");
    const double result = result_of(step, operands, x);
    if (!std::isfinite(result)) refuse(step.position, "this has no finite result");
    stack.push_back(result);
  }
  return stack.back();
}

bool Expression::uses_x() const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [](const Step& step) { return step.operation == Operation::X; });
}

}  // namespace headlight
