#include "app/ui/lesson/start_screen.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/lesson/question_box.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr float kWidest = 1240, kMargin = 24, kGap = 8;
constexpr float kCardWidth = 176, kCardHeight = 64, kCardPad = 8, kPicture = 48;

constexpr const char* kFirstSteps[] = {
    "Change a number on the left: drag a cell, or type into it. Every picture follows.",
    "Click a cell of a picture to see the sum that it is.",
    "Ctrl+P finds every command, F1 opens the manual, Ctrl+L comes back here."};

int steps_read(const WindowMemory& memory, const LessonEntry& lesson) {
  const auto found = memory.lessons.find(lesson.stem);
  return found == memory.lessons.end() ? 0 : found->second;
}

bool is_read(const WindowMemory& memory, const LessonEntry& lesson) {
  return lesson.steps > 0 && steps_read(memory, lesson) >= static_cast<int>(lesson.steps);
}

void open_file(UiContext& ui, Action action, const fs::path& file) {
  ui.actions.push_back({action, file, Stage::Weights});
}

// The lesson of this file; null if it is not a lesson.
const LessonEntry* lesson_of(const StartScreen& shown, const fs::path& file) {
  const auto found = std::find_if(shown.lessons.begin(), shown.lessons.end(),
                                  [&file](const LessonEntry& entry) { return entry.path == file; });
  return found == shown.lessons.end() ? nullptr : &*found;
}

bool continue_button(UiContext& ui, StartScreenState& state, const StartScreen& shown) {
  const fs::path& last = shown.memory.last;
  std::error_code unreadable;
  if (last.empty() || !fs::exists(last, unreadable)) return false;
  const LessonEntry* lesson = lesson_of(shown, last);
  const std::string title = lesson ? lesson->title : last.filename().string();
  const std::string label = elided("Continue: " + title, ui.theme.px(280));
  if (primary_button(ui, "start.continue", label, lesson ? "The lesson that was open last" : last.string())) {
    if (lesson) {
      const int read = steps_read(shown.memory, *lesson);
      state.continue_at = static_cast<std::size_t>(std::max(0, read - 1));
    }
    open_file(ui, lesson ? Action::OpenLesson : Action::OpenPath, last);
  }
  ImGui::SameLine();
  return true;
}

// Moves the cursor to the place of the next button: on the same line if it fits, else on a new one.
void flow_to_next(const std::string& label) {
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < button_width(label)) ImGui::NewLine();
}

StartChoice open_buttons(UiContext& ui, StartScreenState& state, const StartScreen& shown) {
  StartChoice choice = StartChoice::None;
  const bool continues = continue_button(ui, state, shown);
  const bool any = !shown.lessons.empty();
  const std::string tip = any ? shown.lessons.front().title : "The lessons are not installed";
  const bool course = continues ? tool_button(ui, "start.course", "Start the course", tip, any)
                                : primary_button(ui, "start.course", "Start the course", tip, any);
  if (course) open_file(ui, Action::OpenLesson, shown.lessons.front().path);
  if (!state.model.empty()) {
    flow_to_next("Who gave what");
    if (tool_button(
            ui, "start.words", "Who gave what",
            "A small language model of simple English that comes with Headlight: it knows who gives and who "
            "gets"))
      open_file(ui, Action::OpenLesson, state.model);
  }
  // Arrays and sentences go into a new session, unless the open one has unsaved changes.
  const bool fresh = ui.document.saved();
  flow_to_next("Open a model…");
  if (tool_button(ui, "start.model", "Open a model…",
                  "A folder as the hub gives it: config.json, model.safetensors, tokenizer.json"))
    ui.act(Action::OpenModel);
  flow_to_next("Open arrays…");
  if (tool_button(ui, "start.arrays", "Open arrays…",
                  "Embeddings and weights from .npy, .npz, .safetensors, .csv or .tsv files")) {
    if (fresh) ui.act(Action::New);
    ui.act(Action::OpenArrays);
  }
  flow_to_next("Type a sentence…");
  if (tool_button(ui, "start.text", "Type a sentence…", "Its words become the tokens of a session")) {
    if (fresh) ui.act(Action::New);
    choice = StartChoice::Sentence;
  }
  flow_to_next("Open a session…");
  if (tool_button(ui, "start.open", "Open a session…", "Ctrl+O")) ui.act(Action::Open);
  flow_to_next("New session");
  if (tool_button(ui, "start.new", "New session", "Six tokens, three dimensions, one head (Ctrl+N)"))
    ui.act(Action::New);
  flow_to_next("Back to the workbench");
  if (tool_button(ui, "start.close", "Back to the workbench", "Escape")) choice = StartChoice::Close;
  return choice;
}

