#include "app/ui/pipeline/mask_settings.h"

#include <algorithm>

#include "app/ui/widgets/number_cell.h"

namespace headlight {
namespace {

constexpr float kNumberWidth = 40, kPositionsWidth = 84;  // planned pixels
constexpr Index kLargest = 100'000;

std::optional<Index> parse_whole(std::string_view text, Index low) {
  const std::optional<Index> value = parse_index(text);
  return value && *value >= low && *value <= kLargest ? value : std::nullopt;
}

std::string refuse_width(const std::string& text) {
  return parse_whole(text, 0) ? "" : "“" + text + "” is no width: give a whole number from 0 to 100000";
}

std::string refuse_size(const std::string& text) {
  return parse_whole(text, 1) ? "" : "“" + text + "” is no size: give a whole number from 1 to 100000";
}

std::string refuse_positions(const std::string& text, Counting counting) {
  if (parse_positions(text, counting)) return "";
  return "“" + text + "” are no positions: write them as 2, 5-6, counted from " + counting.number(0);
}

const std::optional<MaskPreset>& shown_preset(const UiContext& ui, MaskSettingsState& state) {
  if (state.shown_revision == ui.document.revision()) return state.shown;
  state.shown_revision = ui.document.revision();
  state.shown.reset();
  const Layer& layer = ui.layer();
  if (layer.attention.mask != MaskKind::Custom) return state.shown;
  const bool as_chosen = mask_of(state.chosen, layer.token_count()) == layer.custom_mask;
  state.shown = as_chosen ? state.chosen : recognize_mask(layer.custom_mask);
  if (state.shown) state.chosen = *state.shown;
  return state.shown;
}

void send_preset(UiContext& ui, MaskSettingsState& state, const MaskPreset& preset) {
  state.chosen = preset;
  ui.send(SetMask{MaskKind::Custom, mask_of(preset, ui.layer().token_count())});
}

struct NumberField {
  const char* label;
  const char* name;
  const char* tooltip;
  TextFieldState& state;
  Index& value;
  Index low;
};

// Returns whether the number was changed.
bool number_field(UiContext& ui, Flow& flow, const NumberField& field) {
  flow.group(field.label, ui.theme.px(kNumberWidth));
  const auto typed =
      text_field(ui, field.state, field.name, std::to_string(field.value), ui.theme.px(kNumberWidth),
                 field.tooltip, field.low > 0 ? refuse_size : refuse_width);
  if (!typed) return false;
  field.value = *parse_whole(*typed, field.low);
  return true;
}

bool padding_field(UiContext& ui, MaskSettingsState& state, Flow& flow, MaskPreset& preset) {
  flow.group("tokens", ui.theme.px(kPositionsWidth));
  const Counting counting = ui.counting();
  const auto typed =
      text_field(ui, state.padding, "settings.mask_padding", positions_text(preset.padding, counting),
                 ui.theme.px(kPositionsWidth),
                 "The tokens that are padding, by position: 5, 6 or 5-6. Nobody attends to them",
                 [counting](const std::string& text) { return refuse_positions(text, counting); });
  if (!typed) return false;
  preset.padding = *parse_positions(*typed, counting);
  return true;
}

void preset_fields(UiContext& ui, MaskSettingsState& state, Flow& flow, MaskPreset preset) {
  bool changed = false;
  switch (preset.kind) {
    case MaskPresetKind::Window:
      changed |= number_field(ui, flow,
                              {"left", "settings.mask_left", "How many tokens before it a token attends to",
                               state.left, preset.left, 0});
      changed |= number_field(ui, flow,
                              {"right", "settings.mask_right", "How many tokens after it a token attends to",
                               state.right, preset.right, 0});
      break;
    case MaskPresetKind::Block:
      changed = number_field(
          ui, flow,
          {"size", "settings.mask_block", "How many tokens are in one block", state.block, preset.block, 1});
      break;
    case MaskPresetKind::Prefix:
      changed = number_field(ui, flow,
                             {"length", "settings.mask_prefix", "How many tokens at the start all may see",
                              state.prefix, preset.prefix, 0});
      break;
    case MaskPresetKind::Padding:
      changed = padding_field(ui, state, flow, preset);
      break;
  }
  if (changed) send_preset(ui, state, preset);
}

// The initial preset: small numbers that make its effect visible.
MaskPreset first_preset(MaskPresetKind kind, Index token_count) {
  MaskPreset preset;
  preset.kind = kind;
  preset.prefix = 2;
  preset.padding = {token_count - 1};
  return preset;
}

Choice kind_words(MaskKind kind) {
  switch (kind) {
    case MaskKind::None:
      return {"none", "none", "Every token attends to every token"};
    case MaskKind::Causal:
      return {"causal", "causal", "A token attends to itself and to those before it"};
    case MaskKind::Custom:
      return {"custom", "painted", "A mask of your own"};
    case MaskKind::Rules:
      break;
  }
  return {"rules", "rules", "As real layers have it: causal with a cache, a window and padding, together"};
}

Choice preset_words(MaskPresetKind kind) {
  switch (kind) {
    case MaskPresetKind::Window:
      return {"window", "window", "A token attends to so many before and after it: a sliding, local window"};
    case MaskPresetKind::Block:
      return {"block", "block", "A token attends to those of its own block: chunks"};
    case MaskPresetKind::Prefix:
      return {"prefix", "prefix", "All attend to the first tokens; the rest is causal (prefix-LM)"};
    case MaskPresetKind::Padding:
      break;
  }
  return {"padding", "padding", "Nobody attends to the tokens that only fill up"};
}

Choice words_of(const MaskChoice& choice) {
  if (const auto* preset = std::get_if<MaskPresetKind>(&choice)) return preset_words(*preset);
  return kind_words(std::get<MaskKind>(choice));
}

}  // namespace

std::vector<MaskEntry> mask_entries(const Layer& layer) {
  std::vector<MaskEntry> entries;
  const auto offer = [&](const MaskChoice& choice) { entries.push_back({words_of(choice), choice}); };
  offer(MaskKind::None);
  offer(MaskKind::Causal);
  // The presets are defined for self-attention only.
  if (layer.token_count() == layer.key_count())
    for (const MaskPresetKind preset : kMaskPresetKinds)
      offer(preset);
  return entries;
}

Command mask_command(const Layer& layer, const MaskChoice& choice) {
  if (const auto* preset = std::get_if<MaskPresetKind>(&choice)) {
    const Index tokens = layer.token_count();
    return SetMask{MaskKind::Custom, mask_of(first_preset(*preset, tokens), tokens)};
  }
  const MaskKind kind = std::get<MaskKind>(choice);
  if (kind == MaskKind::Rules) {
    MaskRules wanted = layer.attention.rules;
    if (layer.attention.mask == MaskKind::Causal) wanted.causal = true;
    return SetMaskRules{std::move(wanted), layer.allowed};
  }
  AttentionSettings settings = layer.attention;
  settings.mask = kind;
  return SetAttention{settings};
}

namespace {

// What is set, without its painted numbers.
MaskChoice current_choice(const Layer& layer, const std::optional<MaskPreset>& preset) {
  if (layer.attention.mask == MaskKind::Custom && preset) return preset->kind;
  return layer.attention.mask;
}

std::vector<MaskEntry> mask_menu(const Layer& layer, const std::optional<MaskPreset>& preset) {
  std::vector<MaskEntry> menu = mask_entries(layer);
  const bool custom = layer.attention.mask == MaskKind::Custom;
  // A painted mask, or one from a session, stays available after it is switched off.
  const bool kept = !custom && layer.custom_mask.rows() == layer.token_count() &&
                    layer.custom_mask.cols() == layer.key_count();
  if ((custom && !preset) || kept) menu.push_back({kind_words(MaskKind::Custom), MaskKind::Custom});
  menu.push_back({kind_words(MaskKind::Rules), MaskKind::Rules});
  return menu;
}

std::vector<Choice> menu_choices(const std::vector<MaskEntry>& menu) {
  std::vector<Choice> choices;
  choices.reserve(menu.size() + 1);
  for (const MaskEntry& entry : menu)
    choices.push_back(entry.words);
  choices.push_back({"paint", "paint…", "Forbid and allow pairs by hand, on the large picture of “masked”"});
  return choices;
}

void begin_painting(UiContext& ui) {
  ui.view.focused_stage = Stage::Masked;
  if (ui.view.opened_stage) ui.view.opened_stage = Stage::Masked;
  ui.view.focus_view = FocusView::Heatmap;
  ui.view.picture.paints_mask = true;
}

}  // namespace

float mask_width(const UiContext& ui) {
  return combo_width(ui, menu_choices(mask_menu(ui.layer(), std::nullopt)));
}

void mask_control(UiContext& ui, MaskSettingsState& state, float width) {
  const Layer& layer = ui.layer();
  const std::optional<MaskPreset> preset = shown_preset(ui, state);
  const std::vector<MaskEntry> menu = mask_menu(layer, preset);
  const auto current = std::find_if(
      menu.begin(), menu.end(),
      [now = current_choice(layer, preset)](const MaskEntry& entry) { return entry.choice == now; });
  const auto chosen =
      choice_box(ui, "settings.mask", menu_choices(menu), static_cast<std::size_t>(current - menu.begin()),
                 width, "Which tokens may attend to which");
  if (!chosen) return;
  if (*chosen == menu.size()) return begin_painting(ui);
  const MaskChoice& choice = menu[*chosen].choice;
  if (const auto* kind = std::get_if<MaskPresetKind>(&choice))
    state.chosen = first_preset(*kind, layer.token_count());
  ui.send(mask_command(layer, choice));
}

void mask_fields(UiContext& ui, MaskSettingsState& state, Flow& flow) {
  if (const std::optional<MaskPreset>& preset = shown_preset(ui, state))
    preset_fields(ui, state, flow, *preset);
  if (ui.layer().attention.mask == MaskKind::Rules) rules_fields(ui, state.rules, flow);
}

std::string positions_text(const std::vector<Index>& positions, Counting counting) {
  std::string text;
  for (std::size_t i = 0; i < positions.size();) {
    std::size_t last = i;
    while (last + 1 < positions.size() && positions[last + 1] == positions[last] + 1)
      ++last;
    text += (text.empty() ? "" : ", ") + counting.number(positions[i]);
    if (last > i) text += "-" + counting.number(positions[last]);
    i = last + 1;
  }
  return text;
}

std::optional<std::vector<Index>> parse_positions(const std::string& text, Counting counting) {
  std::vector<Index> positions;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" ,", at)) != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(" ,", at), text.size());
    const std::string_view part = std::string_view(text).substr(at, end - at);
    const std::size_t dash = part.find('-');
    const auto first = parse_whole(part.substr(0, dash), counting.first);
    const auto last =
        dash == std::string_view::npos ? first : parse_whole(part.substr(dash + 1), counting.first);
    if (!first || !last || *last < *first) return std::nullopt;
    for (Index position = *first; position <= *last; ++position)
      positions.push_back(position - counting.first);
    at = end;
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

}  // namespace headlight
