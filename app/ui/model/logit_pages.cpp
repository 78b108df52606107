// The pages of the logit lens, of direct logit attribution and of activation patching.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <imgui.h>

#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/model/matrix_picture.h"
#include "app/ui/model/model_pages.h"
#include "app/ui/model/page_sentences.h"
#include "app/ui/model/prediction_lines.h"
#include "app/ui/widgets/widgets.h"
#include "engine/foreign/sheet_label.h"

namespace headlight {
namespace {

constexpr const char* kCopyTable = "Copy table";

// The button at the cursor. Returns whether the page's numbers are to be copied as a table.
bool copies_table(const UiContext& ui, const std::string& page) {
  return tool_button(ui, page + ".copy", kCopyTable, "Copy all of its numbers, separated by tabs");
}

std::string no_predictions_text(const Network& network) {
  return "This folder has no weights that predict tokens: " + network.missing_head() + ".";
}

// The line of the lens, as the stream that it reads. `brief`: in a narrow page.
std::string lens_line_name(const UiContext& ui, std::size_t layer, std::size_t layers, bool brief) {
  if (layer + 1 == layers) return brief ? "out" : "after the last";
  return (brief ? "into L" : "before layer ") + ui.counting().number(static_cast<Index>(layer));
}

// Tab-separated, one line per layer and rank.
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

// A cell of the table: a bar from 0 to 100 %, as wide as the cell, behind the token and its probability.
void lens_cell(UiContext& ui, const Prediction& one, const std::string& name, ImVec2 at, ImVec2 size,
               bool target) {
  constexpr double kTrack = 0.08, kBar = 0.4;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end = {at.x + size.x - 1, at.y + size.y - 1};
  const std::string label = visible_label(ui.view.model.work->network->label(one.id));
  const float share = std::isfinite(one.probability) ? static_cast<float>(one.probability) : 0;
  const float filled = at.x + (end.x - at.x) * share;
  list.AddRectFilled(at, end, to_imgui(ui.theme.figure.series.front(), kTrack));
  list.AddRectFilled(at, {filled, end.y}, to_imgui(ui.theme.figure.series.front(), kBar));
  if (target) list.AddRect(at, end, to_imgui(ui.theme.accent), 0, 0, ui.theme.px(1.5f));
  ImGui::SetCursorScreenPos(at);
  if (click_area(name.c_str(), size)) ui.view.model.target = one.id;
  ui.probe.mark(name, label + " " + percent_text(one.probability));
  ui.probe.mark_rect(name + ".track", {at.x, at.y, end.x - at.x, end.y - at.y});
  ui.probe.mark_rect(name + ".bar", {at.x, at.y, filled - at.x, end.y - at.y});
  tooltip(ui, "“" + label + "”: " + percent_text(one.probability));
  ImFont* const font = ui.theme.fonts.label;
  const float y = at.y + (size.y - font_size(font)) / 2, pad = ui.theme.px(4);
  const std::string percent = percent_text(one.probability);
  const float beside = text_width(font, percent) + pad;
  // The probability is drawn only if the token keeps enough room.
  const bool both = size.x - 2 * pad - beside >= std::max(text_width(font, label), ui.theme.px(40));
  fitted_text(font, {at.x + pad, y}, size.x - 2 * pad - (both ? beside : 0), ui.theme.text, label);
  if (both)
    list.AddText(font, font_size(font), {at.x + size.x - beside, y}, to_imgui(ui.theme.text),
                 percent.c_str());
}

constexpr Index kRowsInFront = 1;  // rows of the table of parts that precede the first layer

std::vector<std::string> part_columns(const UiContext& ui, Index heads) {
  std::vector<std::string> names;
  for (Index head = 0; head < heads; ++head)
    names.push_back("H" + ui.counting().number(head));
  names.push_back("MLP");
  names.push_back("rest");
  return names;
}

std::vector<std::string> layer_names(const UiContext& ui, Index layers) {
  std::vector<std::string> names;
  for (Index layer = 0; layer < layers; ++layer)
    names.push_back("L" + ui.counting().number(layer));
  return names;
}

// All summands of the logit: a row for the embeddings, one for each layer, one for the constant (biases of
// the final norm and of the logits), and one for patches, if there are any. Columns: the heads, the MLP, and
// the bias of the attention output.
Matrix part_matrix(const Attribution& parts) {
  const Index layers = parts.heads.rows(), heads = parts.heads.cols();
  Matrix all = Matrix::Zero(layers + kRowsInFront + (parts.patches ? 2 : 1), heads + 2);
  all.block(kRowsInFront, 0, layers, heads) = parts.heads;
  all.col(heads).segment(kRowsInFront, layers) = parts.mlps.transpose();
  all.col(heads + 1).segment(kRowsInFront, layers) = parts.output_bias.transpose();
  all(0, heads + 1) = static_cast<float>(parts.embedding);
  all(layers + kRowsInFront, heads + 1) = static_cast<float>(parts.constant);
  if (parts.patches) all(layers + kRowsInFront + 1, heads + 1) = static_cast<float>(*parts.patches);
  return all;
}

std::vector<std::string> part_rows(const UiContext& ui, const Attribution& parts) {
  std::vector<std::string> names = layer_names(ui, parts.heads.rows());
  names.insert(names.begin(), "embed");  // short: shown whole in a low picture
  names.emplace_back("constant");
  if (parts.patches) names.emplace_back("patches");
  return names;
}

// Tab-separated; the last line is the logit, which is the sum of the numbers.
std::string parts_text(const MatrixPicture& picture, const Attribution& parts) {
  char logit[32];
  std::snprintf(logit, sizeof logit, "%.9g", parts.logit);
  return matrix_text(picture) + "sum\t" + logit + "\n";
}

std::string part_told(const UiContext& ui, const MatrixPicture& picture, Index row, Index column) {
  const std::string& name = picture.rows[static_cast<std::size_t>(row)];
  const Index rest = picture.values.cols() - 1;
  const std::string adds = " adds " + two_decimals(static_cast<double>(picture.values(row, column)));
  if (row < kRowsInFront) return column == rest ? "The embedding of the token" + adds : "";
  if (name == "patches")
    return column == rest ? "What patches put into the stream, less what they replace," + adds : "";
  if (name == "constant")
    return column == rest ? "The biases of the last norm and of the logits: together" + adds : "";
  const std::string layer = "layer " + ui.counting().number(row - kRowsInFront);
  if (column == rest) return "The bias of attention in " + layer + adds;
  if (column + 1 == rest) return "The MLP of " + layer + adds;
  return "The " + head_name(column, ui.counting()) + " of " + layer + adds;
}

// "3.21 = embeddings 0.40 + heads 1.90 + MLPs 0.88 + biases 0.03".
std::string sum_text(const Attribution& parts, bool capped) {
  const auto sum = [](const auto& all) { return static_cast<double>(all.template cast<double>().sum()); };
  const double biases = sum(parts.output_bias) + parts.constant;
  std::string text = two_decimals(parts.logit) + (capped ? " before its cap =" : " =");
  const auto add = [&](const char* name, double value, bool first = false) {
    constexpr double kShown = 0.005;  // no minus sign for what rounds to zero
    const std::string sign = first ? " " : value <= -kShown ? " − " : " + ";
    text += sign + name + " " + two_decimals(first ? value : std::abs(value));
  };
  add("embeddings", parts.embedding, true);
  add("heads", sum(parts.heads));
  add("MLPs", sum(parts.mlps));
  add("biases", biases);
  if (parts.patches) add("patches", *parts.patches);
  return text;
}

// Chooses the head whose source tokens are listed. Does nothing if the row and column are not a head of a
// layer.
void choose_part(ModelView& model, Index layer, Index head) {
  const NetworkConfig& config = model.work->network->config();
  if (layer >= 0 && layer < config.layers && head < config.heads) model.part = std::pair{layer, head};
}

// The stages that *Patches* can put in.
struct PatchedKind {
  PatchStage stage;
  const char *id, *label, *rows, *what;
};
constexpr std::array kPatchedKinds = {
    PatchedKind{PatchStage::Residual, "residual", "the stream", "stream into", "the stream of the kept text"},
    PatchedKind{PatchStage::AttentionAdded, "attention_added", "what attention adds", "attention of",
                "what the kept text's attention adds"},
    PatchedKind{PatchStage::MlpAdded, "mlp_added", "what the MLP adds", "MLP of",
                "what the kept text's MLP adds"}};
constexpr float kPatchedWidth = 160;

const PatchedKind& patched_kind(PatchStage stage) {
  for (const PatchedKind& kind : kPatchedKinds)
    if (kind.stage == stage) return kind;
  return kPatchedKinds.front();
}

void patched_choice(UiContext& ui, float width) {
  std::vector<Choice> choices;
  std::size_t current = 0;
  for (const PatchedKind& kind : kPatchedKinds) {
    if (kind.stage == ui.view.model.patch_stage) current = choices.size();
    choices.push_back(
        {kind.id, kind.label, std::string("At each layer and token ") + kind.what + " is put in"});
  }
  if (const auto chosen = choice_box(ui, "model.patches.stage", choices, current, width,
                                     "What of the kept text is put into the present one"))
    ui.view.model.patch_stage = kPatchedKinds[*chosen].stage;
}

// How far each patch moves the logit.
Matrix moved_logits(const PatchMapResult& answer) {
  constexpr float kRounding = 1e-4f;  // a patched forward pass sums in another order
  const Matrix moved = answer.map.logits.array() - static_cast<float>(answer.before);
  return (moved.array().abs() < kRounding).select(Matrix::Zero(moved.rows(), moved.cols()), moved);
}

// The contributions of the source tokens to the chosen head's part, the largest first. Precondition: a head
// is chosen.
void source_lines(UiContext& ui, const Area& area) {
  const ModelView& model = ui.view.model;
  const Eigen::RowVectorXf& parts = model.answer->sources;
  ImFont* const font = ui.theme.fonts.label;
  const float line = font_size(font) + ui.theme.px(6);
  if (model.answer->question.sources == model.part && parts.size() == 0) {
    fitted_text(font, area.at, area.size.x, ui.theme.quiet_text,
                "What it hands on was replaced: it comes from no tokens");
    ui.probe.mark_rect("model.sources.none", {area.at.x, area.at.y, area.size.x, line});
    return;
  }
  if (model.answer->question.sources != model.part ||
      parts.size() != static_cast<Index>(model.work->ids.size())) {
    fitted_text(font, area.at, area.size.x, ui.theme.quiet_text, "Computing…");
    return;
  }
  fitted_text(font, area.at, area.size.x, ui.theme.text,
              "Head " + ui.counting().number(model.part->second) + " of layer " +
                  ui.counting().number(model.part->first) + ", by source token:");
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
    const std::string value = two_decimals(static_cast<double>(parts(token)));
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

// The page without a baseline: explains how to keep a text.
void ask_for_baseline(UiContext& ui, const Area& area) {
  page_note(
      ui, area,
      "Keep the present text, then type another one of as many tokens. Here stands then, for each layer and "
      "token, what the numbers of the kept text, put into the present one at that place, do to its "
      "prediction; a click keeps the patch.");
  ImGui::SetCursorScreenPos({area.at.x + std::max(0.0f, (area.size.x - ui.theme.px(440)) / 2),
                             ImGui::GetItemRectMax().y + ui.theme.px(12)});
  if (primary_button(ui, "model.patches.keep", "Keep this text", "As Ctrl+K"))
    ui.view.baseline = {std::make_shared<const Model>(ui.model()), ui.document.session().title,
                        ui.view.model.work, shown_layer(ui)};
}

// The text from which numbers are put in, in front of the button that copies the table.
void kept_text(UiContext& ui, Flow& flow) {
  constexpr float kLeast = 120;
  const float gap = ui.theme.px(8), copy = button_width(kCopyTable);
  const std::string quoted = "kept: “" + visible_label(ui.view.baseline.work->text) + "”";
  const float room = flow.rest() - copy - gap;
  const float width =
      room < ui.theme.px(kLeast) ? std::max(flow.width() - copy - gap, flow.width() / 2) : room;
  flow.control(width, gap);
  elided_quiet_text(ui, quoted, width);
  tooltip(ui, quoted);
}

// The controls: Compute or Stop, the patched stage, and the kept text. Their height is that of `flow`.
void patch_tools(UiContext& ui, Flow& flow) {
  ModelView& model = ui.view.model;
  const float gap = ui.theme.px(8);
  if (model.patch_progress) {
    flow.control(button_width("Stop"), gap);
    if (tool_button(ui, "model.patches.stop", "Stop", "Stop computing")) ui.act(Action::StopPatches);
    const std::string progress =
        std::to_string(static_cast<int>(100 * *model.patch_progress)) + " % of all patches";
    flow.control(text_width(ui.theme.fonts.label, progress), gap);
    ImGui::AlignTextToFramePadding();
    quiet_text(ui, progress);
    ui.wake_within(0.1);
  } else {
    flow.control(button_width("Compute"), gap);
    if (primary_button(ui, "model.patches.compute", "Compute",
                       "The logit with the kept numbers put in at each layer and token, one after the other"))
      ui.act(Action::ComputePatches);
    const float width = std::min(ui.theme.px(kPatchedWidth), flow.width());
    flow.control(width, gap);
    patched_choice(ui, width);
    kept_text(ui, flow);
  }
}

}  // namespace

PageIntro patches_intro(const UiContext& ui) {
  const ModelView& model = ui.view.model;
  if (!model.work || !model.work->network->predicts()) return {};
  const SentenceNames names = sentence_names(ui);
  if (!ui.view.baseline.work) return {"", patches_example(nullptr, names)};
  const PatchMapResult* answer = model.patches.get();
  const bool current = answer && !answer->failure && model.patches_outdated(ui.view.baseline.work).empty();
  if (!current)
    return {
        model.patch_progress ? "" : "Press Compute: the map shows where the two texts differ for the model.",
        patches_example(nullptr, names)};
  const PatchedMap map{moved_logits(*answer),
                       answer->before,
                       answer->stage == PatchStage::Residual,
                       patched_kind(answer->stage).label,
                       spoken_tokens(*answer->of),
                       answer->logit};
  return {patches_sentence(map, names), patches_example(&map, names)};
}

void lens_tools(UiContext& ui, Flow& flow) {
  const ModelView& model = ui.view.model;
  if (!model.work->network->predicts() || !model.current_lens()) return;
  const float width = button_width(kCopyTable);
  flow.to_end(width);
  flow.control(width, 0);
  if (copies_table(ui, "model.lens")) ImGui::SetClipboardText(lens_text(ui).c_str());
}

void lens_page(UiContext& ui, const Area& area) {
  ModelView& model = ui.view.model;
  if (!model.work->network->predicts()) return page_note(ui, area, no_predictions_text(*model.work->network));
  if (!model.current_lens()) return page_note(ui, area, "Computing…");
  const auto& lens = *model.current_lens();
  const bool brief = area.size.x < ui.theme.px(520);
  const float name = ui.theme.px(brief ? 64 : 100);
  const float line =
      std::floor(std::clamp(area.size.y / static_cast<float>(lens.size()), ui.theme.px(22), ui.theme.px(44)));
  const std::size_t ranks = lens.front().size();
  const float least = ui.theme.px(104);
  const std::size_t shown =
      std::max<std::size_t>(1, std::min(ranks, fitting_lines(area.size.x - name, least)));
  const float width =
      std::floor((area.size.x - name - ImGui::GetStyle().ScrollbarSize) / static_cast<float>(shown));
  const std::int32_t target = model.logit_choice().id;
  ImGui::SetCursorScreenPos(area.at);
  if (begin_child("##model.lens", area.size, false, ImGuiWindowFlags_NoBackground)) {
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    for (std::size_t i = 0; i < lens.size(); ++i) {
      const std::size_t layer =
          lens.size() - 1 - i;  // the last layer on top: the residual stream flows upwards
      const float y = origin.y + static_cast<float>(i) * line;
      fitted_text(ui.theme.fonts.label, {origin.x, y + (line - font_size(ui.theme.fonts.label)) / 2}, name,
                  ui.theme.quiet_text, lens_line_name(ui, layer, lens.size(), brief));
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
  const NetworkConfig& config = model.work->network->config();
  if (!model.work->network->predicts()) return page_note(ui, area, no_predictions_text(*model.work->network));
  if (config.norm_place == NormPlace::After)
    return page_note(ui, area, "Of this model there are no such parts: it norms the sums themselves.");
  if (!model.current_parts()) return page_note(ui, area, "Computing…");
  const Attribution& parts = *model.current_parts();
  const float line = ImGui::GetFrameHeight() + ui.theme.px(4),
              side = model.part ? std::min(ui.theme.px(280), area.size.x * 0.3f) : 0;
  const std::string sum = sum_text(parts, config.final_softcap > 0);
  ImGui::SetCursorScreenPos({area.end().x - button_width(kCopyTable), area.at.y});
  const bool copies = copies_table(ui, "model.parts");
  fitted_text(ui.theme.fonts.label, {area.at.x, area.at.y + ui.theme.px(4)},
              area.size.x - button_width(kCopyTable) - ui.theme.px(8), ui.theme.text, sum);
  ui.probe.mark_rect("model.parts.sum", {area.at.x, area.at.y, area.size.x, line}, sum);
  const Matrix values = part_matrix(parts);
  const auto chosen = model.part
                          ? std::optional(std::pair{model.part->first + kRowsInFront, model.part->second})
                          : std::nullopt;
  const MatrixPicture picture{"model.parts",
                              values,
                              part_rows(ui, parts),
                              part_columns(ui, config.heads),
                              "layer",
                              "what it adds",
                              chosen,
                              2,
                              config.heads,
                              "heads",
                              "others"};
  if (copies) ImGui::SetClipboardText(parts_text(picture, parts).c_str());
  const float label = font_size(ui.theme.fonts.label) + ui.theme.px(4), hint = model.part ? 0 : label;
  const Area left = {{area.at.x, area.at.y + line},
                     {area.size.x - (side > 0 ? side + ui.theme.px(12) : 0), area.size.y - line - hint}};
  const MatrixEvents events = matrix_picture(ui, picture, left);
  if (events.pointed)
    if (const std::string told = part_told(ui, picture, events.pointed->first, events.pointed->second);
        !told.empty())
      tooltip(ui, told);
  if (events.pressed) choose_part(model, events.pressed->first - kRowsInFront, events.pressed->second);
  if (!model.part) {
    const ImVec2 at = {area.at.x, area.end().y - font_size(ui.theme.fonts.label)};
    const std::string ask = "Click a head: from which tokens it has that";
    fitted_text(ui.theme.fonts.label, at, area.size.x, ui.theme.quiet_text, ask);
    ui.probe.mark_rect("model.parts.hint", {at.x, at.y, area.size.x, label}, ask);
    return;
  }
  source_lines(ui, {{area.end().x - side, area.at.y + line}, {side, area.size.y - line - ui.theme.px(36)}});
  ImGui::SetCursorScreenPos({area.end().x - side, area.end().y - ImGui::GetFrameHeight()});
  if (tool_button(ui, "model.parts.open", "Open this head", "Its weights, and all of its layer"))
    open_head(ui, model.part->first, model.part->second);
}

void patches_page(UiContext& ui, const Area& area) {
  ModelView& model = ui.view.model;
  if (!model.work->network->predicts()) return page_note(ui, area, no_predictions_text(*model.work->network));
  if (!ui.view.baseline.work) {
    ask_for_baseline(ui, area);
    return;
  }
  ImGui::SetCursorScreenPos(area.at);
  Flow flow(ui, area.size.x);
  patch_tools(ui, flow);
  if (!model.patch_progress) flow.to_end(button_width(kCopyTable));
  const float header = flow.height() + ui.theme.px(8);
  const Area below = {{area.at.x, area.at.y + header}, {area.size.x, area.size.y - header}};
  const PatchMapResult* answer = model.patches.get();
  if (!answer) return;
  if (const std::string outdated = model.patches_outdated(ui.view.baseline.work); !outdated.empty())
    return page_note(ui, below, model.patch_progress ? "Computing…" : outdated + ": press Compute.");
  if (answer->failure) return page_note(ui, below, answer->failure->what());
  const Matrix moved = moved_logits(*answer);
  const PatchedKind& kind = patched_kind(answer->stage);
  const bool is_stream = answer->stage == PatchStage::Residual;
  std::vector<std::string> rows = layer_names(ui, moved.rows() - (is_stream ? 1 : 0)), columns;
  if (is_stream) rows.emplace_back("out");
  for (const std::int32_t id : answer->of->ids)
    columns.push_back(answer->of->network->label(id));
  const MatrixPicture picture{"model.patches", moved, rows, columns, kind.rows, "token of the present text",
                              std::nullopt,    2};
  if (!model.patch_progress) {
    flow.control(button_width(kCopyTable), 0);
    if (copies_table(ui, "model.patches")) ImGui::SetClipboardText(matrix_text(picture).c_str());
  }
  const MatrixEvents events = matrix_picture(ui, picture, below);
  if (events.pointed)
    tooltip(ui, "The logit moves by " +
                    two_decimals(static_cast<double>(moved(events.pointed->first, events.pointed->second))) +
                    " from " + two_decimals(answer->before) + ". A click puts " + kind.what +
                    " in here, as a change");
  if (!events.pressed) return;
  const auto [layer, token] = *events.pressed;
  Patch patch{answer->stage, layer, 0,
              token,         0,     answer->map.values[static_cast<std::size_t>(layer)].row(token)};
  ui.send(EditOpenModel{AddPatch{std::move(patch)}, "Patch"});
}

}  // namespace headlight
