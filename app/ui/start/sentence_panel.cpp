#include "app/ui/start/sentence_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/figure/plan/share_text.h"
#include "app/platform/imgui_compat.h"
#include "app/platform/text_glyphs.h"
#include "app/ui/start/bundled_text.h"
#include "app/ui/start/pulled_beam.h"
#include "app/ui/start/sentence_words.h"
#include "app/ui/widgets/marks.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kHint = 34, kWords = 200, kNote = 20, kHeads = 38, kNextLine = 26, kNextBar = 240,
                kTyping = 44, kTried = 52, kHeadsLine = 720;
constexpr const char* kHintText =
    "Point at a word: where does it look? Pull the end of a beam to another word: what if it looked there?";
constexpr double kGrowSeconds = 0.22;  // in which beams reach their words
constexpr std::size_t kMostNext = 3, kMostTyped = 4000;

// The sentence is not part of the open lesson: its layers and heads are counted as the reader prefers.
std::string number(const UiContext& ui, Index of) {
  return Counting{ui.preferences.count_from}.number(of);
}

void centred_text(const UiContext& ui, const std::string& text, float x, float y, float width, Color color) {
  ImFont* const font = ui.theme.fonts.text;
  push_font(font);
  const std::string shown = elided(text, width);
  ImGui::PopFont();
  ImGui::GetWindowDrawList()->AddText(font, font_size(font),
                                      {std::floor(x + (width - text_width(font, shown)) / 2), y},
                                      to_imgui(color), shown.c_str());
}

std::vector<SentenceToken> measured(const UiContext& ui, const TextReading& reading) {
  std::vector<SentenceToken> tokens;
  for (std::size_t i = 0; i < reading.labels.size(); ++i)
    tokens.push_back(sentence_token(ui.theme, sentence_word(reading.labels[i]), reading.continues[i]));
  return tokens;
}

std::string word_tip(const std::string& word) {
  return "A click keeps the beams of “" + word + "”; drag to another word for the share of that pair";
}

bool holds(const Rect& rect, ImVec2 at) {
  return double{at.x} >= rect.x && double{at.x} < rect.right() && double{at.y} >= rect.y &&
         double{at.y} < rect.bottom();
}

// Drawing from a word to another one holds that pair; a click and Escape let it go.
void follow_pair(SentenceState& state, const SentencePlan& plan) {
  const Index count = state.reading->token_count();
  if (state.held && (state.held->query >= count || state.held->key >= count)) state.held.reset();
  if (key_pressed(Key::Escape)) state.held.reset();
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) state.pressed.reset();
  if (!state.pressed) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (Index i = plan.first; i < plan.first + plan.count(); ++i)
    if (i != *state.pressed && holds(plan.word(i), mouse)) {
      state.held = SentenceState::Pair{*state.pressed, i};
      state.supposed.reset();
    }
}

// The words, each a click area.
void draw_words(UiContext& ui, SentenceState& state, const SentencePlan& plan) {
  const TextReading& reading = *state.reading;
  const Theme& theme = ui.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImFont* const font = theme.fonts.sentence;
  const Index query = state.query();
  state.pointed.reset();
  state.drawn.words.clear();
  for (Index i = plan.first; i < plan.first + plan.count(); ++i) {
    const Rect& word = plan.word(i);
    const ImVec2 at = {static_cast<float>(word.x), static_cast<float>(word.y)};
    const ImVec2 size = {static_cast<float>(word.width), static_cast<float>(word.height)};
    const std::string name = "sentence.word." + std::to_string(i);
    ImGui::SetCursorScreenPos(at);
    if (click_area(name.c_str(), size)) {
      state.pinned = i;
      state.held.reset();
      state.supposed.reset();
    }
    if (ImGui::IsItemActivated()) state.pressed = i;
    if (ImGui::IsItemHovered()) state.pointed = i;
    const std::string text = sentence_word(reading.labels[static_cast<std::size_t>(i)]);
    ui.probe.mark(name, i == query ? text + " (chosen)" : text);
    if (!state.held && !state.supposed) tooltip(ui, word_tip(text));
    state.drawn.words.push_back({text, word, plan.type_px});
    const bool quiet = is_quiet_word(text);
    const Color ink = i == query ? theme.accent : quiet ? theme.quiet_text : theme.text;
    list.AddText(font, static_cast<float>(plan.type_px) * theme.fonts.text_line, at, to_imgui(ink),
                 drawn_text(text, font).c_str());
    const float line = at.y + size.y - theme.px(1);
    if (i == query || (state.held && i == state.held->key))
      list.AddRectFilled({at.x, line}, {at.x + size.x, line + theme.px(3)}, to_imgui(theme.accent));
    if (is_in_pieces(reading, i) && i != query)
      list.AddRectFilled({at.x, line}, {at.x + size.x, line + std::max(1.0f, theme.px(1))},
                         to_imgui(theme.quiet_text));
  }
}

