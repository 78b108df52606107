// Which way the stages of pairs are kept in, by what they take and what memory there is.
#pragma once

#include <memory>
#include <string>

#include "engine/model/model.h"

namespace headlight {

class PairKeeping;
struct StageStore;

// Stages: each as a matrix, with the bits that the kernels give: whole_stages.h. Scores: once, and the others
// made from them when they are asked for; the numbers are the same within rounding, and an edit costs what it
// changes. That takes a softmax, and scores that are finite: score_strips.h. Map: not even those, for
// sequences whose scores do not fit the memory that stages may take, or do not leave much of it. That takes a
// softmax and no dropout: score_map.h.
enum class Keeping { Automatic, Stages, Scores, Map };

// A quarter of the machine's memory, in bytes.
double default_memory_budget();
// What all T x T stages of all heads and sequences would take, each kept as a matrix.
double square_stages_bytes(const Model& model);
std::string gigabytes_text(double bytes);  // "4.3 GB"
// Throws Error when the model with these settings needs stages, or multipliers of dropout, that do not fit.
void check_size(const Model& model, const AttentionSettings& settings,
                double memory_budget = default_memory_budget());

// What may decide beside the model.
struct KeepingWish {
  Keeping keeping = Keeping::Automatic;  // Automatic: stages while they are small
  double memory_budget = 0;              // what the stages of pairs may take, in bytes
  bool finite = true;                    // whether its scores may be, as far as is known
};
// Never Automatic. Throws Error when there is none that fits.
Keeping best_keeping(const Model& model, const KeepingWish& wish);
// Nothing is made yet. The store must live as long. kept: not Automatic.
std::unique_ptr<PairKeeping> make_keeping(Keeping kept, StageStore& store, double memory_budget);

}  // namespace headlight
