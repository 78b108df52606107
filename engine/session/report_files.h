// The report that belongs to a session: a folder beside it with report.md and the pictures that it shows, or
// members of its archive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headlight {

inline constexpr const char* kReportText = "report.md";
// The most bytes of all files of a report, and the most files.
inline constexpr std::uint64_t kMostReportBytes = std::uint64_t{256} << 20;
inline constexpr std::size_t kMostReportFiles = 1000;

struct ReportFile {
  std::string name;  // without a folder: "report.md", "1-weights.svg"
  std::string bytes;
};

// "two.report" beside "two.headlight".
std::filesystem::path report_folder(const std::filesystem::path& session);

// Whether a file of a report's folder belongs to it: report.md, and pictures and data by their endings.
bool is_report_file(const std::string& name);

// The files of the folder beside the session; without that folder those in the session's archive; empty if
// there are neither. Throws Error if they cannot be read or are too many.
std::vector<ReportFile> report_files(const std::filesystem::path& session);

}  // namespace headlight
