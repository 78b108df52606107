#include "app/cli/export_files.h"

#include <algorithm>
#include <array>
#include <set>

#include "app/cli/overwrite.h"
#include "app/figure/figure_file.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr std::array kTables = {".csv", ".tsv", ".npy", ".npz", ".json", ".tex", ".md"};
constexpr const char* kFormats =
    "give a name that ends in .png, .svg or .pdf for a figure, or in .csv, "
    ".tsv, .npy, .npz, .json, .tex or .md for numbers";

bool is_table(const std::filesystem::path& path) {
  return std::find(kTables.begin(), kTables.end(), path.extension().string()) != kTables.end();
}

bool is_folder(const ExportOptions& options) {
  return options.files.size() > 1 || options.stages.size() > 1 ||
         std::filesystem::is_directory(options.output) || !options.output.has_filename();
}

// What is shown, as the name of a file says it.
std::string shown_name(const ExportOptions& options, Stage stage) {
  std::string name = options.kind == ExportKind::Pipeline ? "pipeline"
                     : options.kind == ExportKind::Row    ? "row"
                                                          : std::string(stage_info(stage).name);
  if (options.kind == ExportKind::Flow) name += "-flow";
  if (options.compared) name += "-compared";
  if (options.query) name += "-query" + std::to_string(*options.query);
  if (options.choice.sequence > 0) name += "-sequence" + std::to_string(options.choice.sequence);
  if (options.choice.heads && stage_info(stage).per_head) {
    name += "-head";
    for (std::size_t i = 0; i < options.choice.heads->size(); ++i)
      name += (i == 0 ? "" : "-") + std::to_string((*options.choice.heads)[i]);
  }
  return name;
}

void require_format(const ExportFile& file, const ExportOptions& options) {
  const std::string extension = file.output.extension().string(), where = file.output.string();
  if (figure_format(file.output)) return;
  if (!is_table(file.output))
    throw Error(extension.empty() ? "the name does not say which format to save"
                                  : extension + " is not a format of figures or numbers",
                where, kFormats);
  if (options.kind != ExportKind::Heads || options.compared)
    throw Error("this figure has no numbers that are saved as " + extension, where,
                "give a name that ends in .png, .svg or .pdf");
}

}  // namespace

std::vector<ExportFile> export_files(const ExportOptions& options) {
  std::vector<ExportFile> files;
  const bool folder = is_folder(options);
  if (folder && std::filesystem::exists(options.output) && !std::filesystem::is_directory(options.output))
    throw Error("several sessions or stages need a folder to be saved in, and this is a file",
                options.output.string(), "give the name of a folder");
  if (folder && options.output.has_extension() && (figure_format(options.output) || is_table(options.output)))
    throw Error("several sessions or stages need a folder to be saved in", options.output.string(),
                "give the name of a folder, and the format with --format");
  for (const std::filesystem::path& session : options.files)
    for (const Stage stage : options.stages) {
      const std::string name =
          session.stem().string() + "-" + shown_name(options, stage) + "." + options.folder_format;
      files.push_back({session, folder ? options.output / name : options.output, stage});
    }
  std::set<std::filesystem::path> outputs;
  for (const ExportFile& file : files) {
    if (!outputs.insert(file.output).second)
      throw Error("two sessions would be saved under this name", file.output.string(),
                  "export them into different folders");
    require_format(file, options);
    require_free(file.output, options.force);
  }
  return files;
}

}  // namespace headlight
