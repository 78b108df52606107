// The pages of the logit lens and of direct logit attribution.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include <imgui.h>

#include "app/figure/plan/names.h"
#include "app/figure/plan/share_text.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/model/matrix_picture.h"
#include "app/ui/model/model_pages.h"
#include "app/ui/model/page_menu.h"
#include "app/ui/model/page_sentences.h"
#include "app/ui/widgets/widgets.h"
#include "engine/analysis/tables.h"
#include "engine/core/sheet_label.h"
#include "engine/interpretation/patch_map.h"

namespace headlight {
namespace {

// The line of the lens, as the stream that it reads: the embeddings, then what each layer leaves. `brief`: in
// a narrow page.
std::string lens_line_name(const UiContext& ui, std::size_t line, std::size_t lines, bool brief) {
  if (line == 0) return "embeddings";
  if (line + 1 == lines) return brief ? "out" : "after the last";
  return "after layer " + ui.counting().number(static_cast<Index>(line) - 1);
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

PageCommand lens_command(const UiContext& ui, const std::shared_ptr<const Network>& network) {
  PageCommand command = shown_command(ui, AnalysisKind::Lens, network);
  command.remarks.push_back(
      "of each layer the likeliest token, behind every token; the page is about token " +
      std::to_string(ui.view.model.shown_position()) + ", counted from 0, and lists more tokens");
  return command;
}

// Its probabilities with the tokens, one row per line of the page.
ResultTable lens_table(const UiContext& ui) {
  const ModelView& model = ui.view.model;
  const auto& lens = *model.current_lens();
  ResultTable table;
  table.row_axis = "stream into layer";
  table.column_axis = "rank";
  table.values = Matrix::Constant(static_cast<Index>(lens.size()), static_cast<Index>(lens.front().size()),
                                  std::numeric_limits<float>::quiet_NaN());
  for (std::size_t rank = 0; rank < lens.front().size(); ++rank)
    table.columns.push_back(std::to_string(rank + 1));
  for (std::size_t layer = 0; layer < lens.size(); ++layer) {
    table.rows.push_back(layer + 1 == lens.size() ? "end" : std::to_string(layer));
    for (std::size_t rank = 0; rank < lens.front().size(); ++rank) {
      const bool there = rank < lens[layer].size();
      table.texts.push_back(there ? model.work->network->label(lens[layer][rank].id) : "");
      if (there)
        table.values(static_cast<Index>(layer), static_cast<Index>(rank)) =
            static_cast<float>(lens[layer][rank].probability);
    }
  }
  return table;
}

// "experts 3, 1": those that the token took in the layer below this line of the lens; "" if there are none.
// shares: with their shares, "expert 3: 62 %, expert 1: 38 %".
std::string experts_text(const UiContext& ui, const ModelResult& answer, std::size_t line, bool shares) {
  const auto& experts = answer.experts;
  if (line == 0 || line > experts.size() || experts[line - 1].empty()) return "";
  std::string text = shares ? "" : "experts ";
  for (const ExpertShare& one : experts[line - 1]) {
    if (&one != &experts[line - 1].front()) text += ", ";
    text += shares ? "expert " + ui.counting().number(one.expert) + ": " + share_text(double{one.share})
                   : ui.counting().number(one.expert);
  }
  return text;
}

void experts_cell(UiContext& ui, const ModelResult& answer, std::size_t line, ImVec2 at, ImVec2 size) {
  const std::string text = experts_text(ui, answer, line, false);
  if (text.empty()) return;
  ImFont* const font = ui.theme.fonts.label;
  fitted_text(font, {at.x, at.y + (size.y - font_size(font)) / 2}, size.x, ui.theme.quiet_text, text);
  const std::string name = "model.experts." + std::to_string(line - 1);
  leading_area(
      ui, name, {at, size},
      "What the MLP adds for the token is the sum of these experts: " + experts_text(ui, answer, line, true),
      mlp_place(ui, static_cast<Index>(line) - 1));
  ui.probe.mark(name, text);
}

// A cell of the table: a bar from 0 to 100 %, as wide as the cell, behind the token and its probability.
void lens_cell(UiContext& ui, const Prediction& one, std::size_t layer, std::size_t rank, ImVec2 at,
               ImVec2 size, bool target) {
  constexpr double kTrack = 0.08, kBar = 0.4;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end = {at.x + size.x - 1, at.y + size.y - 1};
  const std::string name = "model.lens." + std::to_string(layer) + "." + std::to_string(rank);
  const std::string label = visible_label(ui.view.model.work->network->label(one.id));
  const float share = std::isfinite(one.probability) ? static_cast<float>(one.probability) : 0;
  const float filled = at.x + (end.x - at.x) * share;
  list.AddRectFilled(at, end, to_imgui(ui.theme.figure.series.front(), kTrack));
  list.AddRectFilled(at, {filled, end.y}, to_imgui(ui.theme.figure.series.front(), kBar));
  if (target) list.AddRect(at, end, to_imgui(ui.theme.accent), 0, 0, ui.theme.px(1.5f));
  NumberPlace from = stream_place(ui, static_cast<Index>(layer), ui.view.model.shown_position());
  from.target = one.id;  // outlined on all lines
  leading_area(ui, name, {at, size}, "“" + label + "”: " + exact_number(one.probability), from);
  ui.probe.mark(name, label + " " + share_text(one.probability, 1));
  ui.probe.mark_rect(name + ".track", {at.x, at.y, end.x - at.x, end.y - at.y});
  ui.probe.mark_rect(name + ".bar", {at.x, at.y, filled - at.x, end.y - at.y});
  ImFont* const font = ui.theme.fonts.label;
  const float y = at.y + (size.y - font_size(font)) / 2, pad = ui.theme.px(4);
  const std::string percent = share_text(one.probability, 1);
  const float beside = text_width(font, percent) + pad;
  // The probability is drawn only if the token keeps enough room.
  const bool both = size.x - 2 * pad - beside >= std::max(text_width(font, label), ui.theme.px(40));
  fitted_text(font, {at.x + pad, y}, size.x - 2 * pad - (both ? beside : 0), ui.theme.text, label);
  if (both)
    list.AddText(font, font_size(font), {at.x + size.x - beside, y}, to_imgui(ui.theme.text),
                 percent.c_str());
}

constexpr Index kRowsInFront = 1;  // rows of the table of parts that precede the first layer

// The side whose tokens a head attends to.
Side source_side(const std::pair<LayerPlace, Index>& part) {
  return part.first.side == Side::Cross ? Side::Encoder : Side::Own;
}

// The columns of heads: those of attention to the own text, and behind them those of cross-attention.
Index head_columns(const Attribution& parts) {
  return parts.heads.cols() + (parts.cross_heads.size() > 0 ? parts.cross_heads.cols() : 0);
}

// Copied tables have brief names, as those of the command line.
std::vector<std::string> part_columns(const UiContext& ui, const Attribution& parts, bool copied) {
  std::vector<std::string> names;
  for (Index head = 0; head < parts.heads.cols(); ++head)
    names.push_back(copied ? "H" + ui.counting().number(head) : head_name(head, ui.counting()));
  for (Index head = 0; head < head_columns(parts) - parts.heads.cols(); ++head)
    names.push_back(copied ? "X" + ui.counting().number(head) : "cross " + head_name(head, ui.counting()));
  names.push_back("MLP");
  names.push_back("rest");
  return names;
}

// All summands of the logit: a row for the embeddings, one for each layer, one for the last biases (those of
// the final norm and of the logits), and one for patches, if there are any. Columns: the heads, the MLP, and
// the biases of the attention output.
Matrix part_matrix(const Attribution& parts) {
  const Index layers = parts.heads.rows(), own = parts.heads.cols(), heads = head_columns(parts);
  Matrix all = Matrix::Zero(layers + kRowsInFront + (parts.patches ? 2 : 1), heads + 2);
  all.block(kRowsInFront, 0, layers, own) = parts.heads;
  if (heads > own) {
    all.block(kRowsInFront, own, layers, heads - own) = parts.cross_heads;
    all.col(heads + 1).segment(kRowsInFront, layers) = parts.cross_bias.transpose();
  }
  all.col(heads).segment(kRowsInFront, layers) = parts.mlps.transpose();
  all.col(heads + 1).segment(kRowsInFront, layers) += parts.output_bias.transpose();
  all(0, heads + 1) = static_cast<float>(parts.embedding);
  all(layers + kRowsInFront, heads + 1) = static_cast<float>(parts.constant);
  if (parts.patches) all(layers + kRowsInFront + 1, heads + 1) = static_cast<float>(*parts.patches);
  return all;
}

// Embeddings, last biases and patches stand in the last column alone, layers in all.
bool part_exists(const Attribution& parts, Index row, Index column) {
  const Index layer = row - kRowsInFront;
  return (layer >= 0 && layer < parts.heads.rows()) || column == head_columns(parts) + 1;
}

std::vector<std::string> part_rows(const UiContext& ui, const Attribution& parts, bool copied) {
  std::vector<std::string> names = layer_names(ui, parts.heads.rows(), copied);
  names.insert(names.begin(), "embed");  // short: shown whole in a low picture
  names.emplace_back("biases");
  if (parts.patches) names.emplace_back("patches");
  return names;
}

// Tab-separated; the last line is the logit, which is the sum of the numbers.
std::string parts_text(const MatrixPicture& picture, const Attribution& parts) {
  char logit[32];
  std::snprintf(logit, sizeof logit, "%.9g", parts.logit);
  return matrix_text(picture) + "sum\t" + logit + "\n";
}

// The head of a cell; nullopt if it is no head's.
std::optional<std::pair<LayerPlace, Index>> head_at(const Attribution& parts, Index row, Index column) {
  const Index layer = row - kRowsInFront, own = parts.heads.cols();
  if (layer < 0 || layer >= parts.heads.rows() || column >= head_columns(parts)) return std::nullopt;
  if (column < own) return std::pair(LayerPlace(layer), column);
  return std::pair(LayerPlace(Side::Cross, layer), column - own);
}

// Where a part comes from. Precondition: it exists.
NumberPlace part_place(const UiContext& ui, const Attribution& parts, Index row, Index column) {
  const Index layer = row - kRowsInFront, layers = parts.heads.rows(), token = ui.view.model.shown_position();
  const auto& patches = ui.view.model.work->on.patches;
  if (layer < 0) return stream_place(ui, 0, token);
  if (layer > layers && !patches.empty()) {
    const Patch& first = patches.front();
    return patch_place(ui, first.stage, first.layer, has_heads(first.stage) ? first.head : first.row);
  }
  if (layer >= layers) return stream_place(ui, layers, token);
  if (const auto head = head_at(parts, row, column)) return head_place(ui, head->first, head->second);
  return column == head_columns(parts) ? mlp_place(ui, layer) : attention_place(ui, LayerPlace(layer), token);
}

std::string part_told(const UiContext& ui, const MatrixPicture& picture, const Attribution& parts, Index row,
                      Index column) {
  const std::string& name = picture.rows[static_cast<std::size_t>(row)];
  const Index rest = picture.values.cols() - 1;
  const std::string adds = " adds " + exact_number(static_cast<double>(picture.values(row, column)));
  if (row < kRowsInFront) return column == rest ? "The embedding of the token" + adds : "";
  if (name == "patches")
    return column == rest ? "What patches put into the stream, less what they replace," + adds : "";
  if (name == "biases")
    return column == rest ? "The biases of the last norm and of the logits: together" + adds : "";
  const LayerNames names = names_of_layers(ui);
  const std::string layer = names.text(row - kRowsInFront);
  if (column == rest) return "The bias of attention in " + layer + adds;
  if (column + 1 == rest) return "The MLP of " + layer + adds;
  const auto head = head_at(parts, row, column);
  return "The " + head_name(head->second, ui.counting()) + " of " + names.text(head->first) + adds;
}

// A head leads to the tokens that it has its part from; where the pages stand beside the picture, it is shown
// there too. Precondition: a cell is pointed at.
void follow_part(UiContext& ui, const MatrixPicture& picture, const Attribution& parts,
                 const MatrixEvents& events) {
  const auto [row, column] = *events.pointed;
  const NumberPlace place = part_place(ui, parts, row, column);
  const std::string told = part_told(ui, picture, parts, row, column);
  const auto head = head_at(parts, row, column);
  tooltip(ui,
          head ? told + ". A click tells from which tokens, and shows the head" : told_place(ui, told, place),
          events.cell);
  if (!events.pressed) return;
  ui.view.model.mlp_part.reset();
  if (head) ui.view.model.part = head;
  follow_place(ui, place);
}

// "3.21 = embeddings 0.40 + heads 1.90 + MLPs 0.88 + biases 0.03".
std::string sum_text(const Attribution& parts, bool capped) {
  const auto sum = [](const auto& all) { return static_cast<double>(all.template cast<double>().sum()); };
  const double biases = sum(parts.output_bias) + sum(parts.cross_bias) + parts.constant;
  std::string text = two_decimals(parts.logit) + (capped ? " before its cap =" : " =");
  const auto add = [&](const char* name, double value, bool first = false) {
    constexpr double kShown = 0.005;  // no minus sign for what rounds to zero
    const std::string sign = first ? " " : value <= -kShown ? " − " : " + ";
    text += sign + name + " " + two_decimals(first ? value : std::abs(value));
  };
  add("embeddings", parts.embedding, true);
  add("heads", sum(parts.heads));
  if (parts.cross_heads.size() > 0) add("cross-attention", sum(parts.cross_heads));
  add("MLPs", sum(parts.mlps));
  add("biases", biases);
  if (parts.patches) add("patches", *parts.patches);
  return text;
}

std::vector<Index> largest_first(const Eigen::RowVectorXf& parts) {
  std::vector<Index> order(static_cast<std::size_t>(parts.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto size = [&](Index i) { return std::isnan(parts(i)) ? -1 : std::abs(parts(i)); };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return size(a) > size(b); });
  return order;
}

// What the column heads of the embeddings' parts mean.
std::string embeddings_text(const EmbeddingParts& parts, const std::string& family) {
  const std::string what =
      "What the embedding of each token, its position included, adds by the gradient to the logit";
  const std::string sum =
      ": the sum of embedding × gradient. Unlike the parts at the left, these need not sum to it";
  if (parts.loss.size() > 0)
    return what + ", and to the loss of the text, the mean of −ln p(next token), which is " +
           two_decimals(parts.loss_value) + sum;
  return what + sum +
         (parts.logit.size() == 1 ? ". One token alone has no loss"
                                  : ". There is no loss of a next token in a model of type " + family);
}

float label_line(const UiContext& ui) {
  return std::floor(font_size(ui.theme.fonts.label) + ui.theme.px(2));
}

// How high the whole text is, in labels' letters.
float text_height(const UiContext& ui, float width, const std::string& text) {
  return label_line(ui) * static_cast<float>(wrapped_lines(ui.theme.fonts.label, width, text));
}

// The whole text, in as many lines as it needs. Returns its height.
float whole_text(const UiContext& ui, ImVec2 at, float width, Color color, const std::string& text) {
  ImFont* const font = ui.theme.fonts.label;
  wrapped_text(font, at, width, color, text, wrapped_lines(font, width, text), label_line(ui));
  return text_height(ui, width, text);
}

// The contributions of the source tokens to the chosen head's part, the largest first: of the head that was
// chosen before, while those of this one are computed. Precondition: a head is chosen.
void source_lines(UiContext& ui, const ShownResult& shown, const Area& area) {
  const ModelView& model = ui.view.model;
  const Eigen::RowVectorXf& parts = shown.answer->sources;
  const auto& of = shown.answer->request.sources;
  ImFont* const font = ui.theme.fonts.label;
  const float line = font_size(font) + ui.theme.px(6);
  if (of == model.part && parts.size() == 0) {
    const float height = whole_text(ui, area.at, area.size.x, ui.theme.quiet_text,
                                    "What it hands on was replaced: it comes from no tokens");
    ui.probe.mark_rect("model.sources.none", {area.at.x, area.at.y, area.size.x, height});
    return;
  }
  if (!of || parts.size() != token_count(*shown.work, source_side(*of))) {
    fitted_text(font, area.at, area.size.x, ui.theme.quiet_text, "Computing…");
    return;
  }
  const std::string title = "Head " + ui.counting().number(of->second) + " of " +
                            names_of_layers(ui).text(of->first) + ", by source token:";
  const float title_height = whole_text(ui, area.at, area.size.x, ui.theme.text, title);
  ui.probe.mark_rect("model.sources.title", {area.at.x, area.at.y, area.size.x, title_height}, title);
  const std::vector<Index> order = largest_first(parts);
  float y = area.at.y + title_height + ui.theme.px(4);
  for (std::size_t i = 0; i < order.size() && y + line <= area.end().y; ++i, y += line) {
    const Index token = order[i];
    const std::string name = visible_label(token_label(*shown.work, token, source_side(*of)));
    const std::string value = two_decimals(static_cast<double>(parts(token)));
    fitted_text(font, {area.at.x, y}, area.size.x - text_width(font, value) - ui.theme.px(8), ui.theme.text,
                ui.counting().number(token) + "  " + name);
    ImGui::GetWindowDrawList()->AddText(font, font_size(font), {area.end().x - text_width(font, value), y},
                                        to_imgui(ui.theme.text), value.c_str());
    const std::string row = "model.source." + std::to_string(i);
    leading_area(ui, row, {{area.at.x, y}, {area.size.x, line}},
                 "“" + name + "” adds " + exact_number(double{parts(token)}),
                 head_place(ui, of->first, of->second, Stage::Weights, model.shown_position(), token));
    std::string said = name + " ";
    said += value;
    ui.probe.mark(row, said);
  }
}

// What the embedding of each token adds by the gradient, to the logit and to the loss, the largest first.
void embedding_lines(UiContext& ui, const ShownResult& shown, const Area& area) {
  ImFont* const font = ui.theme.fonts.label;
  const float line = font_size(font) + ui.theme.px(6), column = ui.theme.px(60);
  const auto& parts = shown.answer->embeddings;
  if (!parts) return fitted_text(font, area.at, area.size.x, ui.theme.quiet_text, "Computing…");
  const OpenModel& work = *shown.work;
  const bool loss = parts->loss.size() > 0;
  const auto number = [&](const std::string& text, float right, float y, Color color) {
    ImGui::GetWindowDrawList()->AddText(font, font_size(font), {right - text_width(font, text), y},
                                        to_imgui(color), text.c_str());
  };
  const float to_loss = area.end().x, to_logit = loss ? to_loss - column : to_loss;
  const float label = area.size.x - (loss ? 2 : 1) * column - ui.theme.px(4);
  float y = area.at.y + whole_text(ui, area.at, area.size.x, ui.theme.text, "Embedding × gradient");
  number("logit", to_logit, y, ui.theme.quiet_text);
  if (loss) number("loss", to_loss, y, ui.theme.quiet_text);
  ImGui::SetCursorScreenPos(area.at);
  ImGui::Dummy({area.size.x, y + line - area.at.y});
  ui.probe.mark("model.embeddings", loss ? two_decimals(parts->loss_value) : "no loss");
  tooltip(ui, embeddings_text(*parts, family_name(work.network->config())));
  y += line;
  std::size_t place = 0;
  for (const Index token : largest_first(parts->logit)) {
    if (y + line > area.end().y) return;
    const std::string name = visible_label(token_label(work, token));
    const std::string logit = two_decimals(double{parts->logit(token)});
    std::string told = name;
    told += " " + logit;
    fitted_text(font, {area.at.x, y}, label, ui.theme.text, ui.counting().number(token) + "  " + name);
    number(logit, to_logit, y, ui.theme.text);
    if (loss) {
      const std::string value = two_decimals(double{parts->loss(token)});
      number(value, to_loss, y, ui.theme.text);
      told += " " + value;
    }
    const std::string row = "model.embedding." + std::to_string(place++);
    leading_area(ui, row, {{area.at.x, y}, {area.size.x, line}},
                 "“" + name + "” adds " + exact_number(double{parts->logit(token)}) + " to the logit" +
                     (loss ? " and " + exact_number(double{parts->loss(token)}) + " to the loss" : ""),
                 stream_place(ui, 0, token));
    ui.probe.mark(row, told);
    y += line;
  }
}

// The menu of a page; shut while its numbers are not those that it would copy.
void current_menu(UiContext& ui, const PageExports& exports, bool current) {
  ImGui::BeginDisabled(!current);
  page_menu(ui, exports);
  ImGui::EndDisabled();
}

// The whole sum, and behind it the menu that copies and saves the table. Returns the height.
float parts_header(UiContext& ui, const Area& area, const MatrixPicture& picture, const Attribution& parts,
                   bool waits) {
  const std::string sum = sum_text(parts, ui.view.model.work->network->config().final_softcap > 0);
  const float more = more_menu_width(), width = area.size.x - more - ui.theme.px(8), above = ui.theme.px(4);
  const float text = whole_text(ui, {area.at.x, area.at.y + above}, width, ui.theme.text, sum);
  ui.probe.mark_rect("model.parts.sum", {area.at.x, area.at.y + above, width, text}, sum);
  ImGui::SetCursorScreenPos({area.end().x - more, area.at.y});
  const std::shared_ptr<const Network>& network = ui.view.model.answer->state.network;
  PageExports exports{"model.parts"};
  exports.table = [&] {
    MatrixPicture copied = picture;
    copied.rows = part_rows(ui, parts, true);
    copied.columns = part_columns(ui, parts, true);
    copied.row_axis = "layer";
    return parts_text(copied, parts);
  };
  if (can_ask(*network)) exports.command = [&] { return shown_command(ui, AnalysisKind::Parts, network); };
  exports.answer = [&] {
    return shown_result(ui, shown_analysis(ui, AnalysisKind::Parts, network),
                        {"", {sum}, part_tables(parts)});
  };
  current_menu(ui, exports, !waits);
  return std::max(ImGui::GetFrameHeight(), above + text) + ui.theme.px(4);
}

// The cell that is outlined: the chosen head, or the MLP that an answer leads to.
std::optional<std::pair<Index, Index>> chosen_part(const ModelView& model, const Attribution& parts) {
  if (model.part) {
    const Index before = model.part->first.side == Side::Cross ? parts.heads.cols() : 0;
    return std::pair{model.part->first.layer + kRowsInFront, model.part->second + before};
  }
  if (model.mlp_part && *model.mlp_part < parts.heads.rows())
    return std::pair{*model.mlp_part + kRowsInFront, head_columns(parts)};
  return std::nullopt;
}

}  // namespace

void lens_tools(UiContext& ui, const ModelPagesState& state, Flow& flow) {
  const ModelView& model = ui.view.model;
  if (!model.work->network->predicts() || !state.shown.lens.answer) return;
  flow.to_end(more_menu_width());
  flow.control(more_menu_width(), 0);
  const std::shared_ptr<const Network>& network = model.answer->state.network;
  PageExports exports{"model.lens"};
  exports.table = [&] { return lens_text(ui); };
  if (can_ask(*network)) exports.command = [&] { return lens_command(ui, network); };
  exports.answer = [&] {
    const ModelView& shown = ui.view.model;
    const Index token = shown.logit_choice().position;
    const std::string place = "at token " + std::to_string(token);
    AnalysisResult result = {
        "Logit lens " + place + ", “" + visible_label(token_label(*shown.work, token)) + "”",
        {},
        {lens_table(ui)}};
    result.tables.front().name = "likeliest_at_token_" + std::to_string(token);
    return shown_result(ui, shown_analysis(ui, AnalysisKind::Lens, network), std::move(result));
  };
  current_menu(ui, exports, model.current_lens() != nullptr);
}

void lens_page(UiContext& ui, ModelPagesState& state, const Area& area) {
  ModelView& model = ui.view.model;
  if (!model.work->network->predicts()) return page_note(ui, area, no_predictions_text(*model.work->network));
  if (!state.shown.lens.answer) return page_note(ui, area, "Computing…");
  const ModelResult& answer = *state.shown.lens.answer;
  const auto& lens = answer.lens;
  const bool brief = area.size.x < ui.theme.px(520);
  const float name = ui.theme.px(brief ? 80 : 100);
  const float line =
      std::floor(std::clamp(area.size.y / static_cast<float>(lens.size()), ui.theme.px(22), ui.theme.px(44)));
  const std::size_t ranks = lens.front().size();
  const float experts = answer.experts.empty() ? 0 : ui.theme.px(96), least = ui.theme.px(104);
  const std::size_t shown =
      std::max<std::size_t>(1, std::min(ranks, fitting_lines(area.size.x - name - experts, least)));
  const float width = std::floor((area.size.x - name - experts - ImGui::GetStyle().ScrollbarSize) /
                                 static_cast<float>(shown));
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
        lens_cell(ui, lens[layer][rank], layer, rank, {origin.x + name + static_cast<float>(rank) * width, y},
                  {width, line}, lens[layer][rank].id == target);
      if (experts > 0)
        experts_cell(ui, answer, layer,
                     {origin.x + name + static_cast<float>(shown) * width + ui.theme.px(8), y},
                     {experts - ui.theme.px(8), line});
    }
    ImGui::SetCursorScreenPos({origin.x, origin.y + static_cast<float>(lens.size()) * line});
    ImGui::Dummy({1, 1});
  }
  cover_waiting(ui, state, area, !model.current_lens());
  ImGui::EndChild();
}

