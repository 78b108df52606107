// A dictionary of features: what stands at a place in a model, written as a sum of directions of which few
// take part at a time. It is encoded from what stands there itself (a sparse autoencoder, SAE: Bricken et al.
// 2023, "Towards Monosemanticity"; with a threshold by feature: Rajamanoharan et al. 2024, arXiv 2407.14435),
// or, for what an MLP adds, from what the MLP reads (a transcoder: Dunefsky et al. 2024, arXiv 2406.11944;
// with a skip connection: Paulo et al. 2025, arXiv 2501.18823). Letters: T tokens, d numbers at the place, F
// features, x what is encoded.
//
//   activations = f(x W_enc + b_enc), or f((x - b_dec) W_enc + b_enc)          T x F
//   reconstruction = activations W_dec + b_dec, with a skip + x W_skip^T       T x d
//
// f: max(0, z); with a threshold z where z > threshold, else 0; or only the k largest max(0, z) of each
// token.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/core/matrix.h"

namespace headlight {

// What a transcoder encodes: what the MLP's first projections read; the same without the norm's own weights
// and bias, which TransformerLens folds into the projections; or the stream in front of the norm.
enum class TranscoderInput { MlpInput, Normalized, Stream };

struct Dictionary {
  Matrix encoder, decoder;                        // d x F, F x d
  Matrix skip;                                    // W_skip, d x d; empty: none
  std::optional<TranscoderInput> reads;           // of a transcoder; none: it encodes what it writes
  Eigen::RowVectorXf encoder_bias, decoder_bias;  // F, d
  Eigen::RowVectorXf threshold;                   // F; empty: none
  Index most = 0;                // above 0: so many features of each token are kept, the largest
  bool bias_subtracted = false;  // whether b_dec is taken from x first
  std::string how;               // the encoding in words, and what said so

  Index features() const { return encoder.cols(); }
};

// Reads W_enc (d x F), W_dec (F x d), b_enc, b_dec and, where there is one, threshold or log_threshold, from
// a .safetensors or .npz file, as SAELens and Gemma Scope name them. The file cfg.json of SAELens beside it
// says how x is encoded (architecture, k, apply_b_dec_to_input) and, of a transcoder, what x is (hook_name);
// without it b_dec is subtracted unless there is a threshold or it is a transcoder. `reads` makes it one;
// without it a file is one by its cfg.json, or by W_skip (d x d), and then reads MlpInput unless cfg.json
// says what. width: d of the model. Throws Error that names the array for one that is missing, has another
// shape or numbers that are not finite, for an encoding that is not computed, and for a transcoder that by
// cfg.json (hook_name_out) writes anything but what an MLP adds.
Dictionary read_dictionary(const std::filesystem::path& file, Index width,
                           std::optional<TranscoderInput> reads = std::nullopt);

// rows: x, T x d. Throws Stopped.
Matrix feature_activations(const Dictionary& dictionary, const MatrixRef& rows);
Matrix reconstruction(const Dictionary& dictionary, const MatrixRef& activations, const MatrixRef& rows);

// How much of the rows that it writes, x, the dictionary leaves out.
struct Unexplained {
  // The sum over tokens of |x - reconstruction|^2, over that of |x - the mean x|^2; NaN of one token. The
  // second without the first token, whose stream is many times larger than others in most models.
  double share = 0, share_behind_first = 0;
  Eigen::VectorXf by_token;  // |x - reconstruction|^2 / |x|^2
};
Unexplained unexplained(const MatrixRef& rows, const MatrixRef& reconstruction);

}  // namespace headlight