// Which beams have numbers; "" if all have.
std::string numbers_rule(const SentenceBeams& planned, Index query) {
  if (!planned.unlabelled) return "";
  for (const SentenceBeam& beam : planned.beams)  // the faintest first
    if (beam.label && beam.key != query) return "numbers from " + share_text(double{beam.weight});
  return "";
}

std::optional<Stroke> widest_beam(const SentenceBeams& planned) {
  constexpr int kPoints = 24;
  if (planned.beams.empty()) return std::nullopt;
  const SentenceBeam& beam = planned.beams.back();  // the faintest first
  Stroke stroke{{}, beam.width};
  for (int i = 0; i <= kPoints; ++i)
    stroke.path.push_back(beam_point(beam, static_cast<double>(i) / kPoints));
  return stroke;
}

SentenceBeams planned_beams(const UiContext& ui, const SentenceState& state, const SentencePlan& plan) {
  const Index query = state.query();
  const ImVec2 label = beam_label(ui);
  Eigen::RowVectorXf weights = state.weights_of(query);
  if (state.held)
    for (Index key = 0; key < weights.size(); ++key)
      if (key != state.held->key) weights(key) = 0;
  SentenceBeams planned = plan_beams(plan, weights, query, static_cast<double>(ui.theme.scale),
                                     static_cast<double>(label.x), static_cast<double>(label.y));
  for (SentenceBeam& beam : planned.beams)
    beam.supposed = state.supposed && state.supposed->part(beam.key) > 0;
  return planned;
}

// Of what is only supposed.
void draw_dashes(ImDrawList& list, const SentenceBeam& beam, ImU32 color, double dash) {
  for (const std::vector<Point>& points : dashes_of(beam_points(beam), dash)) {
    for (const Point& point : points)
      list.PathLineTo({static_cast<float>(point.x), static_cast<float>(point.y)});
    list.PathStroke(color, ImDrawFlags_None, static_cast<float>(beam.width));
  }
}

// Returns numbers_rule of what it drew.
std::string beams_of(UiContext& ui, SentenceState& state, const SentencePlan& plan) {
  if (!plan.shows(state.query())) return "";
  SentenceBeams planned = planned_beams(ui, state, plan);
  if (pull_beam(ui, state, plan, planned)) planned = planned_beams(ui, state, plan);
  const Index query = state.query();
  draw_beams(ui, planned, state.growth.grown(ui, query), "sentence.beam.");
  state.drawn.pair = widest_beam(planned);
  return numbers_rule(planned, query);
}

