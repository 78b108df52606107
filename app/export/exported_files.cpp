#include "app/export/exported_files.h"

#include <unistd.h>

#include <atomic>
#include <system_error>
#include <utility>

#include "app/export/stage_numbers.h"
#include "app/settings/version.h"
#include "engine/arrays/npy.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string cells_note(const FigureFile& file) {
  return file.cells == CellsForm::Image ? ", the cells of each heatmap as an image" : ", cells as rectangles";
}

}  // namespace

FigureFile file_of(const FigureGrid& figure, FigureFormat format, double dpi, const std::string& title,
                   const std::string& about) {
  return figure_file(figure, format, dpi, {figure.title, title, std::string("Headlight ") + kVersion, about});
}

ExportedBytes export_bytes(const ExportItem& item, const FileFormatInfo& format,
                           const ComputedSession& present, const ComputedSession* baseline,
                           const std::string& title) {
  if (!format.figure) {
    if (figure_kind_info(item.choice.kind).every_stage) return {npz_bytes(every_stage(present)), ""};
    StageTable table = stage_table_of(present, item.choice.part);
    table.sequence += item.options.first_sequence;
    return {table_bytes(table, format.format), ""};
  }
  check_options(item.options, item.choice.part.stage);
  // With a baseline, the present state is the one that is compared.
  const FigureGrid figure = make_figure(item.choice, baseline ? *baseline : present,
                                        baseline ? &present : nullptr, item.options, *format.figure);
  FigureFile file = file_of(figure, *format.figure, item.options.dpi, title);
  const bool vector = format.format != FileFormat::Png && !figure.plans.empty();
  return {std::move(file.bytes), vector ? cells_note(file) : ""};
}

void require_free(const fs::path& file, bool force) {
  std::error_code ignored;
  if (!force && fs::is_regular_file(file, ignored))
    throw Error("the file exists already", file.string(), "choose another name, or add --force");
}

FileSet::~FileSet() {
  std::error_code ignored;
  for (const File& file : files_) {
    fs::remove(file.written, ignored);
    fs::remove(file.replaced, ignored);
  }
}

void FileSet::add(const fs::path& path, const std::string& bytes) {
  std::error_code failed;
  const bool exists = fs::exists(path, failed);
  if (exists && !fs::is_regular_file(path, failed)) return write_file_atomically(path, bytes);
  // A symbolic link stays one: the file that it leads to is replaced.
  const fs::path target = exists ? fs::canonical(path) : fs::absolute(path);
  static std::atomic<unsigned> count{0};
  const std::string name = ".headlight-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
  files_.push_back(
      {target, target.parent_path() / (name + ".new"), target.parent_path() / (name + ".old"), exists});
  try {
    write_file_atomically(files_.back().written, bytes);
  } catch (const Error& error) {
    throw Error(error.summary(), path.string(), error.hint());  // not the hidden file
  }
  if (exists) fs::permissions(files_.back().written, fs::status(target, failed).permissions(), failed);
}

void FileSet::commit() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const File& file = files_[i];
    std::error_code failed;
    if (file.existed) fs::rename(file.target, file.replaced, failed);
    if (!failed) fs::rename(file.written, file.target, failed);
    if (!failed) continue;
    restore(i + 1);
    throw Error(failed.message(), file.target.string(), "choose another folder");
  }
  std::error_code ignored;
  for (const File& file : files_)
    fs::remove(file.replaced, ignored);
  files_.clear();
}

void FileSet::restore(std::size_t count) {
  std::error_code ignored;
  for (std::size_t i = 0; i < count; ++i) {
    const File& file = files_[i];
    if (fs::exists(file.replaced, ignored))
      fs::rename(file.replaced, file.target, ignored);
    else if (!file.existed)
      fs::remove(file.target, ignored);
  }
}

}  // namespace headlight
