#include "tests/bench/history.h"

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/settings/version.h"
#include "engine/core/parallel.h"
#include "engine/simd/instruction_set.h"

namespace headlight_bench {

double share_of_peak(const Row& row, double peak) {
  return row.operations / (row.ms * 1e6) / peak;
}

double forward_ms(const std::vector<Row>& rows, const Row& like) {
  if (like.eigen_ratio > 0) return 0;  // a loop is not part of an edit
  const char* full = like.work.starts_with("model_") ? "model_forward" : "forward";
  for (const Row& row : rows)
    if (row.work == full && row.size.tokens == like.size.tokens && row.causal == like.causal) return row.ms;
  return 0;
}

std::vector<Ratio> ratios_of(const std::vector<Row>& rows, double peak) {
  std::vector<Ratio> ratios;
  for (const Row& row : rows) {
    const std::string name =
        std::to_string(row.size.tokens) + (row.causal ? " causal " : " open ") + row.work;
    const double forward = forward_ms(rows, row);
    if (row.eigen_ratio > 0)
      ratios.push_back({name + ": hand / eigen", row.eigen_ratio});
    else if (row.operations > 0)
      ratios.push_back({name + ": share of peak", share_of_peak(row, peak)});
    else if (forward > 0)
      ratios.push_back({name + ": of forward", row.ms / forward});
    if (row.read_ms > 0) ratios.push_back({name + ": readings of the weights", row.ms / row.read_ms});
  }
  return ratios;
}

void append_history(const std::string& file, const std::string& label, const std::vector<Ratio>& ratios) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  nlohmann::ordered_json line = {
      {"date", date},
      {"version", headlight::kVersion},
      {"instructions", headlight::instruction_set_name(headlight::best_instruction_set())},
      {"threads", headlight::thread_count()}};
  if (!label.empty()) line["label"] = label;
  line["ratios"] = nlohmann::ordered_json::object();
  for (const Ratio& ratio : ratios)
    line["ratios"][ratio.name] = ratio.value;
  std::ofstream out(file, std::ios::app);
  out << line.dump() << "\n" << std::flush;
  if (!out) throw std::runtime_error(file + " cannot be written");
}

}  // namespace headlight_bench