// The tokens that may come next, with bars on 0 to 100 %.
void draw_next(UiContext& ui, const SentenceState& state, float x, float y, float width, std::size_t most) {
  const TextReading& reading = state.told();
  const auto query = static_cast<std::size_t>(state.query());
  const Theme& theme = ui.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImFont* const font = theme.fonts.text;
  if (reading.next.empty()) {
    return centred_text(ui, "This model predicts no words: it has no output embedding", x, y, width,
                        theme.quiet_text);
  }
  const float line = theme.px(kNextLine), label = theme.px(90);
  const float percent = text_width(font, "> 99.9 %") + theme.px(8);
  const float bar = std::min(theme.px(kNextBar), width - 2 * label - percent);
  if (bar <= 0) return;
  constexpr double kSupposedFill = 0.5;
  const float left = std::floor(x + (width - 2 * label - bar - percent) / 2);
  const bool last = state.query() + 1 == reading.token_count();
  fitted_text(theme.fonts.label, {left, y + theme.px(2)}, label - theme.px(8), theme.quiet_text,
              reading.supposed ? "next, if so"
              : last           ? "next word"
                               : "after “" + sentence_word(reading.labels[query]) + "”");
  for (std::size_t rank = 0; rank < std::min(most, reading.next[query].size()); ++rank) {
    const double probability = reading.next[query][rank].probability;
    const std::string text = sentence_word(reading.names[query][rank]),
                      name = "sentence.next." + std::to_string(rank);
    const float top = y + line * static_cast<float>(rank), thick = theme.px(14);
    fitted_text(font, {left + label, top}, label - theme.px(8), theme.text, text);
    const Rect track = {left + 2 * label, top + theme.px(1), bar, thick};
    list.AddRectFilled({left + 2 * label, top + theme.px(1)},
                       {left + 2 * label + bar, top + theme.px(1) + thick}, to_imgui(theme.raised),
                       theme.px(3));
    const float length = bar * static_cast<float>(probability);
    list.AddRectFilled({left + 2 * label, top + theme.px(1)},
                       {left + 2 * label + std::max(1.0f, length), top + theme.px(1) + thick},
                       to_imgui(theme.primary, reading.supposed ? kSupposedFill : 1), theme.px(3));
    if (reading.supposed)
      draw_mark(ui, Mark::Supposed, {left + 2 * label, top + theme.px(1)},
                {left + 2 * label + std::max(thick, length), top + theme.px(1) + thick});
    ui.probe.mark_rect(name + ".track", track);
    ui.probe.mark_rect(name + ".bar", {track.x, track.y, length, thick});
    const std::string share = share_text(probability);
    ui.probe.mark_rect(name, {left + label, top, label + bar + percent, line},
                       std::string(text).append(" ").append(share));
    const float end = left + 2 * label + bar + percent;
    list.AddText(font, font_size(font), {end - text_width(font, share), top}, to_imgui(theme.text),
                 share.c_str());
  }
}

// "Supposed: ... Next word: ...", without the latter where there is no room.
std::string supposed_line(const UiContext& ui, const SentenceState& state, ImFont* font, float room) {
  const SupposedText text = supposed_text(*state.supposing, {ui.preferences.count_from});
  const std::string whole = text.next.empty() ? text.looks : text.looks + ". " + text.next;
  return text_width(font, whole) <= room ? whole : text.looks;
}

// Of a pair that is held its share: "“to” looks at “Tom”: 4 %".
std::string pair_text(const TextReading& reading, const SentenceState::Pair& pair, const TextHead& head) {
  const auto word = [&](Index i) {
    return "“" + sentence_word(reading.labels[static_cast<std::size_t>(i)]) + "”";
  };
  return word(pair.query) + " looks at " + word(pair.key) + ": " +
         share_text(double{reading.weights_of(pair.query, head)(pair.key)}) + " (Escape: all words)";
}

// Beside what is supposed, what the model does: "as it is: “Ann” 91 %, next word “Ann” 99.7 %".
std::string as_it_is_text(const SentenceState& state) {
  const TextReading& reading = *state.reading;
  const MovedAttention& moved = *state.supposed;
  const auto query = static_cast<std::size_t>(moved.query);
  std::string text = "as it is: at “" + sentence_word(reading.labels[static_cast<std::size_t>(moved.from)]) +
                     "” with " + share_text(double{reading.weights_of(moved.query, moved.of)(moved.from)});
  if (!reading.next.empty() && !reading.next[query].empty())
    text += ", then “" + sentence_word(reading.names[query].front()) + "” " +
            share_text(reading.next[query].front().probability);
  return text + " (Escape: back to that)";
}

// The most that the shown head gives from the word that asks: "“to” looks most at “Ann”: 91 %".
std::string looks_text(const UiContext& ui, const SentenceState& state) {
  const TextReading& reading = *state.reading;
  if (state.held) return pair_text(reading, *state.held, state.shown());
  if (state.supposed && state.typing && state.supposing)  // the field stands where it is said otherwise
    return supposed_text(*state.supposing, {ui.preferences.count_from}).looks;
  if (state.supposed) return as_it_is_text(state);
  const Index query = state.query();
  Eigen::Index key = 0;
  const float most = reading.weights_of(query, state.shown()).maxCoeff(&key);
  return "“" + sentence_word(reading.labels[static_cast<std::size_t>(query)]) + "” looks most at “" +
         sentence_word(reading.labels[static_cast<std::size_t>(key)]) + "”: " + share_text(double{most});
}

