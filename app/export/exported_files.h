// What is exported and how it becomes files: one path for the window and the command line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/export/animation_file.h"
#include "app/export/computed_session.h"
#include "app/export/figure_choice.h"
#include "app/export/state_animation.h"
#include "app/figure/paint/file_format.h"

namespace headlight {

struct ExportItem {
  FigureChoice choice;
  FigureOptions options;       // for figures
  std::filesystem::path path;  // empty: to the clipboard
};

struct ExportRequest {
  FileFormat format = FileFormat::Png;          // of all items
  std::vector<ExportItem> items;                // several: all are saved, or none
  bool page = false;                            // the one item is the session as a page (app/page)
  std::optional<CellAnimation> animation = {};  // the one item is this, GIF or WebP by its ending
  std::optional<WayAnimation> way = {};         // likewise: from the kept state to the session
};

struct ExportProgress {
  bool running = false;
  std::size_t done = 0, count = 0;
  std::string what;  // choice_name() of the current item: "weights"
};

// The contents of a file or of the clipboard.
struct ExportedBytes {
  std::string bytes;
  // How a vector figure stores its cells, which matters to whoever edits it: ", cells as rectangles". "" for
  // numbers, for PNG and for figures without heatmaps.
  std::string note;
};

// The figure with the metadata that all exported figures carry. `title`: of the session; about: as in
// FigureNotes.
FigureFile file_of(const FigureGrid& figure, FigureFormat format, double dpi, const std::string& title,
                   const std::string& about = "");

// `title`: of the session, for the file's metadata. `baseline`: state A of a figure that compares, else null;
// `present` is then its state B. Throws Error, and what reading the stages throws.
ExportedBytes export_bytes(const ExportItem& item, const FileFormatInfo& format,
                           const ComputedSession& present, const ComputedSession* baseline,
                           const std::string& title);

// Throws Error if the regular file exists and `force` is false. A device or a pipe (/dev/stdout) passes: it
// is written to, not replaced.
void require_free(const std::filesystem::path& file, bool force);

// Files that appear together: all are written, or the folder is as it was before. A process that is killed
// during commit() can leave some of them written.
class FileSet {
 public:
  FileSet() = default;
  ~FileSet();  // discards the files that were not committed
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;

  // Writes the bytes to a hidden file beside `path`. A device or a pipe is written to at once. Precondition:
  // all paths are different. Throws Error.
  void add(const std::filesystem::path& path, const std::string& bytes);
  // Throws Error; then no file has changed.
  void commit();

 private:
  struct File {
    std::filesystem::path target, written, replaced;  // the hidden files hold the new and the old contents
    bool existed = false;
  };
  // Puts the old contents of the first `count` files back.
  void restore(std::size_t count);

  std::vector<File> files_;
};

}  // namespace headlight
