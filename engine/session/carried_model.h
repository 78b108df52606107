// The files of a whole model in a session's archive: the list of them in its text, and how they are unpacked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/arrays/zip_archive.h"
#include "engine/arrays/zip_writer.h"
#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"

namespace headlight {

class Network;

struct CarriedFile {
  std::string name;  // a plain name; the member is "model/NAME"
  std::uint64_t bytes = 0;
  std::string hash;                 // content_hash() of the bytes, in 16 hexadecimal digits
  std::filesystem::path path = {};  // that they are read from while the archive is written
};

// model_files() with their hashes: reads all of them. Throws Error.
std::vector<CarriedFile> carried_model(const Network& network);

// A hash in 16 hexadecimal digits.
std::string hash_text(std::uint64_t hash);

// "files": a list of {"name", "bytes", "hash"}. Reading throws Error for what is no plain name of a file, for
// names that occur twice, and for an empty list.
std::vector<CarriedFile> read_carried_files(const Json& value, const std::string& place);
void write_carried_files(JsonWriter& out, const std::vector<CarriedFile>& files);

void add_carried_files(ZipWriter& zip, const std::vector<CarriedFile>& files);

// Unpacks the files into a folder of the user's cache that is named by their hashes, readable by the user
// alone, unless they are there already, and returns the model's place in it: `name` below that folder, or the
// file of a model that is one file. Files that are there are read and compared with the hashes; if they
// differ they are unpacked again. `where` names the list in messages. Throws Error if a member is missing,
// damaged, not as long or not of the hash that the list says, if they would be far larger than the archive
// can hold of a model, and if there is no cache folder or not enough space in it.
std::filesystem::path unpacked_model(const ZipArchive& archive, const std::vector<CarriedFile>& files,
                                     const std::string& name, const std::string& where);

}  // namespace headlight
