#include "app/ui/dialogs/array_words.h"

#include <array>
#include <cstdio>

namespace headlight {
namespace {

std::string short_number(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", static_cast<double>(value));
  std::string number = text;
  if (number.front() == '-') number = "−" + number.substr(1);
  return number;
}

}  // namespace

std::string shape_words(const std::vector<Index>& shape) {
  if (shape.empty()) return "a single number";
  std::string text;
  for (const Index size : shape)
    text += (text.empty() ? "" : " × ") + std::to_string(size);
  return text;
}

std::string short_role_name(ArrayRole role) {
  if (is_fused(role) && is_weight(role)) return "W_query, W_key, W_value";
  return role_name(role);
}

std::string range_words(const ArraySummary& summary) {
  std::string text = summary.count == 0 ? "no value" : "no finite value";
  if (summary.min && *summary.min == *summary.max)
    text = "all " + short_number(*summary.min);
  else if (summary.min)
    text = short_number(*summary.min) + " to " + short_number(*summary.max);
  if (summary.nan_count > 0) text += " · " + std::to_string(summary.nan_count) + " NaN";
  if (summary.infinity_count > 0) text += " · " + std::to_string(summary.infinity_count) + " infinite";
  return text;
}

std::string problem_words(const Error& problem, const std::filesystem::path& path) {
  std::string text = problem.what();
  const std::string folder = path.parent_path().string() + "/";
  const std::size_t at = text.find(folder);
  return at == std::string::npos ? text : text.erase(at, folder.size());
}

std::string split_words(const RoleProposal& proposal, const std::vector<Index>& shape) {
  const bool by_columns = shape.size() > 1 && proposal.layout == WeightLayout::InOut;
  const bool weight = is_weight(proposal.role);
  if (is_fused_by_heads(proposal.role))
    return std::string("of each head W_query, W_key, W_value one after the other") +
           (weight ? "" : ": the biases");
  const Index third = (by_columns || !weight ? shape.back() : shape.front()) / 3;
  std::string text = !weight ? "numbers " : by_columns ? "columns " : "rows ";
  const std::array kParts = {"W_query", "W_key", "W_value"};
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const Index begin = third * static_cast<Index>(i);
    text += (i == 0 ? "" : ", ") + std::to_string(begin + 1) + "–" + std::to_string(begin + third) + " → " +
            (weight ? "" : "bias of ") + kParts[i];
  }
  return text;
}

}  // namespace headlight
