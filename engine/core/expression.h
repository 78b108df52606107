// Arithmetic as one types it into a cell: "1/3", "-2*0.5", "sqrt(2)", "x*1.5".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace headlight {

// Numbers with + - * / ^ (or **) and parentheses; pi, e; sqrt, exp, log (natural), sin, cos, tanh, abs, min
// and max; and x, which is what the cell holds. ^ binds tighter than a sign and to the right, as in Python.
// At most 64 parentheses stand inside one another, and as many powers.
// Computed in double. Taken apart once, so that it can be worked out for every cell of a selection.
class Expression {
 public:
  // Throws Error that says at which character, counted from 1, the text can't be read.
  explicit Expression(const std::string& text);

  // Throws Error, with the place of the operation, when it has no finite result: a division by zero,
  // sqrt(-1).
  double at(double x) const;
  bool uses_x() const;

  enum class Operation { Number, X, Negate, Add, Subtract, Multiply, Divide, Power, Call };
  // In the order in which they are worked out: operands first.
  struct Step {
    Operation operation = Operation::Number;
    double number = 0;         // of Number
    std::size_t function = 0;  // of Call: its place in the list of functions
    std::size_t operands = 0;
    std::size_t position = 0;  // in the text, counted from 0
  };

 private:
  std::vector<Step> steps_;
};

}  // namespace headlight
