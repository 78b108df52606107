// Analyses of a model and a text, or a set of texts, and their results. Letters as in engine/README.md.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/ablation.h"
#include "engine/analysis/analysis_result.h"
#include "engine/analysis/circuits.h"
#include "engine/analysis/data_set.h"
#include "engine/analysis/dictionary.h"
#include "engine/analysis/path_patching.h"
#include "engine/analysis/repeated_tokens.h"
#include "engine/interpretation/patch_map.h"
#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

enum class AnalysisKind {
  Loss,         // of each token; of a set: of each text
  Lens,         // over all positions
  Parts,        // what each head and MLP adds to the target's logit
  Patches,      // what another text's numbers do to it
  Ablation,     // what each head and MLP is good for
  Measures,     // of all heads
  Circuit,      // OV and QK of a head
  Composition,  // with earlier heads
  Neurons,      // of a layer's MLP
  Norms,        // of the stream and of what is added to it
  Moved,        // weight x value of a head
  Rollout,      // of the weights over the layers
  Direction,    // what the mean difference of two texts' streams does when it is added
  Score,        // of a pair of tokens, by parts of both
  Paths,        // from a sender to a receiver, with another text's output
  Edges,        // all paths at once, estimated
  Features,     // of a dictionary, at a place
};
inline constexpr std::size_t kAnalysisCount = 17;

struct AnalysisInfo {
  AnalysisKind kind;
  std::string_view name;              // on the command line: "loss"
  std::string_view label;             // in the window
  std::string_view what;              // a sentence without a full stop
  bool of_set;                        // may be asked about a set of texts
  bool of_target, of_layer, of_head;  // what it depends on
  bool of_other;                      // needs A
  bool of_words;                      // its maps between tokens may be between words
  bool takes_long;                    // many passes, in which it tells its progress
};
const std::array<AnalysisInfo, kAnalysisCount>& analysis_table();
const AnalysisInfo& analysis_info(AnalysisKind kind);
std::optional<AnalysisKind> analysis_named(std::string_view name);

struct Analysis {
  AnalysisKind kind = AnalysisKind::Loss;
  std::optional<std::int32_t> target, against;  // target: none: the text's likeliest token
  // Of each text its target, in place of `target`; none: the likeliest token. Empty: `target` of all.
  std::vector<std::optional<std::int32_t>> targets;
  std::optional<Metric> metric;             // of the target; none: target_metric()
  PatchStage stage = PatchStage::Residual;  // of Patches
  bool normalized = false;                  // of Patches: 0 is B, 1 is A
  std::vector<TokenPair> aligned;           // of Patches: as aligned_patches(); empty: of texts of one length
  AblationKind ablation = AblationKind::Mean;
  MeanOver mean_over = MeanOver::Set;  // of a mean
  std::vector<HeadPlace> together;     // of Ablation: these heads at once; empty: each head and MLP alone
  OutputMeasure::Kind measured = OutputMeasure::Kind::Loss;  // of Ablation, where `metric` is none
  Index layer = 0, head = 0;
  EmbeddingKind embeddings = EmbeddingKind::Raw;  // of Circuit
  TokenIds tokens;      // of Circuit: which; empty: those of the text that are not special, each once
  bool words = false;   // of analyses with `of_words`: pieces of a word as one
  double strength = 1;  // of Direction and a feature: how many times it is added
  std::optional<Index> query, key;       // of Score; none: the last token, and what it attends to most
  std::string query_name, key_name;      // of Score and a set: names of it, "@S2"; "": as none of the above
  std::optional<StreamPart> sender;      // of Paths; none: all of senders_of()
  std::optional<StreamReader> receiver;  // of Paths; none: all of receivers_of()
  MlpsBetween mlps_between = MlpsBetween::Held;  // of Paths
  // Of Paths: where the sender's output is A's; of Direction and a feature: where it is added. Empty: at all
  // tokens.
  std::vector<Index> positions;
  std::vector<std::string> position_names;  // the same of a set: names of it; empty: at all tokens
  Index steps = 5;                          // of Edges: gradients on the way from A to B
  std::string direction;   // of Direction: a file with it, as read_direction(); "": A's mean less B's
  Index generated = 0;     // of Direction and a feature: so many tokens follow the text at each strength
  std::string dictionary;  // of Features: its file, as read_dictionary()
  // Of Features: Residual, AttentionAdded or MlpAdded; none: MlpAdded of a transcoder, which has no other,
  // and Residual of other dictionaries.
  std::optional<PatchStage> place;
  std::optional<TranscoderInput> reads;  // of Features: as read_dictionary()
  std::optional<Index> feature;  // of Features: this one, which is also steered; none: those that add most
  Index top = 10;                // of lists: how many
  std::vector<TokenIds> texts;   // at least one
  std::optional<RepeatedTokens> repeated;  // how the text was drawn; none: it was given
  // In place of texts, their targets and those against them, and of others (but those of MeanOver::Others):
  // `texts` is empty then. The result is the mean over rows.
  std::shared_ptr<const DataSet> set;
  std::vector<TokenIds>
      others;  // A. Of Patches, Paths and Edges one for each text; of Direction any number, unless it has a
               // file; of Loss one, or none; of Ablation those that a mean is over (MeanOver::Others)
  bool operator==(const Analysis&) const = default;
};

// The number of the target that an analysis reads: by default the difference of two logits where there is a
// token against the target, else the logit.
Metric target_metric(const Analysis& analysis);
std::string metric_in_words(Metric metric);  // "logit difference"; "loss" is −ln p of the target
std::string target_in_words(Metric metric);  // "logit of the target", "difference of the two logits"
// Throws Error if the number is no sum of parts: neither a logit nor a difference of two.
void require_sum(const Analysis& analysis);
// Whether it is the loss of the text's tokens that changes, of Ablation.
bool of_text_loss(const Analysis& analysis);
bool has_target(const Analysis& analysis);
bool has_against(const Analysis& analysis);
// Whether it reads a text A, or, of a set, the column `from`.
bool needs_other(const Analysis& analysis);

// Called with what is done, 0 to 1.
using AnalysisProgress = std::function<void(double share)>;

// pass: has the changes under which the texts are read; on return its text is analysis.texts[0], or that of
// the first row of a set. Throws Error for an analysis that the model, the texts or the layer do not allow;
// Stopped. source: has the changes under which A is read; null: A is read without changes.
AnalysisResult run_analysis(NetworkPass& pass, const Analysis& analysis, const AnalysisProgress& progress,
                            NetworkPass* source = nullptr);

// Resolves typed text to a token: an id after '#', a word of the vocabulary, or a text, of which it is the
// first token. said: a sentence on what was chosen among several tokens; else "". Throws Error if there is no
// such token.
struct TypedTarget {
  std::int32_t id = 0;
  std::string said;
};
TypedTarget typed_target(const Network& network, const std::string& typed);

}  // namespace headlight
