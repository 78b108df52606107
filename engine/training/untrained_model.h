// A model before its training: its config.json, and weights drawn as its family's library draws them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/training/saved_model.h"
#include "engine/training/trained_weights.h"

namespace headlight {

struct UntrainedShape {
  std::string family = "gpt2";  // the only one so far
  Index layers = 2, heads = 4, width = 64, positions = 128;
  std::int32_t vocabulary = 512;
  std::int32_t end = 0;     // the id of the end of text
  double deviation = 0.02;  // of the weights: initializer_range of config.json
};

// The text of config.json. Throws Error for another family, and for what parse_network_config rejects.
std::string untrained_config(const UntrainedShape& shape);

// GPT-2's weights (Radford et al. 2019, 2.3): matrices and embeddings are normal with the deviation that
// config.json names (0.02), the projections that add to the stream with it / sqrt(2 L); biases are 0 and
// norms 1. Drawn after torch.manual_seed(seed) as Tensor.normal_ draws them, in this order: wte, wpe, and of
// each layer attn.c_attn, attn.c_proj, mlp.c_fc, mlp.c_proj.
std::unique_ptr<TrainedWeights> untrained_weights(const std::string& config, std::int64_t seed);

// How many numbers its weights have.
double untrained_number_count(const NetworkConfig& config);

struct UntrainedModel {
  UntrainedShape shape;
  std::vector<std::filesystem::path> texts;  // of which the tokenizer is learnt
  bool whole_words = false;
  std::filesystem::path tokenizer;  // a tokenizer.json in place of one that is learnt; empty: none
  std::int64_t seed = 123;
  std::filesystem::path output;  // a folder
};
// Saves an untrained model as a folder, with its tokenizer. Returns how many tokens that has: fewer than the
// shape says if the texts have no more. Throws Error.
std::int32_t save_untrained_model(const UntrainedModel& requested);

}  // namespace headlight
