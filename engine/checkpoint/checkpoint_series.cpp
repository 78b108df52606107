#include "engine/checkpoint/checkpoint_series.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/json/json_document.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCheckpoints = 10'000;

// "step-1000", "step1000", "step_1000", "checkpoint-1000".
std::optional<std::int64_t> step_in_name(std::string_view name) {
  for (const std::string_view word : {"step", "checkpoint"}) {
    if (!name.starts_with(word)) continue;
    std::string_view digits = name.substr(word.size());
    if (digits.starts_with('-') || digits.starts_with('_')) digits.remove_prefix(1);
    std::int64_t step = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
    if (failed == std::errc() && end == digits.data() + digits.size() && step >= 0) return step;
  }
  return std::nullopt;
}

bool has_config(const fs::path& folder) {
  std::error_code unreadable;
  return fs::is_regular_file(folder / "config.json", unreadable);
}

void add(std::vector<SavedStep>& steps, std::int64_t step, const fs::path& folder) {
  const auto same = [&](const SavedStep& other) { return other.step == step; };
  if (steps.size() < kMostCheckpoints && has_config(folder) && std::none_of(steps.begin(), steps.end(), same))
    steps.push_back({step, folder});
}

template <class Each>
void for_each_numbered(const fs::path& folder, const Each& each) {
  std::error_code unreadable;
  fs::directory_iterator entries(folder, fs::directory_options::skip_permission_denied, unreadable);
  for (; !unreadable && entries != fs::directory_iterator(); entries.increment(unreadable))
    if (const auto step = step_in_name(entries->path().filename().string())) each(*step, entries->path());
}

// The cache of huggingface_hub: refs/step1000 is a file with the name of a folder in snapshots/.
void add_cached(std::vector<SavedStep>& steps, const fs::path& folder) {
  for_each_numbered(folder / "refs", [&](std::int64_t step, const fs::path& ref) {
    try {
      constexpr std::uint64_t kMostName = 256;
      require_file(ref, kMostName);
      std::string commit = read_file(ref);
      commit.erase(std::find_if(commit.begin(), commit.end(), [](char c) { return c == '\n' || c == '/'; }),
                   commit.end());
      if (!commit.empty() && !commit.starts_with('.')) add(steps, step, folder / "snapshots" / commit);
    } catch (const Error&) {  // no file of a name: it is no checkpoint
    }
  });
}

fs::path normal(const fs::path& folder) {
  std::error_code unreadable;
  fs::path path = fs::absolute(folder, unreadable).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

// trainer_state.json; null if it is not there or not written by a trainer.
Json state_of_folder(const fs::path& folder) {
  try {
    constexpr std::uint64_t kMostState = std::uint64_t{1} << 22;  // it may hold the log of a training
    const fs::path file = folder / "trainer_state.json";
    std::error_code unreadable;
    if (!fs::is_regular_file(file, unreadable)) return {};
    require_file(file, kMostState);
    return parse_json(read_file(file));
  } catch (const Error&) {
    return {};
  }
}

std::optional<std::int64_t> step_in(const Json& object, const char* name) {
  const auto step = object.find(name);
  const bool whole = step != object.end() && step->is_number_integer() && step->get<std::int64_t>() >= 0;
  return whole ? std::optional(step->get<std::int64_t>()) : std::nullopt;
}

std::optional<double> number_in(const Json& object, const char* name) {
  const auto number = object.find(name);
  const bool there = number != object.end() && number->is_number();
  return there ? std::optional(number->get<double>()) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> step_of_folder(const fs::path& folder) {
  const Json state = state_of_folder(folder);
  return state.is_object() ? step_in(state, "global_step") : std::nullopt;
}

std::vector<LoggedLoss> losses_of_folder(const fs::path& folder) {
  const Json state = state_of_folder(folder);
  std::map<std::int64_t, LoggedLoss> losses;
  const auto history = state.is_object() ? state.find("log_history") : state.end();
  if (!state.is_object() || history == state.end() || !history->is_array()) return {};
  for (const Json& entry : *history) {
    const auto step = entry.is_object() ? step_in(entry, "step") : std::nullopt;
    if (!step) continue;
    LoggedLoss& one = losses[*step];
    one.step = *step;
    if (const auto loss = number_in(entry, "loss")) one.loss = loss;
    if (const auto loss = number_in(entry, "eval_loss")) one.held_out = loss;
  }
  std::vector<LoggedLoss> sorted;
  for (const auto& [step, one] : losses)
    if (one.loss || one.held_out) sorted.push_back(one);
  return sorted;
}

const LoggedLoss* newest_with(const std::vector<LoggedLoss>& losses,
                              std::optional<double> LoggedLoss::*which) {
  const auto found = std::find_if(losses.rbegin(), losses.rend(),
                                  [&](const LoggedLoss& one) { return (one.*which).has_value(); });
  return found == losses.rend() ? nullptr : &*found;
}

std::vector<SavedStep> checkpoints_in(const fs::path& folder) {
  std::vector<SavedStep> steps;
  for_each_numbered(folder, [&](std::int64_t step, const fs::path& path) { add(steps, step, path); });
  add_cached(steps, folder);
  if (!steps.empty() && has_config(folder))
    if (const auto own = step_of_folder(folder)) add(steps, *own, folder);
  std::sort(steps.begin(), steps.end(),
            [](const SavedStep& a, const SavedStep& b) { return a.step < b.step; });
  return steps;
}

CheckpointSeries series_of(const fs::path& folder) {
  const fs::path path = normal(folder);
  CheckpointSeries series{checkpoints_in(path), true};
  if (!series.steps.empty()) {
    const auto own = step_of_folder(path);
    series.current = series.steps.size() - 1;
    for (std::size_t i = 0; own && i < series.steps.size(); ++i)
      if (series.steps[i].step == *own) series.current = i;
    return series;
  }
  const bool cached = path.parent_path().filename() == "snapshots";
  series.steps = checkpoints_in(cached ? path.parent_path().parent_path() : path.parent_path());
  const std::optional<std::size_t> here = index_of_folder(series.steps, path);
  if (!here) return {};
  series.inside = false;
  series.current = *here;
  return series;
}

std::optional<std::size_t> index_of_folder(const std::vector<SavedStep>& steps, const fs::path& folder) {
  const fs::path path = normal(folder);
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (normal(steps[i].folder) == path) return i;
  return std::nullopt;
}

}  // namespace headlight
