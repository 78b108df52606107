#include "app/ui/model/train_dialog.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/number_cell.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/widgets.h"
#include "engine/attention/storage_choice.h"
#include "engine/core/error.h"
#include "engine/network/known_families.h"
#include "engine/training/saved_model.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr float kDialogWidth = 560, kLabelWidth = 104, kFieldWidth = 72;  // planned pixels
constexpr std::size_t kMostTexts = 8;
constexpr Index kMostSide = 1 << 20;

Index whole_field(const std::string& text, const std::string& name, Index least, Index most) {
  const std::optional<Index> number = parse_index(text);
  if (number && *number >= least && *number <= most) return *number;
  throw Error(
      "\"" + text + "\" is no whole number from " + std::to_string(least) + " to " + std::to_string(most),
      name, "type another one");
}

double number_field(const std::string& text, const std::string& name, double most) {
  const ParsedNumber typed = parse_number(text);
  if (typed.value && typed.as_double >= 0 && typed.as_double <= most) return typed.as_double;
  throw Error("\"" + text + "\" is no number from 0 to " + plain_number(most), name, "type another one");
}

UntrainedShape shape_of(const TrainDialogState& state) {
  UntrainedShape shape;
  shape.layers = whole_field(state.layers, "layers", 1, 1024);
  shape.heads = whole_field(state.heads, "heads", 1, kMostSide);
  shape.width = whole_field(state.width, "width", 1, kMostSide);
  shape.positions = whole_field(state.positions, "positions", 1, kMostSide);
  shape.vocabulary = static_cast<std::int32_t>(whole_field(state.vocabulary, "vocabulary", 3, kMostSide));
  return shape;
}

ModelTrainingSettings settings_of(const TrainDialogState& state) {
  constexpr double kMostNumber = 1e6;
  constexpr Index kMostSteps = 1'000'000'000;
  ModelTrainingSettings settings;
  settings.batch = whole_field(state.batch, "batch", 1, kMostSide);
  settings.length = whole_field(state.length, "length", 1, kMostSide);
  settings.rate = {number_field(state.rate, "rate", kMostNumber),
                   state.cosine ? RateSchedule::Cosine : RateSchedule::Constant,
                   whole_field(state.warmup, "warmup", 0, kMostSteps),
                   whole_field(state.steps, "steps", 1, kMostSteps)};
  settings.optimizer = OptimizerKind::AdamW;
  settings.decay = number_field(state.decay, "decay", kMostNumber);
  settings.clip = number_field(state.clip, "clip", kMostNumber);
  settings.seed = static_cast<std::int64_t>(whole_field(state.seed, "seed", 0, Index{1} << 40));
  return settings;
}

bool trains_open_model(const UiContext& ui, const TrainDialogState& state) {
  return ui.view.model.work && !state.makes_new;
}

std::string title_as_name(const UiContext& ui) {
  const std::string& title = ui.document.session().title;
  return title.empty() || title.find('/') != std::string::npos ? "model" : title;
}

// Where a training is saved that nobody has named a folder for.
std::string proposed_folder(const UiContext& ui, bool makes_new) {
  const bool open = ui.view.model.work && !makes_new;
  const std::string stem = open ? title_as_name(ui) + "-trained" : "my-model";
  for (int i = 1;; ++i) {
    const fs::path folder = home_folder() / (i == 1 ? stem : stem + "-" + std::to_string(i));
    std::error_code ignored;
    if (!fs::exists(folder, ignored)) return folder.string();
  }
}

void row_label(const UiContext& ui, const char* text) {
  const float x = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  label_text(ui, text, ui.theme.quiet_text);
  ImGui::SameLine(x + ui.theme.px(kLabelWidth), 0);
}

void number_entry(const UiContext& ui, const char* id, std::string& text, const char* tip) {
  ImGui::SetNextItemWidth(ui.theme.px(kFieldWidth));
  const std::string name = std::string("train.") + id;
  text_entry(ui, name, text, kMostNumber, "", ImGuiInputTextFlags_AutoSelectAll);
  ui.probe.mark(name, text);
  tooltip(ui, tip);
}

// Two numbers in a row, each below its name.
void numbers_row(const UiContext& ui, const char* label, std::string& first, const char* id, const char* tip,
                 const char* other_label, std::string& second, const char* other_id, const char* other_tip) {
  row_label(ui, label);
  number_entry(ui, id, first, tip);
  ImGui::SameLine(ui.theme.px(kLabelWidth + kFieldWidth + 48), 0);
  row_label(ui, other_label);
  number_entry(ui, other_id, second, other_tip);
}

