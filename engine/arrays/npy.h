// NumPy's .npy (versions 1 to 3) and .npz (zip, stored or deflated) files.
// Format: numpy/lib/format.py's documentation. Values become float32.
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
// Throws Error on a truncated file, a bad header, an absurd shape, or another type; pickled objects are
// refused, never executed. `where` names the source in messages.
NamedArray parse_npy(std::string_view bytes, const std::string& where);
// Version 1.0, little-endian float32, C order; the bytes depend on the array only.
std::string npy_bytes(const NamedArray& array);
// One axis of whole numbers, as int64.
std::string npy_bytes(const std::vector<std::int32_t>& numbers);

// Reads a whole .npy file. Throws Error.
NamedArray read_npy(const std::filesystem::path& path);
// What parse_npy would make of the file, told from its header. `head`: its first kMaxNpyHead bytes, or all;
// file_size: how many it has, when that is known. What is wrong with it is in the entry.
ArrayEntry npy_entry(std::string_view head, std::optional<std::uint64_t> file_size, const std::string& where);
// Reads the header alone. Throws Error when the file cannot be read.
ArrayEntry list_npy(const std::filesystem::path& path);

// Reads the array `name` (without ".npy") of an .npz file. Throws Error naming the arrays that exist.
// A member that unpacks to more than its own header says, or to more than `limit` bytes, is refused before it
// has filled the memory. So is a name that two members have, or that is a path out of the archive (a/../../b,
// /b), though nothing is ever unpacked to the disk.
NamedArray read_npz(const std::filesystem::path& path, const std::string& name,
                    std::uint64_t limit = kMaxArrayBytes);
// The arrays in the archive's order, each by its own header. Throws Error when the file is no archive.
std::vector<ArrayEntry> list_npz(const std::filesystem::path& path);
// Members stored uncompressed in the order given, with a fixed date: the bytes depend on the arrays only.
std::string npz_bytes(const std::vector<NamedArray>& arrays);
// The same, written atomically. Throws Error.
void write_npz(const std::filesystem::path& path, const std::vector<NamedArray>& arrays);

}  // namespace headlight
