#include "app/ui/model/intervention_dialog.h"

#include <algorithm>
#include <array>
#include <utility>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/context/intervening.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr float kInterventionWidth = 520, kNameWidth = 92, kChoiceWidth = 200;  // planned pixels

struct PlaceWords {
  InterventionPlace place;
  const char *id, *label, *what;
};
constexpr std::array kPlaceChoices = {
    PlaceWords{InterventionPlace::Residual, "residual", "the residual stream",
               "As it enters the layer; behind the last one, as it leaves that"},
    PlaceWords{InterventionPlace::Queries, "queries", "queries", "Before rotary positions"},
    PlaceWords{InterventionPlace::Keys, "keys", "keys", "Before rotary positions; of heads of keys"},
    PlaceWords{InterventionPlace::Values, "values", "values", "Of heads of values"},
    PlaceWords{InterventionPlace::Weights, "weights", "attention weights",
               "A query's row behind the softmax; it is not normalised again"},
    PlaceWords{InterventionPlace::Head, "head", "head output",
               "The context of a head: what it adds to the stream is changed"},
    PlaceWords{InterventionPlace::Neuron, "neuron", "neurons", "Of the MLP, behind the non-linearity"},
    PlaceWords{InterventionPlace::Mlp, "mlp", "what the MLP adds", "To the stream, its last bias included"}};

struct HowWords {
  InterventionHow how;
  const char *id, *label, *what;
};
constexpr std::array kHowChoices = {
    HowWords{InterventionHow::Zero, "zero", "zero", "0 in the place of each number"},
    HowWords{InterventionHow::Mean, "mean", "the mean over texts",
             "The mean of the same numbers over all tokens of all texts of a file"},
    HowWords{InterventionHow::Resample, "resample", "as in another text",
             "The same numbers of the run of another text"},
    HowWords{InterventionHow::Value, "value", "given numbers", "A number, several, or an array"},
    HowWords{InterventionHow::Add, "add", "moved along a direction", "x + strength × direction"},
    HowWords{InterventionHow::ProjectOut, "project_out", "without a direction",
             "x − (x · u) u, with u = direction / |direction|"}};

// The choice of a row of a table. Returns the newly chosen one.
template <class Words, std::size_t N>
std::optional<std::size_t> words_box(UiContext& ui, const std::string& name,
                                     const std::array<Words, N>& words, std::size_t current,
                                     const std::string& tip) {
  std::vector<Choice> choices;
  choices.reserve(N);
  for (const Words& one : words)
    choices.push_back({one.id, one.label, one.what});
  return choice_box(ui, name, choices, current, ui.theme.px(kChoiceWidth), tip);
}

void field_name(const UiContext& ui, const char* text) {
  const float x = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  label_text(ui, text, ui.theme.quiet_text);
  ImGui::SameLine(x + ui.theme.px(kNameWidth), 0);
}

// The mistake, below its field.
void field_message(const UiContext& ui, const InterventionDialogState& state, const std::string& field) {
  if (state.wrong != field || state.message.empty()) return;
  dialog_message(ui, "intervention.message." + field, state.message);
}

struct TextRow {
  const char *field, *label, *hint, *tip;
};

// A line with a text; its mistake goes as soon as it is edited.
void text_row(UiContext& ui, InterventionDialogState& state, const TextRow& row, std::string& text) {
  const std::string name = std::string("intervention.") + row.field;
  const bool bad = state.wrong == row.field;
  field_name(ui, row.label);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (bad) ImGui::PushStyleColor(ImGuiCol_Border, to_imgui(ui.theme.error));
  const bool edited = text_entry(ui, name, text, kMostPath, row.hint);
  if (bad) ImGui::PopStyleColor();
  ui.probe.mark(name, text);
  tooltip(ui, row.tip);
  if (edited && bad) state.wrong.clear();
  field_message(ui, state, row.field);
}

void layer_choice(UiContext& ui, InterventionFields& fields) {
  const Index layers = ui.view.model.work->network->config().layers;
  const Index count = layers + (fields.place == InterventionPlace::Residual ? 1 : 0);
  fields.layer = std::clamp<Index>(fields.layer, 0, count - 1);
  std::vector<Choice> choices;
  for (Index layer = 0; layer < count; ++layer)
    choices.push_back({std::to_string(layer),
                       layer < layers ? names_of_layers(ui).text(LayerPlace(layer)) : "behind the last layer",
                       ""});
  const auto chosen = choice_box(ui, "intervention.layer", choices, static_cast<std::size_t>(fields.layer),
                                 ImGui::GetContentRegionAvail().x, "Which layer");
  if (chosen) fields.layer = static_cast<Index>(*chosen);
}

void place_rows(UiContext& ui, InterventionDialogState& state) {
  InterventionFields& fields = state.fields;
  const auto before = std::string(unit_word(fields.place));
  field_name(ui, "what");
  if (const auto chosen = words_box(ui, "intervention.place", kPlaceChoices,
                                    static_cast<std::size_t>(fields.place), "Which numbers are changed")) {
    fields.place = kPlaceChoices[*chosen].place;
    if (unit_word(fields.place) != before) fields.units.clear();
    state.wrong.clear();
  }
  ImGui::SameLine(0, ui.theme.px(8));
  layer_choice(ui, fields);
  field_message(ui, state, "place");
  field_message(ui, state, "layer");
  if (*unit_word(fields.place) != '\0') {
    const bool neurons = fields.place == InterventionPlace::Neuron;
    text_row(ui, state,
             {"units", neurons ? "neurons" : "heads", "all of them",
              "Numbers and ranges, as 0, 3-5; -1 is the last one. Empty: all"},
             fields.units);
  }
  text_row(ui, state,
           {"positions", "tokens", "all of them",
            "Numbers and ranges of tokens of the text, as 0, 3-5, or words of it; -1 is the last one. Empty: "
            "all"},
           fields.positions);
}