void parts_page(UiContext& ui, ModelPagesState& state, const Area& area) {
  ModelView& model = ui.view.model;
  const NetworkConfig& config = model.work->network->config();
  if (!model.work->network->predicts()) return page_note(ui, area, no_predictions_text(*model.work->network));
  if (!config.stream_is_sum())
    return page_note(ui, area, "Of this model there are no such parts: it norms the sums themselves.");
  const ShownResult& shown = state.shown.parts;
  if (!shown.answer) return page_note(ui, area, "Computing…");
  const Attribution& parts = *shown.answer->parts;
  const bool waits = !model.current_parts();
  constexpr float kWithEmbeddings = 560;  // the least width of a page with a second list
  const bool embeddings =
      !model.part && model.work->network->has_gradients() && area.size.x >= ui.theme.px(kWithEmbeddings);
  const float side = model.part || embeddings ? std::min(ui.theme.px(280), area.size.x * 0.3f) : 0;
  const Matrix values = part_matrix(parts);
  const MatrixPicture picture{"model.parts",
                              values,
                              part_rows(ui, parts, false),
                              part_columns(ui, parts, false),
                              "",
                              "what it adds",
                              chosen_part(model, parts),
                              2,
                              [&](Index row, Index column) { return part_exists(parts, row, column); }};
  const float line = parts_header(ui, area, picture, parts, waits);
  const std::string ask = "Click a head: from which tokens it has that";
  const float hint_height = text_height(ui, area.size.x, ask), hint = model.part ? 0 : hint_height;
  const Area left = {{area.at.x, area.at.y + line},
                     {area.size.x - (side > 0 ? side + ui.theme.px(12) : 0), area.size.y - line - hint}};
  const MatrixEvents events = matrix_picture(ui, picture, left);
  if (events.pointed && part_exists(parts, events.pointed->first, events.pointed->second))
    follow_part(ui, picture, parts, events);
  if (embeddings)
    embedding_lines(ui, shown,
                    {{area.end().x - side, area.at.y + line}, {side, area.size.y - line - hint_height}});
  if (!model.part) {
    const ImVec2 at = {area.at.x, area.end().y - hint_height};
    whole_text(ui, at, area.size.x, ui.theme.quiet_text, ask);
    ui.probe.mark_rect("model.parts.hint", {at.x, at.y, area.size.x, hint_height}, ask);
    return cover_waiting(ui, state, area, waits);
  }
  source_lines(ui, shown,
               {{area.end().x - side, area.at.y + line}, {side, area.size.y - line - ui.theme.px(36)}});
  ImGui::SetCursorScreenPos({area.end().x - side, area.end().y - ImGui::GetFrameHeight()});
  if (!model.pages_beside &&
      tool_button(ui, "model.parts.open", "Open this head", "Its weights, and all of its layer"))
    show_place(ui, head_place(ui, model.part->first, model.part->second));
  cover_waiting(ui, state, area, waits || shown.answer->request.sources != model.part);
}

}  // namespace headlight
