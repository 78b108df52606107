#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <set>

#include "engine/arrays/npy_header.h"
#include "engine/arrays/zip_archive.h"
#include "engine/arrays/zip_writer.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/foreign_file.h"
#include "engine/core/nearest.h"
#include "engine/interpretation/open_model.h"
#include "engine/network/model_files.h"
#include "engine/session/report_files.h"
#include "engine/session/session_fields.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTextMember = "session.json";
constexpr std::uint64_t kMostArchiveBytes = std::uint64_t{1} << 36;

// Returns the result of `work`; reports std::bad_alloc as Error.
template <class Work>
auto with_memory(const fs::path& path, const char* hint, Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw Error("there is not enough memory", path.string(), hint);
  }
}

// Takes `text` by value to free it before the arrays are read.
Session read_text(std::string text, ArrayReader& arrays, std::vector<Error>* faults,
                  const fs::path& model = {}) {
  const JsonTree document(parse_json(text, array_keys()));
  std::string().swap(text);
  return read_session(document.value, arrays, faults, model);
}

// Throws Error for links, and for names that lead out of the archive or occur twice.
void require_safe_names(const ZipArchive& archive) {
  std::set<std::string> names;
  for (const ZipMember& member : archive.members()) {
    if (escapes_archive(member.name))
      throw Error("the name " + in_quotes(member.name) + " is a path that leads out of the archive", "",
                  "the file was not saved by Headlight: pack it again without folders");
    if (member.link)
      throw Error(in_quotes(member.name) + " is a symbolic link", "",
                  "the file was not saved by Headlight: pack it again with the files themselves");
    if (!names.insert(member.name).second)
      throw Error("two members are named " + in_quotes(member.name), "", "give each a name of its own");
  }
}

std::string text_of(const ZipArchive& archive) {
  const ZipMember* member = archive.find(kTextMember, "");
  if (!member)
    throw Error("the archive holds no session.json: this is not a Headlight session", "",
                "arrays of an .npz file are opened with Open array file");
  if (member->size > kMostSessionText)
    throw Error("its text has " + std::to_string(member->size) + " bytes, more than the " +
                    std::to_string(kMostSessionText) + " that can be opened",
                kTextMember, "the file is damaged: restore a copy");
  ZipReading reading(archive, *member, kTextMember);
  std::string text(static_cast<std::size_t>(member->size) + 1, '\0');  // one more, to detect excess bytes
  text.resize(reading.read(text.data(), text.size()));
  if (text.size() != member->size)
    throw Error("its text is not as long as the archive says", kTextMember,
                "the file is damaged: restore a copy");
  return text;
}

Session load_archive(const fs::path& path, std::vector<Error>* faults, const fs::path& model) {
  const ZipArchive archive(path, {"session file", "open a .headlight file", FileForm::Session});
  try {
    require_safe_names(archive);
    ArrayReader arrays(path.parent_path(), &archive);
    Session session = read_text(text_of(archive), arrays, faults, model);
    if (session.bundle) session.bundle->report = path;
    return session;
  } catch (const ModelNotFound& error) {
    throw ModelNotFound(error.inside(path.string()), error.name());
  } catch (const Error& error) {
    throw error.inside(path.string());
  }
}

Session load_text(const fs::path& path, std::vector<Error>* faults, const fs::path& model) {
  require_file(path, kMostSessionText);
  ArrayReader arrays(path.parent_path());
  std::string text = read_file(path);
  try {
    return read_text(std::move(text), arrays, faults, model);
  } catch (const ModelNotFound& error) {
    throw ModelNotFound(error.inside(path.string()), error.name());
  } catch (const Error& error) {
    throw error.inside(path.string());
  }
}

// The serialized session. The members point into the session, which must outlive this.
struct Written {
  std::string text;
  std::vector<ArrayMember> members;
  Index numbers = 0;  // of all members
};

Written written(const Session& session, bool in_members, const ArrayWriter::Kept& kept,
                const std::optional<fs::path>& folder, const Bundle* bundle = nullptr,
                const std::vector<CarriedFile>& carried = {}) {
  JsonWriter out;
  ArrayWriter arrays(in_members, kept);
  write_session(out, session, arrays, folder, bundle, carried);
  return {out.take(), arrays.members(), arrays.member_numbers()};
}

// Finds the array references that are still valid for a session saved at `path`; looks each up once.
ArrayWriter::Kept references(const Session& session, const fs::path& path) {
  using Known = std::map<std::string, std::optional<ArrayReference>>;
  return [&session, path, known = std::make_shared<Known>()](const std::string& place,
                                                             const std::vector<const Matrix*>& matrices) {
    if (const auto found = known->find(place); found != known->end()) return found->second;
    std::optional<ArrayReference> kept;
    for (const ArrayOrigin& origin : session.origins)
      if (origin.place == place) kept = unchanged_reference(origin, matrices, path);
    return known->emplace(place, kept).first->second;
  };
}

void pour_flags(const Matrix& matrix, const ZipWriter::Put& put) {
  constexpr Index kPiece = Index{1} << 20;
  std::string bytes;
  for (Index begin = 0; begin < matrix.size(); begin += kPiece) {
    bytes.clear();
    for (Index i = begin; i < std::min(begin + kPiece, matrix.size()); ++i)
      bytes += matrix.data()[i] != 0.0f ? '\1' : '\0';
    put(bytes);
  }
}

