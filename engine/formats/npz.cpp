#include <zip.h>

#include <memory>

#include "engine/core/error.h"
#include "engine/formats/file.h"
#include "engine/formats/nearest.h"
#include "engine/formats/npy.h"
#include "engine/formats/session.h"

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

Archive open_archive(const fs::path& path) {
  require_file(path, kMaxArchiveBytes);
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!archive)
    throw Error(
        code == ZIP_ER_NOZIP ? "this is not a .npz file (no zip archive)" : "the zip archive is damaged",
        path.string(), "a .npz file is written by numpy.savez");
  return archive;
}

std::vector<std::string> array_names(zip_t* archive) {
  std::vector<std::string> names;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
    const char* name = zip_get_name(archive, static_cast<zip_uint64_t>(i), 0);
    const std::string text = name ? name : "";
    if (text.ends_with(".npy")) names.push_back(text.substr(0, text.size() - 4));
  }
  return names;
}

Error no_such_array(zip_t* archive, const std::string& name, const std::string& where) {
  const std::vector<std::string> names = array_names(archive);
  if (names.empty())
    return Error("the archive holds no arrays", where, "a .npz file is written by numpy.savez");
  const std::string what = name.empty() ? "no array is named" : "there is no array " + in_quotes(name);
  return Error(what, where, "it holds " + listed(names));
}

// Reads in pieces: the size that the archive states is a claim, and the limit holds for what really comes.
std::string unpack(zip_t* archive, zip_uint64_t index, std::uint64_t limit, const std::string& where) {
  const Error too_large(
      "the array unpacks to more than " + std::to_string(limit) + " bytes", where,
      "the file is damaged, or the array is too large to be opened here: save a part of it");
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat_index(archive, index, 0, &stat) == 0 && (stat.valid & ZIP_STAT_SIZE) && stat.size > limit)
    throw too_large;
  const Error damaged("the array cannot be unpacked: ", where,
                      "the file is damaged or encrypted: save it again");
  Member member(zip_fopen_index(archive, index, 0));
  if (!member) throw Error(damaged.summary() + zip_strerror(archive), where, damaged.hint());
  std::string bytes;
  std::vector<char> piece(std::size_t{1} << 20);
  for (;;) {
    const zip_int64_t count = zip_fread(member.get(), piece.data(), piece.size());
    if (count < 0) throw Error(damaged.summary() + zip_file_strerror(member.get()), where, damaged.hint());
    if (count == 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(count));
    if (bytes.size() > limit) throw too_large;
  }
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
  const zip_int64_t index = zip_name_locate(archive.get(), (name + ".npy").c_str(), 0);
  if (index < 0) throw no_such_array(archive.get(), name, path.string());
  const std::string where = path.string() + "[" + name + "]";
  NamedArray array = parse_npy(unpack(archive.get(), static_cast<zip_uint64_t>(index), limit, where), where);
  array.name = name;
  return array;
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
