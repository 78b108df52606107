// Arithmetic expressions that a cell accepts as input: "1/3", "-2*0.5", "sqrt(2)", "x*1.5".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace headlight {

// Grammar: numbers with + - * / ^ (or **) and parentheses; the constants pi and e; the functions sqrt, exp,
// log (natural), sin, cos, tanh, abs, min and max; and x, the value of the cell. ^ binds tighter than a sign
// and is right-associative, as in Python. Parentheses nest at most 64 deep, and so do powers. Computed in
// double. The constructor parses the text once; at() evaluates it for each cell of a selection.
class Expression {
 public:
  // Throws Error that names the character, counted from 1, at which the text cannot be parsed.
  explicit Expression(const std::string& text);

  // Throws Error that names the operation's character for a result that is not finite: x/0, sqrt(-1).
  double at(double x) const;
  bool uses_x() const;

  enum class Operation { Number, X, Negate, Add, Subtract, Multiply, Divide, Power, Call };
  // One step of the postfix form: operands come before their operation.
  struct Step {
    Operation operation = Operation::Number;
    double number = 0;         // of Number
    std::size_t function = 0;  // of Call: index into the list of functions
    std::size_t operands = 0;
    std::size_t position = 0;  // in the text, counted from 0
  };

 private:
  std::vector<Step> steps_;
};

}  // namespace headlight
