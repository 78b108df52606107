#include "app/cli/export_files.h"

#include <set>

#include "app/export/exported_files.h"
#include "app/figure/paint/file_format.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr const char* kFormats =
    "give a name that ends in .png, .svg or .pdf for a figure, or in .csv, "
    ".tsv, .npy, .npz, .json, .tex or .md for numbers";

bool is_folder(const ExportOptions& options) {
  return options.files.size() > 1 || options.stages.size() > 1 ||
         std::filesystem::is_directory(options.output) || !options.output.has_filename();
}

void require_format(const ExportFile& file, const ExportOptions& options) {
  const std::string extension = file.output.extension().string(), where = file.output.string();
  const FileFormatInfo* format = file_format(file.output);
  if (format && format->figure) return;
  if (!format)
    throw Error(extension.empty() ? "the name does not say which format to save"
                                  : extension + " is not a format of figures or numbers",
                where, kFormats);
  if (options.kind != FigureKind::Heads)
    throw Error("this figure has no numbers that are saved as " + extension, where,
                "give a name that ends in .png, .svg or .pdf");
}

}  // namespace

FigureChoice choice_of(const ExportOptions& options, Stage stage) {
  FigureChoice choice{options.kind, options.choice, options.query};
  // With several stages, the choice of heads does not apply to stages without heads.
  choice.part = options.stages.size() > 1 ? choice_for(choice.part, stage) : choice.part;
  choice.part.stage = stage;
  return choice;
}

std::vector<ExportFile> export_files(const ExportOptions& options) {
  std::vector<ExportFile> files;
  const bool folder = is_folder(options);
  if (folder && std::filesystem::exists(options.output) && !std::filesystem::is_directory(options.output))
    throw Error("several sessions or stages need a folder to be saved in, and this is a file",
                options.output.string(), "give the name of a folder");
  if (folder && file_format(options.output))
    throw Error("several sessions or stages need a folder to be saved in", options.output.string(),
                "give the name of a folder, and the format with --format");
  for (const std::filesystem::path& session : options.files)
    for (const Stage stage : options.stages) {
      const std::string name = export_name(source_name({session, options.text, options.layer}),
                                           choice_of(options, stage), options.folder_format);
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
