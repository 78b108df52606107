#include "app/ui/model/model_panel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/names.h"
#include "app/figure/plan/share_text.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/intervening.h"
#include "app/ui/model/prediction_lines.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/widgets.h"
#include "engine/attention/storage_choice.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr std::size_t kMostText = 20'000;
constexpr Index kMostChips = 256;
constexpr float kFieldLines = 2.6f, kFieldOfTwoLines = 1.6f, kChipRows = 3, kChangeHeight = 24;

// The side whose text the shown layer's queries are.
Side typed_side(const OpenModel& work) {
  return work.layer.side == Side::Encoder ? Side::Encoder : Side::Own;
}

// Typing changes the text at once; while the user does not type, the field shows the text of the model.
void text_lines(UiContext& ui, ModelPanelState& state, Side side) {
  static std::uint64_t gestures = std::uint64_t{1} << 40;  // distinct from the gestures of drags
  const OpenModel& work = *ui.view.model.work;
  const bool as_ids = state.as_ids || !work.network->tokenizer(), source = side == Side::Encoder;
  ModelTextState& field = source ? state.source : state.text;
  const char* const name = source ? "model.source" : "model.text";
  if (!field.typing)
    field.typed = as_ids ? ids_text(ids_of(work, side)) : source ? work.source_text : work.text;
  const float lines = work.network->encoder() ? kFieldOfTwoLines : kFieldLines;
  const float height = ImGui::GetTextLineHeight() * lines + 2 * ImGui::GetStyle().FramePadding.y;
  if (side == typed_side(work) && std::exchange(state.focus_asked, false)) ImGui::SetKeyboardFocusHere();
  const std::string typed = field.typed;
  // Enter keeps the text, as in the line of words; with Ctrl it begins a new line.
  bool changed = lines_entry(ui, name, field.typed, kMostText, {ImGui::GetContentRegionAvail().x, height},
                             ImGuiInputTextFlags_CtrlEnterForNewLine);
  if (ImGui::IsItemDeactivated() && key_pressed(Key::Escape)) {
    field.typed = typed;  // Dear ImGui brings the text before typing back: Escape only ends the typing
    changed = false;
  }
  ui.probe.mark(name, field.typed);
  const bool active = ImGui::IsItemActive();
  if (active && !field.typing) field.gesture = ++gestures;
  field.typing = active;
  if (!changed) return;
  if (side == Side::Own) ui.view.model.position.reset();  // what comes next is asked behind the new text
  ui.send(EditOpenModel{as_ids ? OpenModelEdit(SetModelIdsText{field.typed, side})
                               : OpenModelEdit(SetModelText{field.typed, side}),
                        "Text", field.gesture});
}

// A token's label in a box; the one whose predictions are shown is filled.
void chip(UiContext& ui, Index position, const std::string& label, ImVec2 at, ImVec2 size, bool chosen) {
  const std::string name = "model.token." + std::to_string(position);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos(at);
  if (click_area(name.c_str(), size)) {
    ui.view.model.position = position;
    ui.view.selection.cell.reset();
  }
  ui.probe.mark(name, chosen ? label + " (chosen)" : label);
  tooltip(ui, "Token " + ui.counting().number(position) + ": a click shows what the model expects behind it");
  const ImVec2 end = {at.x + size.x, at.y + size.y};
  list.AddRectFilled(at, end, to_imgui(chosen ? ui.theme.on : ui.theme.raised), ui.theme.px(3));
  if (ImGui::IsItemHovered()) list.AddRect(at, end, to_imgui(ui.theme.quiet_text), ui.theme.px(3));
  list.AddText(ui.theme.fonts.label, font_size(ui.theme.fonts.label),
               {at.x + ui.theme.px(5), at.y + ui.theme.px(3)}, to_imgui(ui.theme.text),
               drawn_text(label).c_str());
}

