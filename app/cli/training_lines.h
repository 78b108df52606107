// The options of `headlight train` and `headlight gradients` for a model's folder, of `headlight init` and of
// `headlight patches`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/model_commands.h"
#include "app/cli/text_line.h"

namespace CLI {
class App;
}

namespace headlight {

class TrainModelLine {
 public:
  // All but the folder and the output.
  void add_to(CLI::App& command);
  // The steps for a session, which takes no other option. Throws a usage error without them, and with others.
  Index steps_of_session() const;
  // Throws a usage error.
  ModelTraining options(const std::string& folder, const std::string& output, bool force) const;
  // Whether a training that has ended is to be continued; the last step then, or 0. Throws a usage error for
  // options that would change the training.
  std::optional<Index> continued_to() const;

 private:
  // The first option on the line beside these that changes the training; "" if there is none.
  std::string other_option(const std::vector<std::string>& allowed) const;

  const CLI::App* command_ = nullptr;
  std::vector<std::string> texts_;
  TrainingPlan plan_;
  bool continue_ = false;
  std::string dtype_ = "f32";
  std::string optimizer_ = "adamw", betas_ = "0.9,0.999", schedule_ = "constant", order_ = "random";
};

class InitLine {
 public:
  void add_to(CLI::App& command);
  UntrainedModel options(const std::string& output) const;

 private:
  std::vector<std::string> texts_;
  std::string tokenizer_;
  UntrainedModel model_;
};

// The options of `headlight patches`.
class PatchesLine {
 public:
  // text: whose options are added for the text that numbers are put into.
  void add_to(CLI::App& command, TextLine& text);
  // All but the folder and the output.
  void add_choices(CLI::App& command, TextLine& text);
  // Throws a usage error.
  ModelPatches options(const GivenText& into) const;

 private:
  const CLI::App* command_ = nullptr;
  std::string folder_, output_, from_, from_ids_, set_, target_, against_;
  std::vector<std::string> changes_;
  bool each_ = false, force_ = false;
};

// The options of `headlight gradients` for a model's folder, beside those of its text.
class GradientsLine {
 public:
  void add_to(CLI::App& command);
  bool any() const { return !set_.empty() || each_; }
  // Throws a usage error.
  ModelGradients options(const std::string& folder, const GivenText& text) const;

 private:
  std::string set_;
  bool each_ = false;
};

}  // namespace headlight
