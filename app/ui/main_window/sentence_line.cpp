#include "app/ui/main_window/sentence_line.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/platform/text_glyphs.h"
#include "app/ui/main_window/palette.h"
#include "app/ui/sentence/sentence_panel.h"
#include "app/ui/views/view_switch.h"
#include "app/ui/widgets/widgets.h"
#include "engine/questions/words.h"

namespace headlight {
namespace {

constexpr float kType = 20, kHeight = 44, kLowestWindow = 560;  // planned pixels
constexpr Index kMostWords = 512;                               // a longer text is not a line to read

// Which tokens belong to the word before them; empty where nothing says so.
std::vector<bool> find_pieces(const UiContext& ui) {
  const auto& work = ui.view.model.work;
  if (!work) return {};
  const Network& network = work->layer.side == Side::Encoder ? *work->network->encoder() : *work->network;
  return network.tokenizer() ? continued_pieces(network, ids_of(*work, work->layer.side))
                             : std::vector<bool>();
}

// The same, found once for each state of the model, and of the text that the shown layer has.
std::vector<bool> pieces_of(const UiContext& ui, SentenceLineState& state) {
  if (state.read != ui.view.model.work) state.pieces = find_pieces(ui);
  state.read = ui.view.model.work;
  return state.pieces.size() == ui.model().tokens.size() ? state.pieces : std::vector<bool>();
}

std::vector<SentenceToken> measured(const UiContext& ui, const std::vector<std::string>& labels,
                                    const std::vector<bool>& pieces) {
  std::vector<SentenceToken> tokens;
  tokens.reserve(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
    tokens.push_back(sentence_token(ui.theme, spoken_label(labels[i]), i < pieces.size() && pieces[i]));
  return tokens;
}

// The word that asks: under the pointer, else of the selected cell, else the last one.
Index query_of(const UiContext& ui, const SentenceLineState& state) {
  const Index last = ui.model().token_count() - 1;
  if (state.pointed && *state.pointed <= last) return *state.pointed;
  const auto& cell = ui.view.selected;
  const bool of_token = cell && stage_info(cell->stage).rows == StageRows::Queries;
  return of_token ? std::clamp<Index>(cell->row, 0, last) : last;
}

// The shares that the query gives to each token: of the chosen head, or the mean of all heads. Empty until
// they are computed.
std::vector<float> shares(UiContext& ui, Index query) {
  const Index heads = ui.model().head_count();
  std::vector<float> sum;
  Index added = 0;
  for (Index head = 0; head < heads; ++head) {
    if (ui.view.head && *ui.view.head != head) continue;
    const RowRequest request{Stage::Weights, ui.view.sequence, head, query, kMostWords};
    ui.requested.rows.push_back(request);
    const auto row = ui.answer ? ui.answer->find(request) : nullptr;
    if (!row) continue;
    sum.resize(row->values.size());
    for (std::size_t i = 0; i < sum.size() && i < row->values.size(); ++i)
      if (i >= row->marks.size() || row->marks[i] == CellMark::None) sum[i] += row->values[i];
    ++added;
  }
  for (float& share : sum)
    share /= static_cast<float>(std::max<Index>(1, added));
  return sum;
}

std::string tip_of(const UiContext& ui, Index token, Index query, const std::vector<float>& given) {
  const std::string name = token_name(ui.model().tokens, token, ui.counting());
  std::string text = token == query ? name + " asks" : name;
  if (static_cast<std::size_t>(token) < given.size()) {
    const int percent = static_cast<int>(std::lround(100 * given[static_cast<std::size_t>(token)]));
    text += (token == query ? ", and gives itself " : ": gets ") + std::to_string(percent) + " %" +
            (token == query ? "" : " of " + token_name(ui.model().tokens, query, ui.counting())) +
            (ui.view.head ? "" : ", the mean of all heads");
  }
  return text + ". A click makes it the query, a double-click types other words";
}

// Opens the field or the dialog for another text.
void type_words(UiContext& ui, WorkbenchState& state) {
  if (!ui.view.model.work) {
    state.inputs.text_asked = true;
    return;
  }
  state.model.focus_asked = true;
  state.model.shows_numbers = false;
  state.side_tab = 0;
}

// Whether the token is one of several pieces of a word.
bool is_piece(const std::vector<bool>& pieces, Index token) {
  const auto at = static_cast<std::size_t>(token);
  return at < pieces.size() && (pieces[at] || (at + 1 < pieces.size() && pieces[at + 1]));
}

// `piece`: it shares a line below it with the other pieces of its word.
void draw_word(UiContext& ui, WorkbenchState& state, Index token, Index query, const Rect& word,
               const std::vector<float>& given, bool piece) {
  const Theme& theme = ui.theme;
  const std::string name = "line.word." + std::to_string(token);
  const std::string text = spoken_label(ui.model().tokens[static_cast<std::size_t>(token)]);
  const ImVec2 at = {static_cast<float>(word.x), static_cast<float>(word.y)};
  const ImVec2 size = {static_cast<float>(word.width), static_cast<float>(word.height)};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos(at);
  if (click_area(name.c_str(), size)) {
    go_to_token(ui, state, token);
    const auto& work = ui.view.model.work;
    if (work && work->layer.side == Side::Own) ui.view.model.position = token;
  }
  if (ImGui::IsItemHovered()) {
    state.line.pointed_next = token;
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) type_words(ui, state);
  }
  ui.probe.mark(name, token == query ? text + " (query)" : text);
  tooltip(ui, tip_of(ui, token, query, given));
  const float pad = theme.px(3);
  if (static_cast<std::size_t>(token) < given.size()) {
    constexpr double kStrongest = 0.7;
    const double share = std::clamp(static_cast<double>(given[static_cast<std::size_t>(token)]), 0.0, 1.0);
    list.AddRectFilled({at.x - pad, at.y + pad}, {at.x + size.x + pad, at.y + size.y - pad},
                       to_imgui(theme.link, kStrongest * share), theme.px(4));
  }
  const float high = theme.px(kType) * theme.fonts.text_line;
  list.AddText(theme.fonts.sentence, high, {at.x, at.y + std::floor((size.y - high) / 2)},
               to_imgui(token == query ? theme.accent : theme.text), drawn_text(text).c_str());
  if (token == query)
    list.AddRectFilled({at.x, at.y + size.y - pad}, {at.x + size.x, at.y + size.y - theme.px(1)},
                       to_imgui(theme.accent));
  else if (piece)
    list.AddRectFilled({at.x, at.y + size.y - theme.px(2)}, {at.x + size.x, at.y + size.y - theme.px(1)},
                       to_imgui(theme.quiet_text));
}

// Three dots: there are more words.
void draw_more(const UiContext& ui, float x, float middle) {
  constexpr int kDots = 3;
  for (int i = 0; i < kDots; ++i)
    ImGui::GetWindowDrawList()->AddCircleFilled({x + ui.theme.px(2 + 5 * static_cast<float>(i)), middle},
                                                ui.theme.px(1.5f), to_imgui(ui.theme.quiet_text));
}

}  // namespace

float sentence_line_height(const UiContext& ui, float window_height) {
  const Model& model = ui.model();
  const bool image = ui.view.model.work && ui.view.model.work->image;
  const bool shown = window_height >= ui.theme.px(kLowestWindow) && model.self_attention() && !image &&
                     model.token_count() > 0 && model.token_count() <= kMostWords;
  return shown ? ui.theme.px(kHeight) : 0;
}

void sentence_line(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size) {
  SentenceLineState& line_state = state.line;
  line_state.pointed = std::exchange(line_state.pointed_next, std::nullopt);
  if (size.y <= 0) return;
  const Model& model = ui.model();
  const Theme& theme = ui.theme;
  const Index query = query_of(ui, line_state);
  const std::vector<bool> pieces = pieces_of(ui, line_state);
  const TokenLine line = plan_token_line(measured(ui, model.tokens, pieces), {at.x, at.y, size.x, size.y},
                                         static_cast<double>(theme.px(kType)), query);
  if (line.words.empty()) return;
  const std::vector<float> given = shares(ui, query);
  if (line.more_before) draw_more(ui, at.x, at.y + size.y / 2);
  for (std::size_t i = 0; i < line.words.size(); ++i)
    draw_word(ui, state, line.first + static_cast<Index>(i), query, line.words[i], given,
              is_piece(pieces, line.first + static_cast<Index>(i)));
  if (line.more_behind)
    draw_more(ui, static_cast<float>(line.words.back().right()) + theme.px(4), at.y + size.y / 2);
}

}  // namespace headlight
