#include "app/cli/array_line.h"

#include <CLI/CLI.hpp>

#include <limits>

#include "app/cli/option_checks.h"
#include "engine/array_import/token_names.h"

namespace headlight {

void ArrayLine::add_to(CLI::App& command) {
  constexpr int kMost = std::numeric_limits<int>::max();
  command.add_flag("--causal", causal_,
                   "with arrays: no query sees what stands behind it; the last query stands at the last key");
  command
      .add_option(
          "--causal-corner", corner_,
          "with --causal and other numbers of queries than of keys: lower-right, or upper-left for the first "
          "query at the first key")
      ->type_name("CORNER")
      ->check(CLI::IsMember({"lower-right", "upper-left"}));
  command.add_option("--heads", heads_, "with arrays: how many heads there are")
      ->type_name("N")
      ->check(CLI::Range(1, kMost).description(""));
  command.add_option("--kv-heads", kv_heads_, "with arrays: how many heads of keys and values")
      ->type_name("N")
      ->check(CLI::Range(1, kMost).description(""));
  command
      .add_option(
          "--layout", layout_,
          "with arrays: the axes of queries, keys and values: bhtd, bthd, thd, htd, or, also of inputs, btd "
          "and tbd for heads side by side (b sequences, h heads, t tokens, d numbers)")
      ->type_name("AXES")
      ->check(CLI::IsMember({"bhtd", "bthd", "thd", "htd", "btd", "tbd"}));
  command
      .add_option("--mask-true", mask_true_, "with arrays: what True in a mask means: allowed or forbidden")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"allowed", "forbidden"}));
  command
      .add_option(
          "--mask-as", mask_as_,
          "with arrays: what the 1 of a mask of floats means: added to the scores, allowed or forbidden")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"added", "allowed", "forbidden"}));
  command
      .add_option("--sequence", sequence_,
                  "which sequence of the batch (0 by default); of arrays it is taken alone, without the "
                  "padding behind its tokens")
      ->type_name("N")
      ->check(CLI::Range(0, kMost).description(""));
  command.add_option("--tokens", tokens_, "with arrays: a text file with a token a line, or text in a .npy")
      ->type_name("FILE")
      ->check(file_name());
}

void ArrayLine::add_layer(CLI::App& command) {
  command.add_option("--layer", layer_, "with arrays of several layers: which one")
      ->type_name("N")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()).description(""));
}

bool ArrayLine::any() const {
  return sequence() || causal_ || !corner_.empty() || !mask_as_.empty() || heads_ > 0 || kv_heads_ > 0 ||
         layer_ >= 0 || !layout_.empty() || !mask_true_.empty() || !tokens_.empty();
}

std::optional<Index> ArrayLine::sequence() const {
  return sequence_ < 0 ? std::nullopt : std::optional(sequence_);
}

std::vector<std::string> ArrayLine::words() const {
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  if (causal_) words.emplace_back("--causal");
  add("--causal-corner", corner_);
  add("--heads", heads_ > 0 ? std::to_string(heads_) : "");
  add("--kv-heads", kv_heads_ > 0 ? std::to_string(kv_heads_) : "");
  add("--layout", layout_);
  add("--mask-true", mask_true_);
  add("--mask-as", mask_as_);
  add("--tokens", tokens_);
  add("--layer", layer_ >= 0 ? std::to_string(layer_) : "");
  return words;
}

ArrayOptions ArrayLine::answers(std::optional<Index> layer) const {
  ArrayOptions answers;
  answers.causal = causal_;
  answers.upper_left = corner_ == "upper-left";
  if (heads_ > 0) answers.heads = heads_;
  if (kv_heads_ > 0) answers.kv_heads = kv_heads_;
  answers.sequence = sequence();
  answers.layer = layer;
  if (layer_ >= 0) answers.layer = layer_;
  if (const std::string& meant = mask_as_.empty() ? mask_true_ : mask_as_; !meant.empty())
    answers.mask_true = meant == "added"     ? MaskTruth::Added
                        : meant == "allowed" ? MaskTruth::Allowed
                                             : MaskTruth::Forbidden;
  answers.order_axes = layout_.size();
  if (!layout_.empty())
    answers.order = layout_ == "bthd"  ? AxisOrder::HeadsThird
                    : layout_ == "thd" ? AxisOrder::TokensFirst
                    : layout_ == "htd" ? AxisOrder::HeadsFirst
                    : layout_ == "tbd" ? AxisOrder::TimeFirst
                                       : AxisOrder::AsIs;
  if (!tokens_.empty()) answers.tokens = read_token_names(tokens_);
  return answers;
}

}  // namespace headlight
