// Ratios computed from one run, which do not depend on how busy the machine is, and a file of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/bench/works.h"

namespace headlight_bench {

double share_of_peak(const Row& row, double peak);
// The time of the full pass of the same model in the same run; 0 if it was not timed.
double forward_ms(const std::vector<Row>& rows, const Row& like);

struct Ratio {
  std::string name;  // "1024 causal edit_mask: of forward"
  double value = 0;
};
// Every ratio that the rows allow: to the machine's peak, to the full pass, to Eigen.
std::vector<Ratio> ratios_of(const std::vector<Row>& rows, double peak);

// Appends one line of JSON: date, version, label, instructions, threads and the ratios. Throws
// std::runtime_error if the file cannot be written.
void append_history(const std::string& file, const std::string& label, const std::vector<Ratio>& ratios);

}  // namespace headlight_bench