// What is remarkable about the shown heads at the word that asks; "" if nothing is.
std::string remark_text(const SentenceState& state) {
  const TextReading& reading = *state.reading;
  const bool last = state.query() + 1 == reading.token_count();
  if (state.held || state.supposed || !last || reading.next.empty() || reading.names.back().empty())
    return "";
  const std::string next = "“" + sentence_word(reading.names.back().front()) + "”";
  if (!reading.leading_head)
    return "no head is singled out: " + next + ", the likeliest next word, is not in the text";
  const bool leads = state.shown() == *reading.leading_head;
  return leads ? "of all heads this one looks most at " + next + ", the likeliest next word" : "";
}

// The boxes that choose the layer and the head.
void head_boxes(UiContext& ui, SentenceState& state, const std::array<float, 2>& widths) {
  const TextReading& reading = *state.reading;
  TextHead shown = state.shown();
  std::vector<Choice> layers,
      heads = {{"all", "all heads", "The mean of the weights of all heads of the layer"}};
  for (Index layer = 0; layer < reading.layers; ++layer)
    layers.push_back({number(ui, layer), "layer " + number(ui, layer), ""});
  for (Index head = 0; head < reading.heads; ++head)
    heads.push_back({number(ui, head), "head " + number(ui, head), ""});
  const auto layer = choice_box(ui, "sentence.layer", layers, static_cast<std::size_t>(shown.layer),
                                widths[0], "The layer whose attention the beams show");
  ImGui::SameLine(0, ui.theme.px(8));
  const auto head =
      choice_box(ui, "sentence.head", heads, shown.head ? static_cast<std::size_t>(*shown.head) + 1 : 0,
                 widths[1], "The head whose attention the beams show, or all heads of the layer together");
  if (!layer && !head) return;
  if (layer) shown.layer = static_cast<Index>(*layer);
  if (head) shown.head = *head == 0 ? std::nullopt : std::optional(static_cast<Index>(*head) - 1);
  state.head = shown;
  state.supposed.reset();
}

// Leads back to the leading head from another one.
void leading_link(UiContext& ui, SentenceState& state, const std::string& label, float x, float y) {
  ImFont* const font = ui.theme.fonts.label;
  ImGui::SetCursorScreenPos({x, y});
  if (click_area("sentence.heads.leading", {text_width(font, label), font_size(font)})) {
    state.head.reset();
    state.supposed.reset();
  }
  ui.probe.mark("sentence.heads.leading", label);
  const Color color = ImGui::IsItemHovered() ? ui.theme.text : ui.theme.link;
  tooltip(ui, "Of all heads it looks most at the likeliest next word");
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), {x, y}, to_imgui(color), label.c_str());
}

// Whose weights the beams are, and what these say. `rule`: which beams have numbers.
void heads_line(UiContext& ui, SentenceState& state, const std::string& rule, float x, float y, float width) {
  const Theme& theme = ui.theme;
  ImFont* const font = theme.fonts.label;
  const float gap = theme.px(16);
  const float least = theme.px(48), box = std::min(theme.px(104), (width - theme.px(8)) / 2);
  if (box < least) return;
  const bool leads = !state.reading->leading_head || state.shown() == *state.reading->leading_head;
  const std::string back = leads ? "" : "the leading head";
  // The boxes stand where they are, whatever the words say.
  const float left = std::floor(x + std::max(0.0f, width - theme.px(kHeadsLine)) / 2);
  const float boxes = 2 * box + theme.px(8) + gap;
  const float room = x + width - left - boxes - (leads ? 0 : gap + text_width(font, back));
  std::string words;
  for (const std::string& part : {looks_text(ui, state), remark_text(state), rule}) {
    std::string longer = words;
    if (!words.empty() && !part.empty()) longer += " · ";
    longer += part;
    if (text_width(font, longer) <= room) words = longer;
  }
  ImGui::SetCursorScreenPos({left, y});
  head_boxes(ui, state, {box, box});
  float at = left + boxes;
  const float line = y + std::floor((ImGui::GetFrameHeight() - font_size(font)) / 2);
  if (!leads && at + text_width(font, back) <= x + width) {
    leading_link(ui, state, back, at, line);
    at += text_width(font, back) + gap;
  }
  if (words.empty()) return;
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), {at, line}, to_imgui(theme.quiet_text),
                                      words.c_str());
  ui.probe.mark_rect("sentence.looks", {at, line, text_width(font, words), font_size(font)}, words);
}

