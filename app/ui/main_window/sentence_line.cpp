#include "app/ui/main_window/sentence_line.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/figure/plan/label_text.h"
#include "app/figure/plan/names.h"
#include "app/figure/plan/share_text.h"
#include "app/platform/imgui_compat.h"
#include "app/platform/text_glyphs.h"
#include "app/ui/context/shown_heads.h"
#include "app/ui/lesson/supposed_chip.h"
#include "app/ui/main_window/palette.h"
#include "app/ui/model/prediction_lines.h"
#include "app/ui/start/sentence_panel.h"
#include "app/ui/start/surprise.h"
#include "app/ui/views/view_switch.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/widgets.h"
#include "engine/analysis/words.h"

namespace headlight {
namespace {

// In planned pixels; with beams in the higher line.
constexpr float kType = 20, kHeight = 44, kLowestWindow = 560;
constexpr float kBeamType = 28, kBeams = 56, kWords = 36, kShares = 22, kLeastForBeams = 740;
constexpr float kNext = 208, kNextGap = 24, kNextList = 320;
constexpr Index kMostWords = 512;  // a longer text is not a line to read

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
  return state.pieces.size() == ui.layer().tokens.size() ? state.pieces : std::vector<bool>();
}

std::vector<SentenceToken> measured(const UiContext& ui, const std::vector<std::string>& labels,
                                    const std::vector<bool>& pieces) {
  std::vector<SentenceToken> tokens;
  tokens.reserve(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
    tokens.push_back(sentence_token(ui.theme, spoken_label(labels[i]), i < pieces.size() && pieces[i]));
  return tokens;
}

// The word that asks: under the pointer, else that of the selected cell's row, which keys and values have
// too, else that whose next word is told.
Index query_of(const UiContext& ui, const SentenceLineState& state) {
  const auto& work = ui.view.model.work;
  const bool told = work && work->layer.side == Side::Own && work->network->config().causal;
  const Index tokens = ui.layer().token_count();
  const Index last = told ? std::min(ui.view.model.shown_position(), tokens - 1) : tokens - 1;
  if (state.pointed && *state.pointed < tokens) return *state.pointed;
  const auto& cell = ui.view.selection.cell;
  return cell ? std::clamp<Index>(cell->row, 0, tokens - 1) : last;
}

// Whether beams have room above the words. Over the text of a lesson the picture is to have the room.
bool has_beams(const UiContext& ui, float window_height) {
  return ui.view.model.pages_beside && window_height >= ui.theme.px(kLeastForBeams);
}

std::string tip_of(const UiContext& ui, Index token, Index query, const std::vector<float>& given) {
  const std::string name = token_name(ui.layer().tokens, token, ui.counting());
  std::string text = token == query ? name + " asks" : name;
  if (static_cast<std::size_t>(token) < given.size()) {
    text += (token == query ? ", and gives itself " : ": gets ") +
            share_text(double{given[static_cast<std::size_t>(token)]}) +
            (token == query ? "" : " of " + token_name(ui.layer().tokens, query, ui.counting())) +
            (ui.view.head ? "" : ", the mean of all heads");
  }
  return text + ". A click makes it the query, a double-click or F2 types another";
}

// Whether a model's text is typed in the line: it has a tokenizer, and the line is of that text.
bool types_text(const UiContext& ui) {
  const auto& work = ui.view.model.work;
  return work && work->network->tokenizer() && !work->network->encoder();
}

// A model without a tokenizer takes ids, one of two sides two texts: both have fields of their own.
void open_fields(UiContext& ui, WorkbenchState& state) {
  state.model.focus_asked = true;
  if (ui.view.model.pages_beside) ui.view.model.page = ModelPage::Text;
  state.model.shows_numbers = false;
  state.side_tab = 0;
}

// Of a model the whole text is typed, with the word selected; of a layer alone the token is renamed.
void type_words(UiContext& ui, WorkbenchState& state, Index token) {
  static std::uint64_t gestures = std::uint64_t{1} << 41;  // distinct from those of drags and other fields
  if (ui.view.model.work && !types_text(ui)) return open_fields(ui, state);
  LineEditor& editor = state.line.editor;
  editor.typing = true;
  editor.typed = ui.layer().tokens[static_cast<std::size_t>(token)];
  editor.token = token;
  editor.select = ByteRange{0, editor.typed.size()};
  editor.gesture = ++gestures;
  editor.focus.ask();
  if (!types_text(ui)) return;
  editor.typed = ui.view.model.work->text;
  editor.token.reset();
  const auto parts = parts_of(editor.typed, ui.layer().tokens);
  editor.select =
      parts ? (*parts)[static_cast<std::size_t>(token)] : ByteRange{editor.typed.size(), editor.typed.size()};
}

// Whether the token is one of several pieces of a word.
bool is_piece(const std::vector<bool>& pieces, Index token) {
  const auto at = static_cast<std::size_t>(token);
  return at < pieces.size() && (pieces[at] || (at + 1 < pieces.size() && pieces[at + 1]));
}

// Makes it the word that asks: of the picture, of the beams, and of the next word.
void ask_word(UiContext& ui, WorkbenchState& state, Index token) {
  go_to_token(ui, state, token);
  const auto& work = ui.view.model.work;
  if (work && work->layer.side == Side::Own) ui.view.model.position = token;
}

// Of the word that asks, the cell that it gives most to.
void select_strongest(UiContext& ui, Index token, Index query, const std::vector<float>& given) {
  auto& cell = ui.view.selection.cell;
  if (!cell || !is_pair(cell->stage) || cell->row != token || token != query || given.empty()) return;
  cell->column = std::max_element(given.begin(), given.end()) - given.begin();
}

// `piece`: it shares a line below it with the other pieces of its word.
void draw_word(UiContext& ui, WorkbenchState& state, Index token, Index query, const Rect& word,
               const std::vector<float>& given, bool piece, float type) {
  const Theme& theme = ui.theme;
  const std::string name = "line.word." + std::to_string(token);
  const std::string text = spoken_label(ui.layer().tokens[static_cast<std::size_t>(token)]);
  const ImVec2 at = {static_cast<float>(word.x), static_cast<float>(word.y)};
  const ImVec2 size = {static_cast<float>(word.width), static_cast<float>(word.height)};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos(at);
  if (click_area(name.c_str(), size)) {
    ask_word(ui, state, token);
    select_strongest(ui, token, query, given);
  }
  if (ImGui::IsItemHovered()) {
    state.line.pointed_next = token;
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) type_words(ui, state, token);
  }
  ui.probe.mark(name, token == query ? text + " (query)" : text);
  tooltip(ui, tip_of(ui, token, query, given));
  const float pad = theme.px(3), high = type * theme.fonts.text_line;
  const ImVec2 letters = {at.x, at.y + std::floor((size.y - high) / 2)};
  state.line.shown.push_back({text, {letters.x, letters.y, word.width, double{high}}, double{type}});
  if (state.line.arrives) return;
  const auto surprise = ui.preferences.surprise ? surprise_colors(ui, token) : std::nullopt;
  const bool shaded = type < theme.px(kBeamType) && static_cast<std::size_t>(token) < given.size();
  if (surprise || shaded) {
    constexpr double kStrongest = 0.7;
    const double share =
        shaded ? std::clamp(static_cast<double>(given[static_cast<std::size_t>(token)]), 0.0, 1.0) : 0;
    list.AddRectFilled({at.x - pad, at.y + pad}, {at.x + size.x + pad, at.y + size.y - pad},
                       surprise ? to_imgui(surprise->ground) : to_imgui(theme.link, kStrongest * share),
                       theme.px(4));
  }
  const Color ink = surprise ? surprise->ink : token == query ? theme.accent : theme.text;
  list.AddText(theme.fonts.sentence, high, letters, to_imgui(ink),
               drawn_text(text, theme.fonts.sentence).c_str());
  if (token == query)
    list.AddRectFilled({at.x, at.y + size.y - pad}, {at.x + size.x, at.y + size.y - theme.px(1)},
                       to_imgui(theme.accent));
  else if (piece)
    list.AddRectFilled({at.x, at.y + size.y - theme.px(2)}, {at.x + size.x, at.y + size.y - theme.px(1)},
                       to_imgui(theme.quiet_text));
}

// The lesson's dashes below a word whose numbers a question supposes to change.
void underline_supposed(UiContext& ui, Index token, const Rect& word) {
  const auto y = static_cast<float>(word.bottom() - double{ui.theme.px(6)});
  const auto x = static_cast<float>(word.x), end = static_cast<float>(word.right());
  const float line = std::max(1.0f, ui.theme.px(2));
  draw_dashed_line(*ImGui::GetWindowDrawList(), {x, y}, {end, y}, to_imgui(ui.theme.pointer), line,
                   ui.theme.px(5));
  ui.probe.mark_rect("line.supposed." + std::to_string(token),
                     {word.x, double{y - line}, word.width, double{2 * line}});
}

// Three dots: there are more words. `x`: their left end.
constexpr float kDots = 14;  // planned pixels
void draw_dots(const UiContext& ui, float x, float middle) {
  for (int i = 0; i < 3; ++i)
    ImGui::GetWindowDrawList()->AddCircleFilled({x + ui.theme.px(2 + 5 * static_cast<float>(i)), middle},
                                                ui.theme.px(1.5f), to_imgui(ui.theme.quiet_text));
}

// At the ends of the line where words are left out.
void draw_more(const UiContext& ui, const TokenLine& line, const Rect& room) {
  const auto middle = static_cast<float>(room.y + room.height / 2);
  const auto left = static_cast<float>(room.x), right = static_cast<float>(room.right());
  const Rect& last = line.words.back();
  const float dots = ui.theme.px(kDots), gap = ui.theme.px(4);
  if (line.more_before) draw_dots(ui, line.from_right ? right - dots : left, middle);
  if (line.more_behind)
    draw_dots(
        ui,
        line.from_right ? static_cast<float>(last.x) - gap - dots : static_cast<float>(last.right()) + gap,
        middle);
}

bool runs_from_right(const std::vector<std::string>& tokens) {
  std::string text;
  for (const std::string& token : tokens)
    text += token + " ";
  return reads_from_right(text);
}

// What the model expects behind the word that asks, with a list of the likeliest below it.
void draw_next(UiContext& ui, ImVec2 at, ImVec2 size) {
  const ModelView& model = ui.view.model;
  if (!model.answer || model.answer->predictions.empty() || !model.answers_text()) return;
  const Theme& theme = ui.theme;
  const Prediction& first = model.answer->predictions.front();
  const std::string word = spoken_label(model.work->network->label(first.id)),
                    share = share_text(first.probability);
  const bool last = model.shown_position() + 1 == static_cast<Index>(model.work->ids.size());
  const std::string before =
      last ? "next:" : "after “" + spoken_label(token_label(*model.work, model.shown_position())) + "”:";
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos(at);
  if (click_area("line.next", size)) ImGui::OpenPopup("line.next.list");
  ui.probe.mark("line.next", before + " " + word + " " + share);
  tooltip(ui, "What the model expects: a click lists the likeliest words");
  const float gap = theme.px(8), bar = theme.px(8), high = font_size(theme.fonts.title);
  const bool has_bar = size.y >= high + 2 * gap + bar;
  const float y = at.y + (has_bar ? 0 : std::floor((size.y - high) / 2)), end = at.x + size.x;
  const float small = y + high - font_size(theme.fonts.text) - theme.px(1);
  const float said = std::min(text_width(theme.fonts.text, before), size.x * 0.5f);
  fitted_text(theme.fonts.text, {at.x, small}, said + 1, theme.quiet_text, before);
  const float number = text_width(theme.fonts.number, share);
  fitted_text(theme.fonts.title, {at.x + said + gap, y}, size.x - said - number - 2 * gap,
              ImGui::IsItemHovered() ? theme.link : theme.text, word);
  list.AddText(theme.fonts.number, font_size(theme.fonts.number), {end - number, small}, to_imgui(theme.text),
               share.c_str());
  if (has_bar) share_bar(ui, {{at.x, y + high + gap}, {size.x, bar}}, first.probability);
  ImGui::SetNextWindowPos({end, at.y + size.y}, ImGuiCond_Always, {1, 0});
  if (!ImGui::BeginPopup("line.next.list")) return;
  const float height = std::min(prediction_lines_height(ui), theme.px(kNextList));
  begin_child("##line.next.lines", {theme.px(kNextList), height}, false, ImGuiWindowFlags_NoBackground);
  prediction_lines(ui, height);
  ImGui::EndChild();
  ImGui::EndPopup();
}

// The column behind the words: how much the text surprises the model, and the next word.
void next_column(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size, bool beams) {
  const float above = ui.theme.px(kBeams - 4);
  if (beams && surprise_lines_height(ui) < above)
    if (const auto token = surprise_lines(ui, at, size.x)) ask_word(ui, state, *token);
  if (beams) at.y += above;
  draw_next(ui, at, {size.x, beams ? ui.theme.px(kWords + kShares) : size.y});
}

// The words of the keyboard: arrows choose one, Enter types another, and so does F2 wherever it is free.
void word_keys(UiContext& ui, WorkbenchState& state, Index query, bool from_right) {
  SentenceLineState& line = state.line;
  const bool focused = ui.view.keyboard.at.starts_with("line.word.");
  if (focused || line.took_arrows) ui.view.keyboard.takes_arrows = focused;
  line.took_arrows = focused;
  const bool free = !line.editor.typing && !ui.view.selection.input && !ImGui::IsAnyItemActive() &&
                    !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  if (free && key_pressed(Key::F2)) return type_words(ui, state, query);
  if (!focused || !free) return;
  const Key onward = from_right ? Key::Left : Key::Right, back = from_right ? Key::Right : Key::Left;
  const Index step = (key_pressed(onward, true) ? 1 : 0) - (key_pressed(back, true) ? 1 : 0);
  const Index token = std::clamp<Index>(query + step, 0, ui.layer().token_count() - 1);
  if (step != 0) {
    ask_word(ui, state, token);
    ui.view.keyboard.next = "line.word." + std::to_string(token);
  }
  if (key_pressed(Key::Enter)) type_words(ui, state, query);
}

// Of the selected cell and the position whose next word is told, the one that has changed says which word
// asks: beams and next word are of the same one. Typing asks behind the end of the new text.
void follow_asking(UiContext& ui, SentenceLineState& line) {
  const auto& work = ui.view.model.work;
  if (!ui.view.model.pages_beside || work->layer.side != Side::Own || !work->network->config().causal) return;
  auto& cell = ui.view.selection.cell;
  const Index count = ui.layer().token_count();
  const bool of_token = cell && stage_info(cell->stage).rows == StageRows::Queries;
  const std::optional<Index> selected = of_token ? std::optional(cell->row) : std::nullopt;
  if (selected && line.selected != selected && *selected < count) ui.view.model.position = *selected;
  const Index position = ui.view.model.shown_position();
  if (of_token && line.position && line.position != position && position < count) {
    cell->row = position;
    if (is_pair(cell->stage)) cell->column = std::min(cell->column, position);
  }
  line.selected = of_token ? std::optional(cell->row) : std::nullopt;
  line.position = position;
}

// What the field of the editor leads to.
void follow_field(UiContext& ui, LineEditor& editor, const LineField& field) {
  if (field.changed && !editor.token) {
    ui.view.model.position.reset();  // what comes next is asked behind the new text
    ui.send(EditOpenModel{SetModelText{editor.typed, Side::Own}, "Text", editor.gesture});
  }
  if (!field.ended) return;
  editor.typing = false;
  if (!editor.token || editor.typed.empty() || *editor.token >= ui.layer().token_count()) return;
  if (editor.typed != ui.layer().tokens[static_cast<std::size_t>(*editor.token)])
    ui.send(RenameToken{*editor.token, editor.typed});
}

// The field that is typed in, in the place of the words or of one of them. Returns the words as it shows
// them; nullopt: they have their own places.
std::optional<TokenLine> typed_line(UiContext& ui, LineEditor& editor, const Rect& words,
                                    const TokenLine& line, float type) {
  Rect place = words;
  if (const auto token = editor.token) {
    const auto at = static_cast<std::size_t>(*token - line.first);
    if (*token < line.first || at >= line.words.size()) {
      editor.typing = false;
      return std::nullopt;
    }
    place = line.words[at];
    place.width = std::max(place.width + double{ui.theme.px(40)}, double{ui.theme.px(120)});
    place.width = std::min(place.width, words.right() - place.x);
  }
  const LineField field = line_field(ui, editor, place, double{type});
  follow_field(ui, editor, field);
  if (editor.token) return std::nullopt;
  const auto parts = parts_of(editor.typed, ui.layer().tokens);
  return parts ? line_of_field(ui, editor.typed, *parts, place, double{type}, field.scroll) : TokenLine();
}

// The beams of the word that asks, with their shares below the words.
void line_beams(UiContext& ui, SentenceLineState& state, const TokenLine& line, const Rect& place, float type,
                Index query, const std::vector<float>& given) {
  if (given.empty()) return;
  const ImVec2 label = beam_label(ui);
  const SentencePlan plan = plan_of_line(line, place, double{type}, double{label.y});
  const Eigen::RowVectorXf weights =
      Eigen::Map<const Eigen::RowVectorXf>(given.data(), static_cast<Index>(given.size()));
  draw_beams(ui, plan_beams(plan, weights, query, double{ui.theme.scale}, double{label.x}, double{label.y}),
             state.growth.grown(ui, query), "line.beam.");
}

}  // namespace

