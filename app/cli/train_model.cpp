// Training a model's folder, and making an untrained one.
#include <algorithm>

#include "app/cli/model_commands.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/tokenizers/learned_tokenizer.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/training/saved_model.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

void require_free_folder(const fs::path& folder, bool force) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw Error("it is a file, not a folder", folder.string(), "give the name of a folder");
  if (force || !fs::exists(folder, error)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name == "config.json" || name == "model.safetensors" || name.starts_with("step-"))
      throw Error("there is a model in it already", folder.string(),
                  "choose another folder, or replace it with --force");
  }
}

std::vector<std::string> texts_of(const std::vector<fs::path>& files) {
  constexpr std::uint64_t kMostText = std::uint64_t{1} << 24;  // what the tokenizer's steps take
  std::vector<std::string> texts;
  for (const fs::path& file : files) {
    require_file(file, kMostText);
    texts.push_back(read_file(file));
  }
  return texts;
}

// Whether a checkpoint after so many steps is wanted.
bool is_saved(const ModelTraining& requested, Index step) {
  const std::vector<Index>& at = requested.save_at;
  return (requested.save_every > 0 && step > 0 && step % requested.save_every == 0) ||
         std::find(at.begin(), at.end(), step) != at.end();
}

SavedForm after_steps(SavedForm form, Index step) {
  form.beside.push_back(step_file(step));
  return form;
}

void save_step(const ModelTraining& requested, const SavedForm& form, Index step, const TrainingRun& run) {
  save_checkpoint(requested.output, "step-" + std::to_string(step), run.weights(), after_steps(form, step));
}

LearnedTokenizer tokenizer_in(const fs::path& file) {
  constexpr std::uint64_t kMostTokenizer = std::uint64_t{1} << 28;
  require_file(file, kMostTokenizer);
  LearnedTokenizer read{read_file(file)};
  const Tokenizer tokenizer = Tokenizer::parse(read.json, file.string());
  read.size = tokenizer.size();
  if (read.size == 0)
    throw Error("the tokenizer has no tokens", file.string(), "give the tokenizer.json of a model");
  for (std::int32_t id = 0; id < read.size; ++id)
    if (tokenizer.is_special(id)) read.end = id;
  return read;
}

LearnedTokenizer tokenizer_for(const UntrainedModel& requested, std::ostream& err) {
  if (!requested.tokenizer.empty()) return tokenizer_in(requested.tokenizer);
  const std::int32_t most = requested.shape.vocabulary;
  const std::vector<std::string> texts = texts_of(requested.texts);
  LearnedTokenizer learnt = requested.whole_words ? learn_words(texts, most) : learn_byte_pairs(texts, most);
  if (learnt.size < most)
    err << "headlight: the texts make a vocabulary of " << learnt.size << " tokens, not of " << most << '\n';
  return learnt;
}

}  // namespace

void train_model(const ModelTraining& requested, std::ostream& out, std::ostream& err) {
  constexpr Index kLines = 100;
  require_free_folder(requested.output, requested.force);
  const SavedForm form = saved_form(requested.folder, requested.type);
  const Index steps = requested.settings.rate.steps;
  std::unique_ptr<TrainingRun> run;
  {
    const Network network(requested.folder);
    run = std::make_unique<TrainingRun>(network, ids_of_files(network, requested.texts), requested.settings);
    report_omitted(network, err);
  }
  err << "headlight: " << run->memory_text() << std::endl;
  out << "step, loss\n";
  if (is_saved(requested, 0)) save_step(requested, form, 0, *run);
  const Index apart = std::max<Index>(1, steps / kLines);
  for (Index i = 0; i < steps; ++i) {
    const TrainingStep step = run->advance();
    if (step.number == 1 || step.number == steps || step.number % apart == 0)
      out << step.number << ", " << step.loss << std::endl;
    if (is_saved(requested, step.number)) save_step(requested, form, step.number, *run);
  }
  save_model(requested.output, run->weights(), after_steps(form, steps));
  out << requested.output.string() << " saved\n";
}

void save_untrained_model(const UntrainedModel& requested, std::ostream& out, std::ostream& err) {
  require_free_folder(requested.output, requested.force);
  UntrainedShape shape = requested.shape;
  untrained_config(shape);  // what is wrong with it is said before the texts are read
  const LearnedTokenizer tokenizer = tokenizer_for(requested, err);
  shape.vocabulary = tokenizer.size;
  shape.end = tokenizer.end;
  const std::string config = untrained_config(shape);
  save_model(requested.output, *untrained_weights(config, requested.seed),
             {SavedFloat::F32, {{"config.json", config}, {"tokenizer.json", tokenizer.json}}});
  out << requested.output.string() << " saved\n";
}

}  // namespace headlight
