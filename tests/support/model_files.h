// Writes .safetensors files and model folders byte by byte.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace headlight_test {

struct WrittenTensor {
  std::string name, type = "F32";
  std::vector<int> shape;
  std::size_t bytes = 0;  // bytes of data to write; 0: four for each number
};

inline std::size_t size_of(const WrittenTensor& tensor) {
  std::size_t count = 4;
  for (const int side : tensor.shape)
    count *= static_cast<std::size_t>(side);
  return tensor.bytes > 0 ? tensor.bytes : count;
}

// A .safetensors file with this header, padded with spaces to a multiple of 8, and `data` zero bytes.
inline std::string file_with_header(std::string header, std::size_t data) {
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::uint64_t size = header.size();
  std::string bytes(sizeof size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  return bytes + header + std::string(data, '\0');
}

inline std::string safetensors_file(const std::vector<WrittenTensor>& tensors) {
  std::string header = "{";
  std::size_t at = 0;
  for (const WrittenTensor& tensor : tensors) {
    std::string shape;
    for (const int side : tensor.shape)
      shape += (shape.empty() ? "" : ",") + std::to_string(side);
    header += (at > 0 ? ",\"" : "\"") + tensor.name + "\":{\"dtype\":\"" + tensor.type + "\",\"shape\":[" +
              shape + "],\"data_offsets\":[" + std::to_string(at) + "," +
              std::to_string(at + size_of(tensor)) + "]}";
    at += size_of(tensor);
  }
  return file_with_header(header + "}", at);
}

// Overwrites the second half of a file in place, as a program that saves its model again may do.
inline void rewrite_in_place(const std::filesystem::path& path) {
  const auto size = std::filesystem::file_size(path), half = size / 2;
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(half));
  file << std::string(size - half, '\x3c');
}

// A copy of a golden model that a test can damage.
class ModelCopy {
 public:
  explicit ModelCopy(const std::string& family) {
    const std::filesystem::path from = source_root() + "/tests/golden/models/" + family;
    for (const auto& entry : std::filesystem::directory_iterator(from))
      if (entry.path().filename() != "golden.npz")
        folder_.write(entry.path().filename().string(), text_of(entry.path()));
    // Later writes get a different modification time even on a file system with coarse time stamps.
    for (const auto& entry : std::filesystem::directory_iterator(path()))
      std::filesystem::last_write_time(entry.path(),
                                       std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  }
  const std::filesystem::path& path() const { return folder_.path(); }
  std::string text(const std::string& name) const { return text_of(folder_ / name); }
  void write(const std::string& name, const std::string& bytes) const { folder_.write(name, bytes); }
  void remove(const std::string& name) const { std::filesystem::remove(folder_ / name); }
  // Replaces the first `from` in the file by `to`.
  void replace(const std::string& name, const std::string& from, const std::string& to) const {
    std::string bytes = text(name);
    const std::size_t at = bytes.find(from);
    if (at == std::string::npos) throw std::runtime_error(name + " has no " + from);
    write(name, bytes.replace(at, from.size(), to));
  }

 private:
  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  TemporaryFolder folder_;
};

}  // namespace headlight_test
