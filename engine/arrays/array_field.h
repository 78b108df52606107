// Matrices in a session file, as rows of numbers or as a reference to an array file: reading and writing.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/arrays/array_origin.h"
#include "engine/arrays/zip_archive.h"
#include "engine/core/matrix.h"
#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"
#include "engine/layer/pair_array.h"

namespace headlight {

// The members whose lists of numbers are packed while they are read: see parse_json.
const std::vector<std::string>& array_keys();

// Reads arrays of a session. `folder`: references are resolved relative to it and must stay inside its tree,
// symbolic links included. `archive`: that of the session, or null; its members take precedence; must outlive
// this. `place` names the member of the session in messages. All functions throw Error.
class ArrayReader {
 public:
  explicit ArrayReader(std::filesystem::path folder, const ZipArchive* archive = nullptr)
      : folder_(std::move(folder)), archive_(archive) {}

  const std::filesystem::path& folder() const { return folder_; }
  const ZipArchive* archive() const { return archive_; }
  Matrix matrix(const Json& value, const std::string& place);
  // 1 x n, from a list of numbers or an array of one dimension (or one row).
  Matrix vector(const Json& value, const std::string& place);
  // [T][d] gives one matrix, [B][T][d] gives B.
  std::vector<Matrix> batch(const Json& value, const std::string& place);
  // [T][d], [B][T][d], or [B][H][T][d], whose heads are joined side by side. heads: how many there are, 0 if
  // not known; an array with a head axis sets it.
  std::vector<Matrix> heads(const Json& value, const std::string& place, Index& heads);
  // Numbers for query-key pairs, with one to four axes: the last ones of B x H x Tq x Tk; missing axes are 1.
  PairArray pairs(const Json& value, const std::string& place);

  // The origins of the arrays that were read from files beside the session.
  std::vector<ArrayOrigin> take_origins() { return std::move(origins_); }

 private:
  struct Source;
  Source open(const Json& value, const std::string& place);
  Matrix next_matrix(Source& source, Index rows, Index columns, const std::string& place) const;
  void note_origin(const Source& source, const std::string& place, const std::vector<const Matrix*>& read);

  std::filesystem::path folder_;
  const ZipArchive* archive_;
  double numbers_ = 0;  // in all referenced arrays so far
  std::vector<ArrayOrigin> origins_;
};

// An array stored beside the text, as a member of the session's archive.
struct ArrayMember {
  std::string name;  // "embeddings.npy"
  std::vector<Index> shape;
  std::vector<const Matrix*> parts;  // concatenated
  bool flags = false;                // values 0 and 1, one byte each
};

// Writes numbers into the text or, with in_members, a reference to a member of the archive. If `kept` returns
// a reference for an array, writes that reference.
class ArrayWriter {
 public:
  using Kept = std::function<std::optional<ArrayReference>(const std::string& place,
                                                           const std::vector<const Matrix*>&)>;

  explicit ArrayWriter(bool in_members, Kept kept = {}) : in_members_(in_members), kept_(std::move(kept)) {}

  // Matrices that become members must outlive this.
  void matrix(JsonWriter& out, const std::string& place, const Matrix& matrix);
  void flags(JsonWriter& out, const std::string& place, const Matrix& matrix);  // of 0 and 1
  void row(JsonWriter& out, const std::string& place, const Matrix& row);       // 1 x n
  void batch(JsonWriter& out, const std::string& place, const std::vector<Matrix>& matrices);
  void pairs(JsonWriter& out, const std::string& place, const PairArray& array, bool flags = false);

  const std::vector<ArrayMember>& members() const { return members_; }
  Index member_numbers() const;  // how many numbers the members hold

 private:
  // Writes a reference if the array is stored as one; returns whether it did.
  bool as_reference(JsonWriter& out, const std::string& place, std::vector<Index> shape,
                    std::vector<const Matrix*> parts, bool flags);

  bool in_members_;
  Kept kept_;
  std::vector<ArrayMember> members_;
};

}  // namespace headlight
