// Writes a model's folder as the hub has it: config.json, model.safetensors (F32), tokenizer.json and the
// small files beside them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/training/trained_weights.h"

namespace headlight {

struct FileText {
  std::string name, bytes;
};

// The files beside the weights of a model's folder that belong to a saved one: config.json, which says
// float32, and those of the tokenizer. Throws Error if config.json cannot be read.
std::vector<FileText> files_beside_weights(const std::filesystem::path& folder);

// Writes them into the folder, which is created. Nothing in it changes until all are written completely;
// then each replaces the older file of its name. Throws Error (disk full, no permission, ...).
void save_model(const std::filesystem::path& folder, const TrainedWeights& weights,
                const std::vector<FileText>& beside);

// The same as a folder `name` inside `folder`, which appears, or replaces an older one, when it is complete.
void save_checkpoint(const std::filesystem::path& folder, const std::string& name,
                     const TrainedWeights& weights, const std::vector<FileText>& beside);

}  // namespace headlight
