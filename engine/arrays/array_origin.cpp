#include "engine/arrays/array_origin.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <nlohmann/json.hpp>

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;  // odd, with well-spread bits

std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * kFactor;
  return sum ^ sum >> 29;
}

// Four sums in parallel: one multiplication takes longer than loading eight bytes.
std::uint64_t mixed(std::uint64_t sum, const Matrix& matrix) {
  const auto* bytes = reinterpret_cast<const char*>(matrix.data());
  const std::size_t size = static_cast<std::size_t>(matrix.size()) * sizeof(float);
  std::array<std::uint64_t, 4> sums = {sum, sum + 1, sum + 2, sum + 3}, words{};
  std::size_t at = 0;
  for (; at + sizeof words <= size; at += sizeof words) {
    std::memcpy(words.data(), bytes + at, sizeof words);
    for (std::size_t lane = 0; lane < sums.size(); ++lane)
      sums[lane] = mixed(sums[lane], words[lane]);
  }
  words.fill(0);
  std::memcpy(words.data(), bytes + at, size - at);
  for (std::size_t lane = 0; lane < sums.size(); ++lane)
    sum = mixed(mixed(sum, sums[lane]), words[lane]);
  return sum;
}

// Whether the name can be written as JSON, which must be UTF-8.
bool fits_json(const std::string& name) {
  try {
    (void)nlohmann::json(name).dump();
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace

std::uint64_t fingerprint(const std::vector<const Matrix*>& matrices) {
  std::uint64_t sum = matrices.size();
  for (const Matrix* matrix : matrices) {
    sum = mixed(sum, static_cast<std::uint64_t>(matrix->rows()));
    sum = mixed(sum, static_cast<std::uint64_t>(matrix->cols()));
    sum = mixed(sum, *matrix);
  }
  return sum;
}

std::optional<FileState> file_state(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return FileState{status.st_size, status.st_mtim.tv_sec * kSecond + status.st_mtim.tv_nsec};
}

std::optional<ArrayReference> unchanged_reference(const ArrayOrigin& origin,
                                                  const std::vector<const Matrix*>& matrices,
                                                  const fs::path& session_file) {
  std::error_code code;
  const fs::path folder = session_file.has_parent_path() ? session_file.parent_path() : fs::path(".");
  const fs::path root = fs::canonical(folder, code);
  if (code || file_state(origin.file) != origin.state) return std::nullopt;
  // Saving must not overwrite the file that the session refers to.
  if (fs::weakly_canonical(session_file, code) == origin.file || code) return std::nullopt;
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), origin.file.begin(), origin.file.end());
  if (end != root.end() || rest == origin.file.end()) return std::nullopt;
  fs::path relative;
  for (auto part = rest; part != origin.file.end(); ++part)
    relative /= *part;
  if (!fits_json(relative.string()) || fingerprint(matrices) != origin.content) return std::nullopt;
  return ArrayReference{relative.string(), origin.name};
}

}  // namespace headlight
