#include "app/report/report_entries.h"

#include "app/export/about.h"
#include "engine/analysis/changes_table.h"
#include "engine/core/number_text.h"

namespace headlight {

namespace {

// of: "" if there is nothing to say.
std::string with_changes(const OpenModel& work, const std::string& of) {
  std::string words = work.network->name() + (of.empty() ? "" : " · " + of);
  const std::vector<std::string> changes = changes_in_words(work);
  if (changes.empty()) return words;
  words += " · " + std::to_string(changes.size()) + (changes.size() == 1 ? " change" : " changes");
  for (std::size_t i = 0; i < changes.size(); ++i)
    words += (i == 0 ? ": " : ", ") + changes[i];
  return words;
}

}  // namespace

std::string model_in_words(const OpenModel& work) {
  return with_changes(work, work.image ? "" : std::string(trimmed(asked_text(*work.network, work.ids))));
}

std::string answer_caption(const OpenModel& work, const Analysis& analysis,
                           const std::vector<std::string>& notes) {
  std::string caption = asked_of_several(analysis).empty() ? model_in_words(work)
                                                           : with_changes(work, asked_of_several(analysis));
  for (const std::string& note : notes)
    caption += " · " + note;
  return caption;
}

ReportEntry changes_entry(const OpenModel& work, std::optional<std::int32_t> target) {
  constexpr Index kMostRows = 200;
  const ResultTable table = changes_table(work, target);
  ReportEntry entry;
  entry.title = "Changes, each alone and all together";
  entry.name = "changes";
  entry.caption = model_in_words(work);
  About about;
  about.model = asked_file(*work.network);
  about.analysis = "changes";
  if (!work.image) about.texts = {asked_text(*work.network, work.ids)};
  about.ids = {work.ids};
  about.target = target;
  about.metric = "logit";
  about.changes = changes_in_words(work);
  entry.about = about_text(about);
  entry.table = markdown_table(table, kMostRows);
  return entry;
}

}  // namespace headlight
