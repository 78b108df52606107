// The file formats of figures and numbers, shared by the window and the command line.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace headlight {

enum class FigureFormat;  // app/figure/paint/figure_file.h

enum class FileFormat { Png, Svg, Pdf, Csv, Tsv, Npy, Npz, Json, Latex, Markdown };

struct FileFormatInfo {
  FileFormat format;
  std::string_view id;                 // the file extension without its dot
  std::string_view name, what;         // on screen, in a tooltip
  std::optional<FigureFormat> figure;  // none: a format of numbers
  bool text;                           // numbers as text, which can be copied to a clipboard
};
const std::array<FileFormatInfo, 10>& file_format_table();
const FileFormatInfo& file_format_info(FileFormat format);

// By file extension, in upper or lower case; null for any other extension.
const FileFormatInfo* file_format(const std::filesystem::path& path);
const FileFormatInfo* file_format_by_id(std::string_view id);

}  // namespace headlight
