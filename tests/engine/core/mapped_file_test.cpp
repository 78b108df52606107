// Memory-mapped files: changes to the file while it is mapped, and pages that cannot be loaded.
#include "engine/core/mapped_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "engine/core/descriptor.h"
#include "engine/core/error.h"
#include "engine/core/parallel.h"
#include "tests/support/catch.h"
#include "tests/support/model_files.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPage = 4096;

// A file of `pages` pages, last modified an hour ago.
fs::path old_file(const TemporaryFolder& folder, const std::string& name, std::size_t pages) {
  const fs::path path = folder.write(name, std::string(pages * kPage, 'x'));
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  return path;
}

std::string complaint(const MappedFile& file) {
  try {
    file.require_unchanged();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

// A mapping without a `FaultWatch`.
struct Mapping {
  Mapping(const fs::path& path, std::size_t count) : size(count) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    data = static_cast<const char*>(::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0));
    REQUIRE(data != MAP_FAILED);
  }
  ~Mapping() { ::munmap(const_cast<char*>(data), size); }
  Mapping(const Mapping&) = delete;
  const char* data = nullptr;
  std::size_t size;
};

char read_at(const char* data, std::size_t at) {
  return *(static_cast<const volatile char*>(data) + at);
}

// The status that waitpid returns for a child that runs `work`; 0 if it exits normally.
int status_of_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(STDERR_FILENO);  // hides a sanitizer's report of the expected fault
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("mapped file: what is cut off reads as zeros, and whoever asks is told") {
  const TemporaryFolder folder;
  const fs::path path = old_file(folder, "x", 5);
  const MappedFile file(path);
  CHECK(complaint(file).empty());
  fs::resize_file(path, kPage + 10);
  CHECK(read_at(file.bytes().data(), 5) == 'x');
  CHECK(read_at(file.bytes().data(), 4 * kPage + 7) == '\0');
  CHECK(read_at(file.bytes().data(), 2 * kPage) == '\0');
  CHECK_THAT(complaint(file), ContainsSubstring("changed while it was open"));
  CHECK_THAT(complaint(file), ContainsSubstring(path.string()));
  // The length is restored, but the bytes read before were zeros: the error persists.
  fs::resize_file(path, 5 * kPage);
  CHECK_FALSE(complaint(file).empty());
  CHECK(complaint(MappedFile(path)).empty());
}

TEST_CASE("mapped file: bytes written in place are told, though the time of writing is set back") {
  const TemporaryFolder folder;
  for (const bool set_back : {false, true}) {
    const fs::path path = old_file(folder, "x", 2);
    const auto written = fs::last_write_time(path);
    const MappedFile file(path);
    rewrite_in_place(path);
    if (set_back) fs::last_write_time(path, written);
    CHECK_THAT(complaint(file), ContainsSubstring("changed while it was open"));
  }
}

TEST_CASE("mapped file: one that is renamed, replaced, deleted or linked to stays as it was") {
  const TemporaryFolder folder;
  const std::function<void(const fs::path&)> fates[] = {
      [&](const fs::path& path) { fs::rename(path, folder / "y"); },
      [&](const fs::path& path) { fs::rename(old_file(folder, "z", 1), path); },
      [&](const fs::path& path) { fs::remove(path); },
      [&](const fs::path& path) { fs::create_hard_link(path, folder / "link"); },
      [&](const fs::path& path) { fs::permissions(path, fs::perms::owner_read); }};
  for (const auto& fate : fates) {
    const fs::path path = old_file(folder, "x", 2);
    const MappedFile file(path);
    fate(path);
    CHECK(complaint(file).empty());
    CHECK(read_at(file.bytes().data(), kPage) == 'x');
    fs::remove(path);
  }
}

TEST_CASE("fault watch: threads that touch lost pages at once go on, and the watch of that memory knows") {
  const TemporaryFolder folder;
  const std::size_t pages = 64;
  const fs::path path = old_file(folder, "x", pages);
  const Mapping lost(path, pages * kPage), whole(old_file(folder, "y", pages), pages * kPage);
  const FaultWatch of_lost(lost.data, lost.size), of_whole(whole.data, whole.size);
  fs::resize_file(path, kPage);
  std::atomic<int> zeros{0}, others{0};
  for_each_index(static_cast<Index>(pages), 1e9, [&](Index page) {
    const auto at = static_cast<std::size_t>(page) * kPage;
    if (read_at(lost.data, at) == '\0') ++zeros;
    if (read_at(whole.data, at) == 'x') ++others;
    if (page > 0 && read_at(lost.data, at) == '\0' && !of_lost.faulted()) others = -1000;
  });
  CHECK(zeros == static_cast<int>(pages) - 1);
  CHECK(others == static_cast<int>(pages));
  CHECK(of_lost.faulted());
  CHECK_FALSE(of_whole.faulted());
}

TEST_CASE("fault watch: a fault of other memory, and a SIGBUS that somebody sends, end the program") {
  const TemporaryFolder folder;
  const fs::path path = old_file(folder, "x", 4), other = old_file(folder, "y", 4);
  const Mapping watched(path, 4 * kPage), plain(other, 4 * kPage);
  const FaultWatch watch(watched.data, watched.size);
  fs::resize_file(path, 0);
  fs::resize_file(other, 0);
  CHECK(status_of_child([&] { read_at(watched.data, 0); }) == 0);
  CHECK(status_of_child([&] { read_at(plain.data, kPage); }) != 0);
  CHECK(status_of_child([] { ::raise(SIGBUS); }) != 0);
  CHECK(status_of_child([&] {
          { const FaultWatch over(plain.data, plain.size); }
          read_at(plain.data, 0);
        }) != 0);
}

TEST_CASE("mapped file: dropped pages are read again, and what has become of the file is noticed") {
  const TemporaryFolder folder;
  std::string content;
  for (std::size_t i = 0; i < 5 * kPage + 100; ++i)
    content += static_cast<char>('a' + i * 31 % 26);
  const fs::path path = folder.write("x", content);
  const MappedFile file(path);
  const std::string_view bytes = file.bytes();
  CHECK(bytes == content);
  for (const auto& [begin, size] : {std::pair<std::size_t, std::size_t>{0, content.size()},
                                    {1, kPage},
                                    {kPage - 1, 2 * kPage},
                                    {content.size() - 1, 1},
                                    {7, 0}}) {
    file.drop_pages(bytes.substr(begin, size));
    CHECK(bytes == content);
  }
  file.require_unchanged();
  file.drop_pages(bytes);
  fs::resize_file(path, kPage);
  CHECK(read_at(bytes.data(), 3 * kPage) == '\0');
  CHECK_THROWS_AS(file.require_unchanged(), Error);
}