float sentence_line_height(const UiContext& ui, float window_height) {
  const Layer& model = ui.layer();
  const bool image = ui.view.model.work && ui.view.model.work->image;
  const bool shown = window_height >= ui.theme.px(kLowestWindow) && model.self_attention() && !image &&
                     model.token_count() > 0 && model.token_count() <= kMostWords;
  if (!shown) return 0;
  return ui.theme.px(has_beams(ui, window_height) ? kBeams + kWords + kShares : kHeight);
}

void sentence_line(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size) {
  SentenceLineState& line_state = state.line;
  line_state.pointed = std::exchange(line_state.pointed_next, std::nullopt);
  if (line_state.resting.rests(line_state.editor.gesture, ImGui::GetIO().MousePos))
    line_state.pointed.reset();
  line_state.shown.clear();
  if (size.y <= 0) return;
  const Layer& model = ui.layer();
  const Theme& theme = ui.theme;
  follow_asking(ui, line_state);
  const Index query = query_of(ui, line_state);
  const std::vector<bool> pieces = pieces_of(ui, line_state);
  const bool beams = size.y > theme.px(kHeight);
  const float type = theme.px(beams ? kBeamType : kType);
  const Rect words = {at.x, beams ? at.y + theme.px(kBeams) : at.y, size.x,
                      beams ? theme.px(kWords) : size.y};
  if (ui.view.model.pages_beside) {
    const float next = std::min(theme.px(kNext), size.x * 0.3f);
    next_column(ui, state, {at.x + size.x - next, at.y}, {next, size.y}, beams);
    size.x -= next + theme.px(kNextGap);
  }
  const Rect room = {words.x, words.y, double{size.x}, words.height};
  TokenLine line = plan_token_line(measured(ui, model.tokens, pieces), room, double{type}, query);
  if (line.words.empty()) return;
  if (runs_from_right(model.tokens)) line = from_right(std::move(line), room);
  const bool typing = line_state.editor.typing, whole = typing && !line_state.editor.token;
  if (typing)
    if (const auto typed = typed_line(ui, line_state.editor, room, line, type)) line = *typed;
  const std::vector<float> given = weights_of_query(ui, query, kMostWords, HeadPool::Mean);
  const bool asks = query >= line.first && query < line.first + static_cast<Index>(line.words.size());
  if (beams && asks && !line_state.arrives)
    line_beams(ui, line_state, line, {at.x, at.y, size.x, size.y}, type, query, given);
  if (whole) return;
  draw_more(ui, line, room);
  for (std::size_t i = 0; i < line.words.size(); ++i) {
    const Index token = line.first + static_cast<Index>(i);
    if (!typing || token != line_state.editor.token)
      draw_word(ui, state, token, query, line.words[i], given, is_piece(pieces, token), type);
  }
  for (const Index token : supposed_tokens(ui, state.lesson.guide))
    if (!typing && token >= line.first && token < line.first + static_cast<Index>(line.words.size()))
      underline_supposed(ui, token, line.words[static_cast<std::size_t>(token - line.first)]);
  word_keys(ui, state, query, line.from_right);
}

}  // namespace headlight
