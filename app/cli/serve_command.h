// `headlight serve`: a model that stays open, asked over the standard streams. The protocol is described in
// the manual (python.md); assets/python/headlight.py speaks it.
#pragma once

#include <filesystem>
#include <istream>
#include <ostream>

namespace headlight {

// Writes a line that describes the model, then reads a request from each line of `in` and writes its reply to
// `out`: a line of JSON, and behind it the bytes that it counts. A request that fails is answered with its
// error. Ends with the input, or when a request says so. Returns whether the model could be opened; if not,
// the first line is the error.
bool serve_model(const std::filesystem::path& folder, std::istream& in, std::ostream& out);

}  // namespace headlight
