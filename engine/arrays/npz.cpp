#include <zip.h>

#include <algorithm>
#include <map>
#include <memory>

#include "engine/arrays/element_type.h"
#include "engine/arrays/npy.h"
#include "engine/arrays/npy_header.h"
#include "engine/arrays/zip_archive.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Archive = std::unique_ptr<zip_t, DiscardArchive>;
using Source = std::unique_ptr<zip_source_t, FreeSource>;

const ZipDescription kWords = {".npz file", "a .npz file is written by numpy.savez", FileForm::Npz};

// One member of the archive that may be an array.
struct NpzMember {
  ZipMember in_zip;
  std::string name;      // without ".npy"
  bool doubled = false;  // another member has the same name
};

std::vector<NpzMember> array_members(const ZipArchive& archive) {
  std::vector<NpzMember> members;
  std::map<std::string, int> uses;
  for (const ZipMember& member : archive.members()) {
    if (!member.name.ends_with(".npy")) continue;
    members.push_back({member, member.name.substr(0, member.name.size() - 4)});
    ++uses[members.back().name];
  }
  for (NpzMember& member : members)
    member.doubled = uses[member.name] > 1;
  return members;
}

std::vector<std::string> names_of(const std::vector<NpzMember>& members) {
  std::vector<std::string> names;
  names.reserve(members.size());
  for (const NpzMember& member : members)
    names.push_back(member.name);
  return names;
}

// Throws `Error` for a name that leads out of the archive or is not unique. Nothing is ever unpacked to disk,
// but the name may become that of a file when the array is exported.
void require_safe_name(const NpzMember& member, const std::string& where) {
  if (escapes_archive(member.name))
    throw Error("the name " + in_quotes(member.name) + " is a path that leads out of the archive", where,
                "the file is not one of numpy.savez: save the array again under a plain name");
  if (member.doubled)
    throw Error("two arrays are named " + in_quotes(member.name), where, "give each a name of its own");
}

Error no_such_array(const std::vector<NpzMember>& members, const std::string& name,
                    const std::string& where) {
  if (members.empty())
    return Error("the archive holds no arrays", where, "a .npz file is written by numpy.savez");
  const std::string what = name.empty() ? "no array is named" : "there is no array " + in_quotes(name);
  return Error(what, where, "it holds " + listed(names_of(members)));
}

// Unpacks a member in pieces, because the size that the archive states may be wrong.
class Unpacker {
 public:
  Unpacker(const ZipArchive& archive, const ZipMember& member, const std::string& where)
      : reading_(archive, member, where) {}

  // Unpacks until there are `count` bytes or more, or the member ends.
  void read_to(std::uint64_t count) {
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    for (std::size_t got = 1; bytes_.size() < count && got > 0;) {
      const std::size_t before = bytes_.size();
      bytes_.resize(before + kPiece);
      got = reading_.read(bytes_.data() + before, kPiece);
      bytes_.resize(before + got);
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  ZipReading reading_;
  std::string bytes_;
};

std::string unpack(const ZipArchive& archive, const ZipMember& member, std::uint64_t limit,
                   const std::string& where) {
  Unpacker unpacker(archive, member, where);
  unpacker.read_to(kMaxNpyHead);
  const NpyHeader header = parse_npy_header(unpacker.bytes(), where);
  const std::uint64_t size = header.data_offset + npy_data_bytes(header, limit, where);
  unpacker.read_to(size + 1);  // one more than expected: detects the end and verifies the checksum
  return unpacker.bytes();
}

void require_zip(bool done, zip_t* archive) {
  if (!done) throw Error(std::string("the .npz archive cannot be built: ") + zip_strerror(archive), "", "");
}

// bytes: the member's content; it must live until the archive is closed.
void add_member(zip_t* archive, const std::string& name, const std::string& bytes) {
  Source source(zip_source_buffer(archive, bytes.data(), bytes.size(), 0));
  require_zip(source != nullptr, archive);
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source.get(), ZIP_FL_ENC_UTF_8);
  require_zip(index >= 0, archive);
  static_cast<void>(source.release());  // the archive owns it now
  const auto entry = static_cast<zip_uint64_t>(index);
  require_zip(zip_set_file_compression(archive, entry, ZIP_CM_STORE, 0) == 0, archive);
  // The first moment of the zip calendar in the archive's own encoding, independent of clock and time zone.
  constexpr zip_uint16_t kMidnight = 0, kFirstOfJanuary1980 = 1 << 5 | 1;
  require_zip(zip_file_set_dostime(archive, entry, kMidnight, kFirstOfJanuary1980, 0) == 0, archive);
}

std::string content(zip_source_t* source) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  const bool known =
      zip_source_stat(source, &stat) == 0 && (stat.valid & ZIP_STAT_SIZE) && zip_source_open(source) == 0;
  std::string bytes(known ? stat.size : 0, '\0');
  const zip_int64_t count = known ? zip_source_read(source, bytes.data(), bytes.size()) : -1;
  if (known) zip_source_close(source);
  if (count < 0 || static_cast<std::size_t>(count) != bytes.size())
    throw Error("the .npz archive cannot be built", "", "there may be too little memory");
  return bytes;
}

}  // namespace

NamedArray read_npz(const fs::path& path, const std::string& name, std::uint64_t limit) {
  const ZipArchive archive(path, kWords);
  const std::vector<NpzMember> members = array_members(archive);
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const NpzMember& member) { return member.name == name; });
  if (found == members.end()) throw no_such_array(members, name, path.string());
  const std::string where = path.string() + "[" + name + "]";
  require_safe_name(*found, where);
  NamedArray array = parse_npy(unpack(archive, found->in_zip, limit, where), where);
  array.name = name;
  return array;
}

std::vector<ArrayEntry> list_npz(const fs::path& path) {
  const ZipArchive archive(path, kWords);
  const std::vector<NpzMember> members = array_members(archive);
  std::vector<ArrayEntry> entries;
  for (const NpzMember& member : members) {
    const std::string where = path.string() + "[" + member.name + "]";
    ArrayEntry entry;
    try {
      require_safe_name(member, where);
      Unpacker unpacker(archive, member.in_zip, where);
      unpacker.read_to(kMaxNpyHead);
      entry = npy_entry(unpacker.bytes(), std::nullopt, where);
    } catch (const Error& error) {
      entry.problem = error;
    }
    entry.name = member.name;
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string npz_bytes(const std::vector<NamedArray>& arrays) {
  // Only the end record: libzip writes nothing at all for an archive without members.
  if (arrays.empty()) return "PK\5\6" + std::string(18, '\0');
  std::vector<std::string> members;
  members.reserve(arrays.size());
  for (const NamedArray& array : arrays)
    members.push_back(npy_bytes(array));
  Source target(zip_source_buffer_create(nullptr, 0, 0, nullptr));
  if (!target) throw Error("the .npz archive cannot be built", "", "there may be too little memory");
  Archive archive(zip_open_from_source(target.get(), ZIP_TRUNCATE, nullptr));
  if (!archive) throw Error("the .npz archive cannot be built", "", "");
  zip_source_keep(target.get());  // the archive takes one reference; ours is for reading the result
  for (std::size_t i = 0; i < arrays.size(); ++i)
    add_member(archive.get(), arrays[i].name + ".npy", members[i]);
  require_zip(zip_close(archive.get()) == 0, archive.get());
  static_cast<void>(archive.release());
  return content(target.get());
}

void write_npz(const fs::path& path, const std::vector<NamedArray>& arrays) {
  write_file_atomically(path, npz_bytes(arrays));
}

}  // namespace headlight
