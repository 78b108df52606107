// What the strip shows of a layer: the steps that do something, the settings of these, and what can be added.
// In a lesson that is what the lesson uses or points at, so that each lesson adds its own step.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/layer/stage.h"
#include "engine/session/lesson.h"

namespace headlight {

// A setting of the layer that can be off. In the order in which the course introduces them.
enum class StripPart : std::uint8_t {
  Normalization,
  Projection,
  Scale,
  Mask,
  Dropout,
  Heads,
  OutputProjection,
  KvHeads,
  Positions,
  Softcap,
};
inline constexpr std::size_t kStripParts = 10;
static_assert(static_cast<std::size_t>(StripPart::Softcap) + 1 == kStripParts);

// A set of parts, one bit each.
using StripParts = std::uint32_t;
constexpr StripParts part_bit(StripPart part) {
  return StripParts{1} << static_cast<unsigned>(part);
}
inline constexpr StripParts kAllParts = (StripParts{1} << kStripParts) - 1;

// id: in the names of widgets. name: in the menu of "+". what: a sentence without a full stop.
struct StripPartInfo {
  std::string_view id, name, what;
};
const StripPartInfo& strip_part_info(StripPart part);

// What is shown although it does nothing.
struct StripAsked {
  StageSet stages = 0;
  StripParts parts = 0;
};

struct StripContent {
  StageSet stages = 0;
  StripParts parts = 0;                // whose settings are shown
  StageSet kept = 0;                   // not left out where others have no room
  StageSet taught = 0;                 // of `stages`, what the lesson's steps show; without a lesson all
  std::vector<StripPart> more;         // that can be added; the first is the next one of the course
  std::map<Stage, std::string> names;  // of stages that have one in the lesson's language

  std::string name(Stage stage) const;  // below the stage's picture
  bool shows(Stage stage) const { return (stages & stage_bit(stage)) != 0; }
  bool shows(StripPart part) const { return (parts & part_bit(part)) != 0; }
};

// Whether the stage does not change its input in this layer: no mask, no dropout, one head to join, ...
bool is_idle(const Layer& layer, Stage stage);

// The parts that have an effect in this layer. Normalization: if it is not softmax.
StripParts parts_in_use(const Layer& layer);

// The parts and stages that the lesson's steps point at, change or compare with.
StripAsked asked_by(const Lesson& lesson);

// The name of a stage in the strip: the lesson's own if it has one.
std::string strip_name(const Lesson* lesson, Stage stage);

// lesson: null without one.
StripContent strip_content(const Layer& layer, const Lesson* lesson, const StripAsked& asked);

// An input of a stage: another stage, or the other sequence's embeddings (no stage).
using StripSource = std::optional<Stage>;

// The shown stages from which a shown stage is computed, through the hidden ones between them; a source that
// is used twice, as the embeddings of scores without projections, is listed twice. Embeddings of the other
// sequence count as shown while the embeddings are.
std::vector<StripSource> shown_sources(const Layer& layer, StageSet shown, Stage stage);

}  // namespace headlight
