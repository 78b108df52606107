#include "engine/array_import/token_names.h"

#include <cstdint>

#include "engine/arrays/catalog.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

constexpr std::uint64_t kLargestNames = std::uint64_t{64} << 20;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    const bool returns = end > begin && text[end - 1] == '\r';
    lines.push_back(text.substr(begin, end - begin - (returns ? 1 : 0)));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::vector<std::string> read_token_names(const std::filesystem::path& path) {
  std::vector<std::string> names;
  if (path.extension() == ".npy") {
    names = read_array(path, "", TextArrays::Read).texts;
    if (names.empty())
      throw Error("it holds no text", path.string(), "save the tokens with numpy.save as an array of text");
  } else {
    require_file(path, kLargestNames);
    names = lines_of(read_text_file(path));
  }
  if (names.empty()) throw Error("there are no tokens in it", path.string(), "write one a line");
  return names;
}

}  // namespace headlight
