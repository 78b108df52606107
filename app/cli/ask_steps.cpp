#include "app/cli/ask_steps.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "app/export/about.h"
#include "engine/analysis/tables.h"
#include "engine/checkpoint/checkpoint_series.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

struct NamedNumber {
  std::string name;
  float value = 0;
};
using Numbers = std::vector<NamedNumber>;

std::vector<std::string> named_apart(const std::vector<std::string>& rows) {
  if (std::set<std::string>(rows.begin(), rows.end()).size() == rows.size()) return rows;
  std::vector<std::string> names;
  for (std::size_t row = 0; row < rows.size(); ++row)
    names.push_back(std::to_string(row) + " " + rows[row]);
  return names;
}

// All numbers of an answer; lists about all rows of a set are none of each step.
Numbers numbers_of(const AnalysisResult& result) {
  Numbers numbers;
  const std::size_t tables = result.set ? result.rows.front().values.size() : result.tables.size();
  for (std::size_t at = 0; at < tables; ++at) {
    const ResultTable& table = result.tables[at];
    const std::vector<std::string> rows = named_apart(table.rows), columns = named_apart(table.columns);
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (std::size_t column = 0; column < columns.size(); ++column)
        numbers.push_back({table.name + " " + rows[row] + " " + columns[column],
                           table.values(static_cast<Index>(row), static_cast<Index>(column))});
  }
  return numbers;
}

// Whether the name is the one that is asked for, or begins with its words.
bool is_asked(const std::string& name, const std::string& asked) {
  return name == asked || (name.starts_with(asked) && name[asked.size()] == ' ');
}

// The names that every answer has, and of these the ones that are asked for; none asked for: all.
std::vector<std::string> common_names(const std::vector<Numbers>& answers,
                                      const std::vector<std::string>& asked, std::size_t& left_out) {
  std::vector<std::set<std::string>> all;
  for (const Numbers& numbers : answers) {
    all.emplace_back();
    for (const NamedNumber& one : numbers)
      all.back().insert(one.name);
  }
  std::vector<std::string> names, common;
  for (const NamedNumber& one : answers.back())
    if (std::all_of(all.begin(), all.end(), [&](const auto& step) { return step.count(one.name) > 0; }))
      common.push_back(one.name);
  left_out = answers.back().size() - common.size();
  if (asked.empty()) return common;
  for (const std::string& wanted : asked) {
    const std::size_t before = names.size();
    for (const std::string& name : common)
      if (is_asked(name, wanted)) names.push_back(name);
    if (names.size() > before) continue;
    std::string known;
    for (std::size_t i = 0; i < std::min<std::size_t>(common.size(), 5); ++i)
      known += (i == 0 ? "'" : ", '") + common[i] + "'";
    throw Error("no number at all checkpoints is named '" + wanted + "'", "--number",
                common.empty() ? "the answers have no number in common" : "the first names are " + known);
  }
  return names;
}

// The values of the names in their order; of several numbers of one name the first.
Eigen::RowVectorXf numbers_named(const Numbers& numbers, const std::vector<std::string>& names) {
  std::unordered_map<std::string, float> by_name;
  for (const NamedNumber& one : numbers)
    by_name.emplace(one.name, one.value);
  Eigen::RowVectorXf values(static_cast<Index>(names.size()));
  for (std::size_t i = 0; i < names.size(); ++i)
    values(static_cast<Index>(i)) = by_name.at(names[i]);
  return values;
}

// The likeliest token of one checkpoint is another one's rarest.
void require_target(const Analysis& analysis) {
  const bool needed = analysis_info(analysis.kind).of_target && analysis.kind != AnalysisKind::Lens &&
                      !of_text_loss(analysis);
  if (needed && !has_target(analysis) &&
      std::none_of(analysis.targets.begin(), analysis.targets.end(),
                   [](const auto& target) { return target.has_value(); }))
    throw Error("the likeliest token is not the same at all checkpoints", "--target",
                "give the token whose number is asked for");
}

}  // namespace

StepsAnswer ask_at_checkpoints(const AskedAnalysis& asked, std::ostream& err) {
  const std::vector<SavedStep> steps = series_of(asked.folder).steps;
  if (steps.size() < 2)
    throw Error("the folder has no checkpoints of a training", asked.folder.string(),
                "give the folder that `headlight train --save-every` has written, or one of its checkpoints");
  StepsAnswer all;
  std::vector<Numbers> answers;
  for (const SavedStep& step : steps) {
    try {
      ChangedPass changed(open_text_model(step.folder));
      AskedAnalysis own = asked;
      own.folder = step.folder;
      all.answer = ask_result(own, changed, err);
      require_target(all.answer.analysis);
      answers.push_back(numbers_of(all.answer.result));
      all.last = changed.network_owner();
    } catch (const Error& error) {
      throw error.inside("step " + std::to_string(step.step));
    }
  }
  std::size_t left_out = 0;
  const std::vector<std::string> names = common_names(answers, asked.numbers, left_out);
  AnalysisResult& result = all.answer.result;
  std::vector<std::string> rows;
  Matrix values(static_cast<Index>(steps.size()), static_cast<Index>(names.size()));
  for (std::size_t row = 0; row < steps.size(); ++row) {
    rows.push_back(std::to_string(steps[row].step));
    result.steps.push_back(steps[row].step);
    values.row(static_cast<Index>(row)) = numbers_named(answers[row], names);
  }
  result.tables = {list_table("steps", "step", std::move(rows), names, std::move(values))};
  result.title += ", by steps of training";
  result.notes = {"at " + counted(static_cast<std::int64_t>(steps.size()), "checkpoint", "checkpoints") +
                  " of " + asked.folder.string()};
  if (left_out > 0)
    result.notes.push_back(counted(static_cast<std::int64_t>(left_out), "number", "numbers") +
                           " of the last checkpoint left out that others do not have");
  result.set = nullptr;
  result.rows.clear();
  result.edges.reset();
  result.direction = {};
  AskedHow how{asked.texts.string(), asked.from_texts.string(), asked.changes, {},
               asked.set.string(),   asked.folder.string(),     asked.numbers};
  how.place = result.place;
  result.about = about_analysis(*all.last, all.answer.analysis, how);
  return all;
}

}  // namespace headlight
