// The commands that run without a window. Each throws Error if its input is faulty.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/cli/source.h"
#include "app/export/figure_choice.h"
#include "engine/attention/measured_heads.h"
#include "engine/programs/program_text.h"

namespace headlight {

struct ExportOptions {
  std::vector<std::filesystem::path> files;  // or folders of models
  GivenText text;                            // for folders of models
  std::optional<Index> layer;
  ArrayOptions arrays;               // for files of arrays
  std::filesystem::path model = {};  // of sessions, in place of those that they name
  // A file, or a folder: if it exists as one, ends in a slash, or there are several sessions or stages.
  std::filesystem::path output;
  std::string folder_format = "png";  // format of the files in a folder
  bool force = false;                 // replace existing files
  FigureKind kind = FigureKind::Heads;
  bool map = false;  // call export_model_map() instead
  std::vector<Stage> stages;
  bool stages_in_use = false;                     // skip stages that a session does not have
  StageChoice choice;                             // heads and sequence
  std::optional<std::filesystem::path> compared;  // Compare: the session B to show beside each file, A
  std::optional<Index> query;                     // of a flow or a row
  FigureOptions figure;
};
// Saves figures (.png, .svg, .pdf) or numbers (.csv, .tsv, .npy, .npz, .json, .tex, .md), by the extension of
// the file. Writes the saved files to `out`, and the progress of long work to `err`. Checks that every file
// may be written before it computes anything.
void export_stages(const ExportOptions& options, std::ostream& out, std::ostream& err);

// Saves every stage of a session as an array of an .npz file, under its name: B x H x T x columns, or
// B x T x columns for stages without heads. Throws Error if the file exists and `force` is not set. Like
// print_stage() it warns on `err` about given weights that are not the result of a softmax.
void compute_stages(const Source& source, const std::filesystem::path& output, bool force, std::ostream& err);

// Saves the loss of a session's goal and its gradient by every stage up to the goal's and by every input, as
// arrays of an .npz file: `loss`, grad.STAGE in the shapes of compute_stages(), grad.query ...
// grad.output_bias and grad.key_embeddings. With an output projection, grad.output is that of its matrix and
// grad.output_stage that of the stage. Writes the loss to `out`. Throws Error if the session has no goal, if
// its gradients cannot be computed (LayerPass), and if the file exists and `force` is not set.
void save_gradients(const Source& source, const std::filesystem::path& output, bool force, std::ostream& out);

struct TrainOptions {
  std::filesystem::path file, output;  // sessions (.headlight)
  Index steps = 0;                     // 1 or more
  bool force = false;                  // replace the output if it exists
};
// Trains a session towards its goal and saves it with the numbers after the steps. Writes the loss after some
// steps to `out`, "step 20, loss 0.123", and to `err` that a session without training is trained with the
// defaults of TrainingSettings. Throws Error if the session has no goal, if it cannot be trained
// (LayerTraining), if the loss or a number would not be finite, and if the output exists and `force` is not
// set.
void train_session(const TrainOptions& options, std::ostream& out, std::ostream& err);

// Writes a stage as numbers with four decimals, one table per head.
void print_stage(const Source& source, const StageChoice& choice, std::ostream& out, std::ostream& err);

struct HeadsOptions {
  Source source;
  std::vector<std::string> arrays_typed = {};   // the options of arrays, for the command that repeats it
  std::optional<std::filesystem::path> output;  // .csv, .tsv, .json or .npz; none: a table on `out`
  bool force = false;                           // replace the file if it exists
  Index sequence = 0;
  std::optional<HeadMeasure> sort;  // none: by number
  bool ascending = false;           // smallest value first
  HeadPicture picture;              // a head of the session, or its painted mask
};
// Computes all measures of every head and writes them as a table; .json and .npz have `about` (app/export).
// Throws Error if the session does not have the sequence or picture.
void measure_heads(const HeadsOptions& options, std::ostream& out, std::ostream& err);

// Writes a program that rebuilds the session and prints the stage, of all heads or one: to `out`, or to the
// file `output` (.py), with an .npz file beside it if there are many numbers. Throws Error if one of the
// files exists and `force` is not set.
void print_program(const Source& source, const StageChoice& choice, ProgramKind kind,
                   const std::filesystem::path& output, bool force, std::ostream& out, std::ostream& err);

// Writes the faults of a lesson, one line each with its place, and their number. Returns whether there are
// none. Throws Error if the file is not a session.
bool check_lesson(const std::filesystem::path& file, std::ostream& out);

// Saves a lesson as a PDF to print. Throws Error if it has no steps, or the file exists and `force` is not
// set.
void save_handout(const Source& source, const std::filesystem::path& output, bool force, std::ostream& out,
                  std::ostream& err);

struct ClassOptions {
  std::filesystem::path output;  // .pdf or .csv; empty: the terminal
  bool force = false;            // replaces a file that exists
  bool anonymous = false;        // without names, and so without a line for each reader
};

// Compares the answers of a class, question by question. Throws Error if a file holds no answers, the output
// exists and is not to be replaced, or a table for grading is to be anonymous.
void compare_answers(const std::vector<std::string>& files, const ClassOptions& options, std::ostream& out,
                     std::ostream& err);

}  // namespace headlight
