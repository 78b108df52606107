#include "app/shell/recovery_text.h"

#include <ctime>

#include "engine/core/user_folders.h"
#include "engine/layer/layer_difference.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostRead = 4U << 20;  // bytes: files are read before the window is shown

bool is_small(const fs::path& path) {
  std::error_code missing;
  const std::uint64_t size = fs::file_size(path, missing);
  return !missing && size <= kMostRead;
}

// 0: the number is unknown.
std::string count_text(std::uint64_t changes) {
  if (changes == 0) return "changes";
  return std::to_string(changes) + (changes == 1 ? " change" : " changes");
}

// "~/file.headlight" for a path in the home folder.
std::string place_text(const std::optional<fs::path>& path) {
  if (!path) return "not saved to a file yet";
  const std::optional<fs::path> home = user_home();
  std::string text = path->string();
  if (home && text.starts_with(home->string() + "/")) return "~" + text.substr(home->string().size());
  return text;
}

std::string listed(const std::vector<std::string>& differences) {
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(differences.size(), kMost); ++i)
    text += (i == 0 ? "" : ", ") + differences[i];
  if (differences.size() > kMost) text += " and " + std::to_string(differences.size() - kMost) + " more";
  return text;
}

std::vector<std::string> session_differences(const Session& a, const Session& b, Counting counting) {
  std::vector<std::string> differences = layer_differences(a.layer, b.layer, counting);
  if (a.title != b.title || a.notes != b.notes) differences.emplace_back("title or notes");
  return differences;
}

std::string changes_text(const UnsavedSession& entry, const Session& session, Counting counting) {
  if (!entry.path) return count_text(entry.changes);
  std::error_code unreadable;
  if (!fs::exists(*entry.path, unreadable)) return count_text(entry.changes) + "; the file is gone";
  if (!is_small(*entry.path)) return count_text(entry.changes) + " since it was saved";
  try {
    const std::vector<std::string> differences =
        session_differences(load_session(*entry.path), session, counting);
    const bool by_others = entry.stamp && changed_since(*entry.path, *entry.stamp);
    const std::string note = by_others ? "the file was written by another program since; differs: " : "";
    return note + (differences.empty() ? count_text(entry.changes) : listed(differences));
  } catch (const std::exception&) {
    return count_text(entry.changes) + "; the file cannot be read";
  }
}

}  // namespace

RecoveryEntry describe_recovered(const UnsavedSessions& kept, std::size_t at, Counting counting) {
  const UnsavedSession& entry = kept.list()[at];
  RecoveryEntry words;
  words.name = entry.name;
  words.title = entry.path ? entry.path->stem().string() : "A session";
  words.place = place_text(entry.path);
  words.when = time_in_words(entry.since, std::chrono::system_clock::now());
  words.changes = count_text(entry.changes) + " since it was saved";
  if (entry.bytes > kMostRead) return words;
  try {
    const Session session = kept.load(at);
    words.title = session.title.empty() ? "Untitled session" : session.title;
    words.changes = changes_text(entry, session, counting);
  } catch (const std::exception& damage) {
    words.changes = damage.what();
  }
  return words;
}

bool is_saved_already(const UnsavedSessions& kept, std::size_t at) {
  const UnsavedSession& entry = kept.list()[at];
  if (!entry.path || entry.bytes > kMostRead || !is_small(*entry.path)) return false;
  try {
    return session_text(load_session(*entry.path)) == session_text(kept.load(at));
  } catch (const std::exception&) {
    return false;
  }
}

bool is_in_file(const Session& session, const fs::path& file) {
  try {
    return session_differences(load_session(file), session, {}).empty();
  } catch (const std::exception&) {
    return false;
  }
}

std::string time_in_words(std::chrono::system_clock::time_point time,
                          std::chrono::system_clock::time_point now) {
  const auto local = [](std::chrono::system_clock::time_point point) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(point);
    std::tm fields{};
    localtime_r(&seconds, &fields);
    return fields;
  };
  const auto same_day = [](const std::tm& a, const std::tm& b) {
    return a.tm_year == b.tm_year && a.tm_yday == b.tm_yday;
  };
  const std::tm then = local(time);
  const char* form = "%e %B %Y, %H:%M";
  if (same_day(then, local(now)))
    form = "today, %H:%M";
  else if (same_day(then, local(now - std::chrono::hours(24))))
    form = "yesterday, %H:%M";
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, form, &then);
  const std::string words(text, size);
  return words.substr(words.find_first_not_of(' '));
}

}  // namespace headlight
