// What an answer is: the model, the texts, the choices and the changes that it was computed with, and the
// command that computes it again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/analysis.h"

namespace headlight {

struct AskedHow {
  std::string texts_file, others_file;  // a text a line; "": the texts are named as ids
  // Sessions and lists of changes; none: the model as it is, or one that is not saved.
  std::vector<std::string> changes_from;
  std::vector<std::string> changes;       // in words
  std::string set_file = {};              // of a data set; ""
  std::string checkpoints = {};           // of numbers by step: the folder, in place of a model; ""
  std::vector<std::string> numbers = {};  // which of them; empty: all
  std::optional<PatchStage> place = {};   // of an answer: AnalysisResult::place
};

// With the file of the texts, or of the set that the analysis has.
AskedHow asked_how(const Analysis& analysis, const std::string& texts_file);
// "mean over the 20 rows of pairs.tsv", "12 texts"; "": of one text.
std::string asked_of_several(const Analysis& analysis);

// The words of the command: "headlight", "ask", ... A file is needed where there are several texts.
std::vector<std::string> asking_command(const Network& network, const Analysis& analysis,
                                        const AskedHow& how);
// The words of `headlight patches`, for an analysis of Patches about one text or a set. each: also the
// patches themselves.
std::vector<std::string> patching_command(const Network& network, const Analysis& analysis, bool each,
                                          const AskedHow& how);
// The command as typed into a shell. What is saved always is named "answer.npz".
std::string shell_line(const std::vector<std::string>& words);
// The same in Python: a question or patches are asked of headlight.Model, below the command as a comment;
// other commands are run, and their arrays read. Precondition: at most one --changes, and no --checkpoints.
std::string python_program(const std::vector<std::string>& words);

// What numbers are of: a model's folder or a GGUF file, or another file.
struct AskedFile {
  std::string path, family;  // family: of a model; "session" or "arrays" of another file
  std::uint64_t bytes = 0;
  std::uint64_t header = 0;  // a hash: of a model of its tensors' names, types and shapes; else of the bytes
};
AskedFile asked_file(const Network& network);
// Throws Error if it cannot be read.
AskedFile asked_file(const std::filesystem::path& file, const std::string& family);

// A choice as an option of the command line, without "--"; of a flag "" is the value.
struct AskedChoice {
  std::string option, value;
};

// As words of a command.
void add_choices(std::vector<std::string>& words, const std::vector<AskedChoice>& choices);
// "1,5,9", as --ids takes them.
std::string id_list(const TokenIds& ids);

// What an object `about` says.
struct About {
  AskedFile model;
  std::string analysis;
  std::vector<std::string> texts;
  std::vector<TokenIds> ids;
  std::vector<std::string> from;  // texts
  std::optional<std::int32_t> target, against;
  std::string metric;                  // "": none
  std::shared_ptr<const DataSet> set;  // null: none
  std::string set_file;
  std::vector<AskedChoice> options;
  std::vector<std::string> changes, command;
};
// A JSON object: version, model (path, family, bytes, header), analysis, texts, ids, from, target, against,
// metric, options, changes, command; of a data set also set: file, rows (how many), columns.
std::string about_text(const About& about);
// about_text() of an answer, and of the arrays of `headlight patches` and `headlight gradients`.
std::string about_analysis(const Network& network, const Analysis& analysis, const AskedHow& how);
std::string about_patches(const Network& network, const Analysis& analysis, bool each, const AskedHow& how);
// each: with those of each row of a set.
std::string about_gradients(const Network& network, const Analysis& analysis, bool each, const AskedHow& how);
// The text of a model as `about` has it.
std::string asked_text(const Network& network, const TokenIds& ids);
// In a few words, for a figure: "mean ablation · loss · 2 changes".
std::string asked_in_words(const Analysis& analysis, const AskedHow& how);

}  // namespace headlight
