// What each layer would predict, and what makes a logit.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <imgui.h>

#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/kit/widgets.h"
#include "app/ui/model/matrix_picture.h"
#include "app/ui/model/model_pages.h"
#include "app/ui/model/prediction_lines.h"
#include "engine/foreign/sheet_label.h"

namespace headlight {
namespace {

constexpr const char* kCopyTable = "Copy table";

// A button that ends at a place at the right: what is on the page, for a table elsewhere.
bool copies_table(const UiContext& ui, const std::string& page, ImVec2 right) {
  ImGui::SetCursorScreenPos({right.x - button_width(kCopyTable), right.y});
  return tool_button(ui, page + ".copy", kCopyTable, "Copy all of its numbers, separated by tabs");
}

std::string no_predictions_text(const Network& network) {
  return "This folder has no weights that predict tokens: " + network.missing_head() + ".";
}

std::string number_of(double value) {
  constexpr double kShown = 0.005;
  if (std::abs(value) < kShown) value = 0;  // what rounds to zero has no sign
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text[0] == '-' ? "−" + std::string(text + 1) : text;
}

std::string layer_name(const UiContext& ui, std::size_t layer, std::size_t layers) {
  if (layer + 1 == layers) return "out";
  return "into L" + ui.counting().number(static_cast<Index>(layer));
}

// Tab-separated, a line for each layer.
std::string lens_text(const UiContext& ui) {
  const ModelView& model = ui.view.model;
  std::string text = "layer\trank\tid\ttoken\tprobability\tlogit\n";
  for (std::size_t layer = 0; layer < model.answer->lens.size(); ++layer)
    for (std::size_t rank = 0; rank < model.answer->lens[layer].size(); ++rank) {
      const Prediction& one = model.answer->lens[layer][rank];
      char numbers[64];
      std::snprintf(numbers, sizeof numbers, "%.6g\t%.6g", one.probability, static_cast<double>(one.logit));
      text += std::to_string(layer) + "\t" + std::to_string(rank + 1) + "\t" + std::to_string(one.id) + "\t" +
              sheet_label(visible_label(model.work->network->label(one.id))) + "\t" + numbers + "\n";
    }
  return text;
}

// A cell of the table: the darker, the likelier.
void lens_cell(UiContext& ui, const Prediction& one, const std::string& name, ImVec2 at, ImVec2 size,
               bool target) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end = {at.x + size.x - 1, at.y + size.y - 1};
  const std::string label = visible_label(ui.view.model.work->network->label(one.id));
  list.AddRectFilled(at, end,
                     to_imgui(ui.theme.figure.series.front(), 0.08 + 0.55 * std::sqrt(one.probability)));
  if (target) list.AddRect(at, end, to_imgui(ui.theme.accent), 0, 0, ui.theme.px(1.5f));
  ImGui::SetCursorScreenPos(at);
  if (click_area(name.c_str(), size)) ui.view.model.target = one.id;
  ui.probe.mark(name, label + " " + percent_text(one.probability));
  tooltip(ui, "“" + label + "”: " + percent_text(one.probability));
  ImFont* const font = ui.theme.fonts.label;
  const float y = at.y + (size.y - font_size(font)) / 2, pad = ui.theme.px(4);
  const std::string percent = percent_text(one.probability);
  const float beside = text_width(font, percent) + pad;
  // The probability where it does not take the token's room.
  const bool both = size.x - 2 * pad - beside >= std::max(text_width(font, label), ui.theme.px(40));
  fitted_text(font, {at.x + pad, y}, size.x - 2 * pad - (both ? beside : 0), ui.theme.text, label);
  if (both)
    list.AddText(font, font_size(font), {at.x + size.x - beside, y}, to_imgui(ui.theme.text),
                 percent.c_str());
}

std::vector<std::string> part_columns(const UiContext& ui, Index heads) {
  std::vector<std::string> names;
  for (Index head = 0; head < heads; ++head)
    names.push_back("H" + ui.counting().number(head));
  names.push_back("MLP");
  names.push_back("bias");
  return names;
}

std::vector<std::string> layer_names(const UiContext& ui, Index layers) {
  std::vector<std::string> names;
  for (Index layer = 0; layer < layers; ++layer)
    names.push_back("L" + ui.counting().number(layer));
  return names;
}

Matrix part_matrix(const Attribution& parts) {
  Matrix all(parts.heads.rows(), parts.heads.cols() + 2);
  all.leftCols(parts.heads.cols()) = parts.heads;
  all.col(parts.heads.cols()) = parts.mlps.transpose();
  all.col(parts.heads.cols() + 1) = parts.output_bias.transpose();
  return all;
}

// "3.21 = embeddings 0.40 + heads 1.90 + MLPs 0.88 + biases 0.03".
std::string sum_text(const Attribution& parts) {
  const auto sum = [](const auto& all) { return static_cast<double>(all.template cast<double>().sum()); };
  const double biases = sum(parts.output_bias) + parts.constant;
  std::string text = number_of(parts.logit) + " =";
  const auto add = [&](const char* name, double value, bool first = false) {
    constexpr double kShown = 0.005;  // what rounds to zero has no sign
    const std::string sign = first ? " " : value <= -kShown ? " − " : " + ";
    text += sign + name + " " + number_of(first ? value : std::abs(value));
  };
  add("embeddings", parts.embedding, true);
  add("heads", sum(parts.heads));
  add("MLPs", sum(parts.mlps));
  add("biases", biases);
  return text;
}

// What *Patches* may put in.
struct PatchedKind {
  PatchStage stage;
  const char *id, *label, *rows, *what;
};
constexpr std::array kPatchedKinds = {
    PatchedKind{PatchStage::Residual, "residual", "the stream", "stream into", "A's stream"},
    PatchedKind{PatchStage::AttentionAdded, "attention_added", "what attention adds", "attention of",
                "what A's attention adds"},
    PatchedKind{PatchStage::MlpAdded, "mlp_added", "what the MLP adds", "MLP of", "what A's MLP adds"}};
constexpr float kPatchedWidth = 160;

const PatchedKind& patched_kind(PatchStage stage) {
  for (const PatchedKind& kind : kPatchedKinds)
    if (kind.stage == stage) return kind;
  return kPatchedKinds.front();
}

void patched_choice(UiContext& ui) {
  std::vector<Choice> choices;
  std::size_t current = 0;
  for (const PatchedKind& kind : kPatchedKinds) {
    if (kind.stage == ui.view.model.patch_stage) current = choices.size();
    choices.push_back(
        {kind.id, kind.label, std::string("At each layer and token ") + kind.what + " is put in"});
  }
  if (const auto chosen = choice_box(ui, "model.patches.stage", choices, current, ui.theme.px(kPatchedWidth),
                                     "What of A is put into B"))
    ui.view.model.patch_stage = kPatchedKinds[*chosen].stage;
}

// Which tokens the chosen head's part is of, the largest first.
void source_lines(UiContext& ui, const Area& area) {
  const ModelView& model = ui.view.model;
  const Eigen::RowVectorXf& parts = model.answer->sources;
  ImFont* const font = ui.theme.fonts.label;
  const float line = font_size(font) + ui.theme.px(6);
  if (!model.part || parts.size() != static_cast<Index>(model.work->ids.size())) {
    fitted_text(font, area.at, area.size.x, ui.theme.quiet_text, "Click a head: its source tokens");
    return;
  }
  fitted_text(font, area.at, area.size.x, ui.theme.text,
              "L" + ui.counting().number(model.part->first) + " H" +
                  ui.counting().number(model.part->second) + ", by source token:");
  std::vector<Index> order(static_cast<std::size_t>(parts.size()));
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<Index>(i);
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return std::abs(parts(a)) > std::abs(parts(b)); });
  float y = area.at.y + line;
  for (std::size_t i = 0; i < order.size() && y + line <= area.end().y; ++i, y += line) {
    const Index token = order[i];
    const std::string name =
        visible_label(model.work->network->label(model.work->ids[static_cast<std::size_t>(token)]));
    const std::string value = number_of(static_cast<double>(parts(token)));
    fitted_text(font, {area.at.x, y}, area.size.x - ui.theme.px(64), ui.theme.text,
                ui.counting().number(token) + "  " + name);
    ImGui::GetWindowDrawList()->AddText(font, font_size(font), {area.end().x - text_width(font, value), y},
                                        to_imgui(ui.theme.text), value.c_str());
    std::string told = name;
    told += " ";
    told += value;
    ui.probe.mark_rect("model.source." + std::to_string(i), {area.at.x, y, area.size.x, line}, told);
  }
}

