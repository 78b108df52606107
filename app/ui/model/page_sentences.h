// The sentence above each page of a whole model, and the example that explains the page: texts made from the
// page's own numbers. They draw nothing. A text is "" where its numbers give nothing to say.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/counting.h"
#include "engine/interpretation/attribution.h"
#include "engine/interpretation/heads_glance.h"
#include "engine/interpretation/patch_estimate.h"
#include "engine/interpretation/predictions.h"

namespace headlight {

// How a sentence names tokens, layers and heads.
struct SentenceNames {
  std::function<std::string(std::int32_t id)> token;  // its visible label, without quotes
  LayerNames layers;
};

// A head of the page *Heads* and what is told of it: a measure, a part of a logit, or a change.
struct HeadValue {
  LayerPlace layer;
  Index head = 0;
  std::optional<double> value;  // nullopt: the head has none
  std::string few = {};         // HeadMeasures::few(), of a measure
};

// Heads, without a measure: the heads that look at one kind of token, such as the one before, most.
std::string heads_sentence(const HeadsOverview& overview, const LayerNames& names);
std::string measure_sentence(const std::vector<HeadValue>& heads, std::string_view measure,
                             const LayerNames& names);
std::string head_parts_sentence(const std::vector<HeadValue>& heads, const LogitChoice& logit,
                                const SentenceNames& names);
std::string head_changes_sentence(const std::vector<HeadValue>& heads, const LayerNames& names);
// `tokens`: the labels of the text, by which rows and columns of the pictures go unless they are pooled.
// sinks: rows share what a sink leaves. shown: the selected head, of which the example is; none: the first of
// the last layer.
std::string heads_example(const HeadsOverview& overview, const std::vector<std::string>& tokens,
                          const LayerNames& names, bool sinks = false,
                          std::optional<std::pair<Index, Index>> shown = std::nullopt);

// Layers: `lens` as logit_lens() returns it, from the stream into the first layer to that out of the last.
std::string lens_sentence(const std::vector<std::vector<Prediction>>& lens, const SentenceNames& names);
std::string lens_example(const std::vector<std::vector<Prediction>>& lens, const SentenceNames& names);

// Parts.
std::string parts_sentence(const Attribution& parts, const SentenceNames& names);
std::string parts_example(const Attribution& parts, const SentenceNames& names);

// Patches: the map of the differences, a row for each layer; `is_stream`: the last row is the stream behind
// the last layer.
struct PatchedMap {
  Matrix moved;
  double before = 0;  // the logit without a patch
  bool is_stream = true;
  std::string what;                 // "the stream": what is put in
  std::vector<std::string> tokens;  // labels of the columns
  LogitChoice logit;
  bool of_heads = false;   // a column for each head, not for each token
  bool estimated = false;  // by the gradient
};
std::string patches_sentence(const PatchedMap& map, const SentenceNames& names);
std::string patches_example(const PatchedMap* map, const SentenceNames& names);
// Of a cell whose patch is a change now: "Put in: what the MLP adds at Tom (4) in layer 1, from the kept text
// “When Bob ...”".
std::string put_in_text(const PatchedMap& map, Index row, Index column, const std::string& kept,
                        const SentenceNames& names);

// How far the estimate of a map is from it: their correlation, and where they differ most.
std::string estimate_sentence(const Matrix& estimated, const PatchedMap& map, const SentenceNames& names);

// Two decimals with a minus sign; what rounds to zero has none. "not a number" for NaN.
std::string two_decimals(double value);

}  // namespace headlight
