// What was changed since a session was written whole: short records behind a header, each with a check of its
// own, so that what a crash cut off is noticed and everything before it counts.
//
//   "headlight-journal 1\n", header, record, record, ...
//   header, record:  length of what follows (4 bytes), its content_hash (8 bytes), and that many bytes
//
// Numbers are as the processor has them: a journal is read on the machine that wrote it.
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
  // The whole session that the records go on from.
  std::uint64_t base_size = 0, base_hash = 0;
  std::uint64_t changes = 0;                  // that it holds beyond what was saved
  std::optional<std::filesystem::path> path;  // the person's own file, if the session has one ...
  std::optional<FileStamp> stamp;             // ... and what that was when it was opened or saved last
};

// Whether the change can be a record behind this session: a block of cells that a session file holds,
// settings that need nothing else, a mask, labels. After any other one the session is written whole.
bool fits_journal(const Change& change, const Model& before);

// The beginning of a journal.
std::string journal_start(const JournalHeader& header);
// `changes`: as in the header, with this one. Precondition: fits_journal().
void append_record(std::string& bytes, const Change& change, std::uint64_t changes);

struct Journal {
  JournalHeader header;
  std::vector<Change> records;  // those that were written completely
  std::uint64_t changes = 0;    // that the session then holds beyond what was saved
};
// None when the header is not whole, or of another program.
std::optional<Journal> parse_journal(const std::string& bytes);

}  // namespace headlight
