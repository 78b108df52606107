// Where the arrays of a session came from, so that a reference to a file stays one when it is saved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// A file as it was when it was read: another size or time says that it was written since.
struct FileState {
  std::int64_t size = 0, changed_ns = 0;
  bool operator==(const FileState&) const = default;
};

struct ArrayOrigin {
  std::string place;           // in the session: "embeddings", "weights.query"
  std::filesystem::path file;  // where its bytes lie, links followed
  std::string name;            // of the array in an .npz or .safetensors file; else empty
  FileState state;
  std::uint64_t content = 0;  // fingerprint() of what was read from it
};

// A reference as it stands in a session file: {"file": ..., "name": ...}.
struct ArrayReference {
  std::string file, name;
};

// Of shapes and bits: matrices that differ in any of them have another one, but for one chance in 2^64.
std::uint64_t fingerprint(const std::vector<const Matrix*>& matrices);

// None when there is no such file.
std::optional<FileState> file_state(const std::filesystem::path& file);

// The reference that a session saved as `session_file` may hold for these matrices: none where they, or the
// file that they came from, have been changed since, and where that does not lie beside the session or below.
std::optional<ArrayReference> kept_reference(const ArrayOrigin& origin,
                                             const std::vector<const Matrix*>& matrices,
                                             const std::filesystem::path& session_file);

}  // namespace headlight
