// The commands that work without a window. Each throws Error when its input is at fault.
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
  GivenText text;                            // of the latter
  std::optional<Index> layer;
  ArrayAnswers arrays;  // of files of arrays
  // A file, or a folder: when it is one, when it ends in a slash, or when there are several sessions or
  // stages.
  std::filesystem::path output;
  std::string folder_format = "png";  // of the files in a folder
  bool force = false;                 // replace files that exist
  FigureKind kind = FigureKind::Heads;
  bool map = false;  // of all heads of a model: export_model_map
  std::vector<Stage> stages;
  bool stages_in_use = false;  // of each session those of them that it has, and the others not
  StageChoice choice;          // its heads and sequence
  std::optional<std::filesystem::path> compared;  // of Compare: a session B to show beside each file, A
  std::optional<Index> query;                     // of a flow or a row
  FigureOptions figure;
};
// Saves figures (.png, .svg, .pdf) or numbers (.csv, .tsv, .npy, .npz, .json, .tex, .md): what a file is
// called decides the format. Says on `out` what was saved and on `err` what is being done when it takes long.
// Nothing is computed before it is known that every file may be written.
void export_stages(const ExportOptions& options, std::ostream& out, std::ostream& err);

// Saves every stage of a session as an array of an .npz file, under its name: B x H x T x columns, or
// B x T x columns for stages without heads. Throws Error when the file exists and `force` is not set.
// Like print_stage it says on `err` what of weights that are given is not as a softmax leaves it.
void compute_stages(const Source& source, const std::filesystem::path& output, bool force, std::ostream& err);

// Writes a stage as numbers with four decimals, one table for each head.
void print_stage(const Source& source, const StageChoice& choice, std::ostream& out, std::ostream& err);

struct HeadsOptions {
  Source source;
  std::optional<std::filesystem::path> output;  // .csv, .tsv or .json; none: to the terminal
  bool force = false;                           // replace the file if it exists
  Index sequence = 0;
  std::optional<HeadMeasure> sort;  // none: by number
  bool ascending = false;           // the smallest first
  HeadPicture picture;              // a head of the session, or its painted mask
};
// Measures every head: a table in the terminal, or a file. Throws Error when the session has no such sequence
// or picture.
void measure_heads(const HeadsOptions& options, std::ostream& out, std::ostream& err);

// Writes the program that rebuilds the session and prints the stage, of all heads or of one: to `out`, or to
// the file `output` (.py), and its numbers beside it where there are many (.npz). Throws Error when one of
// these exists and `force` is not set.
void print_program(const Source& source, const StageChoice& choice, ProgramKind kind,
                   const std::filesystem::path& output, bool force, std::ostream& out, std::ostream& err);

// Says everything that is wrong with a lesson, a line for each fault with its place, and at the end how many
// there are. Returns whether there are none. Throws Error when the file is no session.
bool check_lesson(const std::filesystem::path& file, std::ostream& out);

// Saves a lesson as pages to print (.pdf). Throws Error when it has no steps, or the file exists and `force`
// is not set.
void save_handout(const std::filesystem::path& file, const std::filesystem::path& output, bool force,
                  std::ostream& out, std::ostream& err);

}  // namespace headlight