void model_rows(UiContext& ui, TrainDialogState& state) {
  const auto& work = ui.view.model.work;
  row_label(ui, "model");
  const std::string open = work ? elided(ui.document.session().title, ui.theme.px(200)) : "the open one";
  const bool was_new = state.makes_new;
  if (tool_button(ui, "train.model.open", open,
                  work ? "The open model, from the weights that it has: without changes"
                       : "No model is open: open a model's folder first, or make a new one",
                  work != nullptr, trains_open_model(ui, state)))
    state.makes_new = false;
  ImGui::SameLine(0, ui.theme.px(4));
  if (tool_button(ui, "train.model.new", "a new one",
                  "A small GPT-2 with random weights, whose tokens are learnt from the text", true,
                  !trains_open_model(ui, state)))
    state.makes_new = true;
  if (was_new != state.makes_new) state.output = proposed_folder(ui, state.makes_new);
  if (trains_open_model(ui, state)) return;
  numbers_row(ui, "layers", state.layers, "layers", "How many layers", "heads", state.heads, "heads",
              "How many heads each layer has");
  numbers_row(ui, "width", state.width, "width", "The width of the stream: a multiple of the heads",
              "positions", state.positions, "positions", "The most tokens of a text");
  row_label(ui, "vocabulary");
  number_entry(ui, "vocabulary", state.vocabulary, "The most tokens it knows");
  ImGui::SameLine(0, ui.theme.px(16));
  check_box(ui, "train.words", "whole words", state.whole_words,
            "Tokens are whole words, not pieces of words: words that the text lacks become <unk>");
}

void text_rows(UiContext& ui, TrainDialogState& state) {
  TrainingView& training = ui.view.model.training;
  if (const auto chosen = std::exchange(training.chosen_text, std::nullopt)) {
    if (!state.texts.back().empty() && state.texts.size() < kMostTexts) state.texts.emplace_back();
    state.texts.back() = chosen->string();
    state.message.clear();
  }
  const float choose = button_width("Choose…") + ImGui::GetStyle().ItemSpacing.x;
  for (std::size_t i = 0; i < state.texts.size(); ++i) {
    row_label(ui, i == 0 ? "text" : "and");
    const bool last = i + 1 == state.texts.size();
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - choose);
    const std::string name = "train.text." + std::to_string(i);
    if (i == 0) state.focus.before_item();
    text_entry(ui, name, state.texts[i], kMostPath, "a file of plain text (UTF-8)");
    if (i == 0) state.focus.after_item();
    ui.probe.mark(name, state.texts[i]);
    tooltip(ui, "The path of a file; its text is cut into windows, at random places");
    if (!last) continue;
    ImGui::SameLine();
    if (tool_button(ui, "train.text.choose", "Choose…", "Choose a file; another one is added behind it"))
      ui.act(Action::ChooseTrainingText);
  }
}

void output_row(const UiContext& ui, TrainDialogState& state) {
  row_label(ui, "save in");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  text_entry(ui, "train.output", state.output, kMostPath, "a new folder");
  ui.probe.mark("train.output", state.output);
  tooltip(ui, "The folder for the checkpoints and the trained model");
}

void settings_rows(UiContext& ui, TrainDialogState& state) {
  numbers_row(ui, "steps", state.steps, "steps", "How often the weights are moved", "rate", state.rate,
              "rate", "The largest learning rate: how far a step goes (AdamW)");
  numbers_row(ui, "batch", state.batch, "batch", "How many windows of text each step reads", "tokens each",
              state.length, "length", "How many tokens a window has");
  numbers_row(ui, "checkpoints", state.checkpoints, "checkpoints",
              "How many, evenly spread, beside the one before the first step", "held out %", state.held_out,
              "held_out", "The share of the text, at its end, that is not trained on but measures the loss");
  if (tool_button(ui, "train.more", state.more ? "Fewer settings" : "More settings",
                  "Warmup, schedule, clipping, decay and seed"))
    state.more = !state.more;
  if (!state.more) return;
  numbers_row(ui, "warmup", state.warmup, "warmup", "Steps in which the rate grows from 0", "clip",
              state.clip, "clip", "The largest norm of all gradients together; 0: no limit");
  numbers_row(ui, "decay", state.decay, "decay", "How much each weight shrinks in a step, times the rate",
              "seed", state.seed, "seed", "Of the places where windows begin, and of new weights");
  check_box(ui, "train.cosine", "the rate falls to 0 (cosine)", state.cosine,
            "Else it stays after the warmup");
}

void accept(UiContext& ui, TrainDialogState& state) {
  try {
    ui.view.model.training.start = training_from_fields(ui, state);
    state.message.clear();
    close_dialog(state.open);
  } catch (const Error& error) {
    state.message = error.what();
  }
}

// Looks whether the folder holds a training that can be continued, once for each name that is typed.
const std::string& unfinished_text(TrainDialogState& state) {
  if (state.looked_at == state.output) return state.unfinished;
  state.looked_at = state.output;
  state.unfinished.clear();
  try {
    if (const auto found = unfinished_training(path_from_text(state.output, home_folder())))
      state.unfinished =
          "step " + std::to_string(found->step) + " of " + std::to_string(found->plan.settings.rate.steps);
  } catch (const Error&) {  // not written by a training: there is nothing to continue
  }
  return state.unfinished;
}

