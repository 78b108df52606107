// Reads zip archives with libzip, without unpacking them to disk; the error messages are written for users.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/foreign_file.h"

namespace headlight {

// How messages name the file (".npz file"), and a hint about the origin of such files.
struct ZipDescription {
  std::string kind, hint;
  FileForm form;  // the form that the file must have
};

struct ZipMember {
  std::uint64_t index = 0;  // in the archive
  std::string name;         // in UTF-8, whatever the archive's encoding
  std::uint64_t size = 0;   // unpacked, as the archive states it, but no more than its packed bytes can hold
  bool link = false;        // a symbolic link, whose bytes are the path that it leads to
};

class ZipArchive {
 public:
  // Throws `Error` when the file is not an archive, is cut off or damaged, or has more than 10,000 members.
  ZipArchive(const std::filesystem::path& path, const ZipDescription& words);
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  const std::vector<ZipMember>& members() const { return members_; }
  // Null if there is none. Throws `Error` when two members have the name.
  const ZipMember* find(const std::string& name, const std::string& where) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  friend class ZipReading;
  std::filesystem::path path_;
  struct Handle;
  std::unique_ptr<Handle> handle_;
  std::vector<ZipMember> members_;
};

// Whether a file begins like an archive with members. head: its first bytes.
bool begins_as_zip(std::string_view head);

// Whether a name has a backslash or is a path that leads out of the archive (a/../../b, /b). Names with
// folders, such as those of a model's layers ("layers/0/W_query"), are allowed.
bool escapes_archive(const std::string& name);

// Unpacks a member's bytes from its beginning.
class ZipReading {
 public:
  // Throws `Error` when it is encrypted or its compression is unknown. The archive must outlive this object.
  ZipReading(const ZipArchive& archive, const ZipMember& member, std::string where);
  ~ZipReading();
  ZipReading(const ZipReading&) = delete;
  ZipReading& operator=(const ZipReading&) = delete;

  // Reads up to `count` bytes and returns their number; fewer only at the end, where the checksum is
  // verified. Throws `Error` when the member is damaged.
  std::size_t read(char* target, std::size_t count);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
  std::string where_;
};

}  // namespace headlight
