// Writes the current state as a short Python program that prints one of its stages with four decimals, for
// checking the numbers on screen against a notebook.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/layer/layer.h"
#include "engine/layer/stage.h"
#include "engine/programs/python_text.h"

namespace headlight {

// PyTorch reproduces weights and dropout from their seeds. NumPy has other random streams, so both are
// written out as numbers.
enum class ProgramKind { PyTorch, NumPy };

struct ProgramRequest {
  Stage stage = Stage::Weights;
  Index sequence = 0;
  std::optional<Index> head;  // nullopt: all heads of a stage that has them
};

// The program computes the stages up to the requested one and prints what the evaluator holds, to four
// decimals. Throws Error if there is no such stage, sequence or head, or if more than kMostLiterals numbers
// would have to be written out.
inline constexpr Index kMostLiterals = 20'000;
std::string program_text(const Layer& layer, const std::string& title, const ProgramRequest& request,
                         ProgramKind kind);

// program_text() without a limit: a program with more than kMostLiterals numbers loads them with numpy.load()
// from `arrays_file`, an .npz file that the caller writes. A relative name is resolved in the program's
// folder.
struct ProgramWithArrays {
  std::string text;
  std::vector<ProgramArray> arrays;  // contents of the .npz; empty if the program holds all numbers itself
};
ProgramWithArrays program_with_arrays(const Layer& layer, const std::string& title,
                                      const ProgramRequest& request, ProgramKind kind,
                                      const std::string& arrays_file);

// The lines of the same program that compute each stage from the stages before it: "scores = queries @
// keys.transpose(-2, -1)". Rotated keys are listed with the rotated queries. Arrays are loaded by name, not
// written out. Throws Error if there is no such stage.
struct StageCode {
  Stage stage = Stage::Weights;
  std::string text;  // without the final newline
};
std::vector<StageCode> stage_code(const Layer& layer, Stage last, ProgramKind kind);

}  // namespace headlight
