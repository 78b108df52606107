#include <zip.h>

#include <algorithm>
#include <map>
#include <memory>

#include "engine/arrays/element_type.h"
#include "engine/arrays/npy.h"
#include "engine/arrays/npy_header.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxArchiveBytes = std::uint64_t{1} << 36;

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Archive = std::unique_ptr<zip_t, DiscardArchive>;
using Member = std::unique_ptr<zip_file_t, CloseMember>;
using Source = std::unique_ptr<zip_source_t, FreeSource>;

// Whether the file begins as an archive with members does and lacks the record that ends every archive. The
// file itself is asked, because versions of libzip report this in different ways.
bool is_cut_off(const fs::path& path) {
  constexpr std::uint64_t kEndRecord = 22, kLongestComment = 65535;
  const std::uint64_t size = require_file(path, kMaxArchiveBytes);
  if (read_piece(path, 0, 4) != "PK\3\4") return false;
  const std::uint64_t from = size - std::min(size, kEndRecord + kLongestComment);
  const std::string tail = read_piece(path, from, size - from);
  const std::size_t end = tail.rfind("PK\5\6");
  if (end == std::string::npos || tail.size() - end < kEndRecord) return true;
  const auto byte = [&](std::size_t at) { return std::size_t{static_cast<unsigned char>(tail[end + at])}; };
  const std::size_t comment = byte(20) | byte(21) << 8;
  return tail.size() - end < kEndRecord + comment;
}

Archive open_archive(const fs::path& path) {
  require_file(path, kMaxArchiveBytes);
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!archive && is_cut_off(path))
    throw Error("the .npz file is cut off: it begins well, but its end is missing", path.string(),
                "copy or download it again");
  if (!archive)
    throw Error(
        code == ZIP_ER_NOZIP ? "this is not a .npz file (no zip archive)" : "the zip archive is damaged",
        path.string(), "a .npz file is written by numpy.savez");
  return archive;
}

// One member of the archive that may be an array. Names come as UTF-8, whatever the archive has them in.
struct ArrayMember {
  zip_uint64_t index;
  std::string name;
  bool doubled = false;  // another member has the same name
};

std::vector<ArrayMember> array_members(zip_t* archive, const std::string& where) {
  constexpr zip_int64_t kMost = 10000;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  if (count > kMost)
    throw Error("the archive has " + std::to_string(count) + " members", where,
                "at most " + std::to_string(kMost) + " are opened here: save fewer arrays in it");
  std::vector<ArrayMember> members;
  std::map<std::string, int> uses;
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive, static_cast<zip_uint64_t>(i), 0);
    const std::string text = name ? name : "";
    if (!text.ends_with(".npy")) continue;
    members.push_back({static_cast<zip_uint64_t>(i), text.substr(0, text.size() - 4)});
    ++uses[members.back().name];
  }
  for (ArrayMember& member : members)
    member.doubled = uses[member.name] > 1;
  return members;
}

std::vector<std::string> names_of(const std::vector<ArrayMember>& members) {
  std::vector<std::string> names;
  for (const ArrayMember& member : members)
    names.push_back(member.name);
  return names;
}

// Names like those of a model's layers ("layers/0/W_query") are fine.
bool leads_out(const std::string& name) {
  if (name.starts_with('/') || name.find('\\') != std::string::npos) return true;
  const fs::path path(name);
  return std::find(path.begin(), path.end(), "..") != path.end();
}

// Throws Error for a name that was made to deceive. Nothing is ever unpacked to the disk, but the name may
// become that of a file when the array is exported.
void require_honest_name(const ArrayMember& member, const std::string& where) {
  if (leads_out(member.name))
    throw Error("the name " + in_quotes(member.name) + " is a path that leads out of the archive", where,
                "the file is not one of numpy.savez: save the array again under a plain name");
  if (member.doubled)
    throw Error("two arrays are named " + in_quotes(member.name), where, "give each a name of its own");
}

Error no_such_array(const std::vector<ArrayMember>& members, const std::string& name,
                    const std::string& where) {
  if (members.empty())
    return Error("the archive holds no arrays", where, "a .npz file is written by numpy.savez");
  const std::string what = name.empty() ? "no array is named" : "there is no array " + in_quotes(name);
  return Error(what, where, "it holds " + listed(names_of(members)));
}

// A member's content, unpacked in pieces: the size that the archive states is a claim.
class Unpacker {
 public:
  Unpacker(zip_t* archive, zip_uint64_t index, const std::string& where)
      : member_(zip_fopen_index(archive, index, 0)), where_(where) {
    if (!member_) fail(zip_strerror(archive));
  }

  // Unpacks until there are `count` bytes or more, or no more come.
  void read_to(std::uint64_t count) {
    std::vector<char> piece(std::size_t{1} << 16);
    while (bytes_.size() < count) {
      const zip_int64_t got = zip_fread(member_.get(), piece.data(), piece.size());
      if (got < 0) fail(zip_file_strerror(member_.get()));
      if (got == 0) return;
      bytes_.append(piece.data(), static_cast<std::size_t>(got));
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  [[noreturn]] void fail(const char* why) const {
    throw Error(std::string("the array cannot be unpacked: ") + why, where_,
                "the file is damaged or encrypted: save it again");
  }

  Member member_;
  const std::string& where_;
  std::string bytes_;
};

std::string unpack(zip_t* archive, zip_uint64_t index, std::uint64_t limit, const std::string& where) {
  Unpacker unpacker(archive, index, where);
  unpacker.read_to(kMaxNpyHead);
  const NpyHeader header = parse_npy_header(unpacker.bytes(), where);
  const std::uint64_t size =
      header.data_offset + array_bytes(header.shape, npy_element_type(header.descr, where), limit, where);
  unpacker.read_to(size + 1);  // one more than there should be: to see the end, and the checksum with it
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
  source.release();  // the archive owns it now
  const auto entry = static_cast<zip_uint64_t>(index);
  require_zip(zip_set_file_compression(archive, entry, ZIP_CM_STORE, 0) == 0, archive);
  // The first moment of the zip calendar, in the archive's own encoding: no clock and no time zone.
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
  const Archive archive = open_archive(path);
  const std::vector<ArrayMember> members = array_members(archive.get(), path.string());
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const ArrayMember& member) { return member.name == name; });
  if (found == members.end()) throw no_such_array(members, name, path.string());
  const std::string where = path.string() + "[" + name + "]";
  require_honest_name(*found, where);
  NamedArray array = parse_npy(unpack(archive.get(), found->index, limit, where), where);
  array.name = name;
  return array;
}

std::vector<ArrayEntry> list_npz(const fs::path& path) {
  const Archive archive = open_archive(path);
  const std::vector<ArrayMember> members = array_members(archive.get(), path.string());
  std::vector<ArrayEntry> entries;
  for (const ArrayMember& member : members) {
    const std::string where = path.string() + "[" + member.name + "]";
    ArrayEntry entry;
    try {
      require_honest_name(member, where);
      Unpacker unpacker(archive.get(), member.index, where);
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
  // The end record alone: libzip writes nothing at all for an archive without members.
  if (arrays.empty()) return "PK\5\6" + std::string(18, '\0');
  std::vector<std::string> members;
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
  archive.release();
  return content(target.get());
}

void write_npz(const fs::path& path, const std::vector<NamedArray>& arrays) {
  write_file_atomically(path, npz_bytes(arrays));
}

}  // namespace headlight
