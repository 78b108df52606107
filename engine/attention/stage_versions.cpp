#include "engine/attention/stage_versions.h"

namespace headlight {

void StageVersions::note(const Layer& layer, StageSet stages, std::optional<Index> head) {
  ++last_;
  for (const StageInfo& info : stage_table()) {
    if (!(stages & stage_bit(info.stage))) continue;
    const Index heads = stage_heads(layer, info.stage);
    auto& versions = versions_[static_cast<std::size_t>(info.stage)];
    versions.resize(static_cast<std::size_t>(layer.sequence_count() * heads), last_);
    for (Index at = 0; at < static_cast<Index>(versions.size()); ++at)
      if (!head || !info.per_head || at % heads == *head) versions[static_cast<std::size_t>(at)] = last_;
  }
}

std::uint64_t StageVersions::of(const Layer& layer, Stage stage, Index sequence, Index head) const {
  const auto& versions = versions_[static_cast<std::size_t>(stage)];
  const auto at = static_cast<std::size_t>(sequence * stage_heads(layer, stage) + head);
  return at < versions.size() ? versions[at] : 0;
}

}  // namespace headlight