// What is missing: a text to take numbers from.
void ask_for_kept(UiContext& ui, const Area& area) {
  page_note(
      ui, area,
      "Keep the present text as A, then type another one of as many tokens, B. Here stands then, for each "
      "layer and token, what A's stream put into B at that place does to the logit, or what A's attention "
      "or MLP adds there; a click keeps the patch.");
  ImGui::SetCursorScreenPos({area.at.x + std::max(0.0f, (area.size.x - ui.theme.px(440)) / 2),
                             area.at.y + area.size.y * 0.3f + ui.theme.px(80)});
  if (primary_button(ui, "model.patches.keep", "Keep the present text as A", "As Ctrl+K"))
    ui.view.kept = {std::make_shared<const Model>(ui.model()), ui.document.session().title,
                    ui.view.model.work};
}

// Compute or Stop, what is put in, and of which text.
void patch_tools(UiContext& ui, const Area& area) {
  ModelView& model = ui.view.model;
  ImGui::SetCursorScreenPos(area.at);
  if (model.patch_progress) {
    if (tool_button(ui, "model.patches.stop", "Stop", "Stop computing")) model.stop_patches = true;
    ImGui::SameLine(0, ui.theme.px(8));
    quiet_text(ui, std::to_string(static_cast<int>(100 * *model.patch_progress)) + " % of all patches");
    ui.wake_within(0.1);
  } else {
    if (primary_button(ui, "model.patches.compute", "Compute",
                       "The logit with A's numbers put in at each layer and token, one after the other"))
      model.ask_patches = true;
    ImGui::SameLine(0, ui.theme.px(8));
    patched_choice(ui);
    ImGui::SameLine(0, ui.theme.px(8));
    ImGui::AlignTextToFramePadding();
    quiet_text(ui, "A: “" +
                       elided(visible_label(ui.view.kept.work->text),
                              area.size.x - ui.theme.px(kPatchedWidth + 300)) +
                       "”");
  }
}

}  // namespace

