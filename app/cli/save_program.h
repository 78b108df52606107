// Saves a program that computes a stage.
#pragma once

#include <filesystem>
#include <string>

#include "engine/programs/program_text.h"

namespace headlight {

// The file of a program's arrays, beside it: program.npz for program.py.
std::filesystem::path arrays_beside(const std::filesystem::path& program);

// Writes the program and, if it has more numbers than kMostLiterals, its arrays. Returns whether it wrote
// arrays. Replaces both files. Throws Error.
bool save_program(const Layer& layer, const std::string& title, const ProgramRequest& request,
                  ProgramKind kind, const std::filesystem::path& program);

}  // namespace headlight
