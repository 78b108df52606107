#include "engine/arrays/zip_archive.h"

#include <zip.h>

#include <algorithm>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxArchiveBytes = std::uint64_t{1} << 36;
constexpr std::size_t kHeadBytes = 4;

// Whether the file begins like an archive with members but lacks the record that ends every archive. This
// reads the file itself, because versions of libzip report the case in different ways.
bool is_cut_off(const fs::path& path) {
  constexpr std::uint64_t kEndRecord = 22, kLongestComment = 65535;
  const std::uint64_t size = require_file(path, kMaxArchiveBytes);
  if (!begins_as_zip(read_piece(path, 0, kHeadBytes))) return false;
  const std::uint64_t from = size - std::min(size, kEndRecord + kLongestComment);
  const std::string tail = read_piece(path, from, size - from);
  const std::size_t end = tail.rfind("PK\5\6");
  if (end == std::string::npos || tail.size() - end < kEndRecord) return true;
  const auto byte = [&](std::size_t at) { return std::size_t{static_cast<unsigned char>(tail[end + at])}; };
  const std::size_t comment = byte(20) | byte(21) << 8;
  return tail.size() - end < kEndRecord + comment;
}

[[noreturn]] void refuse(const fs::path& path, int code, const ZipDescription& words) {
  if (is_cut_off(path))
    throw Error("the " + words.kind + " is cut off: it begins well, but its end is missing", path.string(),
                "copy or download it again");
  throw Error(code == ZIP_ER_NOZIP ? "this is not a " + words.kind + " (no zip archive)"
                                   : "the zip archive is damaged",
              path.string(), words.hint);
}

// The unpacked size that the archive states; 0 if it is missing or impossible.
std::uint64_t plausible_size(const zip_stat_t& stat) {
  constexpr std::uint64_t kMostDeflated = 1032;  // times: the highest compression ratio of the format
  if (!(stat.valid & ZIP_STAT_SIZE) || !(stat.valid & ZIP_STAT_COMP_SIZE)) return 0;
  const bool stored = (stat.valid & ZIP_STAT_COMP_METHOD) && stat.comp_method == ZIP_CM_STORE;
  if (stored) return std::min(stat.size, stat.comp_size);
  return stat.size / kMostDeflated > stat.comp_size ? 0 : stat.size;
}

bool is_link(zip_t* archive, zip_uint64_t index) {
  constexpr zip_uint32_t kType = 0170000, kLink = 0120000;
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  if (zip_file_get_external_attributes(archive, index, 0, &system, &attributes) != 0) return false;
  constexpr int kModeAt = 16;  // Unix's mode is in the upper half
  return system == ZIP_OPSYS_UNIX && (attributes >> kModeAt & kType) == kLink;
}

}  // namespace

struct ZipArchive::Handle {
  zip_t* archive = nullptr;
  ~Handle() {
    if (archive) zip_discard(archive);
  }
};

ZipArchive::ZipArchive(const fs::path& path, const ZipDescription& words)
    : path_(path), handle_(std::make_unique<Handle>()) {
  const std::uint64_t file_size = require_file(path, kMaxArchiveBytes);
  require_form(path, words.form);
  int code = 0;
  handle_->archive = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (!handle_->archive) refuse(path, code, words);
  constexpr zip_int64_t kMost = 10000;
  const zip_int64_t count = zip_get_num_entries(handle_->archive, 0);
  if (count > kMost)
    throw Error("the archive has " + std::to_string(count) + " members", path.string(),
                "at most " + std::to_string(kMost) + " are opened here: save fewer arrays in it");
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    const auto index = static_cast<zip_uint64_t>(i);
    if (zip_stat_index(handle_->archive, index, 0, &stat) != 0) continue;
    stat.comp_size = std::min<zip_uint64_t>(stat.comp_size, file_size);
    const char* name = zip_get_name(handle_->archive, index, 0);
    members_.push_back({index, name ? name : "", plausible_size(stat), is_link(handle_->archive, index)});
  }
}

ZipArchive::~ZipArchive() = default;

const ZipMember* ZipArchive::find(const std::string& name, const std::string& where) const {
  const ZipMember* found = nullptr;
  for (const ZipMember& member : members_) {
    if (member.name != name) continue;
    if (found) throw Error("two members are named " + in_quotes(name), where, "give each a name of its own");
    found = &member;
  }
  return found;
}

bool begins_as_zip(std::string_view head) {
  return head.starts_with("PK\3\4");
}

bool escapes_archive(const std::string& name) {
  if (name.starts_with('/') || name.find('\\') != std::string::npos) return true;
  const fs::path path(name);
  return std::find(path.begin(), path.end(), "..") != path.end();
}

struct ZipReading::Handle {
  zip_file_t* member = nullptr;
  ~Handle() {
    if (member) zip_fclose(member);
  }
  [[noreturn]] static void fail(const char* why, const std::string& where) {
    throw Error(std::string("the array cannot be unpacked: ") + why, where,
                "the file is damaged or encrypted: save it again");
  }
};

ZipReading::ZipReading(const ZipArchive& archive, const ZipMember& member, std::string where)
    : handle_(std::make_unique<Handle>()), where_(std::move(where)) {
  handle_->member = zip_fopen_index(archive.handle_->archive, member.index, 0);
  if (!handle_->member) Handle::fail(zip_strerror(archive.handle_->archive), where_);
}

ZipReading::~ZipReading() = default;

std::size_t ZipReading::read(char* target, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const zip_int64_t got = zip_fread(handle_->member, target + done, count - done);
    if (got < 0) Handle::fail(zip_file_strerror(handle_->member), where_);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace headlight