void add_array(ZipWriter& zip, const ArrayMember& member) {
  const std::string head = npy_header_bytes(member.shape, member.flags ? "|b1" : "<f4");
  std::uint64_t size = head.size();
  for (const Matrix* part : member.parts)
    size += static_cast<std::uint64_t>(part->size()) * (member.flags ? 1 : sizeof(float));
  zip.add(member.name, size, [&](const ZipWriter::Put& put) {
    put(head);
    for (const Matrix* part : member.parts) {
      if (member.flags)
        pour_flags(*part, put);
      else
        put({reinterpret_cast<const char*>(part->data()),
             static_cast<std::size_t>(part->size()) * sizeof(float)});
    }
  });
}

void require_text_size(std::uint64_t bytes) {
  if (bytes <= kMostSessionText) return;
  throw Error("its tokens, title, notes and lesson take " + std::to_string(bytes) + " bytes, more than the " +
                  std::to_string(kMostSessionText) + " that can be opened again",
              "", "shorten them");
}

// A lower bound of the JSON's size, to refuse a text that is too long before it is built.
std::uint64_t least_text(const Session& session) {
  std::uint64_t bytes = session.title.size() + session.notes.size();
  for (const std::string& token : session.layer.tokens)
    bytes += token.size();
  return bytes;
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

void write_archive(const Written& session, const std::vector<CarriedFile>& model,
                   const std::vector<ReportFile>& report, const fs::path& path) {
  AtomicFile file(path);
  ZipWriter zip(file);
  zip.add(kTextMember, session.text);
  for (const ArrayMember& member : session.members)
    add_array(zip, member);
  add_carried_files(zip, model);
  for (const ReportFile& one : report)
    zip.add("report/" + one.name, one.bytes);
  zip.finish();
  file.commit();
}

// All numbers go in, whichever files they were read from.
void save_as_bundle(const Session& session, const fs::path& path, const Bundle& bundle) {
  validate(session.layer);  // so that the file can be opened again
  require_text_size(least_text(session));
  std::vector<CarriedFile> model;
  if (session.work && bundle.with_model) model = carried_model(*session.work->network);
  const std::vector<ReportFile> report = report_files(bundle.report);  // before its archive is replaced
  const Written archive = written(session, true, {}, folder_of(path), &bundle, model);
  require_text_size(archive.text.size());
  write_archive(archive, model, report, path);
  if (!model.empty()) session.work->network->checkpoint().require_unchanged();
}

void save(const Session& session, const fs::path& path, SessionForm form) {
  if (session.bundle && form != SessionForm::Recovery) return save_as_bundle(session, path, *session.bundle);
  validate(session.layer);  // so that the file can be opened again
  require_text_size(least_text(session));
  const ArrayWriter::Kept kept = references(session, path);
  const fs::path folder = folder_of(path);
  const Bundle* const bundle = session.bundle ? &*session.bundle : nullptr;
  Written as_archive, as_text;
  if (form != SessionForm::Text) as_archive = written(session, true, kept, folder, bundle);
  const bool small = as_archive.numbers <= kMostNumbersAsText;
  const bool text = form == SessionForm::Text || (form != SessionForm::Archive && small);
  if (text) as_text = written(session, false, kept, folder, bundle);
  require_text_size((text ? as_text : as_archive).text.size());
  if (!text) return write_archive(as_archive, {}, {}, path);
  AtomicFile file(path);
  file.write(as_text.text);
  file.commit();
}

// Calls `save`; its errors name the file once.
template <class Save>
void save_reporting(const fs::path& path, Save save) {
  with_memory(path, "the file is as it was: close other programs and save again", [&] {
    try {
      save();
    } catch (const Error& error) {
      throw error.where().starts_with(path.string()) ? error : error.inside(path.string());
    }
  });
}

}  // namespace

Session parse_session(const std::string& text, const fs::path& folder, const std::string& where,
                      std::vector<Error>* faults) {
  return with_memory(where, "close other programs, or take fewer tokens", [&] {
    ArrayReader arrays(folder);
    try {
      return read_text(text, arrays, faults);
    } catch (const Error& error) {
      throw error.inside(where);
    }
  });
}

Session load_session(const fs::path& path, std::vector<Error>* faults, const fs::path& model) {
  constexpr std::size_t kHeadBytes = 4;
  return with_memory(path, "close other programs, or open it on a machine with more", [&] {
    require_file(path, kMostArchiveBytes);
    if (begins_as_zip(read_piece(path, 0, kHeadBytes))) return load_archive(path, faults, model);
    if (const auto foreign = foreign_file(path)) throw *foreign;
    return load_text(path, faults, model);
  });
}

std::string session_text(const Session& session) {
  validate(session.layer);  // so that the text can be opened again
  return written(session, false, {}, std::nullopt).text;
}

void save_session(const Session& session, const fs::path& path, SessionForm form) {
  save_reporting(path, [&] { save(session, path, form); });
}

void save_bundle(const Session& session, const fs::path& path, const Bundle& bundle) {
  save_reporting(path, [&] { save_as_bundle(session, path, bundle); });
}

std::uint64_t model_bytes(const Session& session) {
  std::uint64_t bytes = 0;
  for (const ModelFile& file : model_files(*session.work->network))
    bytes += file.bytes;
  return bytes;
}

bool carries_model(const Session& session, WithModel with_model) {
  if (!session.work || with_model == WithModel::Never) return false;
  return with_model == WithModel::Always || model_bytes(session) <= kMostSmallModel;
}

}  // namespace headlight
