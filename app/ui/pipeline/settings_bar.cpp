#include "app/ui/pipeline/settings_bar.h"

#include <charconv>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/ui/widgets/flow_layout.h"
#include "app/ui/widgets/number_cell.h"

namespace headlight {
namespace {

// Sends a changed copy of the settings.
template <class Change>
void send_settings(UiContext& ui, Change change) {
  AttentionSettings settings = ui.layer().attention;
  change(settings);
  ui.send(SetAttention{settings});
}

void bias_group(UiContext& ui, Flow& flow) {
  if (ui.layer().attention.projection != Projection::Linear) return;
  flow.group("", ImGui::GetFrameHeight() + ui.theme.px(8) + text_width(ui.theme.fonts.text, "bias"));
  bool bias = ui.layer().attention.qkv_bias;
  if (check_box(ui, "settings.qkv_bias", "bias", bias, "Queries, keys and values get a bias (qkv_bias)"))
    ui.send(SetQkvBias{bias});
}

void projection_group(UiContext& ui, Flow& flow) {
  static const std::vector<Choice> kChoices = {
      {"none", "none", "Queries, keys and values are the embeddings themselves"},
      {"linear", "linear", "Queries, keys and values are the embeddings times W_query, W_key and W_value"},
      {"given", "Q, K, V given",
       "Queries, keys and values stand for themselves: as they are now, and free to edit"}};
  const Projection now = ui.layer().attention.projection;
  std::vector<Choice> choices = kChoices;
  if (now == Projection::Weights)
    choices.push_back({"weights", "weights given", "The weights of attention, as they were saved"});
  const float width = combo_width(ui, choices);
  flow.group("projection", width);
  if (const auto chosen = choice_box(ui, "settings.projection", choices, static_cast<std::size_t>(now), width,
                                     "How queries, keys and values come from the embeddings"))
    ui.send(SetProjection{static_cast<Projection>(*chosen)});
  bias_group(ui, flow);
}

void output_group(UiContext& ui, Flow& flow) {
  flow.group("",
             ImGui::GetFrameHeight() + ui.theme.px(8) + text_width(ui.theme.fonts.text, "output projection"));
  bool output = ui.layer().attention.output_projection;
  if (check_box(ui, "settings.output_projection", "output projection", output,
                "The joined heads are multiplied by W_out, and b_out is added (out_proj)"))
    ui.send(SetOutputProjection{output});
}

void heads_group(UiContext& ui, Flow& flow) {
  if (ui.layer().attention.projection == Projection::Weights) return;
  const Index shared = ui.layer().head_count() * ui.layer().d_k();  // d_out, which the heads divide
  std::vector<Choice> choices;
  std::vector<Index> counts;
  std::size_t current = 0;
  for (Index count = 1; count <= shared; ++count) {
    if (shared % count != 0) continue;
    if (count == ui.layer().head_count()) current = counts.size();
    counts.push_back(count);
    choices.push_back({std::to_string(count), std::to_string(count), ""});
  }
  const float width = combo_width(ui, choices);
  flow.group("heads", width);
  if (const auto chosen =
          choice_box(ui, "settings.heads", choices, current, width,
                     "Number of heads: the divisors of d_out. Each head has d_out / heads dimensions"))
    ui.send(SetNumHeads{counts[*chosen]});
}

const std::vector<Choice>& scale_choices() {
  static const std::vector<Choice> kChoices = {
      {"inverse_sqrt_dk", "1/√dₖ", "Scores are divided by the square root of the head's dimension"},
      {"none", "none", "Scores go on as they are"},
      {"number", "number", "Scores are multiplied by a number of your own"}};
  return kChoices;
}

void scale_number(UiContext& ui, SettingsBarState& state, Flow& flow) {
  const Scale scale = ui.layer().attention.scale;
  if (scale.kind != ScaleKind::Number) return;
  flow.group("scale by", ui.theme.px(72));
  const auto typed = text_field(ui, state.scale, "settings.scale_number",
                                exact_number_text(static_cast<float>(scale.number)), ui.theme.px(72),
                                "The factor, any finite number", refuse_scale);
  if (typed) send_settings(ui, [&](AttentionSettings& a) { a.scale.number = *parse_number(*typed).value; });
}

const std::vector<Choice>& normalization_choices() {
  static const std::vector<Choice> kChoices = {
      {"softmax", "softmax",
       "Shares of 1 by e^score: e^(s − the row's largest) ÷ the sum of its row. Never overflows"},
      {"naive_softmax", "naive softmax",
       "The same written plainly, e^s ÷ the sum of its row: a score above 88 is too large for it (NaN)"},
      {"sum", "sum", "Each score ÷ the sum of its row: what one tries before softmax"}};
  return kChoices;
}

std::optional<std::int64_t> parsed_seed(const std::string& text) {
  std::int64_t seed = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return seed;
}

// The PyTorch build whose zeros the seed reproduces. Shown next to a seed, because only zeros with a seed can
// be compared with a notebook.
void dropout_build_group(UiContext& ui, Flow& flow) {
  const Dropout& dropout = ui.layer().attention.dropout;
  const bool mkl = dropout.build == DropoutBuild::Mkl;
  if (!mkl && !dropout.seed) return;
  flow.group("", button_width("MKL"));
  if (tool_button(
          ui, "settings.dropout_build", "MKL",
          "On: the zeros of PyTorch's wheels on Intel, which draw dropout with MKL (versions until 2024). "
          "Off: those of newer wheels, and of builds without MKL. Try it where a notebook prints other "
          "zeros for the same seed",
          true, mkl))
    send_settings(
        ui, [&](AttentionSettings& a) { a.dropout.build = mkl ? DropoutBuild::Default : DropoutBuild::Mkl; });
}

void training_group(UiContext& ui, Flow& flow) {
  flow.group("", ImGui::GetFrameHeight() + ui.theme.px(8) + text_width(ui.theme.fonts.text, "training"));
  bool training = ui.layer().attention.dropout.training;
  if (check_box(
          ui, "settings.training", "training", training,
          "On: weights are dropped, as in model.train(). Off: dropout does nothing, as in model.eval()"))
    send_settings(ui, [&](AttentionSettings& a) { a.dropout.training = training; });
}

void seed_group(UiContext& ui, SettingsBarState& state, Flow& flow) {
  const Dropout& dropout = ui.layer().attention.dropout;
  flow.group("seed", ui.theme.px(60));
  const auto seed = text_field(
      ui, state.seed, "settings.seed", dropout.seed ? std::to_string(*dropout.seed) : "", ui.theme.px(60),
      "Seed set just before the dropout is drawn (torch.manual_seed). Empty: the random stream goes "
      "on where the weights left it",
      refuse_seed);
  if (seed) send_settings(ui, [&](AttentionSettings& a) { a.dropout.seed = parsed_seed(*seed); });
}

// The dropout settings other than the probability.
void dropout_fields(UiContext& ui, SettingsBarState& state, Flow& flow) {
  const Dropout dropout = ui.layer().attention.dropout;
  if (dropout.probability <= 0) return;
  training_group(ui, flow);
  seed_group(ui, state, flow);
  dropout_build_group(ui, flow);
  flow.group("", text_width(ui.theme.fonts.text, "Draw again") + 2 * ImGui::GetStyle().FramePadding.x);
  if (tool_button(ui, "settings.draw_again", "Draw again", "Draw the dropout anew with the next seed",
                  dropout.active()))
    send_settings(ui, [&](AttentionSettings& a) { a.dropout.seed = a.dropout.seed.value_or(0) + 1; });
}

// Which settings a bar shows.
struct Shown {
  bool all = true;
  StripParts parts = kAllParts;
  bool part(StripPart part) const { return (parts & part_bit(part)) != 0; }
};

void scale_group(UiContext& ui, Flow& flow) {
  const float width = combo_width(ui, scale_choices());
  flow.group("scale", width);
  scale_control(ui, width);
}

void mask_group(UiContext& ui, SettingsBarState& state, Flow& flow) {
  const float width = mask_width(ui);
  flow.group("mask", width);
  mask_control(ui, state.mask, width);
}

void dropout_group(UiContext& ui, SettingsBarState& state, Flow& flow) {
  flow.group("dropout", ui.theme.px(52));
  dropout_control(ui, state, ui.theme.px(52));
}

void scale_part(UiContext& ui, SettingsBarState& state, const Shown& shown, Flow& flow) {
  if (shown.all && shown.part(StripPart::Scale)) scale_group(ui, flow);
  scale_number(ui, state, flow);
  if (shown.part(StripPart::Softcap)) softcap_group(ui, state.position, flow);
}

void mask_part(UiContext& ui, SettingsBarState& state, const Shown& shown, Flow& flow) {
  if (shown.all && shown.part(StripPart::Mask)) mask_group(ui, state, flow);
  mask_fields(ui, state.mask, flow);
  if (shown.all && shown.part(StripPart::Normalization)) {
    const float width = combo_width(ui, normalization_choices());
    flow.group("normalise", width);
    normalization_control(ui, width);
  }
}

void settings_part(UiContext& ui, SettingsBarState& state, SettingsPart part, const Shown& shown,
                   Flow& flow) {
  // Given weights have no earlier stages.
  const bool given = ui.layer().attention.projection == Projection::Weights;
  switch (part) {
    case SettingsPart::Projection:
      if (shown.part(StripPart::Projection)) projection_group(ui, flow);
      if (shown.part(StripPart::Heads)) heads_group(ui, flow);
      if (shown.part(StripPart::KvHeads) && !given) kv_heads_group(ui, flow);
      return;
    case SettingsPart::Position:
      if (shown.part(StripPart::Positions) && !given) position_group(ui, state.position, flow);
      return;
    case SettingsPart::Scale:
      if (!given) scale_part(ui, state, shown, flow);
      return;
    case SettingsPart::Mask:
      if (!given) mask_part(ui, state, shown, flow);
      return;
    case SettingsPart::Dropout:
      if (!shown.part(StripPart::Dropout)) return;
      if (shown.all) dropout_group(ui, state, flow);
      return dropout_fields(ui, state, flow);
    case SettingsPart::Output:
      if (shown.part(StripPart::OutputProjection)) output_group(ui, flow);
      return;
  }
}

}  // namespace

std::string refuse_probability(const std::string& text) {
  const ParsedNumber number = parse_number(text);
  if (!number.value) return number.message;
  return *number.value >= 0 && *number.value <= 1 ? ""
                                                  : text + " is no probability: give a number from 0 to 1";
}

std::string refuse_seed(const std::string& text) {
  if (text.empty() || parsed_seed(text)) return "";
  return "“" + text + "” is no seed: give a whole number such as 123, or nothing";
}

std::string refuse_scale(const std::string& text) {
  return parse_number(text).message;
}

void scale_control(UiContext& ui, float width) {
  const auto now = static_cast<std::size_t>(ui.layer().attention.scale.kind);
  if (const auto chosen =
          choice_box(ui, "settings.scale", scale_choices(), now, width,
                     "What raw scores are multiplied by before the mask and the normalisation"))
    send_settings(ui, [&](AttentionSettings& a) {
      a.scale.kind = static_cast<ScaleKind>(*chosen);
      if (a.scale.kind == ScaleKind::Number) a.scale.number = ui.layer().scale_factor();
    });
}

void normalization_control(UiContext& ui, float width) {
  const auto current = static_cast<std::size_t>(ui.layer().attention.normalization);
  if (const auto chosen = choice_box(ui, "settings.normalization", normalization_choices(), current, width,
                                     "How a row of masked scores becomes a row of weights"))
    send_settings(ui, [&](AttentionSettings& a) { a.normalization = static_cast<Normalization>(*chosen); });
}

void dropout_control(UiContext& ui, SettingsBarState& state, float width) {
  const Dropout dropout = ui.layer().attention.dropout;
  const auto probability = text_field(
      ui, state.probability, "settings.dropout", exact_number_text(static_cast<float>(dropout.probability)),
      width, "Dropout: the probability p that a weight is set to 0. The others are multiplied by 1/(1−p)",
      refuse_probability);
  if (!probability) return;
  // As a double: p = 0.1 must be a notebook's 0.1, not its float32 value.
  send_settings(ui,
                [&](AttentionSettings& a) { a.dropout.probability = parse_number(*probability).as_double; });
}

std::optional<SettingsPlaces> placed_parts(const SettingsPlaces& widths, const SettingsPlaces& at, float gap,
                                           float width) {
  SettingsPlaces places{};
  float end = 0;
  for (std::size_t i = 0; i < kSettingsParts; ++i) {
    places[i] = std::max(end, at[i] - widths[i] / 2);
    if (widths[i] > 0) end = places[i] + widths[i] + gap;
  }
  float most = width;
  for (std::size_t i = kSettingsParts; i-- > 0;) {
    places[i] = std::floor(std::min(places[i], most - widths[i]));
    if (widths[i] > 0) most = places[i] - gap;
  }
  if (most < -gap) return std::nullopt;
  return places;
}

void settings_bar(UiContext& ui, SettingsBarState& state, SettingsShown shown, const SettingsPlaces* at,
                  StripParts parts) {
  const float width = ImGui::GetContentRegionAvail().x;
  Flow flow(ui, width);
  const auto places =
      at ? placed_parts(state.widths, *at, ui.theme.px(14), width) : std::optional<SettingsPlaces>();
  const SettingsPlaces before = state.widths;
  bool any = false;
  for (std::size_t i = 0; i < kSettingsParts; ++i) {
    if (places) flow.go_to((*places)[i]);
    const float begin = flow.begin();
    settings_part(ui, state, static_cast<SettingsPart>(i), {shown == SettingsShown::All, parts}, flow);
    // A part that wraps to the next line counts as the full width of the bar.
    state.widths[i] = flow.begin() == begin ? 0 : flow.end() > begin ? flow.end() - begin : width;
    any |= flow.begin() != begin;
  }
  const float height = std::exchange(state.height_px, any ? flow.height() : 0);
  if (height != state.height_px || (at && state.widths != before)) ui.wake_within(0);
}

void named_settings(UiContext& ui, SettingsBarState& state) {
  const OfferedControls& offered = ui.view.offered;
  Flow flow(ui, ImGui::GetContentRegionAvail().x);
  if (offered.names("settings.qkv_bias")) bias_group(ui, flow);
  if (offered.names("settings.heads")) heads_group(ui, flow);
  if (offered.names("settings.scale")) {
    scale_group(ui, flow);
    scale_number(ui, state, flow);
  }
  if (offered.names("settings.mask")) {
    mask_group(ui, state, flow);
    mask_fields(ui, state.mask, flow);
  }
  if (offered.names("settings.dropout")) dropout_group(ui, state, flow);
  if (offered.names("settings.training")) training_group(ui, flow);
  if (offered.names("settings.seed")) seed_group(ui, state, flow);
  const float height = std::exchange(state.height_px, flow.begin() > 0 ? flow.height() : 0);
  if (height != state.height_px) ui.wake_within(0);
}

}  // namespace headlight
