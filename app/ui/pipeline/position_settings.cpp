#include "app/ui/pipeline/position_settings.h"

#include "app/ui/widgets/number_cell.h"

namespace headlight {
namespace {

template <class Change>
void send_position(UiContext& ui, Change change) {
  AttentionSettings settings = ui.layer().attention;
  change(settings.position);
  ui.send(SetAttention{settings});
}

void rotary_fields(UiContext& ui, PositionSettingsState& state, Flow& flow) {
  static const std::vector<Choice> kPairs = {
      {"halves", "halves", "Numbers i and i + dims/2 of a head are turned together (Llama, GPT-NeoX)"},
      {"neighbours", "neighbours", "Numbers 2i and 2i + 1 are turned together (the paper, GPT-J)"}};
  const Position& position = ui.layer().attention.position;
  const float width = combo_width(ui, kPairs);
  flow.group("pairs", width);
  if (const auto chosen =
          choice_box(ui, "settings.rope_pairs", kPairs, static_cast<std::size_t>(position.pairs), width,
                     "Which numbers of a head are a pair that is turned"))
    send_position(ui, [&](Position& p) { p.pairs = static_cast<RotaryPairs>(*chosen); });
  flow.group("theta", ui.theme.px(86));
  if (const auto typed =
          text_field(ui, state.theta, "settings.rope_theta", plain_number(position.theta), ui.theme.px(86),
                     "Pair i is turned by position × theta^(−2i/dims); most models have 10000", refuse_theta))
    send_position(ui, [&](Position& p) { p.theta = *parse_number(*typed).value; });
  flow.group("dims", ui.theme.px(44));
  if (const auto typed =
          text_field(ui, state.dims, "settings.rope_dims",
                     position.dims > 0 ? std::to_string(position.dims) : "", ui.theme.px(44),
                     "How many numbers of a head are turned, an even number; empty: all", refuse_rotated))
    send_position(ui, [&](Position& p) { p.dims = typed->empty() ? 0 : *parse_index(*typed); });
  flow.group("start", ui.theme.px(44));
  if (const auto typed =
          text_field(ui, state.start, "settings.rope_start", std::to_string(position.start), ui.theme.px(44),
                     "The position of the first query: so many tokens are in the cache", refuse_start))
    send_position(ui, [&](Position& p) { p.start = *parse_index(*typed); });
  flow.group("keys from", ui.theme.px(44));
  if (const auto typed =
          text_field(ui, state.key_start, "settings.rope_key_start", std::to_string(position.key_start),
                     ui.theme.px(44), "The position of the first key", refuse_start))
    send_position(ui, [&](Position& p) { p.key_start = *parse_index(*typed); });
}

}  // namespace

void kv_heads_group(UiContext& ui, Flow& flow) {
  const Layer& layer = ui.layer();
  if (layer.attention.projection != Projection::Linear || layer.head_count() == 1) return;
  std::vector<Choice> choices;
  std::vector<Index> counts;
  std::size_t current = 0;
  for (Index count = layer.head_count(); count >= 1; --count) {
    if (layer.head_count() % count != 0) continue;
    if (count == layer.kv_head_count()) current = counts.size();
    counts.push_back(count);
    choices.push_back({std::to_string(count), std::to_string(count),
                       count == layer.head_count() ? "Keys and values of its own for each head"
                       : count == 1                ? "One for all heads: multi-query attention"
                                                   : "Groups of heads share keys and values"});
  }
  const float width = combo_width(ui, choices);
  flow.group("key/value heads", width);
  if (const auto chosen =
          choice_box(ui, "settings.kv_heads", choices, current, width,
                     "How many heads of keys and values there are: each serves a group of heads"))
    ui.send(SetNumKvHeads{counts[*chosen]});
}

void position_group(UiContext& ui, PositionSettingsState& state, Flow& flow) {
  static const std::vector<Choice> kChoices = {
      {"none", "none", "Attention does not know where tokens stand, but for the embeddings and the mask"},
      {"rope", "rotary", "Queries and keys are turned by their positions (RoPE)"},
      {"alibi", "ALiBi", "Scores are lowered with the distance, by a slope of each head"}};
  const PositionKind now = ui.layer().attention.position.kind;
  const float width = combo_width(ui, kChoices);
  flow.group("positions", width);
  if (const auto chosen = choice_box(ui, "settings.position", kChoices, static_cast<std::size_t>(now), width,
                                     "How attention is told where tokens stand"))
    send_position(ui, [&](Position& p) { p.kind = static_cast<PositionKind>(*chosen); });
  if (now == PositionKind::Rotary) rotary_fields(ui, state, flow);
}

void softcap_group(UiContext& ui, PositionSettingsState& state, Flow& flow) {
  const double cap = ui.layer().attention.softcap;
  flow.group("soft cap", ui.theme.px(48));
  const auto typed = text_field(
      ui, state.softcap, "settings.softcap", cap > 0 ? plain_number(cap) : "", ui.theme.px(48),
      "No score goes beyond this number c or below −c: large ones are bent, to c tanh(s / c). Empty: no cap",
      refuse_softcap);
  if (!typed) return;
  AttentionSettings settings = ui.layer().attention;
  settings.softcap = typed->empty() ? 0 : *parse_number(*typed).value;
  ui.send(SetAttention{settings});
}

std::string refuse_rotated(const std::string& text) {
  if (text.empty()) return "";
  const auto count = parse_index(text);
  return count && *count > 0 && *count % 2 == 0
             ? ""
             : "“" + text + "” are no pairs: give an even number up to dₖ, or nothing for all";
}

std::string refuse_start(const std::string& text) {
  constexpr Index kFarthest = Index{1} << 30;
  const auto start = parse_index(text);
  return start && *start >= -kFarthest && *start <= kFarthest
             ? ""
             : "“" + text + "” is no position: give a whole number";
}

std::string refuse_softcap(const std::string& text) {
  if (text.empty()) return "";
  const ParsedNumber number = parse_number(text);
  if (!number.value) return number.message;
  return *number.value > 0 ? "" : text + " caps nothing: give a number above 0, or nothing for none";
}

}  // namespace headlight
