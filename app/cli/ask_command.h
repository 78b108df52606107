// `headlight ask`: the analyses of a model and a text that come first to mind.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/changed_pass.h"
#include "app/cli/model_commands.h"
#include "app/cli/page_line.h"
#include "app/cli/text_line.h"
#include "engine/analysis/analysis.h"
#include "engine/analysis/analysis_result.h"

namespace CLI {
class App;
}

namespace headlight {

struct AskedAnalysis {
  std::filesystem::path folder;
  GivenText text, from;                         // B, and for patches A
  std::filesystem::path texts, from_texts;      // files with a text a line, in place of them; or empty
  std::filesystem::path set;                    // a data set, in place of all of them; or empty
  std::vector<std::string> changes;             // of the model: see ChangedPass
  std::string target, against;                  // as typed; "": none
  std::string tokens;                           // likewise: see typed_tokens
  std::string query, key, positions;            // tokens of the text, as typed_position(); "": none
  std::string sender, receiver;                 // as typed_sender(), typed_receiver(); "": none
  Analysis analysis;                            // without texts and targets; `repeated`: in place of a text
  bool checkpoints = false;                     // at each checkpoint of a training: ask_at_checkpoints()
  std::vector<std::string> numbers;             // of these answers, by name; empty: all
  std::string save_direction;                   // of Direction: a file for it; "": none
  bool measure_chosen = false;                  // whether analysis.measured was; else it goes by the targets
  std::optional<std::filesystem::path> output;  // none: a table on `out`
  FigureOptions figure;
  bool force = false;
};
struct AskResult {
  Analysis analysis;
  AnalysisResult result;
};
// Reads a data set. Throws Error: as parse_data_set(), and if it is no file of a reasonable size.
DataSet read_data_set(const Network& network, const std::filesystem::path& file);
// Computes what is asked, and saves its direction if that is asked for; the folder of `asked` is that of the
// pass, and its output is left out. Throws Error as ask_analysis().
AskResult ask_result(const AskedAnalysis& asked, ChangedPass& pass, std::ostream& err);
// The figure of a result, as a file.
std::string asked_figure(const Network& network, const AskResult& asked, const FigureOptions& options,
                         FigureFormat format);

// Writes what was found to `out`, or saves it: figures (.png, .svg, .pdf) or numbers (.csv, .tsv, .json,
// .npz). Throws Error: as parse_text_set, parse_data_set, typed_target and run_analysis; without a text; if
// the session's model is of another kind; and if the output exists and `force` is not set.
void ask_analysis(const AskedAnalysis& asked, std::ostream& out, std::ostream& err);

class AskLine {
 public:
  void add_to(CLI::App& command);
  // Throws a usage error.
  AskedAnalysis options() const;

 private:
  void add_choices(CLI::App& command);  // what is asked of the model, by its analysis
  void add_path_choices(CLI::App& command);
  void add_feature_choices(CLI::App& command);
  void require_kind(const char* option, std::initializer_list<AnalysisKind> kinds) const;
  void read_paths(AskedAnalysis& asked) const;
  void read_features(AskedAnalysis& asked) const;
  void read_steering(AskedAnalysis& asked) const;
  void check_texts(const AskedAnalysis& asked) const;
  void read_checkpoints(AskedAnalysis& asked) const;
  void read_mean_over(AskedAnalysis& asked) const;
  void read_metric(AskedAnalysis& asked) const;

  const CLI::App* command_ = nullptr;
  TextLine text_;
  PageLine page_;
  std::string folder_, name_, from_, from_ids_, texts_, from_texts_, set_, target_, against_, output_;
  std::string stage_ = "residual", ablation_ = "mean", measured_, metric_, mean_over_ = "set", together_,
              embeddings_ = "raw", tokens_;
  std::vector<std::string> changes_, numbers_;
  std::string query_, key_, positions_, sender_, receiver_, mlps_ = "held";
  std::string dictionary_, place_, reads_, direction_, save_direction_;
  Index steps_ = 0, feature_ = 0;
  double strength_ = 1;
  Index layer_ = 0, head_ = 0, top_ = 10, repeated_ = 0;
  std::int64_t seed_ = 0;
  bool normalized_ = false, words_ = false, checkpoints_ = false, force_ = false;
};

}  // namespace headlight
