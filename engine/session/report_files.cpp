#include "engine/session/report_files.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "engine/arrays/zip_archive.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMembers = "report/";

// Adds what one more file takes to `bytes`. Throws Error if that is too much.
void count_in(std::uint64_t& bytes, std::size_t files, std::uint64_t more, const std::string& where) {
  bytes += more;
  if (bytes > kMostReportBytes)
    throw Error("the report has more than " + bytes_text(kMostReportBytes), where,
                "take large pictures out of it");
  if (files >= kMostReportFiles)
    throw Error("the report has more than " + std::to_string(kMostReportFiles) + " files", where,
                "delete pictures that its text does not show");
}

std::vector<ReportFile> files_of_folder(const fs::path& folder) {
  std::vector<ReportFile> files;
  std::uint64_t bytes = 0;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable)) {
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    if (!is_report_file(name) || !entry.is_regular_file(ignored)) continue;
    count_in(bytes, files.size(), require_file(entry.path(), kMostReportBytes), folder.string());
    files.push_back({name, read_file(entry.path())});
  }
  if (unreadable) throw Error("the report cannot be read: " + unreadable.message(), folder.string(), "");
  return files;
}

std::string unpacked(const ZipArchive& archive, const ZipMember& member) {
  std::string bytes(static_cast<std::size_t>(member.size) + 1, '\0');  // one more, to detect excess bytes
  ZipReading reading(archive, member, member.name);
  bytes.resize(reading.read(bytes.data(), bytes.size()));
  if (bytes.size() != member.size)
    throw Error("it is not as long as the archive says", member.name, "the file is damaged: restore a copy");
  return bytes;
}

std::vector<ReportFile> files_of_archive(const fs::path& path) {
  const ZipArchive archive(path, {"session file", "open a .headlight file", FileForm::Session});
  std::vector<ReportFile> files;
  std::uint64_t bytes = 0;
  try {
    for (const ZipMember& member : archive.members()) {
      if (!member.name.starts_with(kMembers)) continue;
      const std::string name = member.name.substr(kMembers.size());
      if (name.empty()) continue;  // the folder itself, as other programs list it
      if (!is_report_file(name) || member.link)
        throw Error("the name " + in_quotes(member.name) + " is not that of a file of a report", "",
                    "the file was not saved by Headlight: ask for it again");
      count_in(bytes, files.size(), member.size, "report");
      files.push_back({name, unpacked(archive, member)});
    }
  } catch (const Error& error) {
    throw error.inside(path.string());
  }
  return files;
}

bool is_archive(const fs::path& path) {
  std::error_code missing;
  if (path.empty() || !fs::is_regular_file(path, missing)) return false;
  constexpr std::size_t kHead = 4;
  return begins_as_zip(read_piece(path, 0, kHead));
}

}  // namespace

fs::path report_folder(const fs::path& session) {
  return session.parent_path() / (session.stem().string() + ".report");
}

bool is_report_file(const std::string& name) {
  constexpr std::array<std::string_view, 5> kEndings = {".png", ".svg", ".jpg", ".jpeg", ".json"};
  const bool letters = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c >= ' ' && c != '/' && c != '\\' && c != 0x7f;
  });
  if (!letters || name.front() == '.') return false;
  const std::string ending = fs::path(name).extension().string();
  return name == kReportText || std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

std::vector<ReportFile> report_files(const fs::path& session) {
  if (session.empty()) return {};
  const fs::path folder = report_folder(session);
  std::error_code missing;
  std::vector<ReportFile> files;
  if (fs::is_directory(folder, missing)) files = files_of_folder(folder);
  if (files.empty() && is_archive(session)) files = files_of_archive(session);
  std::sort(files.begin(), files.end(),
            [](const ReportFile& a, const ReportFile& b) { return a.name < b.name; });
  return files;
}

}  // namespace headlight
