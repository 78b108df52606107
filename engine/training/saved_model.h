// Writes a model's folder as the hub has it: config.json, model.safetensors, tokenizer.json and the
// small files beside them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/arrays/safetensors.h"
#include "engine/checkpoint/checkpoint_series.h"
#include "engine/training/trained_weights.h"

namespace headlight {

struct FileText {
  std::string name, bytes;
};

// What is saved of a model beside its numbers.
struct SavedForm {
  SavedFloat type = SavedFloat::F32;
  std::vector<FileText> beside;
};

// The files beside the weights of a model's folder that belong to a saved one: config.json, which names the
// type, and those of the tokenizer. Throws Error if config.json cannot be read, and for a GGUF file.
SavedForm saved_form(const std::filesystem::path& folder, SavedFloat type);

// trainer_state.json, by which a folder says after how many steps of training its weights are and how the
// loss fell until then, as the checkpoints of transformers' Trainer do.
FileText step_file(Index step, const std::vector<LoggedLoss>& losses);

// A new folder whose files are written completely before it appears.
class NewFolder {
 public:
  // `name` inside `folder`, which is created if it is not there. Throws Error.
  NewFolder(const std::filesystem::path& folder, const std::string& name);
  ~NewFolder();  // nothing is left of it without commit()
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  const std::filesystem::path& path() const { return made_; }  // where its files are written
  // Gives it its name; an older folder of that name is deleted. Throws Error.
  void commit();

 private:
  std::filesystem::path target_, made_, older_;
};

// Throws Error unless files can be written into the folder, which is made for the try if it is not there, and
// removed then.
void require_writable(const std::filesystem::path& folder);

// Whether there is a model in the folder, or the checkpoints of one. Throws Error if it is a file.
bool holds_model(const std::filesystem::path& folder);

// Writes them into the folder, which is created. Nothing in it changes until all are written completely;
// then each replaces the older file of its name. Throws Error (disk full, no permission, ...).
void save_model(const std::filesystem::path& folder, const TrainedWeights& weights, const SavedForm& form);

// save_model() into a folder `name` inside `folder`, which appears, or replaces an older one, when complete.
void save_checkpoint(const std::filesystem::path& folder, const std::string& name,
                     const TrainedWeights& weights, const SavedForm& form);

}  // namespace headlight
