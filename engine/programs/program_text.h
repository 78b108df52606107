// The present state as a short program in Python, which prints one of its stages with four decimals: to check
// the numbers on screen against a notebook of one's own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/model/model.h"
#include "engine/model/stage.h"
#include "engine/programs/python_text.h"

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
// four decimals. Throws Error when there is no such stage, sequence or head, and when more than kMostLiterals
// numbers would have to be written out.
inline constexpr Index kMostLiterals = 20'000;
std::string program_text(const Model& model, const std::string& title, const ProgramRequest& request,
                         ProgramKind kind);

// The same without a limit: a program of more than kMostLiterals numbers loads them by numpy.load() from
// `arrays_file`, an .npz that whoever asks for it writes. A relative name is looked for beside the program.
struct ProgramWithArrays {
  std::string text;
  std::vector<ProgramArray> arrays;  // of the .npz; none where the program holds all numbers itself
};
ProgramWithArrays program_with_arrays(const Model& model, const std::string& title,
                                      const ProgramRequest& request, ProgramKind kind,
                                      const std::string& arrays_file);

// Of the same program the lines that make a stage out of those before it: "scores = queries @
// keys.transpose(-2, -1)". The turned keys stand with the turned queries. Many numbers are named, not written
// out. Throws Error when there is no such stage.
struct StageCode {
  Stage stage = Stage::Weights;
  std::string text;  // lines, the last one without its end
};
std::vector<StageCode> stage_code(const Model& model, Stage last, ProgramKind kind);

}  // namespace headlight
