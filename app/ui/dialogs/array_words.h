// Texts of the array chooser.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/array_import/array_roles.h"

namespace headlight {

std::string shape_words(const std::vector<Index>& shape);  // "768 × 2304"
std::string short_role_name(ArrayRole role);               // short enough for a tag
// "−0.25 to 3 · 2 NaN · 1 infinite", "no finite value".
std::string range_words(const ArraySummary& summary);
// The error in one line, with the file's name instead of its whole path.
std::string problem_words(const Error& problem, const std::filesystem::path& path);
// The three parts of a fused array and their ranges: "columns 1–768 → W_query, ...".
std::string split_words(const RoleProposal& proposal, const std::vector<Index>& shape);

}  // namespace headlight