void lens_page(UiContext& ui, const Area& area) {
  ModelView& model = ui.view.model;
  model.wants_lens = true;
  if (!model.work->network->predicts()) return page_note(ui, area, no_predictions_text(*model.work->network));
  if (!model.answer || model.answer->lens.empty()) return page_note(ui, area, "Computing…");
  const float above = area.at.y - ImGui::GetFrameHeight() - ui.theme.px(8);
  if (copies_table(ui, "model.lens", {area.end().x, above})) ImGui::SetClipboardText(lens_text(ui).c_str());
  const auto& lens = model.answer->lens;
  const float name = ui.theme.px(64);
  const float line =
      std::floor(std::clamp(area.size.y / static_cast<float>(lens.size()), ui.theme.px(22), ui.theme.px(44)));
  const std::size_t ranks = lens.front().size();
  const float least = ui.theme.px(72);
  const std::size_t shown =
      std::max<std::size_t>(1, std::min(ranks, fitting_lines(area.size.x - name, least)));
  const float width =
      std::floor((area.size.x - name - ImGui::GetStyle().ScrollbarSize) / static_cast<float>(shown));
  const std::int32_t target = model.logit_choice().id;
  ImGui::SetCursorScreenPos(area.at);
  if (begin_child("##model.lens", area.size, false, ImGuiWindowFlags_NoBackground)) {
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    for (std::size_t i = 0; i < lens.size(); ++i) {
      const std::size_t layer = lens.size() - 1 - i;  // the last one on top, as the stream flows upwards
      const float y = origin.y + static_cast<float>(i) * line;
      fitted_text(ui.theme.fonts.label, {origin.x, y + (line - font_size(ui.theme.fonts.label)) / 2}, name,
                  ui.theme.quiet_text, layer_name(ui, layer, lens.size()));
      for (std::size_t rank = 0; rank < std::min(shown, lens[layer].size()); ++rank)
        lens_cell(ui, lens[layer][rank], "model.lens." + std::to_string(layer) + "." + std::to_string(rank),
                  {origin.x + name + static_cast<float>(rank) * width, y}, {width, line},
                  lens[layer][rank].id == target);
    }
    ImGui::SetCursorScreenPos({origin.x, origin.y + static_cast<float>(lens.size()) * line});
    ImGui::Dummy({1, 1});
  }
  ImGui::EndChild();
}