constexpr const char *kNumbersTip = "Numbers with commas between them, or the path of a .npy file",
                     *kAsItWas = "as it was";

void number_rows(UiContext& ui, InterventionDialogState& state) {
  InterventionFields& fields = state.fields;
  const Intervention* const edited = fields.edited.get();
  const bool same = edited && edited->how == fields.how;
  switch (fields.how) {
    case InterventionHow::Zero:
      return;
    case InterventionHow::Mean:
      return text_row(ui, state,
                      {"texts", "texts of", same ? kAsItWas : "a file with one text a line",
                       "The path of a file with one text a line: every token of them counts as much"},
                      fields.texts);
    case InterventionHow::Resample:
      text_row(ui, state,
               {"text", "text", same ? kAsItWas : "the text that the numbers are taken from",
                "Another text; ids where the model has no tokenizer"},
               fields.text);
      return text_row(ui, state,
                      {"from", "its tokens", "the same tokens",
                       "One for each of the tokens above: whence its numbers are taken. Empty: the same"},
                      fields.from);
    case InterventionHow::Value:
      return text_row(ui, state, {"value", "numbers", same ? kAsItWas : "0.5", kNumbersTip}, fields.value);
    case InterventionHow::Add:
    case InterventionHow::ProjectOut:
      break;
  }
  const bool has_direction = edited && edited->direction.size() > 0;
  text_row(ui, state,
           {"direction", "direction", has_direction ? kAsItWas : "the path of a .npy file, or numbers",
            kNumbersTip},
           fields.direction);
  if (fields.how == InterventionHow::Add)
    text_row(ui, state, {"strength", "strength", "1", "How many times the direction is added"},
             fields.strength);
}

void how_rows(UiContext& ui, InterventionDialogState& state) {
  field_name(ui, "becomes");
  if (const auto chosen =
          words_box(ui, "intervention.how", kHowChoices, static_cast<std::size_t>(state.fields.how),
                    "What stands in the place of the numbers")) {
    state.fields.how = kHowChoices[*chosen].how;
    state.wrong.clear();
  }
  field_message(ui, state, "how");
  number_rows(ui, state);
}

void accept_intervention(UiContext& ui, InterventionDialogState& state) {
  try {
    Intervention made = intervention_from_fields(*ui.view.model.work, state.fields, ui.counting());
    if (state.edited)
      ui.send(EditOpenModel{ReplaceIntervention{*state.edited, std::move(made)}, "Change intervention"});
    else
      ui.send(EditOpenModel{AddIntervention{std::move(made)}, "Intervention"});
    close_dialog(state.open);
  } catch (const Error& error) {
    state.wrong = error.where();
    state.message = error.summary() + (error.hint().empty() ? "" : " (" + error.hint() + ")");
  }
}

void begin_intervention(UiContext& ui, InterventionDialogState& state) {
  const auto asked = std::exchange(ui.view.model.intervenes, std::nullopt);
  if (!asked || !can_intervene(ui)) return;
  const OpenModel& work = *ui.view.model.work;
  state = {};
  state.fields.layer = work.layer.layer;
  if (asked->edited) {
    const std::vector<ChangeEntry> entries = list_changes(work);
    const bool listed = std::find(entries.begin(), entries.end(), *asked->edited) != entries.end();
    if (!listed || asked->edited->kind != ChangeKind::Intervention) return;
    const Interventions& list = (asked->edited->on ? work.on : work.off).interventions;
    state.fields = fields_of(list[static_cast<std::size_t>(asked->edited->at)], ui.counting());
    state.edited = asked->edited;
  } else if (asked->cell && address_exists(ui.layer(), *asked->cell)) {
    state.fields = fields_at(work, ui.layer(), *asked->cell, ui.counting());
  }
  state.open = true;
}

}  // namespace

void intervention_dialog(UiContext& ui, InterventionDialogState& state) {
  begin_intervention(ui, state);
  if (state.open && !can_intervene(ui)) state.open = false;  // another model may have been opened since
  const char* const title = state.edited ? "Change the intervention" : "Add an intervention";
  if (!begin_dialog(ui, "##intervention", state.open, {kInterventionWidth, 0}, title)) return;
  place_rows(ui, state);
  how_rows(ui, state);
  ImGui::Dummy({0, ui.theme.px(4)});
  const char* const confirm = state.edited ? "Change" : "Add";
  align_right(button_width("Cancel") + button_width(confirm) + ImGui::GetStyle().ItemSpacing.x);
  const bool leave =
      tool_button(ui, "intervention.cancel", "Cancel", "Escape") || dialog_answers_to(Key::Escape);
  ImGui::SameLine();
  const bool ok = primary_button(ui, "intervention.ok", confirm,
                                 "All that is computed from it follows; listed under Changes") ||
                  dialog_answers_to(Key::Enter);
  if (leave)
    close_dialog(state.open);
  else if (ok)
    accept_intervention(ui, state);
  end_dialog();
}

}  // namespace headlight
