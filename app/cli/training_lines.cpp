#include "app/cli/training_lines.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "app/cli/changed_pass.h"
#include "app/cli/option_checks.h"
#include "app/cli/word_option.h"
#include "engine/training/training_words.h"

namespace headlight {
namespace {

constexpr double kMostRate = 1e6;

void add_texts(CLI::App& command, std::vector<std::string>& texts, const std::string& what) {
  command.add_option("--data", texts, what)->type_name("FILE")->check(file_name());
}

void add_count(CLI::App& command, const std::string& name, Index& value, int least, const std::string& what) {
  command.add_option(name, value, what)
      ->type_name("N")
      ->check(CLI::Range(least, std::numeric_limits<int>::max()).description(""));
}

void add_number(CLI::App& command, const std::string& name, double& value, double most,
                const std::string& what) {
  command.add_option(name, value, what)->type_name("X")->check(number_between(0, most));
}

void add_seed(CLI::App& command, std::int64_t& seed, const std::string& what) {
  command.add_option("--seed", seed, what)->type_name("N");
}

// "0.9,0.999". Throws a usage error.
std::array<double, 2> parse_betas(const std::string& text) {
  std::array<double, 2> betas{};
  const char *at = text.data(), *end = at + text.size();
  for (std::size_t i = 0; i < betas.size(); ++i) {
    const auto [next, failed] = std::from_chars(at, end, betas[i]);
    const bool separated = i + 1 < betas.size() ? next != end && *next == ',' : next == end;
    if (failed != std::errc() || !separated || !(betas[i] >= 0 && betas[i] < 1))
      throw CLI::ValidationError("--betas",
                                 "'" + text + "' is not two numbers from 0 to 1, such as 0.9,0.999");
    at = next + 1;
  }
  return betas;
}

std::vector<std::filesystem::path> paths_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

std::string TrainModelLine::other_option(const std::vector<std::string>& allowed) const {
  for (const CLI::Option* option : command_->get_options()) {
    std::string name = option->get_name();
    if (option->count() > 0 && name.starts_with("--") &&
        std::find(allowed.begin(), allowed.end(), name) == allowed.end())
      return name;
  }
  return "";
}

Index TrainModelLine::steps_of_session() const {
  if (const std::string other = other_option({"--steps", "--output", "--force"}); !other.empty())
    throw CLI::ValidationError(other, "is of a model's folder: a session has its own settings of training");
  if (plan_.settings.rate.steps == 0) throw CLI::RequiredError("--steps");
  return plan_.settings.rate.steps;
}

std::optional<Index> TrainModelLine::continued_to() const {
  if (!continue_) return std::nullopt;
  if (const std::string other = other_option({"--steps", "--continue"}); !other.empty())
    throw CLI::ValidationError(other, "cannot be changed when a training is continued: only --steps can");
  return plan_.settings.rate.steps;
}

void TrainModelLine::add_to(CLI::App& command) {
  command_ = &command;
  add_texts(command, texts_, "with a model's folder: the texts (UTF-8) that it is trained on");
  add_count(command, "--steps", plan_.settings.rate.steps, 1, "how many steps");
  add_count(command, "--batch", plan_.settings.batch, 1, "how many windows of text in a step (1 by default)");
  add_count(command, "--length", plan_.settings.length, 1, "how many tokens in a window");
  add_number(command, "--rate", plan_.settings.rate.most, kMostRate, "the learning rate");
  add_word(command, "--optimizer", optimizer_, kTrainerWords, "adamw (the default), adam or sgd");
  command.add_option("--betas", betas_, "of adam and adamw (0.9,0.999 by default)")->type_name("X,Y");
  add_number(command, "--decay", plan_.settings.decay, kMostRate,
             "of every weight, with adamw (0.01 by default)");
  command.add_option("--momentum", plan_.settings.momentum, "of sgd (0 by default)")
      ->type_name("X")
      ->check(number_between(0, 1));
  add_number(command, "--clip", plan_.settings.clip, kMostRate,
             "the largest norm of all gradients together (0, the default: no limit)");
  add_count(command, "--warmup", plan_.settings.rate.warmup, 0, "steps in which the rate grows from 0");
  add_word(command, "--schedule", schedule_, kScheduleWords,
           "constant (the default), or cosine: the rate falls to 0");
  add_word(command, "--order", order_, kOrderWords,
           "where windows begin: random (the default) or sequential");
  add_seed(command, plan_.settings.seed, "of the random order (123 by default)");
  add_count(command, "--save-every", plan_.save_every, 1, "save a checkpoint, step-K/, after every N steps");
  command.add_option("--save-at", plan_.save_at, "save checkpoints after these steps, such as 0,100,200")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0, std::numeric_limits<int>::max()).description(""));
  add_number(command, "--held-out", plan_.held_out, kMostHeldOut,
             "share of the texts, at their end, that only measures the loss (0 by default)");
  command.add_flag("--continue", continue_,
                   "go on with a training that ended before its last step: give its folder, without -o");
  add_word(command, "--dtype", dtype_, kSavedFloatWords, "of the saved numbers: f32 (the default), or f16");
}