// Why the last word looks most at one word while another one follows; "" if that is not what is shown.
std::string mixture_text(const SentenceState& state) {
  const TextReading& reading = *state.reading;
  const TextHead shown = state.shown();
  if (state.supposed || shown.head || !reading.leading_head || state.query() + 1 != reading.token_count())
    return "";
  Eigen::Index most = 0;
  reading.weights_of(state.query(), shown).maxCoeff(&most);
  const auto key = static_cast<std::size_t>(most);
  if (reading.ids[key] == reading.next.back().front().id) return "";
  return "On average the heads look most at “" + sentence_word(reading.labels[key]) + "”, yet “" +
         sentence_word(reading.names.back().front()) +
         "” is expected next: an average mixes the heads, and one of them can decide";
}

// The first word that is in pieces, and why; "" if there is none.
std::string pieces_text(const TextReading& reading) {
  const auto begin = std::find(reading.continues.begin(), reading.continues.end(), true);
  if (begin == reading.continues.end()) return "";
  auto at = static_cast<std::size_t>(begin - reading.continues.begin()) - 1;
  std::string word, pieces;
  do {
    const std::string piece = reading.labels[at] == " " ? "" : sentence_word(reading.labels[at]);
    if (!piece.empty()) pieces += (pieces.empty() ? "“" : " + “") + piece + "”";
    word += piece;
    ++at;
  } while (at < reading.labels.size() && reading.continues[at]);
  return "“" + word +
         "” is not a word that this model knows as a whole: it is cut into pieces that it knows, " + pieces;
}

struct SentenceNote {
  std::string name, text;
};

// The lines below the beams, the most important first.
std::vector<SentenceNote> notes_of(const SentenceState& state) {
  std::vector<SentenceNote> notes;
  const auto add = [&notes](const char* name, const std::string& text) {
    if (!text.empty()) notes.push_back({name, text});
  };
  if (!state.trouble.empty()) {
    add("sentence.note", state.trouble);
  } else if (state.reading && state.reading->failure) {
    add("sentence.note", state.reading->failure->what());
  } else if (state.reading && state.reading->token_count() > 0) {
    add("sentence.mixture", mixture_text(state));
    add("sentence.note", pieces_text(*state.reading));
  }
  return notes;
}

// What can be done, or what is supposed.
void top_line(UiContext& ui, const SentenceState& state, float x, float y, float width) {
  ImFont* const font = ui.theme.fonts.text;
  if (!state.supposed || !state.supposing)
    return centred_text(ui, kHintText, x, y, width, ui.theme.quiet_text);
  const std::string text = supposed_line(ui, state, font, width);
  centred_text(ui, text, x, y, width, ui.theme.text);
  ui.probe.mark_rect("sentence.supposed", {x, y, width, font_size(font)}, text);
}

// The field for the text, with a button that ends typing.
void typing_line(UiContext& ui, SentenceState& state, float x, float y, float width) {
  const float button = button_width("Done") + ui.theme.px(8);
  const float field = std::min(ui.theme.px(720), width - button);
  const float left = std::floor(x + (width - field - button) / 2);
  ImGui::SetCursorScreenPos({left, y});
  ImGui::SetNextItemWidth(field);
  if (std::exchange(state.focus_asked, false)) ImGui::SetKeyboardFocusHere();
  const std::string typed = state.text;
  text_entry(ui, "sentence.text", state.text, kMostTyped, "Write a sentence");
  const bool ended = ImGui::IsItemDeactivated();
  const bool entered = ended && (key_pressed(Key::Enter) || key_pressed(Key::Escape));
  if (ended && key_pressed(Key::Escape)) state.text = typed;  // Dear ImGui brings the text before typing back
  ui.probe.mark("sentence.text", state.text);
  ImGui::SetCursorScreenPos({left + field + ui.theme.px(8), y});
  if (tool_button(ui, "sentence.done", "Done", "Enter, Escape") || entered) state.typing = false;
}

