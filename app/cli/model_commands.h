// The commands on a model's folder.
#pragma once

#include <memory>
#include <ostream>

#include "app/cli/changed_pass.h"
#include "app/cli/commands.h"
#include "app/export/array_answer.h"
#include "engine/training/checkpointed_training.h"
#include "engine/training/untrained_model.h"

namespace headlight {

struct ModelArrays {
  std::filesystem::path folder;
  GivenText text;
  std::optional<std::vector<std::int32_t>> layers;  // none: all
  std::vector<std::int32_t> decoder_ids;            // of a model of two sides
  std::vector<std::int32_t> token_types;            // of each token; empty: all 0
  std::filesystem::path image;                      // of a model of images: .npy, .png, .jpg; else empty
  std::vector<std::string> changes;                 // sources of changes: see ChangedPass
  std::filesystem::path output;                     // .npz
  bool force = false;
  std::vector<std::string> keep = {};  // names of run_arrays(), in the place of stages; empty: stages
};
// Saves `ids` (T), `residual` (L + 1 x T x d), `logits` (T x vocabulary, if the model predicts tokens), and
// the stages of each chosen layer as layers.N.STAGE, H x T x columns or T x columns; the stage `embeddings`
// is the input of attention. Layers with experts have layers.N.experts as well, T x experts: the share of
// each in what the layer adds. Of a model of two sides: encoder.residual, encoder.layers.N.weights,
// encoder.output (behind the final norm), the same of `decoder`, cross.layers.N.weights (H x T decoder x T
// encoder) and `logits`. With `keep` only `ids` and these arrays. Of a model of images: residual,
// layers.N.weights, and `logits` of the classes, once. Holds the stages of one layer in memory at a time.
// Like the functions below it reports the parts of the folder that are not computed on `err`. Throws Error.
void compute_model(const ModelArrays& requested, std::ostream& err);

struct ModelGradients {
  std::filesystem::path folder;
  GivenText text;
  std::filesystem::path set = {};     // a data set, in place of the text; or empty
  bool each = false;                  // of a set: also the gradients by tensors of each row
  std::filesystem::path output = {};  // .npz
  bool force = false;
};
// How well the model predicts each token of the text from those before it, and the gradients of that:
// `loss`, the mean of -ln p; `loss_by_token` (T - 1); `loss_by_embedding` (T), gradient x embedding;
// grad.TENSOR for every tensor of the files that the model reads, by its name and in its shape there;
// grad.residual (L + 1 x T x d); and grad.layers.N.weights (H x T x T). Of a set: their means over the rows,
// at the tokens that it names (tokens_of_row()). Throws Error if the model is not a causal decoder that
// predicts tokens, for fewer than two tokens, and if there is too little memory; of a set also as
// parse_data_set() and tokens_of_row(), with the row. Throws Stopped.
ArrayAnswer model_gradients(const std::shared_ptr<const Network>& network, const ModelGradients& requested);
// Saves them, and writes the loss to `out`. Throws Error.
void save_model_gradients(const ModelGradients& requested, std::ostream& out, std::ostream& err);

struct ModelPatches {
  std::filesystem::path folder;
  GivenText text, from;               // into which numbers are put, and whose
  std::string target, against;        // as typed: words, or ids; "": none
  bool each = false;                  // also the patches themselves
  std::vector<std::string> changes;   // of the pass over `text`: see ChangedPass
  std::filesystem::path set = {};     // a data set, in place of both texts; or empty
  std::filesystem::path output = {};  // .npz
  bool force = false;
};
// How far a logit moves with each stage of another text put in, estimated by its gradient (attribution
// patching): `logit`, without a patch; estimate.residual (L + 1 x T), estimate.attention_added and
// estimate.mlp_added (L x T); estimate.context and estimate.weights (L x H), of all that a head has;
// estimate.layers.N.context (H x T) and estimate.layers.N.weights (H x T x T), by what is put in there; and
// `logit_by_embedding` (T), gradient x embedding. With `each` also patch.STAGE, in the shapes of the first
// five, by patches, and a line for each of them that says how far the estimate is from it. Of a set: their
// means over the rows, of each from its `from` into its text, at the tokens that the set names. Throws Error
// if the model has no predictions, if two texts differ in their number of tokens, and for a token that it has
// not; of a set also as parse_data_set() and tokens_of_row(), with the row, and without a column `from`.
// Throws Stopped.
ArrayAnswer model_patches(ChangedPass& changed, const ModelPatches& requested);
// Saves them, and writes the logit and those lines to `out`. Throws Error.
void save_patches(const ModelPatches& requested, std::ostream& out, std::ostream& err);

struct ModelTraining {
  TrainingPlan plan;
  bool force = false;
};
// Trains the model on texts and saves it as a folder, with checkpoints in step-K/ inside it. Writes a line
// with the step and the loss of its windows for each of up to a hundred steps, evenly spread, to `out`, and
// the memory that it takes to `err` before it begins. Checks first that the folder is free. Throws Error; the
// checkpoints until then stay.
void train_model(const ModelTraining& requested, std::ostream& out, std::ostream& err);
// train_model() for a training that ended before its last step, from its folder. last: as for
// CheckpointedTraining::continued.
void continue_training(const std::filesystem::path& folder, Index last, std::ostream& out, std::ostream& err);

// Saves an untrained model as a folder, with its tokenizer; force: in place of one that is there. Throws
// Error.
void make_model(const UntrainedModel& requested, bool force, std::ostream& out, std::ostream& err);

// Writes the `count` most probable tokens after the text, or in place of the first masked word, with their
// probabilities. Throws Error.
void print_predictions(const std::filesystem::path& folder, const GivenText& text, Index count,
                       std::ostream& out, std::ostream& err);

// Saves one figure (.png, .svg, .pdf) of the weights of all heads of a model's folder: one line per layer,
// one small picture per head. Throws Error unless there is exactly one folder and the output is a figure.
// Reports long work on `err`.
void export_model_map(const ExportOptions& options, std::ostream& out, std::ostream& err);

}  // namespace headlight
