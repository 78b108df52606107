// Gradients of what a pass predicts by every number that a patch can overwrite: the chain rule backwards
// through the model as it is, with its changes (heads that are off or replaced by their mean, other weights,
// temperatures and masks, patches, interventions of every place). For every family that the pass computes. In
// float32.
#pragma once

#include <functional>

#include "engine/interpretation/predictions.h"
#include "engine/interpretation/stage_values.h"
#include "engine/interpretation/stream_reader.h"

namespace headlight {

// Called with the gradient at a place, of the shape of stage_values(): how fast the prediction changes with
// each number there. A number that a patch overwrites has a gradient too; what is computed before it has
// none from there.
using GradientAtPlace = std::function<void(const PatchPlace& place, const MatrixRef& gradient)>;

enum class GradientsOf {
  Rows,  // every place but PatchStage::Weights
  RowsAndWeights,
  Embedding  // only the stream that enters layer 0
};

// Of the chosen logit, or difference (with the softcap, if the family has one). The cost is about that of
// two forward passes, and memory for one layer's stages at a time. Throws Error if the model has no
// predictions; Stopped.
void logit_gradients(NetworkPass& pass, const LogitChoice& logit, GradientsOf wanted,
                     const GradientAtPlace& at);

// Of any number of the logits of one position, by its gradient by them, 1 x vocabulary (with the softcap).
// Throws as logit_gradients().
void row_gradients(NetworkPass& pass, Index position, Matrix by_logits, GradientsOf wanted,
                   const GradientAtPlace& at);

// Of the loss: the mean over the text of -ln p(next token), which it returns. Throws Error as
// require_decoder() (engine/training/decoder_pass.h) if the model is no decoder, and for a text of one token;
// Stopped.
double loss_gradients(NetworkPass& pass, GradientsOf wanted, const GradientAtPlace& at);

// Called with the gradient by what one reader alone reads of the stream, before its norm: T x d.
using GradientAtReader = std::function<void(const StreamReader& reader, const Matrix& gradient)>;

// As row_gradients(), by readers. The last layer comes first; a layer's MLP before its attention.
// Precondition: the norms of queries and keys are of single heads.
void reader_gradients(NetworkPass& pass, Index position, Matrix by_logits, const GradientAtReader& at);

}  // namespace headlight