ModelTraining TrainModelLine::options(const std::string& folder, const std::string& output,
                                      bool force) const {
  for (const auto& [name, given] :
       {std::pair("--data", !texts_.empty()), std::pair("--steps", plan_.settings.rate.steps > 0),
        std::pair("--rate", plan_.settings.rate.most > 0)})
    if (!given) throw CLI::RequiredError(name);
  for (const Index step : plan_.save_at)
    if (step > plan_.settings.rate.steps)
      throw CLI::ValidationError("--save-at", "has step " + std::to_string(step) + ", and there are " +
                                                  std::to_string(plan_.settings.rate.steps));
  ModelTraining training{plan_, force};
  TrainingPlan& plan = training.plan;
  plan.model = folder;
  plan.texts = paths_of(texts_);
  plan.type = value_of(kSavedFloatWords, dtype_);
  plan.output = output;
  const auto [first, second] = parse_betas(betas_);
  plan.settings.optimizer = value_of(kTrainerWords, optimizer_);
  plan.settings.betas = {first, second};
  plan.settings.rate.schedule = value_of(kScheduleWords, schedule_);
  plan.settings.order = value_of(kOrderWords, order_);
  return training;
}

void InitLine::add_to(CLI::App& command) {
  command.add_option("--family", model_.shape.family, "gpt2 (the default)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"gpt2"}));
  add_count(command, "--layers", model_.shape.layers, 1, "how many layers (2 by default)");
  add_count(command, "--heads", model_.shape.heads, 1, "how many heads a layer has (4 by default)");
  add_count(command, "--width", model_.shape.width, 1, "width of the stream (64 by default)");
  add_count(command, "--positions", model_.shape.positions, 1, "the most tokens of a text (128 by default)");
  command.add_option("--vocabulary", model_.shape.vocabulary, "the most tokens it knows (512 by default)")
      ->type_name("N")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()).description(""));
  add_texts(command, texts_, "the texts (UTF-8) that its tokenizer is learnt from");
  command.add_flag("--whole-words", model_.whole_words, "tokens are whole words, not pieces of them");
  command.add_option("--tokenizer", tokenizer_, "a tokenizer.json to take in place of one that is learnt")
      ->type_name("FILE")
      ->check(file_name());
  for (const char* learning : {"--data", "--vocabulary", "--whole-words"})
    command.get_option("--tokenizer")->excludes(learning);
  add_number(command, "--deviation", model_.shape.deviation, 1,
             "of the weights, normal numbers about 0 (0.02 by default)");
  add_seed(command, model_.seed, "of the weights (123 by default)");
}

UntrainedModel InitLine::options(const std::string& output) const {
  if (texts_.empty() && tokenizer_.empty()) throw CLI::RequiredError("--data");
  UntrainedModel model = model_;
  model.texts = paths_of(texts_);
  model.tokenizer = tokenizer_;
  model.output = output;
  return model;
}

void PatchesLine::add_to(CLI::App& command, TextLine& text) {
  command.add_option("FOLDER", folder_, "the model's folder")->type_name("")->required()->check(file_name());
  add_choices(command, text);
  command.add_option("-o,--output", output_, "the arrays (.npz)")
      ->type_name("FILE")
      ->required()
      ->check(file_name());
  command.add_flag("--force", force_, "replace the file if it exists");
}

void PatchesLine::add_choices(CLI::App& command, TextLine& text) {
  command_ = &command;
  text.add_text(command);
  CLI::Option* from =
      command.add_option("--from", from_, "the text whose numbers are put in, of as many tokens")
          ->type_name("TEXT");
  command.add_option("--from-ids", from_ids_, "the same as ids of tokens: 1,2,3")
      ->type_name("LIST")
      ->excludes(from);
  command
      .add_option(
          "--set", set_,
          "a data set to average over, in the place of both texts: columns text and from, and as `ask "
          "--set` takes them")
      ->type_name("FILE")
      ->check(file_name());
  command
      .add_option("--target", target_,
                  "whose logit: a word, or an id as 42 or #42 (the likeliest by default)")
      ->type_name("TOKEN");
  command.add_option("--against", against_, "less the logit of this token")->type_name("TOKEN");
  add_changes(command, changes_, std::string(kChangesHelp) + "; of the text, not of that of --from");
  command.add_flag("--each", each_, "also put in every patch, and say how far the estimate is from them");
}

ModelPatches PatchesLine::options(const GivenText& into) const {
  const bool other = command_->count("--from") + command_->count("--from-ids") > 0;
  if (!set_.empty() && (other || !into.empty()))
    throw CLI::ValidationError("--set", "stands in the place of --text, --ids, --from and --from-ids");
  if (set_.empty() && !other) throw CLI::RequiredError("--from");
  ModelPatches patches{folder_, into, {}, {}, {}, each_, changes_, set_, output_, force_};
  if (from_ids_.empty() && set_.empty())
    patches.from.words = from_;
  else if (set_.empty())
    patches.from.ids = parse_numbers("--from-ids", from_ids_);
  patches.target = target_;
  patches.against = against_;
  return patches;
}

void GradientsLine::add_to(CLI::App& command) {
  command
      .add_option("--set", set_,
                  "with a model's folder: a data set to average over, in the place of the text")
      ->type_name("FILE")
      ->check(file_name());
  command.add_flag("--each", each_, "with --set: also the gradients by tensors of each row");
}

ModelGradients GradientsLine::options(const std::string& folder, const GivenText& text) const {
  if (!set_.empty() && !text.empty())
    throw CLI::ValidationError("--set", "stands in the place of --text and --ids");
  if (each_ && set_.empty()) throw CLI::ValidationError("--each", "goes with --set");
  ModelGradients gradients;
  gradients.folder = folder;
  gradients.text = text;
  gradients.set = set_;
  gradients.each = each_;
  return gradients;
}

}  // namespace headlight
