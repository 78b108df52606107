#include "engine/training/saved_model.h"

#include <memory>

#include "engine/checkpoint/gguf_model.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/json/json_document.h"
#include "engine/tokenizers/folder_tokenizer.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigName = "config.json";

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder, error))
    throw Error("the folder cannot be created", folder.string(), "choose another place");
}

std::string typed_config(const fs::path& file, SavedFloat saved) {
  Json config;
  try {
    config = parse_json(read_file(file));
  } catch (const Error& error) {
    throw error.inside(file.string());
  }
  for (const char* type : {"torch_dtype", "dtype"})
    if (config.contains(type)) config[type] = saved == SavedFloat::F16 ? "float16" : "float32";
  return config.dump(2) + "\n";
}

void remove_folder(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

}  // namespace

SavedForm saved_form(const fs::path& folder, SavedFloat type) {
  if (const auto file = gguf_of_model(folder))
    throw Error("a model in a GGUF file is not trained", file->string(),
                "train the model's folder as the hub has it, with config.json and model.safetensors");
  SavedForm form{type, {{kConfigName, typed_config(folder / kConfigName, type)}}};
  std::vector<std::string> names = tokenizer_file_names();
  names.emplace_back("generation_config.json");
  for (const std::string& name : names) {
    std::error_code error;
    if (fs::is_regular_file(folder / name, error)) form.beside.push_back({name, read_file(folder / name)});
  }
  return form;
}

FileText step_file(Index step, const std::vector<LoggedLoss>& losses) {
  Json state{{"global_step", step}};
  for (const LoggedLoss& one : losses) {
    Json entry{{"step", one.step}};
    if (one.loss) entry["loss"] = *one.loss;
    if (one.held_out) entry["eval_loss"] = *one.held_out;
    state["log_history"].push_back(std::move(entry));
  }
  return {"trainer_state.json", state.dump(1) + "\n"};
}

NewFolder::NewFolder(const fs::path& folder, const std::string& name)
    : target_(folder / name),
      made_(folder / (".headlight-" + name)),
      older_(folder / (".headlight-older-" + name)) {
  create_folder(folder);
  remove_folder(made_);
  create_folder(made_);
}

NewFolder::~NewFolder() {
  remove_folder(made_);
  remove_folder(older_);
}

void NewFolder::commit() {
  std::error_code error;
  remove_folder(older_);
  if (fs::exists(target_, error)) fs::rename(target_, older_, error);
  if (!error) fs::rename(made_, target_, error);
  if (error)
    throw Error("the checkpoint cannot be put in its place: " + error.message(), target_.string(),
                "choose another folder");
}

void require_writable(const fs::path& folder) {
  std::error_code error;
  const bool there = fs::exists(folder, error);
  try {
    NewFolder probe(folder, "probe");
    AtomicFile file(probe.path() / "probe");
    file.write(std::string(1 << 12, ' '));
    file.commit();
  } catch (const Error& failure) {
    if (!there) fs::remove(folder, error);
    throw Error("the trained model could not be saved in it: " + failure.summary(), folder.string(),
                failure.hint().empty() ? "choose another folder" : failure.hint());
  }
  if (!there) fs::remove(folder, error);  // only if it is empty
}

bool holds_model(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return false;
  if (!fs::is_directory(folder, error))
    throw Error("it is a file, not a folder", folder.string(), "give the name of a folder");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name == kConfigName || name == "model.safetensors" || name.starts_with("step-")) return true;
  }
  return false;
}

void save_model(const fs::path& folder, const TrainedWeights& weights, const SavedForm& form) {
  create_folder(folder);
  std::vector<std::unique_ptr<AtomicFile>> files;
  std::vector<TensorValues> tensors;
  for (const WeightTensor& tensor : weights.tensors())
    tensors.push_back({tensor.name, tensor.shape, tensor.numbers.data()});
  write_safetensors(tensors, form.type,
                    *files.emplace_back(std::make_unique<AtomicFile>(folder / "model.safetensors")));
  for (const FileText& one : form.beside)
    files.emplace_back(std::make_unique<AtomicFile>(folder / one.name))->write(one.bytes);
  for (const auto& file : files)
    file->commit();
}

void save_checkpoint(const fs::path& folder, const std::string& name, const TrainedWeights& weights,
                     const SavedForm& form) {
  NewFolder checkpoint(folder, name);
  save_model(checkpoint.path(), weights, form);
  checkpoint.commit();
}

}  // namespace headlight
