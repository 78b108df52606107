#include "engine/session/carried_model.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string_view>
#include <system_error>

#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/file_stamp.h"
#include "engine/core/nearest.h"
#include "engine/core/stopping.h"
#include "engine/core/user_folders.h"
#include "engine/json/json_fields.h"
#include "engine/network/model_files.h"
#include "engine/network/network.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::string_view kUnpacking = ".unpacking-";
constexpr const char* kDamaged = "the file is damaged: ask for the bundle again";

std::string member_name(const CarriedFile& file) {
  return "model/" + file.name;
}

// A name that stays in the folder it is written to, and that no other program treats in a special way.
bool is_plain_name(const std::string& name) {
  constexpr std::size_t kLongest = 200;
  const bool letters = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c >= ' ' && c != '/' && c != '\\' && c != 0x7f;
  });
  return letters && !name.empty() && name.size() <= kLongest && name.front() != '.';
}

std::uint64_t bytes_of(const std::vector<CarriedFile>& files) {
  std::uint64_t sum = 0;
  for (const CarriedFile& file : files)
    sum += file.bytes;
  return sum;
}

// Of a list: the same files under the same names have one folder.
std::string hash_of(const std::vector<CarriedFile>& files) {
  std::string text;
  for (const CarriedFile& file : files)
    text += file.name + "|" + std::to_string(file.bytes) + "|" + file.hash + "\n";
  return hash_text(content_hash(text.data(), text.size()));
}

// The members of the archive, compared with the list before anything is written.
std::vector<const ZipMember*> members_of(const ZipArchive& archive, const std::vector<CarriedFile>& files) {
  std::vector<const ZipMember*> members;
  for (const CarriedFile& file : files) {
    const std::string name = member_name(file);
    const ZipMember* member = archive.find(name, "");
    if (!member) throw Error("the model's file " + in_quotes(file.name) + " is missing", name, kDamaged);
    if (member->size != file.bytes)
      throw Error("it has " + std::to_string(member->size) + " bytes, and the session says " +
                      std::to_string(file.bytes),
                  name, kDamaged);
    members.push_back(member);
  }
  return members;
}

// Weights can hardly be packed: a small archive of a large model is made to fill the disk.
void require_plausible(const ZipArchive& archive, std::uint64_t bytes) {
  constexpr std::uint64_t kAlways = std::uint64_t{64} << 20, kMostTimes = 16;
  std::error_code unreadable;
  const std::uint64_t packed = fs::file_size(archive.path(), unreadable);
  if (bytes <= kAlways || bytes / kMostTimes <= packed) return;
  throw Error("the model in it would take " + bytes_text(bytes) + ", and the file has " + bytes_text(packed),
              "model/", "no model is packed as tightly: the file is damaged, or made to fill the disk");
}

fs::path models_folder() {
  const std::optional<fs::path> cache = cache_folder();
  if (!cache)
    throw Error("there is no folder to unpack the model into", "model/", "set HOME or XDG_CACHE_HOME");
  std::error_code failure;
  fs::path folder = *cache / "models";
  fs::create_directories(folder, failure);
  if (!failure) fs::permissions(folder, fs::perms::owner_all, failure);
  if (failure)
    throw Error("the folder to unpack the model into cannot be used: " + failure.message(), folder.string(),
                "set XDG_CACHE_HOME to a folder that can be written to");
  return folder;
}

void require_space(const fs::path& folder, std::uint64_t bytes) {
  std::error_code unknown;
  const fs::space_info space = fs::space(folder, unknown);
  if (unknown || space.available > bytes) return;
  throw Error(
      "the disk has " + bytes_text(space.available) + " left, and the model takes " + bytes_text(bytes),
      folder.string(), "free some space, or set XDG_CACHE_HOME to a folder on another disk");
}

