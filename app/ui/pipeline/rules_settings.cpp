#include "app/ui/pipeline/rules_settings.h"

#include "app/ui/widgets/number_cell.h"

namespace headlight {
namespace {

std::optional<std::vector<Index>> parse_counts(const std::string& text) {
  std::vector<Index> counts;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" ,", at)) != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(" ,", at), text.size());
    const auto count = parse_index(std::string_view(text).substr(at, end - at));
    if (!count) return std::nullopt;
    counts.push_back(*count);
    at = end;
  }
  return counts;
}

std::string counts_text(const std::vector<Index>& counts) {
  std::string text;
  for (const Index count : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count);
  return text;
}

template <class Change>
void send_rules(UiContext& ui, Change change) {
  MaskRules rules = ui.layer().attention.rules;
  change(rules);
  ui.send(SetMaskRules{std::move(rules), ui.layer().allowed});
}

// One side of the window; an empty field means no limit.
void reach_field(UiContext& ui, Flow& flow, TextFieldState& state, const char* label, const char* tip,
                 std::optional<Index> MaskRules::*side) {
  flow.group(label, ui.theme.px(44));
  const std::optional<Index>& now = ui.layer().attention.rules.*side;
  const auto typed = text_field(ui, state, std::string("settings.rules_") + label,
                                now ? std::to_string(*now) : "", ui.theme.px(44), tip, refuse_reach);
  if (typed) send_rules(ui, [&](MaskRules& rules) { rules.*side = parse_index(*typed); });
}

void counts_field(UiContext& ui, Flow& flow, TextFieldState& state, const char* label, const char* tip,
                  std::vector<Index> MaskRules::*list) {
  flow.group(label, ui.theme.px(64));
  const auto typed =
      text_field(ui, state, std::string("settings.rules_") + label,
                 counts_text(ui.layer().attention.rules.*list), ui.theme.px(64), tip, refuse_counts);
  if (typed) send_rules(ui, [&](MaskRules& rules) { rules.*list = *parse_counts(*typed); });
}

}  // namespace

void rules_fields(UiContext& ui, RulesSettingsState& state, Flow& flow) {
  flow.group("", ImGui::GetFrameHeight() + ui.theme.px(8) + text_width(ui.theme.fonts.text, "causal"));
  bool causal = ui.layer().attention.rules.causal;
  if (check_box(ui, "settings.rules_causal", "causal", causal, "No key behind the query's position"))
    send_rules(ui, [&](MaskRules& rules) { rules.causal = causal; });
  reach_field(ui, flow, state.left, "left", "So many keys before the query's position; empty: all of them",
              &MaskRules::left);
  reach_field(ui, flow, state.right, "right", "So many keys behind it; empty: all of them",
              &MaskRules::right);
  counts_field(ui, flow, state.offset, "offset",
               "How many keys stand before the first query, as those of a cache: one number, or one for each "
               "sequence",
               &MaskRules::offsets);
  counts_field(ui, flow, state.keys, "keys",
               "How many keys each sequence has, the rest is padding; empty: all", &MaskRules::keys);
}

std::string refuse_reach(const std::string& text) {
  if (text.empty()) return "";
  const auto reach = parse_index(text);
  return reach && *reach >= 0 ? ""
                              : "“" + text + "” is no width: give a whole number from 0, or nothing for open";
}

std::string refuse_counts(const std::string& text) {
  return parse_counts(text) ? ""
                            : "“" + text + "” are no numbers: give one, or one for each sequence: 5, 2, 0";
}

}  // namespace headlight
