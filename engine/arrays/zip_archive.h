// Reading zip archives, which are never unpacked to the disk: by libzip, with messages for people.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/foreign/foreign_file.h"

namespace headlight {

// How messages call the file: "a .npz file", and where such files come from.
struct ZipWords {
  std::string kind, hint;
  FileForm form;  // what it is opened as
};

struct ZipMember {
  std::uint64_t index = 0;  // in the archive
  std::string name;         // as UTF-8, whatever the archive has it in
  std::uint64_t size = 0;   // unpacked: a claim, but one that is no more than its packed bytes can hold
};

class ZipArchive {
 public:
  // Throws Error when the file is no archive, is cut off or damaged, or has more than 10,000 members.
  ZipArchive(const std::filesystem::path& path, const ZipWords& words);
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  const std::vector<ZipMember>& members() const { return members_; }
  // Null when there is none. Throws Error when two members have the name.
  const ZipMember* find(const std::string& name, const std::string& where) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  friend class ZipReading;
  std::filesystem::path path_;
  struct Handle;
  std::unique_ptr<Handle> handle_;
  std::vector<ZipMember> members_;
};

// Whether a file begins as an archive with members does. `head`: its first bytes.
bool begins_as_zip(std::string_view head);

// Whether a name is a path that leads out of the archive (a/../../b, /b). Names such as those of a model's
// layers ("layers/0/W_query") are fine.
bool leads_out(const std::string& name);

// A member's bytes, unpacked from its beginning on.
class ZipReading {
 public:
  // Throws Error when it is encrypted or packed in a way that is not known. The archive must outlive this.
  ZipReading(const ZipArchive& archive, const ZipMember& member, std::string where);
  ~ZipReading();
  ZipReading(const ZipReading&) = delete;
  ZipReading& operator=(const ZipReading&) = delete;

  // Up to `count` bytes; fewer only at the end, where the checksum is looked at. Throws Error when the member
  // is damaged.
  std::size_t read(char* target, std::size_t count);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
  std::string where_;
};

}  // namespace headlight