void parts_page(UiContext& ui, const Area& area) {
  ModelView& model = ui.view.model;
  model.wants_parts = true;
  const NetworkConfig& config = model.work->network->config();
  if (!model.work->network->predicts()) return page_note(ui, area, no_predictions_text(*model.work->network));
  if (config.norm_place == NormPlace::After)
    return page_note(ui, area, "Of this model there are no such parts: it norms the sums themselves.");
  if (!model.answer || !model.answer->parts) return page_note(ui, area, "Computing…");
  const Attribution& parts = *model.answer->parts;
  const float line = ImGui::GetFrameHeight() + ui.theme.px(4),
              side = std::min(ui.theme.px(280), area.size.x * 0.3f);
  const std::string sum = sum_text(parts);
  const bool copies = copies_table(ui, "model.parts", {area.end().x, area.at.y});
  fitted_text(ui.theme.fonts.label, {area.at.x, area.at.y + ui.theme.px(4)},
              area.size.x - button_width(kCopyTable) - ui.theme.px(8), ui.theme.text, sum);
  ui.probe.mark_rect("model.parts.sum", {area.at.x, area.at.y, area.size.x, line}, sum);
  const Matrix values = part_matrix(parts);
  MatrixPicture picture{"model.parts",
                        values,
                        layer_names(ui, config.layers),
                        part_columns(ui, config.heads),
                        "layer",
                        "what it adds",
                        model.part,
                        2};
  if (copies) ImGui::SetClipboardText(matrix_text(picture).c_str());
  const Area left = {{area.at.x, area.at.y + line},
                     {area.size.x - side - ui.theme.px(12), area.size.y - line}};
  const MatrixEvents events = matrix_picture(ui, picture, left);
  if (events.pointed)
    tooltip(ui, picture.rows[static_cast<std::size_t>(events.pointed->first)] + " " +
                    picture.columns[static_cast<std::size_t>(events.pointed->second)] + " adds " +
                    number_of(static_cast<double>(values(events.pointed->first, events.pointed->second))));
  if (events.pressed && events.pressed->second < config.heads) model.part = events.pressed;
  source_lines(ui, {{area.end().x - side, area.at.y + line}, {side, area.size.y - line - ui.theme.px(36)}});
  if (!model.part) return;
  ImGui::SetCursorScreenPos({area.end().x - side, area.end().y - ImGui::GetFrameHeight()});
  if (tool_button(ui, "model.parts.open", "Open this head", "Its weights, and all of its layer"))
    open_head(ui, model.part->first, model.part->second);
}

void patches_page(UiContext& ui, const Area& area) {
  ModelView& model = ui.view.model;
  if (!model.work->network->predicts()) return page_note(ui, area, no_predictions_text(*model.work->network));
  if (!ui.view.kept.work) {
    ask_for_kept(ui, area);
    return;
  }
  patch_tools(ui, area);
  const float header = ImGui::GetFrameHeight() + ui.theme.px(8);
  const Area below = {{area.at.x, area.at.y + header}, {area.size.x, area.size.y - header}};
  const PatchMapAnswer* answer = model.patches.get();
  if (!answer) return;
  if (answer->of->ids != model.work->ids || answer->from != ui.view.kept.work ||
      answer->of->network != model.work->network)
    return page_note(ui, below, "The text, or A, is another one since: press Compute.");
  if (answer->failure) return page_note(ui, below, answer->failure->what());
  Matrix moved = answer->map.logits.array() - static_cast<float>(answer->before);
  constexpr float kRounding = 1e-4f;  // a pass with a patch adds its numbers up in another order
  moved = (moved.array().abs() < kRounding).select(Matrix::Zero(moved.rows(), moved.cols()), moved);
  const PatchedKind& kind = patched_kind(answer->stage);
  const bool is_stream = answer->stage == PatchStage::Residual;
  std::vector<std::string> rows = layer_names(ui, moved.rows() - (is_stream ? 1 : 0)), columns;
  if (is_stream) rows.emplace_back("out");
  for (const std::int32_t id : answer->of->ids)
    columns.push_back(answer->of->network->label(id));
  const MatrixPicture picture{"model.patches", moved,        rows,         columns,
                              kind.rows,       "token of B", std::nullopt, 2};
  if (!model.patch_progress && copies_table(ui, "model.patches", {area.end().x, area.at.y}))
    ImGui::SetClipboardText(matrix_text(picture).c_str());
  const MatrixEvents events = matrix_picture(ui, picture, below);
  if (events.pointed)
    tooltip(ui, "The logit moves by " +
                    number_of(static_cast<double>(moved(events.pointed->first, events.pointed->second))) +
                    " from " + number_of(answer->before) + ". A click puts " + kind.what +
                    " in here, as a change");
  if (!events.pressed) return;
  const auto [layer, token] = *events.pressed;
  Patch patch{answer->stage, layer, 0,
              token,         0,     answer->map.values[static_cast<std::size_t>(layer)].row(token)};
  model.edits.push_back({"Patch", [patch](ModelWork& work) { add_patch(work, patch); }});
}

}  // namespace headlight