void token_chips(UiContext& ui, Index shown) {
  const OpenModel& work = *ui.view.model.work;
  const float line = font_size(ui.theme.fonts.label) + ui.theme.px(6), gap = ui.theme.px(3);
  const float pad = ui.theme.px(5),
              width = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize;
  struct Place {
    ImVec2 at, size;
    std::string label;
  };
  std::vector<Place> places;
  float x = 0, y = 0;
  const auto count = std::min<Index>(kMostChips, static_cast<Index>(work.ids.size()));
  for (Index i = 0; i < count; ++i) {
    const std::string label = visible_label(token_label(work, i));
    const float box = std::min(width, text_width(ui.theme.fonts.label, label) + 2 * pad);
    if (x > 0 && x + box > width) {
      x = 0;
      y += line + gap;
    }
    places.push_back({{x, y}, {box, line}, label});
    x += box + gap;
  }
  const float all = y + line, height = std::min(all, kChipRows * (line + gap));
  if (begin_child("##model.tokens", {0, height}, false, ImGuiWindowFlags_NoBackground)) {
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    for (std::size_t i = 0; i < places.size(); ++i)
      chip(ui, static_cast<Index>(i), places[i].label, {origin.x + places[i].at.x, origin.y + places[i].at.y},
           places[i].size, static_cast<Index>(i) == shown);
    ImGui::SetCursorScreenPos({origin.x, origin.y + all});
    ImGui::Dummy({0, 0});
  }
  ImGui::EndChild();
}

void sampling_popup(UiContext& ui) {
  ImGui::SetNextWindowSize({ui.theme.px(280), 0});
  if (!ImGui::BeginPopup("sampling")) return;
  Sampling& sampling = ui.view.model.sampling;
  auto temperature = static_cast<float>(sampling.temperature);
  quiet_text(ui, "Temperature: how far draws stray from the likeliest; 0: never");
  ImGui::SetNextItemWidth(-1);
  if (ImGui::SliderFloat("##model.temperature", &temperature, 0, 2, "%.2f"))
    sampling.temperature = static_cast<double>(std::max(0.0f, temperature));
  ui.probe.mark("model.temperature", std::to_string(temperature));
  auto top = static_cast<int>(sampling.top_k);
  quiet_text(ui, "Top k: only so many of the likeliest; 0: all");
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputInt("##model.top_k", &top)) sampling.top_k = std::max(0, top);
  ui.probe.mark("model.top_k", std::to_string(top));
  auto seed = static_cast<int>(ui.view.model.seed);
  quiet_text(ui, "Seed of the draws");
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputInt("##model.seed", &seed)) ui.view.model.seed = seed;
  ui.probe.mark("model.seed", std::to_string(seed));
  ImGui::EndPopup();
}

void continue_tools(UiContext& ui) {
  ModelView& model = ui.view.model;
  const float gap = ui.theme.px(4);
  const bool possible = model.work->network->config().causal && model.work->network->predicts();
  if (model.adding > 0) {
    const std::string label = "Stop (" + std::to_string(model.adding) + ")";
    align_right(button_width(label));
    if (tool_button(ui, "model.stop", label, "Add no more tokens")) ui.act(Action::StopContinuing);
    return;
  }
  align_right(button_width("Continue") + button_width("+10") + button_width("…") + 2 * gap);
  if (tool_button(
          ui, "model.continue", "Continue",
          "Add the next token to the text: the likeliest one, or one that is drawn. Undo takes it back",
          possible))
    ui.continue_text(1);
  ImGui::SameLine(0, gap);
  if (tool_button(ui, "model.continue10", "+10", "Add ten tokens, one after the other", possible))
    ui.continue_text(10);
  ImGui::SameLine(0, gap);
  const bool drawn = model.sampling.temperature > 0;
  const std::string now = drawn ? "it is drawn" : "it is the likeliest";
  if (tool_button(ui, "model.sampling", "…",
                  "How the next token is chosen: temperature, top k, seed. Now " + now, possible, drawn))
    ImGui::OpenPopup("sampling");
  sampling_popup(ui);
}

void change_line(UiContext& ui, const ChangeEntry& entry, std::size_t place, float width) {
  const OpenModel& work = *ui.view.model.work;
  const std::string name = "model.change." + std::to_string(place),
                    text = change_text(work, entry, ui.counting());
  bool on = entry.on;
  const bool edits = entry.kind == ChangeKind::Intervention;
  const float gap = ui.theme.px(4);
  const float remove = button_width("×"), edit = edits ? button_width("…") + gap : 0;
  ImGui::PushID(static_cast<int>(place));
  if (check_box(ui, name, elided(text, width - remove - edit - ImGui::GetFrameHeight() - ui.theme.px(16)), on,
                text + ". Switched off it stays listed, and changes nothing"))
    ui.send(EditOpenModel{SwitchChange{entry}, on ? "Switch change on" : "Switch change off"});
  if (entry.kind == ChangeKind::Adapter) return ImGui::PopID();  // it belongs to the folder
  ImGui::SameLine();
  align_right(remove + edit);
  if (edits) {
    if (tool_button(ui, name + ".edit", "…", "Change this intervention"))
      ui.view.model.intervenes = InterventionRequest{entry, std::nullopt};
    ImGui::SameLine(0, gap);
  }
  if (tool_button(ui, name + ".remove", "×", "Take this change away"))
    ui.send(EditOpenModel{RemoveChange{entry}, "Remove change"});
  ImGui::PopID();
}

