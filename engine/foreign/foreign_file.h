// What a file is that is not what it is opened as, told from its first bytes or its name, and how to save
// what it holds so that it can be opened.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/error.h"

namespace headlight {

// What a file is opened as.
enum class FileForm { Npy, Npz, Safetensors, Table, Json, Session };

// So many of the first bytes tell.
inline constexpr std::size_t kForeignHead = 512;

// Of the first bytes of a file, or of a member of an archive: an Error that names what they are of, such as a
// Git LFS pointer, a web page, a pickle of PyTorch, HDF5, a packed file, or an array file of another kind.
// None where they may be of that form, or of nothing that is known.
std::optional<Error> foreign_content(std::string_view head, FileForm form, const std::string& where);

// Throws that Error of a file. Whether the file can be read at all is for those who read it to say.
void require_form(const std::filesystem::path& path, FileForm form);

// Of a file whose ending is none of those that are opened: what it is by its content, else by its ending.
// None where neither is known, and where it may be a session, which may have any name.
std::optional<Error> foreign_file(const std::filesystem::path& path);

}  // namespace headlight
