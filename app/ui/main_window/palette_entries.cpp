// The entries of the command palette.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <imgui.h>

#include "app/ui/main_window/action_table.h"
#include "app/ui/main_window/palette.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/pipeline/mask_settings.h"
#include "app/ui/views/color_panel.h"
#include "app/ui/views/compare_view.h"
#include "app/ui/widgets/number_cell.h"
#include "app/ui/widgets/word_match.h"

namespace headlight {
namespace {

using Entries = std::vector<PaletteEntry>;

// One choice of a setting: sends `command` unless it is the current choice.
void add_choice(Entries& entries, const std::string& text, bool current, Command command,
                const std::string& keywords = {}) {
  entries.push_back({"setting", text, current ? "now" : "", keywords,
                     [current, command = std::move(command)](UiContext& ui, WorkbenchState&) {
                       if (!current) ui.send(command);
                     }});
}

// A choice that is not possible; running it shows the reason.
void add_refused(Entries& entries, const std::string& text, const std::string& reason) {
  entries.push_back({"setting", text, "not possible", reason, [reason](UiContext&, WorkbenchState& state) {
                       state.message = {reason, true, 0};
                     }});
}

template <class Change>
Command settings_command(const Layer& layer, Change change) {
  AttentionSettings settings = layer.attention;
  change(settings);
  return SetAttention{settings};
}

void add_shape_choices(const Layer& layer, Entries& entries) {
  const AttentionSettings& now = layer.attention;
  const bool linear = now.projection == Projection::Linear;
  add_choice(entries, "projection: none", now.projection == Projection::None, SetProjection{Projection::None},
             "queries keys values");
  add_choice(entries, "projection: linear", linear, SetProjection{Projection::Linear}, "queries keys values");
  add_choice(entries, "projection: Q, K, V given", now.projection == Projection::Given,
             SetProjection{Projection::Given}, "queries keys values directly");
  if (linear)
    for (const bool on : {true, false})
      add_choice(entries, std::string("bias: ") + (on ? "on" : "off"), now.qkv_bias == on, SetQkvBias{on},
                 "qkv_bias");
  for (const bool on : {true, false})
    add_choice(entries, std::string("output projection: ") + (on ? "on" : "off"), now.output_projection == on,
               SetOutputProjection{on}, "out_proj");
  constexpr Index kMostOffered = 64;
  for (Index count = 1; count <= std::min(layer.d_out(), kMostOffered); ++count)
    if (layer.d_out() % count != 0)
      add_refused(entries, "heads: " + std::to_string(count),
                  "d_out " + std::to_string(layer.d_out()) + " is not divisible by " + std::to_string(count));
    else
      add_choice(entries, "heads: " + std::to_string(count), count == layer.head_count(), SetNumHeads{count});
}

// The matrix is computed only when the entry runs: a long sentence has a large one.
void add_masks(const Layer& model, Entries& entries) {
  for (const auto& [words, choice] : mask_entries(model)) {
    const bool now = choice == MaskChoice(model.attention.mask);
    entries.push_back({"setting", "mask: " + words.label, now ? "now" : "", words.tooltip,
                       [now, choice = choice](UiContext& ui, WorkbenchState&) {
                         if (!now) ui.send(mask_command(ui.layer(), choice));
                       }});
  }
}

void add_score_choices(const Layer& layer, Entries& entries) {
  const AttentionSettings& now = layer.attention;
  const auto scale = [&](ScaleKind kind, const char* text, const char* keywords) {
    add_choice(entries, text, now.scale.kind == kind,
               settings_command(layer,
                                [&](AttentionSettings& a) {
                                  a.scale.kind = kind;
                                  if (kind == ScaleKind::Number) a.scale.number = layer.scale_factor();
                                }),
               keywords);
  };
  scale(ScaleKind::InverseSqrtDk, "scale: 1/√dₖ", "inverse sqrt dk");
  scale(ScaleKind::None, "scale: none", "");
  scale(ScaleKind::Number, "scale: a number of your own", "");
  add_masks(layer, entries);
  if (layer.custom_mask.size() > 0)
    add_choice(entries, "mask: custom", now.mask == MaskKind::Custom,
               settings_command(layer, [](AttentionSettings& a) { a.mask = MaskKind::Custom; }));
  const auto normalise = [&](Normalization kind, const char* text) {
    add_choice(entries, text, now.normalization == kind,
               settings_command(layer, [&](AttentionSettings& a) { a.normalization = kind; }),
               "normalize normalization");
  };
  normalise(Normalization::Softmax, "normalise: softmax");
  normalise(Normalization::NaiveSoftmax, "normalise: naive softmax");
  normalise(Normalization::Sum, "normalise: sum");
}

void add_dropout_choices(const Layer& layer, Entries& entries) {
  const Dropout& now = layer.attention.dropout;
  for (const double probability : {0.0, 0.1, 0.2, 0.5}) {
    add_choice(entries, "dropout: " + plain_number(probability), now.probability == probability,
               settings_command(layer, [&](AttentionSettings& a) { a.dropout.probability = probability; }));
  }
  if (now.probability <= 0) return;
  for (const bool training : {true, false})
    add_choice(entries, training ? "dropout: training" : "dropout: evaluation, none dropped",
               now.training == training,
               settings_command(layer, [&](AttentionSettings& a) { a.dropout.training = training; }),
               training ? "train" : "eval");
  if (now.active())
    add_choice(entries, "dropout: draw again", false,
               settings_command(
                   layer, [](AttentionSettings& a) { a.dropout.seed = a.dropout.seed.value_or(0) + 1; }),
               "seed");
}

void add_counting(const UiContext& ui, Entries& entries) {
  for (const int first : {0, 1}) {
    const std::string text = "count heads from " + std::to_string(first);
    const bool now = ui.counting().first == first;
    if (ui.lesson_counts() && !now)
      add_refused(entries, text, "The open lesson counts heads and tokens from " + ui.counting().number(0));
    else
      entries.push_back({"view", text, now ? "now" : "", "tokens positions dimensions sequences number index",
                         [first](UiContext& context, WorkbenchState&) {
                           if (!context.lesson_counts()) context.preferences.count_from = first;
                         }});
  }
}

void add_preferences(const Preferences& now, Entries& entries) {
  const auto look = [&](Look wanted, const char* text) {
    entries.push_back({"view", text, now.look == wanted ? "now" : "", "theme mode colours",
                       [wanted](UiContext& ui, WorkbenchState&) { ui.preferences.look = wanted; }});
  };
  look(Look::Dark, "look: dark");
  look(Look::Light, "look: light");
  look(Look::System, "look: as the desktop is set");
  for (const bool on : {true, false})
    entries.push_back({"view", std::string("motion: ") + (on ? "on" : "off"), now.motion == on ? "now" : "",
                       "animation animate glow movement",
                       [on](UiContext& ui, WorkbenchState&) { ui.preferences.motion = on; }});
}

// A word for each topic of actions, for the field's first column.
std::string_view place_of(std::string_view topic) {
  constexpr std::pair<std::string_view, std::string_view> kPlaces[] = {{"Session", "session"},
                                                                       {"Editing", "edit"},
                                                                       {"Finding things", "help"},
                                                                       {"Lessons", "lesson"},
                                                                       {"View", "view"}};
  for (const auto& [called, place] : kPlaces)
    if (called == topic) return place;
  return "picture";
}

void add_actions(const UiContext& ui, const WorkbenchState& state, Entries& entries) {
  for (const ActionEntry& entry : action_table()) {
    if (entry.id == "palette" || !action_possible(entry, ui)) continue;
    if (state.show_start && !works_on_start(entry)) continue;
    entries.push_back(
        {std::string(place_of(entry.topic)), std::string(entry.name), action_keys(entry),
         std::string(entry.what).append(" ").append(other_words(entry.id)),
         [run = entry.run](UiContext& context, WorkbenchState& workbench) { run(context, workbench); }});
  }
}

void add_lessons(const WorkbenchState& state, Entries& entries) {
  for (const LessonEntry& lesson : state.lesson.entries)
    entries.push_back({"lesson " + number_of(lesson), lesson.title, "",
                       "lesson " + lesson.chapter + " " + lesson.source,
                       [path = lesson.path](UiContext& context, WorkbenchState&) {
                         context.actions.push_back({Action::OpenLesson, path, Stage::Weights});
                       }});
}

void add_manual(const WorkbenchState& state, Entries& entries) {
  const ManualWindowState& manual = state.manual;
  for (std::size_t i = 0; i < manual.pages.size() && i < manual.titles.size(); ++i)
    entries.push_back({"manual", manual.titles[i], "", "manual help page " + manual.pages[i],
                       [page = manual.pages[i]](UiContext&, WorkbenchState& workbench) {
                         show_manual_page(workbench.manual, page);
                         workbench.show_manual = true;
                       }});
}

void add_recent(const WindowMemory& memory, Entries& entries) {
  for (const std::filesystem::path& file : memory.recent)
    entries.push_back({"recent", file.filename().string(), "", "open file " + file.parent_path().string(),
                       [file](UiContext& ui, WorkbenchState&) {
                         ui.actions.push_back({Action::OpenPath, file, Stage::Weights});
                       }});
}

void add_stages(const Layer& layer, Entries& entries) {
  for (const Stage stage : stages_in_use(layer)) {
    const StageInfo& info = stage_info(stage);
    entries.push_back(
        {"stage", "show " + std::string(info.name), "", "stage", [stage](UiContext& ui, WorkbenchState&) {
           ui.view.focused_stage = stage;
           if (ui.view.opened_stage) ui.view.opened_stage = stage;
         }});
    entries.push_back({"stage", "show " + std::string(info.name) + " at full size", "", "stage open",
                       [stage](UiContext& ui, WorkbenchState&) {
                         ui.view.focused_stage = stage;
                         ui.view.opened_stage = stage;
                       }});
  }
}

// Keeps the present state beside the change.
void ask_what_if(UiContext& ui, WorkbenchState& state, const WhatIf& what_if) {
  constexpr double kGoodNewsSeconds = 12;
  auto changed = std::make_shared<Layer>(ui.layer());
  what_if.change(*changed);
  set_baseline(ui);
  ui.send(ReplaceLayer{std::move(changed), what_if.question});
  ui.view.focused_stage = what_if.stage;
  ui.view.focus_view = FocusView::Compare;
  state.message = {
      what_if.told + ". “Kept” is as it was; " + action_keys(action_entry("undo")) + " goes back", false,
      ImGui::GetTime() + kGoodNewsSeconds};
}

void add_what_ifs(const WorkbenchState& state, Entries& entries) {
  for (const WhatIf& what_if : state.palette.what_ifs)
    entries.push_back(
        {"what if", what_if.question, "", what_if.words,
         [what_if](UiContext& context, WorkbenchState& state) { ask_what_if(context, state, what_if); }});
}

// What shows or changes the open session.
void add_of_session(const UiContext& ui, const WorkbenchState& state, Entries& entries) {
  add_what_ifs(state, entries);
  add_setting_entries(ui.layer(), entries);
  add_stages(ui.layer(), entries);
  add_head_entries(ui, entries);
  add_counting(ui, entries);
  for (const ColorChoice& choice : color_choices(ui))
    entries.push_back({"view", choice.text, choice.current ? "now" : "", choice.keywords,
                       [choose = choice.choose](UiContext& context, WorkbenchState&) { choose(context); }});
}

// "mask: none", "bias: off": the name of a setting asks for what it does.
bool switches_off(const PaletteEntry& entry) {
  constexpr std::array<std::string_view, 3> kOff = {": none", ": off", ": 0"};
  return std::any_of(kOff.begin(), kOff.end(),
                     [&](std::string_view end) { return entry.text.ends_with(end); });
}

// Of what is shown. Who types the name of a setting finds its choices in their own order.
std::optional<int> shown_score(const std::string& query, const PaletteEntry& entry) {
  if (entry.group == "setting")
    if (const auto score = match_score(query, entry.text.substr(0, entry.text.find(": ")))) return score;
  return match_score(query, entry.text);
}

}  // namespace

std::vector<WhatIf> possible_what_ifs(const UiContext& ui) {
  constexpr Index kMostPairs = 1 << 16;
  const bool many = ui.layer().token_count() * ui.layer().key_count() > kMostPairs;
  return ui.view.model.work || many ? std::vector<WhatIf>() : what_ifs(ui.layer());
}

void add_setting_entries(const Layer& layer, Entries& entries) {
  add_shape_choices(layer, entries);
  add_score_choices(layer, entries);
  add_dropout_choices(layer, entries);
}

Entries palette_entries(const UiContext& ui, const WorkbenchState& state) {
  Entries entries;
  add_actions(ui, state, entries);
  add_analysis_entries(ui, state, entries);
  if (!state.show_start) add_of_session(ui, state, entries);
  add_preferences(ui.preferences, entries);
  add_recent(state.memory, entries);
  add_lessons(state, entries);
  add_manual(state, entries);
  return entries;
}

std::vector<const PaletteEntry*> matching_entries(const Entries& entries, const std::string& query) {
  struct Ranked {
    int score;
    const PaletteEntry* entry;
  };
  std::vector<Ranked> ranked;
  constexpr int kHidden = 40;  // entries that match only by hidden words rank lower
  constexpr int kOff = 20;     // what switches a setting off, behind its other choices
  for (const PaletteEntry& entry : entries) {
    if (const auto score = shown_score(query, entry))
      ranked.push_back({*score - (switches_off(entry) ? kOff : 0), &entry});
    else if (const auto hidden = match_score(query, entry.text + " " + entry.group + " " + entry.keywords))
      ranked.push_back({*hidden / 2 - kHidden, &entry});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.score > b.score; });
  std::vector<const PaletteEntry*> found;
  found.reserve(ranked.size());
  for (const Ranked& one : ranked)
    found.push_back(one.entry);
  return found;
}

}  // namespace headlight