void changes_list(UiContext& ui, float height) {
  const std::vector<ChangeEntry> entries = list_changes(*ui.view.model.work);
  if (begin_child("##model.changes", {0, height}, false, ImGuiWindowFlags_NoBackground)) {
    if (entries.empty()) {
      ImGui::PushTextWrapPos(0);
      quiet_text(ui,
                 "Nothing is changed. Edit a weight or a setting, switch a head off, paint the mask, "
                 "overwrite X, add an intervention, or put in "
                 "numbers of another text (Alt+6, Patches): what you change in any layer is listed here.");
      ImGui::PopTextWrapPos();
    }
    for (std::size_t i = 0; i < entries.size(); ++i)
      change_line(ui, entries[i], i, ImGui::GetContentRegionAvail().x);
  }
  ImGui::EndChild();
}

void tabs(UiContext& ui, ModelPanelState& state) {
  const std::size_t changes = list_changes(*ui.view.model.work).size();
  const std::string label = changes == 0 ? "Changes" : "Changes (" + std::to_string(changes) + ")";
  const bool masked = !ui.view.model.work->network->config().causal;
  const bool image = ui.view.model.work->image != nullptr;
  if (tool_button(ui, "model.tab.predictions",
                  image    ? "Classes"
                  : masked ? "Masked word"
                           : "Next token",
                  image ? "What the model takes the image for" : "What the model expects at the chosen token",
                  true, !state.shows_changes))
    state.shows_changes = false;
  ImGui::SameLine(0, ui.theme.px(4));
  if (tool_button(ui, "model.tab.changes", label, "What is changed in the model, each to be switched off",
                  true, state.shows_changes))
    state.shows_changes = true;
}

// Adds an intervention, in what the selected cell is a number of.
void add_button(UiContext& ui) {
  const bool possible = can_intervene(ui);
  ImGui::SameLine();
  align_right(button_width("Add…"));
  if (tool_button(ui, "model.change.add", "Add…",
                  possible
                      ? "Set numbers of the stream, queries, keys, values, weights, heads, neurons or MLPs "
                        "to zero, to a mean, to another text's or to given numbers, or move them"
                      : "Interventions are of models of one side: overwrite numbers, or switch heads off",
                  possible))
    ask_to_intervene(ui);
}

// Why passes take longer than they could: weights whose packed form does not fit the memory; "" if all fit.
std::string panels_note(const Network& network) {
  KeptShare share = kept_share(network.weights());
  if (network.encoder()) {
    const KeptShare encoder = kept_share(network.encoder()->weights());
    share.kept += encoder.kept;
    share.missing += encoder.missing;
  }
  const double needed = share.kept + share.missing;
  if (share.missing == 0 || share.all + share.missing <= share.most) return "";
  std::string note = "Computed somewhat slower: a packed copy of its weights takes " +
                     gigabytes_text(needed) + ", and a quarter of the memory is " +
                     gigabytes_text(share.most);
  if (needed <= share.most) note += ", of which those of another model take a part";
  return note;
}

// Why the field shows ids instead of text, and which parts of the model folder are not used: the first note
// in one line, all of them in the tooltip.
void notes_line(UiContext& ui) {
  const Network& network = *ui.view.model.work->network;
  std::vector<std::string> notes = network.notes();
  if (const Error* trouble = network.reads_images() ? nullptr : network.tokenizer_error())
    notes.insert(notes.begin(), "Ids in the place of a text: " + trouble->summary());
  if (std::string note = panels_note(network); !note.empty()) notes.push_back(std::move(note));
  if (notes.empty()) return;
  std::string all;
  for (const std::string& note : notes)
    all += (all.empty() ? "" : "\n") + note;
  const std::string more = notes.size() == 1 ? "" : " (and " + std::to_string(notes.size() - 1) + " more)";
  const float width = ImGui::GetContentRegionAvail().x - text_width(ui.theme.fonts.label, more);
  quiet_text(ui, elided(notes.front(), width) + more);
  tooltip(ui, all);
  ui.probe.mark("model.notes", all);
}