// What the model has read, and sentences to try: a click types one. Returns the height.
float tried_lines(UiContext& ui, SentenceState& state, float x, float y, float width) {
  const Theme& theme = ui.theme;
  ImFont* const font = theme.fonts.label;
  const float line = font_size(font), gap = theme.px(16), row = y + line + theme.px(8);
  push_font(font);
  const std::string read = elided(kReadByBundled, width);
  ImGui::PopFont();
  const float left = std::floor(x + (width - text_width(font, read)) / 2);
  ImGui::GetWindowDrawList()->AddText(font, line, {left, y}, to_imgui(theme.quiet_text), read.c_str());
  ui.probe.mark_rect("sentence.read", {left, y, text_width(font, read), line}, kReadByBundled);
  float all = text_width(font, "try:");
  for (const TriedSentence& tried : kTriedSentences)
    all += gap + text_width(font, tried.label);
  if (all > width) return row - y;
  float at = std::floor(x + (width - all) / 2);
  ImGui::GetWindowDrawList()->AddText(font, line, {at, row}, to_imgui(theme.quiet_text), "try:");
  at += text_width(font, "try:") + gap;
  for (const TriedSentence& tried : kTriedSentences) {
    const std::string name = std::string("sentence.try.") + tried.id;
    ImGui::SetCursorScreenPos({at, row});
    if (click_area(name.c_str(), {text_width(font, tried.label), line})) {
      state.text = tried.text;
      state.pinned.reset();
    }
    ui.probe.mark(name, tried.text);
    const Color ink = ImGui::IsItemHovered() ? theme.text : theme.link;
    tooltip(ui, std::string(tried.text) + " …");
    ImGui::GetWindowDrawList()->AddText(font, line, {at, row}, to_imgui(ink), tried.label);
    at += text_width(font, tried.label) + gap;
  }
  return theme.px(kTried);
}

}  // namespace

SentenceToken sentence_token(const Theme& theme, const std::string& word, bool continues) {
  ImFont* const font = theme.fonts.sentence;
  return {static_cast<double>(drawn_width(font, word) / theme.fonts.text_em_px(*font)), continues};
}

double BeamGrowth::grown(const UiContext& ui, Index asks) {
  if (query != asks) {
    query = asks;
    since = ImGui::GetTime();
  }
  if (!ui.preferences.motion) return 1;
  const double t = std::min(1.0, (ImGui::GetTime() - since) / kGrowSeconds);
  if (t < 1) {
    ui.wake_within(0.01);
    ui.view.lesson.fading = true;
  }
  return 1 - (1 - t) * (1 - t);
}

// The wider "> 99.9 %" stands beside no other.
ImVec2 beam_label(const UiContext& ui) {
  return {text_width(ui.theme.fonts.label, "100 %"), font_size(ui.theme.fonts.label)};
}

void draw_beams(UiContext& ui, const SentenceBeams& planned, double grown, const std::string& prefix) {
  const Theme& theme = ui.theme;
  ImFont* const font = theme.fonts.label;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto at = [](const Point& p) { return ImVec2(static_cast<float>(p.x), static_cast<float>(p.y)); };
  for (const SentenceBeam& whole : planned.beams) {
    constexpr double kFaintest = 0.5;
    constexpr int kSegments = 64;
    const SentenceBeam beam = grown_beam(whole, grown);
    const double alpha = kFaintest + (1 - kFaintest) * std::min(1.0, static_cast<double>(beam.weight) * 1.5);
    const ImU32 color = to_imgui(theme.link, alpha);
    if (beam.supposed) draw_dashes(list, beam, color, double{theme.px(6)} + beam.width / 2);
    for (std::size_t i = 0; !beam.supposed && i + 3 < beam.path.size(); i += 3)
      list.AddBezierCubic(at(beam.path[i]), at(beam.path[i + 1]), at(beam.path[i + 2]), at(beam.path[i + 3]),
                          color, static_cast<float>(beam.width), kSegments);
    const std::string share = share_text(static_cast<double>(beam.weight));
    ui.probe.mark_rect(prefix + std::to_string(beam.key), {whole.end().x, whole.end().y, 1, 1},
                       beam.supposed ? share + " (supposed)" : share);
    if (!beam.label || grown < 1) continue;
    const float x = static_cast<float>(beam.label->x + beam.label->width / 2) - text_width(font, share) / 2;
    list.AddText(font, font_size(font), {x, static_cast<float>(beam.label->y) + theme.px(2)},
                 to_imgui(theme.link), share.c_str());
  }
}

