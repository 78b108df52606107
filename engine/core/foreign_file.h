// Recognizes files that are not of the format they are opened as, by their first bytes or their name, and
// explains how to convert their contents.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/error.h"

namespace headlight {

// The format that a file is opened as. Vocabulary: a file of a tokenizer that is not JSON.
enum class FileForm { Npy, Npz, Safetensors, Table, Json, Session, Gguf, Vocabulary };

// The number of first bytes that are examined.
inline constexpr std::size_t kForeignHead = 512;

// Examines the first bytes of a file or of an archive's member. Returns an Error that names the format they
// belong to, such as a Git LFS pointer, a web page, a pickle of PyTorch, HDF5, a packed file, or an array
// file of another kind. None if they fit `form` or no known format.
std::optional<Error> foreign_content(std::string_view head, FileForm form, const std::string& where);

// Throws the Error of foreign_content() for a regular file; ignores other and missing files.
void require_form(const std::filesystem::path& path, FileForm form);

// For a file whose extension is not supported: the Error for its content, else for its extension. None if
// neither is known, or if it may be a session, which may have any name.
std::optional<Error> foreign_file(const std::filesystem::path& path);

}  // namespace headlight
