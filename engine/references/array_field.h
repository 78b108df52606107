// Matrices in a session file: rows of numbers, or a reference to an array file. Both ways side by side.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/arrays/zip_archive.h"
#include "engine/core/matrix.h"
#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"
#include "engine/model/pair_array.h"
#include "engine/references/array_origin.h"

namespace headlight {

// The members whose lists of numbers are to be packed as they are read: see parse_json.
const std::vector<std::string>& array_keys();

// `folder`: references are read relative to it and never leave its tree, not through links either; of a
// session in an archive, which must outlive this, its own members come first. `place` names the member of the
// session in messages. All throw Error.
class ArrayReader {
 public:
  explicit ArrayReader(std::filesystem::path folder, const ZipArchive* archive = nullptr)
      : folder_(std::move(folder)), archive_(archive) {}

  const std::filesystem::path& folder() const { return folder_; }
  Matrix matrix(const Json& value, const std::string& place);
  // 1 x n, from a list of numbers or an array of one dimension (or one row).
  Matrix vector(const Json& value, const std::string& place);
  // [T][d] makes one matrix, [B][T][d] makes B.
  std::vector<Matrix> batch(const Json& value, const std::string& place);
  // The same; or [B][H][T][d], whose heads then stand side by side. heads: how many there are, 0 when it is
  // not known, which an array with an axis for them then sets.
  std::vector<Matrix> heads(const Json& value, const std::string& place, Index& heads);
  // Numbers for pairs, of one to four axes: the last of B x H x Tq x Tk, those before them 1.
  PairArray pairs(const Json& value, const std::string& place);

  // Where those came from that were read from files beside the session.
  std::vector<ArrayOrigin> take_origins() { return std::move(origins_); }

 private:
  struct Source;
  Source open(const Json& value, const std::string& place);
  Matrix next_matrix(Source& source, Index rows, Index columns, const std::string& place) const;
  void note_origin(const Source& source, const std::string& place, const std::vector<const Matrix*>& read);

  std::filesystem::path folder_;
  const ZipArchive* archive_;
  double numbers_ = 0;  // read from files so far
  std::vector<ArrayOrigin> origins_;
};

// An array that stands beside the text, as a member of the session's archive.
struct ArrayMember {
  std::string name;  // "embeddings.npy"
  std::vector<Index> shape;
  std::vector<const Matrix*> parts;  // one behind the other
  bool flags = false;                // of 0 and 1: a byte each
};

// Writes numbers into the text or, where it is asked to, a reference to a member of the archive; and where
// `kept` has one, the reference that the session came with.
class ArrayWriter {
 public:
  using Kept = std::function<std::optional<ArrayReference>(const std::string& place,
                                                           const std::vector<const Matrix*>&)>;

  explicit ArrayWriter(bool in_members, Kept kept = {}) : in_members_(in_members), kept_(std::move(kept)) {}

  // The matrices must outlive this where they become members.
  void matrix(JsonWriter& out, const std::string& place, const Matrix& matrix);
  void flags(JsonWriter& out, const std::string& place, const Matrix& matrix);  // of 0 and 1
  void row(JsonWriter& out, const std::string& place, const Matrix& row);       // 1 x n
  void batch(JsonWriter& out, const std::string& place, const std::vector<Matrix>& matrices);
  void pairs(JsonWriter& out, const std::string& place, const PairArray& array, bool flags = false);

  const std::vector<ArrayMember>& members() const { return members_; }
  Index member_numbers() const;  // how many numbers the members hold

 private:
  // Writes a reference, if it is to be one.
  bool as_reference(JsonWriter& out, const std::string& place, std::vector<Index> shape,
                    std::vector<const Matrix*> parts, bool flags);

  bool in_members_;
  Kept kept_;
  std::vector<ArrayMember> members_;
};

}  // namespace headlight
