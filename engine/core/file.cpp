#include "engine/core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <string>

#include "engine/core/descriptor.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

Error read_error(const fs::path& path, int code) {
  const std::string where = path.string();
  switch (code) {
    case ENOENT:
    case ENOTDIR:
      return Error("there is no such file", where, "check the name and the folder");
    case EISDIR:
      return Error("this is a folder, not a file", where, "choose a file inside it");
    case EACCES:
    case EPERM:
      return Error("no permission to read the file", where, "ask its owner, or change it with chmod +r");
    default:
      return Error(std::string("the file cannot be read: ") + std::strerror(code), where, "try a copy of it");
  }
}

}  // namespace

// The system ends a name at its first zero byte and would silently ignore the rest.
void require_no_zero_byte(const fs::path& path) {
  if (path.native().find('\0') != std::string::npos)
    throw Error("the name of the file holds a byte 0", path.string(),
                "no file has such a name: mend what names it");
}

std::uint64_t require_file(const fs::path& path, std::uint64_t limit) {
  require_no_zero_byte(path);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw read_error(path, errno);
  if (S_ISDIR(status.st_mode)) throw read_error(path, EISDIR);
  if (!S_ISREG(status.st_mode))
    throw Error("this is a device or a pipe, not a file", path.string(), "save it to a file first");
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) throw read_error(path, errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > limit)
    throw Error("the file has " + std::to_string(size) + " bytes, more than the " + std::to_string(limit) +
                    " that can be opened here",
                path.string(), "save a part of it");
  return size;
}

std::string read_file(const fs::path& path) {
  return read_piece(path, 0, require_file(path, std::numeric_limits<std::uint64_t>::max()));
}

std::string read_text_file(const fs::path& path) {
  std::string text = read_file(path);
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.erase(0, kMark.size());
  return text;
}

std::string read_piece(const fs::path& path, std::uint64_t begin, std::uint64_t count) {
  require_no_zero_byte(path);
  // O_NONBLOCK: if a pipe has replaced the file, open() must not block.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.open()) throw read_error(path, errno);
  std::string bytes(count, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::pread(file.number(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(begin + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw read_error(path, errno);
    if (got == 0) break;  // end of file, also if it has been truncated meanwhile
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace headlight