// The error of the last text.
void trouble_line(UiContext& ui) {
  const std::string& text = ui.view.model.trouble;
  if (text.empty()) return;
  ImGui::PushTextWrapPos(0);
  label_text(ui, text, ui.theme.error);
  ImGui::PopTextWrapPos();
  ui.probe.mark("model.trouble", text);
}

std::string tokens_text(Index count) {
  return std::to_string(count) + (count == 1 ? " token" : " tokens");
}

// The number of tokens, and of a model of two sides whose they are.
void text_title(UiContext& ui, Side side) {
  const OpenModel& work = *ui.view.model.work;
  const std::string count = tokens_text(token_count(work, side));
  ImGui::AlignTextToFramePadding();
  if (!work.network->encoder()) return quiet_text(ui, count);
  if (side == Side::Encoder) {
    quiet_text(ui, "Source · " + count);
    return tooltip(ui, "What the encoder reads; the decoder attends to what it makes of it");
  }
  const std::optional<std::int32_t>& start = work.network->decoder_start();
  const std::string behind = start ? "behind “" + visible_label(work.network->label(*start)) + "”" : "";
  const std::string text = "Decoder · " + count;
  quiet_text(ui, text);
  ui.probe.mark("model.decoder", text + (start ? ", " + behind : ""));
  tooltip(ui, "What the decoder reads, and goes on with" +
                  (start ? ": the text " + behind +
                               ", which config.json names as decoder_start_token_id. As ids, it is typed too"
                         : ""));
}

void ids_switch(UiContext& ui, ModelPanelState& state) {
  if (!ui.view.model.work->network->tokenizer()) return;
  if (tool_button(ui, "model.as_ids", "ids", "The text as the ids of its tokens, to be read and typed", true,
                  state.as_ids))
    state.as_ids = !state.as_ids;
  ImGui::SameLine();
}

// What the model reads: a text, two of them, or an image.
void input_lines(UiContext& ui, ModelPanelState& state, float height) {
  const ModelView& model = ui.view.model;
  if (model.work->image) return image_view(ui, state.image, height);
  if (state.fold.offered &&
      !fold_title(ui, state.fold, "model.fold.text", tokens_text(token_count(*model.work, Side::Own)),
                  "Fold the text: its words stand above the picture",
                  "The text as a field, its tokens, and more of it by the model"))
    return;
  if (model.work->network->encoder()) {
    text_title(ui, Side::Encoder);
    ImGui::SameLine();
    ids_switch(ui, state);
    ImGui::NewLine();
    text_lines(ui, state, Side::Encoder);
  }
  text_title(ui, Side::Own);
  ImGui::SameLine();
  if (!model.work->network->encoder()) ids_switch(ui, state);
  continue_tools(ui);
  text_lines(ui, state, Side::Own);
  token_chips(ui, model.shown_position());
}

}  // namespace

void model_panel(UiContext& ui, ModelPanelState& state, float height) {
  const ModelView& model = ui.view.model;
  const float top = ImGui::GetCursorPosY();
  if (model.progress) ui.wake_within(0.1);
  constexpr float kPredictionLines = 140;  // planned pixels that an image leaves below it
  input_lines(ui, state, height - ui.theme.px(kPredictionLines));
  notes_line(ui);
  trouble_line(ui);
  tabs(ui, state);
  if (model.progress && !model.fresh) {
    ImGui::SameLine();
    quiet_text(ui, std::to_string(static_cast<int>(100 * *model.progress)) + " %");
  }
  if (state.shows_changes) add_button(ui);
  const float room = std::max(ui.theme.px(3 * kChangeHeight), height - (ImGui::GetCursorPosY() - top));
  if (state.shows_changes)
    changes_list(ui, room);
  else
    prediction_lines(ui, room);
}

std::optional<float> model_panel_height(const UiContext& ui, const ModelPanelState& state) {
  if (!state.fold.folded() || ui.view.model.work->image) return std::nullopt;
  constexpr int kLines = 3;  // of its title, and of the choice between predictions and changes
  return kLines * (ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.y) + prediction_lines_height(ui);
}

void model_line(UiContext& ui) {
  const ModelView& model = ui.view.model;
  if (!model.fresh || model.answer->predictions.empty()) return;
  constexpr std::size_t kTold = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kTold, model.answer->predictions.size()); ++i) {
    const Prediction& one = model.answer->predictions[i];
    text += (i == 0 ? "" : "   ") + visible_label(model.work->network->label(one.id)) + " " +
            share_text(one.probability);
  }
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, elided("→ " + text, ImGui::GetContentRegionAvail().x));
  ui.probe.mark("model.line", text);
}

}  // namespace headlight
