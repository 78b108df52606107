// The formats that a session's figures and numbers are saved in, once for the window and the command line.
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
  std::string_view id;                 // the ending of the name, without its dot
  std::string_view name, what;         // on screen, in a tooltip
  std::optional<FigureFormat> figure;  // none: numbers
  bool text;                           // numbers that can go through a clipboard as text
};
const std::array<FileFormatInfo, 10>& file_format_table();
const FileFormatInfo& file_format_info(FileFormat format);

// By the name's ending, in small or capital letters; null for another ending.
const FileFormatInfo* file_format(const std::filesystem::path& path);
const FileFormatInfo* file_format_by_id(std::string_view id);

}  // namespace headlight
