#include "app/report/report_entries.h"

#include "app/export/about.h"
#include "engine/analysis/changes_table.h"
#include "engine/core/number_text.h"

namespace headlight {

std::string model_in_words(const OpenModel& work) {
  const Network& network = *work.network;
  std::string words = network.name();
  if (!work.image) words += " · " + std::string(trimmed(asked_text(network, work.ids)));
  const std::vector<std::string> changes = changes_in_words(work);
  if (changes.empty()) return words;
  words += " · " + std::to_string(changes.size()) + (changes.size() == 1 ? " change" : " changes");
  for (std::size_t i = 0; i < changes.size(); ++i)
    words += (i == 0 ? ": " : ", ") + changes[i];
  return words;
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