Index SentenceState::query() const {
  const Index last = reading->token_count() - 1;
  if (supposed) return std::min(supposed->query, last);
  if (held) return std::min(held->query, last);
  return std::clamp<Index>(pointed.value_or(pinned.value_or(last)), 0, last);
}

Eigen::RowVectorXf SentenceState::weights_of(Index query) const {
  const Eigen::RowVectorXf row = reading->weights_of(query, shown());
  return supposed && supposed->query == query ? moved_row(row, *supposed) : row;
}

TextHead SentenceState::shown() const {
  if (supposed) return supposed->of;
  if (head && head->layer < reading->layers && head->head.value_or(0) < reading->heads) return *head;
  return reading->leading_head.value_or(TextHead{reading->layers - 1, std::nullopt});
}

float sentence_height(const UiContext& ui, float most) {
  return std::min(most, ui.theme.px(kHint + kWords + kHeads + kNote + 12 + kNextLine * kMostNext));
}

void sentence_panel(UiContext& ui, SentenceState& state, const Area& area) {
  const Theme& theme = ui.theme;
  const float x = area.at.x, width = area.size.x;
  float y = area.at.y;
  if (state.typing) {
    typing_line(ui, state, x, y, width);
    y += theme.px(kTyping);
    const bool roomy = area.size.y >= theme.px(kTyping + kTried + kWords);
    if (roomy) y += tried_lines(ui, state, x, y, width);
  } else {
    top_line(ui, state, x, y, width);
    y += theme.px(kHint);
  }
  // Another text: also one that is not read yet.
  if (state.supposed && (!state.reading || state.text != state.reading->text)) state.supposed.reset();
  std::vector<SentenceNote> notes = notes_of(state);
  const bool there = state.reading && !state.reading->failure && state.reading->token_count() > 0;
  // What needs room below the words; with little room the bars go first, then the line of heads.
  float left = area.at.y + area.size.y - y - theme.px(60);
  const auto take = [&left](float height) {
    const bool fits = left >= height;
    if (fits) left -= height;
    return fits;
  };
  std::size_t noted = 0;
  while (noted < notes.size() && take(theme.px(kNote + 10)))
    ++noted;
  notes.resize(noted);
  const bool heads = there && take(theme.px(kHeads));
  std::size_t next = 0;
  while (there && next < kMostNext && take(theme.px(kNextLine)))
    ++next;
  const float words = std::min(theme.px(kWords), theme.px(60) + left);
  std::string rule;
  if (there) {
    const SentencePlan plan =
        plan_sentence(measured(ui, *state.reading), {{x, y, width, words},
                                                     static_cast<double>(theme.scale),
                                                     static_cast<double>(theme.px(28)),
                                                     static_cast<double>(theme.px(18)),
                                                     static_cast<double>(beam_label(ui).x)});
    if (plan.count() > 0) {
      follow_pair(state, plan);
      rule = beams_of(ui, state, plan);
      draw_words(ui, state, plan);
    }
  }
  y += words + theme.px(10);
  if (heads) {
    heads_line(ui, state, rule, x, y, width);
    y += theme.px(kHeads);
  }
  for (const SentenceNote& note : notes) {
    centred_text(ui, note.text, x, y, width,
                 state.reading && !state.reading->failure ? theme.quiet_text : theme.error);
    ui.probe.mark_rect(note.name, {x, y, width, theme.px(kNote)}, note.text);
    y += theme.px(kNote + 10);
  }
  if (next > 0) draw_next(ui, state, x, y, width, next);
}

}  // namespace headlight
