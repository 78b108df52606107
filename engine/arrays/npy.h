// NumPy's .npy (versions 1 to 3) and .npz (zip, stored or deflated) files.
// Format: the documentation in numpy/lib/format.py. Values become float32.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/arrays/array.h"

namespace headlight {

// Reads little- and big-endian f2, f4, f8, signed and unsigned integers, bool, and text (U, S) as
// NamedArray::texts; C and Fortran order.
// Throws `Error` on a truncated file, a bad header, an oversized shape, or another type; pickled objects are
// refused, never executed. `where` names the source in messages.
NamedArray parse_npy(std::string_view bytes, const std::string& where);
// Version 1.0, little-endian float32 or, of NamedArray::texts, text of the longest one's length (U), C order;
// the bytes depend only on the array.
std::string npy_bytes(const NamedArray& array);
// A one-dimensional int64 array.
std::string npy_bytes(const std::vector<std::int32_t>& numbers);

// Reads a whole .npy file. Throws `Error`.
NamedArray read_npy(const std::filesystem::path& path);
// Describes the array that parse_npy would return, from the header alone. head: the file's first kMaxNpyHead
// bytes, or all of them; file_size: its size, if known. Errors are stored in the entry.
ArrayEntry npy_entry(std::string_view head, std::optional<std::uint64_t> file_size, const std::string& where);
// Reads only the header. Throws `Error` when the file cannot be read.
ArrayEntry list_npy(const std::filesystem::path& path);

// Reads the array `name` (without ".npy") of an .npz file. Throws `Error` that names the existing arrays. A
// member that unpacks to more than its own header states, or to more than `limit` bytes, is refused before it
// fills the memory. A name that two members share, or that is a path out of the archive (a/../../b, /b), is
// refused too, although nothing is ever unpacked to disk.
NamedArray read_npz(const std::filesystem::path& path, const std::string& name,
                    std::uint64_t limit = kMaxArrayBytes);
// The arrays in the archive's order, each from its own header. Throws `Error` when it is no archive.
std::vector<ArrayEntry> list_npz(const std::filesystem::path& path);
// Members stored uncompressed in the given order, with a fixed date: the bytes depend only on the arrays.
std::string npz_bytes(const std::vector<NamedArray>& arrays);
// Writes npz_bytes() atomically. Throws `Error`.
void write_npz(const std::filesystem::path& path, const std::vector<NamedArray>& arrays);

}  // namespace headlight