void go_on(UiContext& ui, TrainDialogState& state) {
  TrainingRequest request;
  request.plan.output = path_from_text(state.output, home_folder());
  request.continues = true;
  ui.view.model.training.start = std::move(request);
  close_dialog(state.open);
}

void buttons(UiContext& ui, TrainDialogState& state) {
  const bool runs = ui.view.model.training.goes_on();
  const std::string unfinished = runs ? "" : unfinished_text(state);
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const std::string again = "Continue from " + unfinished;
  align_right(button_width("Cancel") + button_width("Train") + gap +
              (unfinished.empty() ? 0 : button_width(again) + gap));
  const bool leave = tool_button(ui, "train.cancel", "Cancel", "Escape") || dialog_key(Key::Escape);
  ImGui::SameLine();
  if (!unfinished.empty()) {
    const bool continues =
        tool_button(ui, "train.continue", again, "Go on from its last checkpoint, with its own settings");
    ImGui::SameLine();
    if (continues) return go_on(ui, state);
  }
  const bool ok =
      primary_button(ui, "train.ok", "Train",
                     runs ? "A training goes on: stop it first" : "Begin; the window stays free", !runs) ||
      (!runs && dialog_key(Key::Enter));
  if (leave)
    close_dialog(state.open);
  else if (ok)
    accept(ui, state);
}

}  // namespace

TrainingRequest training_from_fields(const UiContext& ui, const TrainDialogState& state) {
  TrainingRequest request;
  TrainingPlan& plan = request.plan;
  plan.settings = settings_of(state);
  for (const std::string& text : state.texts)
    if (!text.empty()) plan.texts.push_back(path_from_text(text, home_folder()));
  if (plan.texts.empty()) throw Error("there is no text to train on", "text", "choose a file of plain text");
  if (state.output.empty()) throw Error("there is no folder", "save in", "type the name of a new folder");
  plan.output = path_from_text(state.output, home_folder());
  if (holds_model(plan.output))
    throw Error("there is a model in it already", plan.output.string(), "name a new folder");
  constexpr double kPercent = 100;
  plan.held_out = number_field(state.held_out, "held out", kPercent * kMostHeldOut) / kPercent;
  const Index steps = plan.settings.rate.steps,
              count = whole_field(state.checkpoints, "checkpoints", 1, 1000);
  plan.save_every = std::max<Index>(1, (steps + count - 1) / count);
  plan.save_at = {0, steps};
  if (trains_open_model(ui, state)) {
    plan.model = ui.view.model.work->network->checkpoint().folder();
    return request;
  }
  request.fresh = UntrainedModel{};
  request.fresh->shape = shape_of(state);
  if (plan.settings.length > request.fresh->shape.positions)
    throw Error("a window is longer than the " + state.positions + " positions of the new model",
                "tokens each", "take shorter windows, or more positions");
  untrained_config(request.fresh->shape);
  request.fresh->texts = plan.texts;
  request.fresh->whole_words = state.whole_words;
  request.fresh->seed = plan.settings.seed;
  request.fresh->output = plan.output;
  return request;
}

std::string training_cost(const UiContext& ui, const TrainDialogState& state) {
  try {
    const ModelTrainingSettings settings = settings_of(state);
    const Index count = whole_field(state.checkpoints, "checkpoints", 1, 1000);
    double numbers = 0, bytes = 0;
    if (trains_open_model(ui, state)) {
      const Network& network = *ui.view.model.work->network;
      for (const Tensor* tensor : tensors_of(network.weights()))
        numbers += static_cast<double>(tensor->rows() * tensor->columns());
      bytes = TrainingRun::bytes(network.config(), numbers, settings);
    } else {
      const NetworkConfig config = parse_network_config(untrained_config(shape_of(state)));
      numbers = untrained_number_count(config);
      bytes = TrainingRun::bytes(config, numbers, settings);
    }
    return "about " + memory_size_text(bytes) + " of memory; " + std::to_string(count + 1) +
           " checkpoints of " + memory_size_text(sizeof(float) * numbers) + " on the disk";
  } catch (const Error&) {
    return "";
  }
}

void train_dialog(UiContext& ui, TrainDialogState& state) {
  if (std::exchange(ui.view.model.training.dialog_asked, false)) {
    state.open = true;
    state.message.clear();
    state.looked_at.reset();
    if (!ui.view.model.work) state.makes_new = true;
    if (state.output.empty()) state.output = proposed_folder(ui, state.makes_new);
    state.focus.ask();
  }
  if (!begin_dialog(ui, "##train", state.open, {kDialogWidth, 0}, "Train a model")) return;
  model_rows(ui, state);
  text_rows(ui, state);
  output_row(ui, state);
  settings_rows(ui, state);
  const std::string cost = training_cost(ui, state);
  quiet_text(ui, cost.empty() ? " " : cost);
  ui.probe.mark("train.cost", cost);
  dialog_message(ui, "train.message", state.message);
  buttons(ui, state);
  end_dialog();
}

}  // namespace headlight
