// Session archives. An input that begins as a zip archive is used as it is. In any other input, the bytes
// before the first byte 1 are the text of a session and the rest is the array x.npy; the archive made of them
// gets past the checksums.
#include <unistd.h>

#include "engine/arrays/zip_archive.h"
#include "engine/arrays/zip_writer.h"
#include "engine/session/session.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;
using namespace headlight_fuzz;

namespace {

// A file in memory, where flushing costs nothing.
struct Scratch {
  explicit Scratch(const char* name)
      : path("/dev/shm/headlight-fuzz-" + std::to_string(::getpid()) + "-" + name) {}
  ~Scratch() { std::filesystem::remove(path); }
  const std::filesystem::path path;
};

void write_archive(const std::filesystem::path& path, const std::string& input) {
  const std::size_t cut = std::min(input.find('\1'), input.size());
  AtomicFile file(path);
  if (begins_as_zip(input)) {
    file.write(input);
  } else {
    ZipWriter zip(file);
    zip.add("session.json", std::string_view(input).substr(0, cut));
    zip.add("x.npy", std::string_view(input).substr(std::min(cut + 1, input.size())));
    zip.finish();
  }
  file.commit();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Scratch given("given"), written("written");
  write_archive(given.path, text_of(data, size));
  Session session;
  try {
    session = load_session(given.path);
  } catch (const Error&) {
    return 0;
  }
  const std::string text = must_succeed([&] { return session_text(session); });
  must_succeed([&] {
    save_session(session, written.path, SessionForm::Archive);
    return 0;
  });
  const Session back = must_succeed([&] { return load_session(written.path); });
  require(session_text(back) == text, "a session is the same after an archive");
  return 0;
}
