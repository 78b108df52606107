// Lists the arrays of a file and reads one of them, for every supported format.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/arrays/array.h"

namespace headlight {

// Determined by the file name's extension, in any case: .npy, .npz, .safetensors, .csv, .tsv.
enum class ArrayFileKind { Npy, Npz, Safetensors, Table };

// Throws `Error` for any other extension.
ArrayFileKind array_file_kind(const std::filesystem::path& path);
// Whether the file itself names its arrays. The other kinds hold one array, which is named after the file.
bool names_its_arrays(ArrayFileKind kind);

// All arrays of the file; one that cannot be read has its `problem` set. Of .npy, .npz and .safetensors only
// headers are read, so that the cost does not grow with the arrays; a table is read to its end. The order is
// that of the archive; .safetensors has none, so its tensors are sorted by name, h.2 before h.10. Throws
// `Error` when the file as a whole cannot be used.
std::vector<ArrayEntry> list_arrays(const std::filesystem::path& path);

// One array by its name; "" for the array of a file that names none. Of .npz and .safetensors nothing else is
// unpacked or read. Throws `Error` (see npy.h, safetensors.h, table_file.h), also for an unknown name, and
// for text unless `text` is `TextArrays::Read`.
enum class TextArrays { Refused, Read };
NamedArray read_array(const std::filesystem::path& path, const std::string& name,
                      TextArrays text = TextArrays::Refused);

}  // namespace headlight
