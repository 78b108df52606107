// The present state as a short program in Python, which prints one of its stages with four decimals: to check
// the numbers on screen against a notebook of one's own.
#pragma once

#include <optional>
#include <string>

#include "engine/model/model.h"
#include "engine/model/stage.h"

namespace headlight {

// PyTorch draws weights and dropout by their seeds; for NumPy, which has other random streams, both are
// written out as numbers.
enum class ProgramKind { PyTorch, NumPy };

struct ProgramRequest {
  Stage stage = Stage::Weights;
  Index sequence = 0;
  std::optional<Index> head;  // none: all heads of a stage that has them
};

// The program computes the stages up to the one asked for; what it prints is what the evaluator holds, to
// four decimals. Throws Error when there is no such sequence or head, and when more than kMostLiterals
// numbers would have to be written out.
inline constexpr Index kMostLiterals = 20'000;
std::string program_text(const Model& model, const std::string& title, const ProgramRequest& request,
                         ProgramKind kind);

}  // namespace headlight
