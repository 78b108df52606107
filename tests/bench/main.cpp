// headlight-bench: times the engine's work against the machine's peak speed, measured in the same run.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/core/freed_memory.h"
#include "engine/core/parallel.h"
#include "engine/simd/instruction_set.h"
#include "tests/bench/history.h"
#include "tests/bench/loop_works.h"
#include "tests/bench/machine_speed.h"
#include "tests/bench/model_works.h"
#include "tests/bench/training_works.h"
#include "tests/bench/works.h"

using namespace headlight_bench;
using headlight::Index;

namespace {

struct Options {
  bool json = false;
  std::vector<Index> tokens;
  std::vector<std::string> works;
  std::string instructions;
  std::string history, label;
};

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return words.empty() || std::find(words.begin(), words.end(), word) != words.end();
}

void print_row(const Row& row, const std::vector<Row>& rows, double peak) {
  std::printf("%6td %5td %3td  %-6s  %-24s %10.3f ms", row.size.tokens, row.size.d, row.size.heads,
              row.causal ? "causal" : "open", row.work.c_str(), row.ms);
  if (row.operations > 0) std::printf("  %5.1f %% of peak", 100 * share_of_peak(row, peak));
  const double forward = forward_ms(rows, row);
  if (row.work == "backward" && forward > 0)
    std::printf("  %.2f forward passes", row.ms / forward);
  else if (forward > 0 && !row.work.ends_with("forward"))
    std::printf("  1/%.1f of a forward pass", forward / row.ms);
  if (row.eigen_ratio > 0) std::printf("  hand / eigen %.2f", row.eigen_ratio);
  if (row.read_ms > 0) std::printf("  %.2f readings of the weights", row.ms / row.read_ms);
  std::printf("\n");
  std::fflush(stdout);
}

void print_json(const std::vector<Row>& rows, double peak, double copy) {
  nlohmann::ordered_json document;
  document["peak_gflops"] = peak;
  document["copy_gb_per_s"] = copy;
  document["threads"] = headlight::thread_count();
  document["rows"] = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json entry = {{"work", row.work},    {"T", row.size.tokens}, {"d", row.size.d},
                                    {"H", row.size.heads}, {"causal", row.causal}, {"ms", row.ms},
                                    {"runs", row.runs}};
    if (row.operations > 0) entry["share_of_peak"] = share_of_peak(row, peak);
    if (row.eigen_ratio > 0) entry["hand_to_eigen"] = row.eigen_ratio;
    if (row.read_ms > 0) entry["readings_of_weights"] = row.ms / row.read_ms;
    document["rows"].push_back(entry);
  }
  std::printf("%s\n", document.dump(1).c_str());
}

// The values of --instructions.
const std::map<std::string, headlight::InstructionSet> kInstructionSets = {
    {"baseline", headlight::InstructionSet::Baseline},
    {"avx2", headlight::InstructionSet::Avx2},
    {"avx512", headlight::InstructionSet::Avx512}};

void time_wanted(const Options& options, double copy, const std::function<void(const Row&)>& report) {
  const auto wants = [&](const std::string& work) { return holds(options.works, work); };
  const auto wants_tokens = [&](Index tokens) {
    return options.tokens.empty() ||
           std::find(options.tokens.begin(), options.tokens.end(), tokens) != options.tokens.end();
  };
  for (const Size& size : sizes())
    for (const bool causal : {true, false})
      if (wants_tokens(size.tokens)) time_works(size, causal, wants, report);
  if (wants("layers")) time_layers(wants_tokens, report);
  if (wants("models")) time_models(copy, wants_tokens, report);
  if (wants("training")) time_training(wants_tokens, report);
  if (wants("loops")) time_loops(wants_tokens, report);
  if (wants("stream") && wants_tokens(32768)) time_streams(report);
}

int run(const Options& options) {
  if (!options.instructions.empty())
    headlight::limit_instruction_sets(kInstructionSets.at(options.instructions));
  const double peak = peak_gflops(), copy = copy_gb_per_s();
  if (!options.json) {
    const std::string_view set = headlight::instruction_set_name(headlight::best_instruction_set());
    std::printf("peak %.1f GFLOP/s, copy %.1f GB/s, %td threads, %.*s\n\n", peak, copy,
                headlight::thread_count(), static_cast<int>(set.size()), set.data());
  }
  std::vector<Row> rows;
  time_wanted(options, copy, [&](const Row& row) {
    rows.push_back(row);
    if (!options.json) print_row(row, rows, peak);
  });
  if (options.json) print_json(rows, peak, copy);
  if (!options.history.empty()) append_history(options.history, options.label, ratios_of(rows, peak));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  headlight::retain_freed_memory();  // as the application does
  CLI::App app("Times the engine's work, as a share of what the machine could do at best.",
               "headlight-bench");
  Options options;
  app.add_flag("--json", options.json, "one JSON document instead of lines to read");
  app.add_option("--tokens", options.tokens,
                 "only sizes of so many tokens: 1,6,16,20,64,128,256,512,1024,2048,4096,32768")
      ->delimiter(',');
  app.add_option(
         "--work", options.works,
         "only these: forward, backward, edit, tiles, export, layers, models, training, loops, stream")
      ->delimiter(',')
      ->check(CLI::IsMember({"forward", "backward", "edit", "tiles", "export", "layers", "models", "training",
                             "loops", "stream"}));
  app.add_option("--instructions", options.instructions,
                 "no vector instructions above these, as an older processor: baseline, avx2, avx512")
      ->check(CLI::IsMember(kInstructionSets));
  app.add_option(
      "--history", options.history,
      "a file that one line of JSON with every ratio is added to; tests/bench/compare --history prints "
      "the last two");
  app.add_option("--label", options.label, "what that line says of this run, as the commit")
      ->needs("--history");
  CLI11_PARSE(app, argc, argv);
  return run(options);
}
