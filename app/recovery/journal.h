// The journal: the changes since a session was written whole, as records after a header. Each record has a
// hash, so that a record cut off by a crash is detected and all earlier ones are valid.
//
//   "headlight-journal VERSION SETTINGS\n", header, record, record, ...
//   header, record:  length of the payload (4 bytes), its content_hash (8 bytes), payload
//
// Settings of attention are stored as engine/session/attention_members.h declares them; SETTINGS is a hash of
// that declaration, so that a journal with other settings is not read. Numbers are in the processor's byte
// order: a journal is read on the machine that wrote it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/document/history.h"
#include "engine/core/file_stamp.h"
#include "engine/session/session.h"

namespace headlight {

struct JournalHeader {
  // Size in bytes and content_hash of the session file that the records apply to.
  std::uint64_t base_size = 0, base_hash = 0;
  std::uint64_t changes = 0;                  // unsaved changes in that session file
  std::optional<std::filesystem::path> path;  // the user's file, if the session has one ...
  std::optional<FileStamp> stamp;             // ... and its stamp when it was opened or saved last
};

// Whether the change can be a record: blocks of cells that the session file of `before` contains, settings
// that bring no further data into use, a mask, labels. After other changes the session is written whole.
bool fits_journal(const Change& change, const Layer& before);

// The beginning of a journal.
std::string journal_start(const JournalHeader& header);
// `changes`: unsaved changes including this one. Precondition: fits_journal().
void append_record(std::string& bytes, const Change& change, std::uint64_t changes);

struct Journal {
  JournalHeader header;
  std::vector<Change> records;  // all that were written completely
  std::uint64_t changes = 0;    // unsaved changes after the last record
};
// None if the header is incomplete or of another version.
std::optional<Journal> parse_journal(const std::string& bytes);

}  // namespace headlight
