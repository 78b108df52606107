// The format: PKWARE's APPNOTE.TXT, 4.3 (records) and 4.5.3 (zip64).
#include "engine/arrays/zip_writer.h"

#include <zlib.h>

#include <algorithm>
#include <cassert>

#include "engine/core/parallel.h"

namespace headlight {
namespace {

constexpr std::uint32_t kFull = 0xffffffff;  // of a field of four bytes: the number is in the zip64 part
constexpr unsigned kVersion = 45;            // required of a reader: zip64
constexpr unsigned kUtf8Names = 1 << 11;
constexpr unsigned kFirstOfJanuary1980 = 1 << 5 | 1;  // the first day of the zip calendar
constexpr std::uint32_t kChecksumAt = 14;             // offset in a local header

// A little-endian record.
class Record {
 public:
  Record& u16(std::uint64_t value) { return number(value, 2); }
  Record& u32(std::uint64_t value) { return number(value, 4); }
  Record& u64(std::uint64_t value) { return number(value, 8); }
  Record& text(const std::string& value) {
    bytes_ += value;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& number(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i)
      bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  std::string bytes_;
};

std::uint64_t in_four_bytes(std::uint64_t value) {
  return std::min<std::uint64_t>(value, kFull);
}

// zlib processes a gigabyte a second, so the checksums of parts are computed in parallel and combined.
std::uint32_t checksum(std::uint32_t before, std::string_view bytes) {
  constexpr std::size_t kPart = std::size_t{1} << 20;
  const auto of = [](std::string_view part) {
    return static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const unsigned char*>(part.data()), part.size()));
  };
  const std::size_t count = (bytes.size() + kPart - 1) / kPart;
  std::vector<std::uint32_t> sums(count);
  for_each_index(static_cast<Index>(count), static_cast<double>(bytes.size()), [&](Index i) {
    sums[static_cast<std::size_t>(i)] = of(bytes.substr(static_cast<std::size_t>(i) * kPart, kPart));
  });
  std::uint32_t sum = before;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t length = std::min(kPart, bytes.size() - i * kPart);
    sum = static_cast<std::uint32_t>(crc32_combine(sum, sums[i], static_cast<z_off_t>(length)));
  }
  return sum;
}

}  // namespace

void ZipWriter::write(const std::string& bytes) {
  file_.write(bytes);
  offset_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::uint64_t size,
                    const std::function<void(const Put& put)>& pour) {
  Entry entry{name, offset_, size, 0};
  const bool large = size >= kFull;
  Record head;
  head.u32(0x04034b50).u16(kVersion).u16(kUtf8Names).u16(0).u16(0).u16(kFirstOfJanuary1980);
  head.u32(0).u32(in_four_bytes(size)).u32(in_four_bytes(size)).u16(name.size()).u16(large ? 20 : 0);
  head.text(name);
  if (large) head.u16(1).u16(16).u64(size).u64(size);
  write(head.bytes());
  [[maybe_unused]] const std::uint64_t begin = offset_;
  pour([&](std::string_view bytes) {
    entry.checksum = checksum(entry.checksum, bytes);
    file_.write(bytes);
    offset_ += bytes.size();
  });
  assert(offset_ - begin == size);
  // The checksum is known only after the content.
  file_.write_at(entry.offset + kChecksumAt, Record().u32(entry.checksum).bytes());
  entries_.push_back(std::move(entry));
}

void ZipWriter::add(const std::string& name, std::string_view bytes) {
  add(name, bytes.size(), [bytes](const Put& put) { put(bytes); });
}

void ZipWriter::finish() {
  constexpr unsigned kMadeOnUnix = 3 << 8;
  constexpr std::uint64_t kPlainFile = std::uint64_t{0100644} << 16;
  [[maybe_unused]] const std::uint64_t begin = offset_;
  for (const Entry& entry : entries_) {
    Record extra;
    if (entry.size >= kFull) extra.u64(entry.size).u64(entry.size);
    if (entry.offset >= kFull) extra.u64(entry.offset);
    const std::size_t length = extra.bytes().size();
    Record record;
    record.u32(0x02014b50).u16(kMadeOnUnix | kVersion).u16(kVersion).u16(kUtf8Names).u16(0);
    record.u16(0).u16(kFirstOfJanuary1980).u32(entry.checksum);
    record.u32(in_four_bytes(entry.size)).u32(in_four_bytes(entry.size));
    record.u16(entry.name.size()).u16(length > 0 ? length + 4 : 0).u16(0).u16(0).u16(0);
    record.u32(kPlainFile).u32(in_four_bytes(entry.offset)).text(entry.name);
    if (length > 0) record.u16(1).u16(length).text(extra.bytes());
    write(record.bytes());
  }
  const std::uint64_t size = offset_ - begin, count = entries_.size();
  constexpr std::uint64_t kFullCount = 0xFFFF;
  if (begin + size >= kFull || count >= kFullCount) {
    Record large;  // the zip64 end record and its locator
    large.u32(0x06064b50).u64(44).u16(kMadeOnUnix | kVersion).u16(kVersion).u32(0).u32(0);
    large.u64(count).u64(count).u64(size).u64(begin);
    large.u32(0x07064b50).u32(0).u64(begin + size).u32(1);
    write(large.bytes());
  }
  Record end;
  end.u32(0x06054b50).u16(0).u16(0).u16(std::min(count, kFullCount)).u16(std::min(count, kFullCount));
  end.u32(in_four_bytes(size)).u32(in_four_bytes(begin)).u16(0);
  write(end.bytes());
}

}  // namespace headlight
