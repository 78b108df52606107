// Tokenizers in text files: the bytes before the first byte 1 are merges.txt and vocab.txt, those before the
// second one vocab.json, the rest is tokenizer_config.json. Whatever they contain, either texts have ids
// below the size, or they are rejected.
#include <array>
#include <fstream>
#include <optional>

#include "engine/tokenizers/folder_tokenizer.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;
using namespace headlight_fuzz;

namespace {

namespace fs = std::filesystem;

// In memory if /dev/shm exists, because each input is written there.
fs::path made_folder(const char* name) {
  const fs::path shared = "/dev/shm";
  const fs::path base = fs::exists(shared) ? shared : fs::temp_directory_path();
  fs::path path = base / ("headlight-fuzz-" + std::to_string(getpid())) / name;
  fs::create_directories(path);
  return path;
}

void try_folder(const fs::path& folder) {
  try {
    const std::optional<Tokenizer> tokenizer = read_folder_tokenizer(folder);
    require(tokenizer.has_value(), "the folder has a tokenizer");
    const std::vector<std::int32_t> ids = tokenizer->encode("The cat  sat, it's 12 <mask>");
    for (const std::int32_t id : ids)
      require(id >= 0 && id < tokenizer->size(), "an id is below the size");
    tokenizer->decode(ids);
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fs::path pairs = made_folder("pairs"), words = made_folder("words");
  std::array<std::string, 3> parts;
  std::string input = text_of(data, size);
  for (std::string& part : parts) {
    const std::size_t cut = std::min(input.find('\1'), input.size());
    part = input.substr(0, cut);
    input.erase(0, std::min(cut + 1, input.size()));
  }
  const auto write = [](const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  };
  write(pairs / "merges.txt", parts[0]);
  write(pairs / "vocab.json", parts[1]);
  write(pairs / "tokenizer_config.json", parts[2]);
  write(words / "vocab.txt", parts[0]);
  write(words / "tokenizer_config.json", parts[2]);
  try_folder(pairs);
  try_folder(words);
  return 0;
}