// The recent files, as many as fit on one line.
void recent_files(UiContext& ui, const std::vector<fs::path>& recent) {
  if (recent.empty()) return;
  const float gap = ui.theme.px(kGap), pad = 2 * ImGui::GetStyle().FramePadding.x;
  float room = ImGui::GetContentRegionAvail().x - text_width(ui.theme.fonts.label, "opened last");
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, "opened last");
  for (std::size_t i = 0; i < recent.size(); ++i) {
    const std::string label = elided(recent[i].filename().string(), ui.theme.px(200));
    room -= text_width(ui.theme.fonts.text, label) + pad + gap;
    if (room < 0) return;
    ImGui::SameLine(0, gap);
    ImGui::PushID(static_cast<int>(i));
    if (tool_button(ui, "start.recent." + std::to_string(i), label, recent[i].string()))
      open_file(ui, Action::OpenPath, recent[i]);
    ImGui::PopID();
  }
}

// A dot for each step, filled if the step was read, and a tick after the dots if all were read.
void draw_steps(UiContext& ui, const WindowMemory& memory, const LessonEntry& lesson, ImVec2 at) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float radius = ui.theme.px(2.5f), spacing = ui.theme.px(9);
  const int read = steps_read(memory, lesson), steps = static_cast<int>(lesson.steps);
  for (int i = 0; i < steps; ++i) {
    const ImVec2 middle = {at.x + radius + spacing * static_cast<float>(i), at.y};
    if (i < read)
      list.AddCircleFilled(middle, radius, to_imgui(ui.theme.lesson));
    else
      list.AddCircle(middle, radius, to_imgui(ui.theme.quiet_text), 0, std::max(1.0f, ui.theme.px(1)));
  }
  if (!is_read(memory, lesson)) return;
  const float size = ui.theme.px(10), x = at.x + spacing * static_cast<float>(steps) + ui.theme.px(2);
  draw_tick(list, {x, at.y - size / 2}, size, to_imgui(ui.theme.lesson), ui.theme.px(2));
  ui.probe.mark_rect("start.done." + lesson.stem, {x, at.y - size / 2, size, size});
}

// The title, wrapped at words to at most two lines; the tooltip shows a title that is cut.
bool draw_title(const UiContext& ui, const std::string& title, ImVec2 at, float width, Color ink) {
  push_font(ui.theme.fonts.label);
  const std::string whole = drawn_text(visible_label(title));
  const char* const begin = whole.c_str();
  const char* const end = begin + whole.size();
  const char* first = ImGui::GetFont()->CalcWordWrapPositionA(1.0f, begin, end, width);
  const char* second = first;
  while (second < end && *second == ' ')
    ++second;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 color = to_imgui(ink);
  list.AddText(at, color, begin, first);
  const std::string rest(second, end), fitted = elided(rest, width);
  list.AddText({at.x, at.y + ImGui::GetFontSize() + ui.theme.px(1)}, color, fitted.c_str());
  ImGui::PopFont();
  return fitted != rest;
}

void lesson_card(UiContext& ui, StartScreenState& state, const StartScreen& shown, const LessonEntry& lesson,
                 const Area& card) {
  const std::string number = number_of(lesson);
  const Theme& theme = ui.theme;
  ImGui::SetCursorScreenPos(card.at);
  if (click_area(("##start." + lesson.stem).c_str(), card.size))
    open_file(ui, Action::OpenLesson, lesson.path);
  ui.probe.mark("start.lesson." + lesson.stem, lesson.title);
  const bool hot = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(card.at, card.end(), to_imgui(hot ? theme.raised : theme.panel), theme.px(6));
  list.AddRect(card.at, card.end(), to_imgui(hot ? theme.quiet_text : theme.line), theme.px(6), 0,
               std::max(1.0f, theme.px(1)));
  const float pad = theme.px(kCardPad), side = theme.px(kPicture);
  lesson_picture(ui, state.pictures, lesson.path, {card.at.x + pad, card.at.y + (card.size.y - side) / 2},
                 side);
  const float x = card.at.x + 2 * pad + side, width = card.end().x - pad - x;
  ImFont* font = theme.fonts.label;
  list.AddText(font, font_size(font), {x, card.at.y + pad}, to_imgui(theme.quiet_text), number.c_str());
  const float steps_at = x + text_width(font, "88b") + theme.px(8);
  draw_steps(ui, shown.memory, lesson, {steps_at, card.at.y + pad + font_size(font) / 2});
  const ImVec2 title_at = {x, card.at.y + pad + font_size(font) + theme.px(4)};
  const bool cut =
      draw_title(ui, lesson.title, title_at, width, lesson.variation_of ? theme.quiet_text : theme.text);
  if (lesson.variation_of)
    tooltip(ui, lesson.title + "\n" + variation_words(*lesson.variation_of));
  else if (cut)
    tooltip(ui, lesson.title);
}

