// A program that computes a stage, as a file of its own.
#pragma once

#include <filesystem>
#include <string>

#include "engine/programs/program_text.h"

namespace headlight {

// The arrays of a program stand beside it, by its name: program.py, program.npz.
std::filesystem::path arrays_beside(const std::filesystem::path& program);

// Writes the program and, where it has more numbers than kMostLiterals, its arrays. Returns whether there are
// such. Both files are replaced. Throws Error.
bool save_program(const Model& model, const std::string& title, const ProgramRequest& request,
                  ProgramKind kind, const std::filesystem::path& program);

}  // namespace headlight
