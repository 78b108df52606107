// What a file of arrays holds, and one array of it, whatever its format.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/arrays/array.h"

namespace headlight {

// By the ending of the name, in any case: .npy, .npz, .safetensors, .csv, .tsv.
enum class ArrayFileKind { Npy, Npz, Safetensors, Table };

// Throws Error for another ending.
ArrayFileKind array_file_kind(const std::filesystem::path& path);
// Whether the file itself names its arrays. The others hold one, which is called as the file is.
bool names_its_arrays(ArrayFileKind kind);

// All arrays, those that cannot be read among them with what is wrong. Of .npy, .npz and .safetensors only
// headers are read, so that it is quick for a file of any size; a table is read to its end. In the order of
// the archive; .safetensors has none, and its tensors are sorted with h.2 before h.10. Throws Error when the
// file as a whole cannot be used.
std::vector<ArrayEntry> list_arrays(const std::filesystem::path& path);

// One array by its name; "" for the one in a file that does not name it. Of .npz and .safetensors nothing
// else is unpacked or read. Throws Error (see npy.h, safetensors.h, table_file.h), also for a name that the
// file does not have, and for text unless that is wanted.
enum class TextArrays { Refused, Read };
NamedArray read_array(const std::filesystem::path& path, const std::string& name,
                      TextArrays text = TextArrays::Refused);

}  // namespace headlight
