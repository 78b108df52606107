// The origins of a session's arrays, so that a reference to a file stays a reference when the session is
// saved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// Size and modification time of a file when it was read; a difference means that it was written since.
struct FileState {
  std::int64_t size = 0, changed_ns = 0;
  bool operator==(const FileState&) const = default;
};

struct ArrayOrigin {
  std::string place;           // in the session: "embeddings", "weights.query"
  std::filesystem::path file;  // its actual location, symbolic links resolved
  std::string name;            // of the array in an .npz or .safetensors file; else empty
  FileState state;
  std::uint64_t content = 0;  // fingerprint() of the values read from it
};

// A reference as written in a session file: {"file": ..., "name": ...}.
struct ArrayReference {
  std::string file, name;
};

// Hash of shapes and bits: matrices that differ have different hashes, except with a probability of 2^-64.
std::uint64_t fingerprint(const std::vector<const Matrix*>& matrices);

// nullopt if there is no such regular file.
std::optional<FileState> file_state(const std::filesystem::path& file);

// The reference that a session saved as `session_file` may hold for these matrices: nullopt if the matrices
// or their file have changed since, or if the file does not lie beside the session or below.
std::optional<ArrayReference> unchanged_reference(const ArrayOrigin& origin,
                                                  const std::vector<const Matrix*>& matrices,
                                                  const std::filesystem::path& session_file);

}  // namespace headlight
