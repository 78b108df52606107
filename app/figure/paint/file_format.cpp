#include "app/figure/paint/file_format.h"

#include <algorithm>

#include "app/figure/paint/figure_file.h"
#include "engine/core/ascii.h"

namespace headlight {

const std::array<FileFormatInfo, 10>& file_format_table() {
  using F = FileFormat;
  static constexpr std::array<FileFormatInfo, 10> kTable = {{
      {F::Png, "png", "PNG", "Pixels", FigureFormat::Png, false},
      {F::Svg, "svg", "SVG", "Lines and text, for the web and for drawing programs", FigureFormat::Svg,
       false},
      {F::Pdf, "pdf", "PDF", "Lines and text, for papers", FigureFormat::Pdf, false},
      {F::Csv, "csv", "CSV", "A table with commas, every digit", std::nullopt, true},
      {F::Tsv, "tsv", "TSV", "A table with tabs, every digit", std::nullopt, true},
      {F::Npy, "npy", "npy", "One array for NumPy", std::nullopt, false},
      {F::Npz, "npz", "npz", "Named arrays for NumPy; of the whole pipeline every stage", std::nullopt,
       false},
      {F::Json, "json", "JSON", "Numbers with their labels, every digit", std::nullopt, true},
      {F::Latex, "tex", "LaTeX", "A table for a paper, four decimals", std::nullopt, true},
      {F::Markdown, "md", "Markdown", "A table for notes, four decimals", std::nullopt, true},
  }};
  return kTable;
}

const FileFormatInfo& file_format_info(FileFormat format) {
  return file_format_table()[static_cast<std::size_t>(format)];
}

const FileFormatInfo* file_format_by_id(std::string_view id) {
  const auto& table = file_format_table();
  const auto found =
      std::find_if(table.begin(), table.end(), [id](const FileFormatInfo& info) { return info.id == id; });
  return found == table.end() ? nullptr : &*found;
}

const FileFormatInfo* file_format(const std::filesystem::path& path) {
  const std::string ending = lowered(path.extension().string());
  return ending.empty() ? nullptr : file_format_by_id(std::string_view(ending).substr(1));
}

}  // namespace headlight
