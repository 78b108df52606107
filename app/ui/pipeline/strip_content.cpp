#include "app/ui/pipeline/strip_content.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "app/lesson_text/lesson_labels.h"

namespace headlight {
namespace {

constexpr std::array<StripPartInfo, kStripParts> kParts = {{
    {"normalization", "another way to make shares",
     "How a row of scores becomes shares: softmax, or the sum"},
    {"projection", "weight matrices",
     "W_query, W_key and W_value make queries, keys and values of the embeddings"},
    {"scale", "scale", "Scores are divided by √dₖ, so that softmax stays soft"},
    {"mask", "mask", "A causal mask: no token attends to those after it"},
    {"dropout", "dropout", "Weights are dropped at random while a model is trained"},
    {"heads", "heads", "Several heads attend side by side, each with its own columns of Q, K and V"},
    {"output", "output projection", "The joined heads are multiplied by W_out"},
    {"kv_heads", "key/value heads", "Groups of heads share their keys and values"},
    {"positions", "positions", "Attention is told where tokens stand: rotary positions or ALiBi"},
    {"softcap", "soft cap", "Large scores are bent so that none goes beyond a cap"},
}};

constexpr StageSet stage_set(std::initializer_list<Stage> stages) {
  StageSet set = 0;
  for (const Stage stage : stages)
    set |= stage_bit(stage);
  return set;
}

constexpr StageSet kProjected = stage_set({Stage::Queries, Stage::Keys, Stage::Values});

// The part whose setting makes a stage idle.
struct IdlePart {
  Stage stage;
  StripPart part;
};
constexpr IdlePart kIdleParts[] = {{Stage::Scaled, StripPart::Scale},
                                   {Stage::Masked, StripPart::Mask},
                                   {Stage::Dropped, StripPart::Dropout},
                                   {Stage::Concat, StripPart::Heads},
                                   {Stage::Output, StripPart::OutputProjection}};

StripParts parts_of(const LessonSettings& settings) {
  StripParts parts = 0;
  const auto with = [&](bool named, StripPart part) {
    if (named) parts |= part_bit(part);
  };
  with(settings.projection || settings.qkv_bias, StripPart::Projection);
  with(settings.num_heads.has_value(), StripPart::Heads);
  with(settings.output_projection.has_value(), StripPart::OutputProjection);
  with(settings.scale.has_value(), StripPart::Scale);
  with(settings.mask.has_value(), StripPart::Mask);
  with(settings.normalization.has_value(), StripPart::Normalization);
  with(settings.dropout_probability || settings.dropout_training || settings.dropout_seed,
       StripPart::Dropout);
  return parts;
}

// Whether the part can be set in this layer at all.
bool is_possible(const Layer& layer, StripPart part) {
  const Projection projection = layer.attention.projection;
  if (projection == Projection::Weights)
    return part == StripPart::Dropout ||
           (part == StripPart::OutputProjection && stage_exists(layer, Stage::Output));
  if (part == StripPart::KvHeads) return projection == Projection::Linear && layer.head_count() > 1;
  return true;
}

// The stages from which a stage is computed directly, each as often as it is used.
std::vector<StripSource> direct_sources(const Layer& layer, Stage stage) {
  const auto projected = [&](Parameter parameter) -> std::vector<StripSource> {
    if (!layer.given[static_cast<std::size_t>(parameter)].empty() || !stage_exists(layer, Stage::Embeddings))
      return {};
    if (parameter != Parameter::Query && !layer.self_attention()) return {std::nullopt};
    return {Stage::Embeddings};
  };
  const auto latest = [&](Stage turned, Stage plain) { return stage_exists(layer, turned) ? turned : plain; };
  switch (stage) {
    case Stage::Embeddings:
      return {};
    case Stage::Queries:
      return projected(Parameter::Query);
    case Stage::Keys:
      return projected(Parameter::Key);
    case Stage::Values:
      return projected(Parameter::Value);
    case Stage::RotatedQueries:
      return {Stage::Queries};
    case Stage::RotatedKeys:
      return {Stage::Keys};
    case Stage::Scores:
      return {latest(Stage::RotatedQueries, Stage::Queries), latest(Stage::RotatedKeys, Stage::Keys)};
    case Stage::Context:
      return {Stage::Dropped, Stage::Values};
    case Stage::Concat:
      return {Stage::Context};
    case Stage::Output:
      return {Stage::Concat};
    case Stage::Scaled:
    case Stage::Capped:
    case Stage::Biased:
    case Stage::Masked:
    case Stage::Weights:
    case Stage::Dropped:
      break;
  }
  if (layer.attention.projection == Projection::Weights && stage == Stage::Weights) return {};
  return {stage_before(layer, stage)};
}

void add_sources(const Layer& layer, StageSet shown, Stage stage, std::vector<StripSource>& sources) {
  for (const StripSource& source : direct_sources(layer, stage)) {
    if (!source) {
      if (shown & stage_bit(Stage::Embeddings)) sources.push_back(source);
    } else if (shown & stage_bit(*source)) {
      sources.push_back(source);
    } else {
      add_sources(layer, shown, *source, sources);
    }
  }
}

}  // namespace

const StripPartInfo& strip_part_info(StripPart part) {
  return kParts[static_cast<std::size_t>(part)];
}

bool is_idle(const Layer& layer, Stage stage) {
  const AttentionSettings& settings = layer.attention;
  switch (stage) {
    case Stage::Scaled:
      return settings.scale.kind == ScaleKind::None;
    case Stage::Masked:
      return settings.mask == MaskKind::None;
    case Stage::Dropped:
      return !settings.dropout.active();
    case Stage::Concat:
      return layer.head_count() == 1;
    case Stage::Output:
      return !settings.output_projection;
    case Stage::Embeddings:
    case Stage::Queries:
    case Stage::Keys:
    case Stage::Values:
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
    case Stage::Scores:
    case Stage::Capped:
    case Stage::Biased:
    case Stage::Weights:
    case Stage::Context:
      break;
  }
  return false;
}

StripParts parts_in_use(const Layer& layer) {
  const AttentionSettings& settings = layer.attention;
  StripParts parts = 0;
  const auto with = [&](bool used, StripPart part) {
    if (used && is_possible(layer, part)) parts |= part_bit(part);
  };
  with(settings.normalization != Normalization::Softmax, StripPart::Normalization);
  with(settings.projection != Projection::None, StripPart::Projection);
  with(settings.scale.kind != ScaleKind::None, StripPart::Scale);
  with(settings.mask != MaskKind::None, StripPart::Mask);
  with(settings.dropout.probability > 0, StripPart::Dropout);
  with(layer.head_count() > 1, StripPart::Heads);
  with(settings.output_projection, StripPart::OutputProjection);
  with(layer.kv_head_count() != layer.head_count(), StripPart::KvHeads);
  with(settings.position.kind != PositionKind::None, StripPart::Positions);
  with(settings.softcap > 0, StripPart::Softcap);
  if (settings.projection == Projection::Weights) parts |= part_bit(StripPart::Projection);
  return parts;
}

StripAsked asked_by(const Lesson& lesson) {
  StripAsked asked;
  for (const LessonStep& step : lesson.steps) {
    if (!step.unread.empty()) continue;
    asked.stages |= stage_bit(step.stage);
    asked.parts |= parts_of(step.settings);
    if (step.against) asked.parts |= parts_of(*step.against);
    if (step.question && step.question->change) asked.parts |= parts_of(step.question->change->settings);
  }
  if (lesson.steps.empty()) asked.stages |= stage_bit(lesson.stage);
  return asked;
}

std::string strip_name(const Lesson* lesson, Stage stage) {
  if (std::string own = lesson ? stage_label(lesson->language, stage) : ""; !own.empty()) return own;
  // Next to the queries and the keys "rotated" is enough.
  if (stage == Stage::RotatedQueries || stage == Stage::RotatedKeys) return "rotated";
  return std::string(stage_info(stage).name);
}

std::string StripContent::name(Stage stage) const {
  const auto own = names.find(stage);
  return own == names.end() ? strip_name(nullptr, stage) : own->second;
}

StripContent strip_content(const Layer& layer, const Lesson* lesson, const StripAsked& asked) {
  StripAsked wanted = lesson ? asked_by(*lesson) : StripAsked{};
  wanted.stages |= asked.stages;
  wanted.parts |= asked.parts | parts_in_use(layer);
  if (!lesson) wanted.parts |= part_bit(StripPart::Normalization);

  StripContent content;
  content.stages = existing_stages(layer);
  for (const StageInfo& info : stage_table())
    if (lesson && !stage_label(lesson->language, info.stage).empty())
      content.names[info.stage] = stage_label(lesson->language, info.stage);
  for (const auto& [stage, part] : kIdleParts) {
    const bool pointed = (wanted.stages & stage_bit(stage)) != 0;
    // The control of a score's step stands at its stage.
    if (pointed && is_pair(stage)) wanted.parts |= part_bit(part);
    const bool shown = pointed || (wanted.parts & part_bit(part)) != 0 || !is_idle(layer, stage);
    if (!shown) content.stages &= ~stage_bit(stage);
  }
  // Without projections queries, keys and values are the embeddings once more.
  const bool copies = layer.attention.projection == Projection::None && layer.self_attention() &&
                      layer.attention.position.kind != PositionKind::Rotary;
  if (lesson && copies && (wanted.stages & kProjected) == 0 &&
      (wanted.parts & part_bit(StripPart::Projection)) == 0)
    content.stages &= ~kProjected;
  const bool given =
      layer.attention.projection == Projection::Given || layer.attention.projection == Projection::Weights;
  if (given && (wanted.stages & stage_bit(Stage::Embeddings)) == 0)
    content.stages &= ~stage_bit(Stage::Embeddings);
  content.taught = content.stages & (lesson ? wanted.stages | stage_bit(Stage::Embeddings) : content.stages);
  for (std::size_t i = 0; i < kStripParts; ++i) {
    const auto part = static_cast<StripPart>(i);
    const bool possible = is_possible(layer, part) || (parts_in_use(layer) & part_bit(part)) != 0;
    if (!possible) continue;
    if (wanted.parts & part_bit(part))
      content.parts |= part_bit(part);
    else
      content.more.push_back(part);
  }
  return content;
}

std::vector<StripSource> shown_sources(const Layer& layer, StageSet shown, Stage stage) {
  std::vector<StripSource> sources;
  add_sources(layer, shown, stage, sources);
  return sources;
}

}  // namespace headlight