// The lessons by chapter; those of a chapter are consecutive.
std::vector<std::span<const LessonEntry>> chapters_of(const std::vector<LessonEntry>& lessons) {
  std::vector<std::span<const LessonEntry>> chapters;
  for (std::size_t begin = 0, end = 0; begin < lessons.size(); begin = end) {
    while (end < lessons.size() && lessons[end].chapter == lessons[begin].chapter)
      ++end;
    chapters.push_back(std::span(lessons).subspan(begin, end - begin));
  }
  return chapters;
}

// The cards by chapter, below its name; a chapter that fits whole is beside the one before it.
void lesson_cards(UiContext& ui, StartScreenState& state, const StartScreen& shown) {
  const float gap = ui.theme.px(kGap), room = ImGui::GetContentRegionAvail().x;
  const float least = ui.theme.px(kCardWidth);
  const auto columns = static_cast<std::size_t>(std::max(1.0f, std::floor((room + gap) / (least + gap))));
  const float width =
      std::floor((room - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  const float height = ui.theme.px(kCardHeight);
  const float name_height = font_size(ui.theme.fonts.label) + ui.theme.px(8);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  float y = origin.y;  // of the current row of cards
  std::size_t column = 0, rows = 0;
  for (const std::span<const LessonEntry> chapter : chapters_of(shown.lessons)) {
    const bool beside = column > 0 && rows == 1 && column + chapter.size() <= columns;
    if (!beside) {
      y += (column > 0 ? height + gap : 0) + name_height;
      column = 0;
      rows = 1;
    }
    const auto x = [&] { return origin.x + static_cast<float>(column) * (width + gap); };
    ImGui::SetCursorScreenPos({x(), y - name_height});
    quiet_text(ui, chapter.front().chapter);
    for (const LessonEntry& lesson : chapter) {
      if (column == columns) {
        column = 0;
        ++rows;
        y += height + gap;
      }
      lesson_card(ui, state, shown, lesson, {{x(), y}, {width, height}});
      ++column;
    }
  }
  ImGui::SetCursorScreenPos({origin.x, y + height});
  ImGui::Dummy({room, 1});
}

void error_line(UiContext& ui, const std::string& message) {
  if (message.empty()) return;
  ImGui::PushTextWrapPos(0);
  label_text(ui, message, ui.theme.error);
  ImGui::PopTextWrapPos();
  ui.probe.mark("start.message", message);
}

void heading_lines(UiContext& ui) {
  push_font(ui.theme.fonts.title);
  ImGui::TextUnformatted("Headlight: attention, number by number");
  ImGui::PopFont();
  for (const char* line : kFirstSteps) {
    ImGui::PushTextWrapPos(0);
    quiet_text(ui, line);
    ImGui::PopTextWrapPos();
  }
}

}  // namespace

StartChoice start_screen(UiContext& ui, StartScreenState& state, const StartScreen& shown) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float margin = std::min(ui.theme.px(kMargin), window.x / 16);
  const float width = std::min(window.x - 2 * margin, ui.theme.px(kWidest));
  ImGui::SetCursorScreenPos({std::floor((window.x - width) / 2), margin});
  StartChoice choice = StartChoice::None;
  if (begin_child("start", {width, window.y - margin}, false, ImGuiWindowFlags_NoBackground)) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ui.theme.px(kGap), ui.theme.px(4)});
    heading_lines(ui);
    ImGui::PopStyleVar();
    ImGui::Dummy({0, ui.theme.px(4)});
    choice = open_buttons(ui, state, shown);
    error_line(ui, shown.message);
    recent_files(ui, shown.memory.recent);
    ImGui::Dummy({0, ui.theme.px(4)});
    lesson_cards(ui, state, shown);
  }
  ImGui::EndChild();
  return choice;
}

void note_lesson(const UiContext& ui, const std::vector<LessonEntry>& lessons, LessonGuide& guide,
                 WindowMemory& memory) {
  const Session& session = ui.document.session();
  if (!guide.opened || !session.lesson || session.lesson->steps.empty()) return;
  const LessonEntry* entry = entry_of(session, lessons);
  if (!entry) return;
  int& read = memory.lessons[entry->stem];
  read = std::max(read, static_cast<int>(guide.step) + 1);
  sync_answers(ui, guide, entry->stem, memory);
}

}  // namespace headlight