// A folder that is renamed once it is complete; deleted if it does not come to that.
class UnpackedFolder {
 public:
  explicit UnpackedFolder(const fs::path& parent) {
    std::string name = (parent / (std::string(kUnpacking) + "XXXXXX")).string();
    if (!::mkdtemp(name.data()))  // readable by the user alone
      throw Error("no folder can be made to unpack the model into", parent.string(),
                  "set XDG_CACHE_HOME to a folder that can be written to");
    path_ = name;
  }
  ~UnpackedFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  UnpackedFolder(const UnpackedFolder&) = delete;
  UnpackedFolder& operator=(const UnpackedFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void unpack(const ZipArchive& archive, const ZipMember& member, const CarriedFile& file,
            const fs::path& target) {
  ZipReading reading(archive, member, member_name(file));
  AtomicFile out(target);
  std::string piece(kPiece, '\0');
  for (std::uint64_t left = file.bytes;;) {
    throw_if_stopped();
    // One byte more than there should be, so that a longer member is noticed.
    const std::size_t count = reading.read(piece.data(), std::min<std::uint64_t>(kPiece, left + 1));
    if (count > left || (count == 0 && left > 0))
      throw Error("it is not as long as the archive says", member_name(file), kDamaged);
    if (count == 0) break;
    out.write({piece.data(), count});
    left -= count;
  }
  out.commit();
  if (hash_text(content_hash(target)) != file.hash)
    throw Error("its bytes are not those that the session was saved with", member_name(file), kDamaged);
}

bool is_there(const fs::path& folder, const std::vector<CarriedFile>& files) {
  return std::all_of(files.begin(), files.end(), [&](const CarriedFile& file) {
    const fs::path path = folder / file.name;
    std::error_code missing;
    if (fs::is_symlink(path, missing) || fs::file_size(path, missing) != file.bytes || missing) return false;
    throw_if_stopped();
    return hash_text(content_hash(path)) == file.hash;
  });
}

// What programs left behind that were ended while they unpacked.
void remove_left(const fs::path& folder) {
  constexpr std::chrono::hours kLong{24};
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const bool unpacking = entry.path().filename().string().starts_with(kUnpacking);
    const fs::file_time_type written = fs::last_write_time(entry.path(), ignored);
    if (unpacking && !ignored && fs::file_time_type::clock::now() - written > kLong)
      fs::remove_all(entry.path(), ignored);
  }
}

// The last part of "org/gpt2", as the name of a folder.
std::string plain_part(const std::string& name) {
  const std::string last = fs::path(name).filename().string();
  return is_plain_name(last) ? last : "model";
}

}  // namespace

std::string hash_text(std::uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::vector<CarriedFile> carried_model(const Network& network) {
  std::vector<CarriedFile> files;
  for (const ModelFile& file : model_files(network)) {
    if (!is_plain_name(file.name))
      throw Error("a bundle cannot hold a file of this name", file.path.string(),
                  "rename it: the name has slashes or control characters, or begins with a dot");
    files.push_back({file.name, file.bytes, hash_text(content_hash(file.path)), file.path});
  }
  network.checkpoint().require_unchanged();
  return files;
}

std::vector<CarriedFile> read_carried_files(const Json& value, const std::string& place) {
  if (!value.is_array() || value.empty())
    throw Error(
        "is " + (value.is_array() ? std::string("empty") : json_kind(value)) + ", expected a list of files",
        place, kDamaged);
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  std::vector<CarriedFile> files;
  std::set<std::string> names;
  for (const Json& entry : value) {
    const JsonFields fields(entry, place + "[" + std::to_string(files.size()) + "]",
                            {"name", "bytes", "hash"});
    CarriedFile file{fields.text("name", ""), static_cast<std::uint64_t>(fields.whole("bytes", -1, 0, kMost)),
                     fields.text("hash", "")};
    if (!is_plain_name(file.name))
      throw Error("the name " + in_quotes(file.name) + " is not that of a file in one folder",
                  fields.place("name"), "the file was not saved by Headlight: ask for the bundle again");
    if (!names.insert(file.name).second)
      throw Error("two files are named " + in_quotes(file.name), fields.place("name"), kDamaged);
    files.push_back(std::move(file));
  }
  return files;
}

void write_carried_files(JsonWriter& out, const std::vector<CarriedFile>& files) {
  out.begin_list();
  for (const CarriedFile& file : files) {
    out.next_item();
    out.begin_object();
    out.key("name").text(file.name);
    out.key("bytes").whole(static_cast<long long>(file.bytes));
    out.key("hash").text(file.hash);
    out.end_object();
  }
  out.end_list();
}

void add_carried_files(ZipWriter& zip, const std::vector<CarriedFile>& files) {
  for (const CarriedFile& file : files)
    zip.add(member_name(file), file.bytes, [&](const ZipWriter::Put& put) {
      for (std::uint64_t at = 0; at < file.bytes; at += kPiece) {
        const std::uint64_t count = std::min<std::uint64_t>(kPiece, file.bytes - at);
        const std::string piece = read_piece(file.path, at, count);
        if (piece.size() != count)
          throw Error("the file became shorter while it was read", file.path.string(), "save again");
        put(piece);
      }
    });
}

fs::path unpacked_model(const ZipArchive& archive, const std::vector<CarriedFile>& files,
                        const std::string& name, const std::string& where) {
  const std::vector<const ZipMember*> members = members_of(archive, files);
  require_plausible(archive, bytes_of(files));
  const fs::path all = models_folder(), of_list = all / hash_of(files), folder = of_list / plain_part(name);
  const bool one_file = files.size() == 1;
  fs::path place = one_file ? folder / files.front().name : folder;
  if (is_there(folder, files)) return place;
  remove_left(all);
  require_space(all, bytes_of(files));
  const UnpackedFolder made(all);
  for (std::size_t i = 0; i < files.size(); ++i)
    unpack(archive, *members[i], files[i], made.path() / files[i].name);
  std::error_code failure;
  fs::create_directories(of_list, failure);
  fs::remove_all(folder, failure);
  fs::rename(made.path(), folder, failure);
  // Another program may have unpacked the same model at the same time.
  if (failure && !is_there(folder, files))
    throw Error("the model cannot be unpacked: " + failure.message(), where,
                "delete " + of_list.string() + " and open the file again");
  return place;
}

}  // namespace headlight
