// Training a model's folder, and making an untrained one.
#include "app/cli/model_commands.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/tokenizers/learned_tokenizer.h"
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

}  // namespace

void train_model(const ModelTraining& requested, std::ostream& out, std::ostream& err) {
  constexpr Index kLines = 100;
  require_free_folder(requested.output, requested.force);
  const std::vector<FileText> beside = files_beside_weights(requested.folder);
  const Index steps = requested.settings.rate.steps;
  std::unique_ptr<TrainingRun> run;
  {
    const Network network(requested.folder);
    run = std::make_unique<TrainingRun>(network, ids_of_files(network, requested.texts), requested.settings);
    report_omitted(network, err);
  }
  err << "headlight: " << run->memory_text() << std::endl;
  out << "step, loss\n";
  const Index apart = std::max<Index>(1, steps / kLines);
  for (Index i = 0; i < steps; ++i) {
    const TrainingStep step = run->advance();
    if (step.number == 1 || step.number == steps || step.number % apart == 0)
      out << step.number << ", " << step.loss << std::endl;
    if (requested.save_every > 0 && step.number % requested.save_every == 0)
      save_checkpoint(requested.output, "step-" + std::to_string(step.number), run->weights(), beside);
  }
  save_model(requested.output, run->weights(), beside);
  out << requested.output.string() << " saved\n";
}

void save_untrained_model(const UntrainedModel& requested, std::ostream& out, std::ostream& err) {
  require_free_folder(requested.output, requested.force);
  UntrainedShape shape = requested.shape;
  untrained_config(shape);  // what is wrong with it is said before the texts are read
  const std::vector<std::string> texts = texts_of(requested.texts);
  const LearnedTokenizer tokenizer = requested.whole_words ? learn_words(texts, shape.vocabulary)
                                                           : learn_byte_pairs(texts, shape.vocabulary);
  if (tokenizer.size < shape.vocabulary)
    err << "headlight: the texts make a vocabulary of " << tokenizer.size << " tokens, not of "
        << shape.vocabulary << '\n';
  shape.vocabulary = tokenizer.size;
  shape.end = tokenizer.end;
  const std::string config = untrained_config(shape);
  save_model(requested.output, *untrained_weights(config, requested.seed),
             {{"config.json", config}, {"tokenizer.json", tokenizer.json}});
  out << requested.output.string() << " saved\n";
}

}  // namespace headlight
