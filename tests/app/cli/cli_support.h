// Command lines, run in a temporary folder with a small session.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

namespace headlight_test {

using namespace headlight;

struct Outcome {
  CommandLine line;
  std::string out, err;
  int status() const { return line.exit_status.value_or(-1); }
};

// Removes progress lines, which appear for slow work: on a busy machine any work may be slow.
inline std::string without_progress(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const bool progress =
        line.rfind("headlight: computing ", 0) == 0 || line.rfind("headlight: painting ", 0) == 0;
    if (!progress) kept += line + "\n";
  }
  return kept;
}

inline Outcome run(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"headlight"};
  for (const std::string& argument : arguments)
    argv.push_back(argument.c_str());
  std::ostringstream out, err;
  Outcome outcome;
  outcome.line = run_command_line(static_cast<int>(argv.size()), argv.data(), out, err);
  outcome.out = out.str();
  outcome.err = without_progress(err.str());
  return outcome;
}

// A temporary folder with a session of two heads and two sequences.
class Workplace {
 public:
  Workplace() {
    folder_.write("two.headlight", R"({
      "format": "headlight-session", "version": 1, "title": "Two heads",
      "tokens": ["a", "größe", "c"],
      "embeddings": [[[1, 0], [0, 1], [1, 1]], [[0.5, 0], [0, 0.5], [0.25, 0.25]]],
      "attention": {"projection": "linear", "d_out": 4, "num_heads": 2, "qkv_bias": false,
                    "output_projection": true, "scale": "inverse_sqrt_dk", "mask": "causal",
                    "normalization": "softmax"},
      "weights": {"init": "rand", "seed": 123, "order": ["query", "key", "value", "output"]}})");
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string session() const { return path("two.headlight"); }

 private:
  TemporaryFolder folder_;
};

inline std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace headlight_test
