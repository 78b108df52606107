#include "app/ui/start/start_screen.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/lesson/lesson_progress.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr float kWidest = 1240, kMargin = 24, kGap = 8;
constexpr float kTwoColumns = 900;  // width from which the course and the files stand side by side
constexpr float kFileWidth = 150, kFileHeight = 84;
// In a smaller window the ways to open something are buttons above the course instead of cards.
constexpr float kCardsFrom[] = {560, 620};  // width and height

void open_file(UiContext& ui, Action action, const fs::path& file) {
  ui.actions.push_back({action, file, Stage::Weights});
}

// The lesson of this file; null if it is not a lesson.
const LessonEntry* lesson_of(const StartScreen& shown, const fs::path& file) {
  const auto found = std::find_if(shown.lessons.begin(), shown.lessons.end(),
                                  [&file](const LessonEntry& entry) { return entry.path == file; });
  return found == shown.lessons.end() ? nullptr : &*found;
}

bool is_small(const UiContext& ui) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  return window.x < ui.theme.px(kCardsFrom[0]) || window.y < ui.theme.px(kCardsFrom[1]);
}

// A button of the row below the sentence.
struct StartButton {
  std::string name, label, tip;
};

// The title of a session's file; its name if it has none, is large or cannot be read. A model's folder has
// its name as its title.
std::string title_of(const fs::path& file, SessionTitle& known) {
  if (known.path == file) return known.title;
  constexpr std::uintmax_t kMostRead = 4'000'000;  // bytes that are read within a frame
  known = {file, file.filename().string()};
  std::error_code unreadable;
  const std::uintmax_t size = fs::is_regular_file(file, unreadable) ? fs::file_size(file, unreadable) : 0;
  if (unreadable || size == 0 || size > kMostRead) return known.title;
  try {
    const Session session = load_session(file);
    if (!session.title.empty()) known.title = session.title;
  } catch (const Error&) {
    known.title = file.filename().string();  // opening it reports what is wrong
  }
  return known.title;
}

// The session or lesson that was open last, if its file is still there.
std::optional<StartButton> continue_button(const UiContext& ui, StartScreenState& state,
                                           const StartScreen& shown) {
  const fs::path& last = shown.memory.last;
  std::error_code unreadable;
  if (last.empty() || !fs::exists(last, unreadable)) return std::nullopt;
  const LessonEntry* lesson = lesson_of(shown, last);
  const std::string title = lesson ? lesson->title : title_of(last, state.last);
  return StartButton{"start.continue", elided("Continue: " + title, ui.theme.px(280)),
                     lesson ? "The lesson that was open last" : last.string()};
}

void continue_last(UiContext& ui, StartScreenState& state, const StartScreen& shown) {
  const LessonEntry* lesson = lesson_of(shown, shown.memory.last);
  if (lesson)
    state.continue_at = static_cast<std::size_t>(std::max(0, steps_read(shown.memory, *lesson) - 1));
  open_file(ui, lesson ? Action::OpenLesson : Action::OpenPath, shown.memory.last);
}

// The first lesson of the course that is not read to its end; the first one when all are.
const LessonEntry& next_lesson(const StartScreen& shown) {
  for (const LessonEntry& lesson : shown.lessons)
    if (!lesson.variation_of && !is_read(shown.memory, lesson)) return lesson;
  return shown.lessons.front();
}

void open_lesson(UiContext& ui, StartScreenState& state, const StartScreen& shown,
                 const LessonEntry& lesson) {
  state.continue_at = step_to_open(shown.memory, lesson);
  open_file(ui, Action::OpenLesson, lesson.path);
}

void go_on(UiContext& ui, StartScreenState& state, const StartScreen& shown) {
  open_lesson(ui, state, shown, next_lesson(shown));
}

// Into the course, as far as it is read. None without lessons.
std::optional<StartButton> course_button(const StartScreen& shown) {
  if (shown.lessons.empty()) return std::nullopt;
  const LessonEntry& lesson = next_lesson(shown);
  const bool begun = std::any_of(shown.lessons.begin(), shown.lessons.end(),
                                 [&](const LessonEntry& one) { return steps_read(shown.memory, one) > 0; });
  return StartButton{"start.course", begun ? "Go on with the course" : "Begin the course", lesson.title};
}

void use_own_text(SentenceState& sentence) {
  sentence.typing = sentence.focus_asked = true;
  sentence.pinned.reset();
}

StartChoice press(UiContext& ui, StartScreenState& state, const StartScreen& shown, const std::string& name) {
  if (name == "start.close") return StartChoice::Close;
  if (name == "start.continue") continue_last(ui, state, shown);
  if (name == "start.course") go_on(ui, state, shown);
  if (name == "start.own") use_own_text(state.sentence);
  if (name == "start.inside") ui.act(Action::OpenSentence);
  return StartChoice::None;
}

// The first button: the way back to what is open, else to what was open last.
std::optional<StartButton> first_button(const UiContext& ui, StartScreenState& state,
                                        const StartScreen& shown) {
  if (shown.open_title) {
    const std::string title = shown.open_title->empty()
                                  ? "the open session"
                                  : "“" + elided(*shown.open_title, ui.theme.px(200)) + "”";
    return StartButton{"start.close", "Back to " + title, "The session that is open"};
  }
  return continue_button(ui, state, shown);
}

// The buttons below the sentence, centred, on as many lines as they need.
StartChoice main_buttons(UiContext& ui, StartScreenState& state, const StartScreen& shown) {
  std::vector<StartButton> buttons;
  StartChoice choice = StartChoice::None;
  if (const auto first = first_button(ui, state, shown)) buttons.push_back(*first);
  if (const auto course = course_button(shown)) buttons.push_back(*course);
  const SentenceState& sentence = state.sentence;
  if (sentence.reading && !sentence.typing)
    buttons.push_back(
        {"start.own", "Use my own text", "Type another sentence: the beams follow each letter"});
  if (sentence.reading && !sentence.reading->failure)
    buttons.push_back({"start.inside", "Look inside", "Open this model with this sentence in the workbench"});
  const float gap = ui.theme.px(12), room = ImGui::GetContentRegionAvail().x;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.theme.px(16), ui.theme.px(9)});
  for (std::size_t begin = 0, end = 0; begin < buttons.size(); begin = end) {
    float width = 0;
    for (end = begin; end < buttons.size(); ++end) {
      const float more = button_width(buttons[end].label) + (end > begin ? gap : 0);
      if (end > begin && width + more > room) break;
      width += more;
    }
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, std::floor((room - width) / 2)));
    for (std::size_t i = begin; i < end; ++i) {
      const StartButton& one = buttons[i];
      if (i > begin) ImGui::SameLine(0, gap);
      if (i == 0 ? primary_button(ui, one.name, one.label, one.tip)
                 : tool_button(ui, one.name, one.label, one.tip))
        choice = press(ui, state, shown, one.name);
    }
  }
  ImGui::PopStyleVar();
  return choice;
}

// A card of *Models and files*.
struct FileCard {
  const char *name, *title, *about;
};
constexpr std::array kFileCards = {
    FileCard{"start.words", "Who gave what",
             "A small language model of simple English that comes with Headlight"},
    FileCard{"start.learn", "See it learn", "The same model at eight steps of its training, with a slider"},
    FileCard{"start.model", "Open a model…", "A folder as the hub gives it, or one file (.gguf)"},
    FileCard{"start.arrays", "Open arrays…", "Embeddings, weights: .npy .npz .safetensors .csv .tsv"},
    FileCard{"start.text", "Words as tokens…", "Your own words as the tokens of a layer to edit"},
};

bool is_installed(const FileCard& file, const StartScreenState& state) {
  const std::string name = file.name;
  if (name == "start.words") return !state.model.empty();
  return name != "start.learn" || !state.learning.empty();
}

StartChoice run_file_card(UiContext& ui, const StartScreenState& state, const std::string& name) {
  if (name == "start.words") open_file(ui, Action::OpenLesson, state.model);
  if (name == "start.learn") open_file(ui, Action::OpenLesson, state.learning);
  if (name == "start.model") ui.act(Action::OpenModel);
  if (name == "start.arrays") return StartChoice::Arrays;
  return name == "start.text" ? StartChoice::Sentence : StartChoice::None;
}

float file_cards(UiContext& ui, const StartScreenState& state, ImVec2 at, float width, StartChoice& choice) {
  const Theme& theme = ui.theme;
  const CardGrid grid = plan_cards(width, theme.px(kFileWidth), theme.px(kFileHeight), theme.px(kCardGap), 3);
  const float pad = theme.px(10);
  std::size_t shown = 0;
  for (const FileCard& file : kFileCards) {
    if (!is_installed(file, state)) continue;
    const Area card = grid.card(at, shown++);
    if (card_button(ui, file.name, card, file.title)) {
      const StartChoice chosen = run_file_card(ui, state, file.name);
      if (chosen != StartChoice::None) choice = chosen;
    }
    fitted_text(theme.fonts.text, {card.at.x + pad, card.at.y + pad}, card.size.x - 2 * pad, theme.text,
                file.title);
    const float line = font_size(theme.fonts.label);
    const float top = card.at.y + pad + font_size(theme.fonts.text) + theme.px(4);
    if (wrapped_text(theme.fonts.label, {card.at.x + pad, top}, card.size.x - 2 * pad, theme.quiet_text,
                     file.about, fitting_lines(card.end().y - theme.px(4) - top, line), line))
      tooltip(ui, file.about);
  }
  return grid.total(shown);
}

// The cards as buttons, for a window without room for them.
StartChoice file_buttons(UiContext& ui, const StartScreenState& state) {
  std::string pressed;
  bool first = true;
  const auto button = [&](const char* name, const char* label, const char* tip) {
    if (!first) ImGui::SameLine(0, ui.theme.px(kGap));
    if (!first && ImGui::GetContentRegionAvail().x < button_width(label)) ImGui::NewLine();
    first = false;
    if (tool_button(ui, name, label, tip)) pressed = name;
  };
  for (const FileCard& file : kFileCards)
    if (is_installed(file, state)) button(file.name, file.title, file.about);
  return run_file_card(ui, state, pressed);
}

void section_name(const UiContext& ui, const char* name, ImVec2 at) {
  ImGui::SetCursorScreenPos(at);
  quiet_text(ui, name);
}

float course_part(UiContext& ui, StartScreenState& state, const StartScreen& shown, ImVec2 at, float width) {
  const float name = font_size(ui.theme.fonts.label) + ui.theme.px(8);
  section_name(ui, "The course", at);
  return name + chapter_cards(ui, state.course, shown.lessons, shown.memory, {at.x, at.y + name}, width);
}

float files_part(UiContext& ui, const StartScreenState& state, ImVec2 at, float width, StartChoice& choice) {
  const float name = font_size(ui.theme.fonts.label) + ui.theme.px(8);
  section_name(ui, "Models and files", at);
  return name + file_cards(ui, state, {at.x, at.y + name}, width, choice);
}

// The course and the files, or the lessons of the chapter that was chosen.
StartChoice lower_part(UiContext& ui, StartScreenState& state, const StartScreen& shown) {
  StartChoice choice = StartChoice::None;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x, gap = ui.theme.px(24);
  const auto chapters = chapters_of(shown.lessons);
  if (state.course.chapter && *state.course.chapter >= chapters.size()) state.course.chapter.reset();
  float height = 0;
  if (state.course.chapter) {
    const LessonEntry* opened = nullptr;
    height =
        chapter_lessons(ui, state.course, chapters[*state.course.chapter], shown.memory, at, room, opened);
    if (opened) open_lesson(ui, state, shown, *opened);
  } else if (room >= ui.theme.px(kTwoColumns)) {
    const float course = std::floor((room - gap) * 0.54f);
    height = course_part(ui, state, shown, at, course);
    height =
        std::max(height, files_part(ui, state, {at.x + course + gap, at.y}, room - course - gap, choice));
  } else {
    height = course_part(ui, state, shown, at, room) + gap;
    if (!is_small(ui)) height += files_part(ui, state, {at.x, at.y + height}, room, choice);
  }
  ImGui::SetCursorScreenPos({at.x, at.y + height});
  ImGui::Dummy({room, 1});
  return choice;
}

void error_line(UiContext& ui, const std::string& message) {
  if (message.empty()) return;
  ImGui::PushTextWrapPos(0);
  label_text(ui, message, ui.theme.error);
  ImGui::PopTextWrapPos();
  ui.probe.mark("start.message", message);
}

// The sentence gets what the window's height leaves, so that the cards below it are in sight.
void sentence_part(UiContext& ui, StartScreenState& state, float window_height) {
  if (state.model.empty()) {
    quiet_text(ui, "Attention, number by number: change a number, and every picture follows.");
    return;
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = sentence_height(ui, std::max(ui.theme.px(260), window_height * 0.46f));
  sentence_panel(ui, state.sentence, {at, {width, height}});
  ImGui::SetCursorScreenPos({at.x, at.y + height});
  ImGui::Dummy({width, ui.theme.px(8)});
}

void last_line(UiContext& ui, const std::string& news) {
  constexpr const char* kHelp =
      "In the workbench: drag a number, and every picture follows; click a cell to see the sum that it is. "
      "Ctrl+K finds everything, F1 opens the manual, Ctrl+L comes back here.";
  ImGui::PushTextWrapPos(0);
  label_text(ui, news.empty() ? kHelp : news, news.empty() ? ui.theme.quiet_text : ui.theme.text);
  ImGui::PopTextWrapPos();
  if (!news.empty()) ui.probe.mark("start.news", news);
}

void separator(const UiContext& ui) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, thick = std::max(1.0f, ui.theme.px(1));
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + width, at.y + thick}, to_imgui(ui.theme.line));
  ImGui::Dummy({width, ui.theme.px(8)});
}

}  // namespace

StartChoice start_screen(UiContext& ui, StartScreenState& state, const StartScreen& shown) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float margin = std::min(ui.theme.px(kMargin), window.x / 16);
  const float width = std::min(window.x - 2 * margin, ui.theme.px(kWidest));
  ImGui::SetCursorScreenPos({std::floor((window.x - width) / 2), shown.top});
  StartChoice choice = StartChoice::None;
  if (begin_child("start", {width, window.y - shown.top}, false, ImGuiWindowFlags_NoBackground)) {
    // In a high window the page stands above the middle, where it stays while a chapter is open.
    const float top = ImGui::GetCursorPosY(), free = window.y - shown.top - state.content_px;
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + std::max(0.0f, std::floor(free / 3)));
    sentence_part(ui, state, window.y - shown.top);
    choice = main_buttons(ui, state, shown);
    error_line(ui, shown.message);
    ImGui::Dummy({0, ui.theme.px(4)});
    if (is_small(ui)) {
      const StartChoice opened = file_buttons(ui, state);
      if (opened != StartChoice::None) choice = opened;
    }
    separator(ui);
    const StartChoice below = lower_part(ui, state, shown);
    if (below != StartChoice::None) choice = below;
    last_line(ui, shown.news);
    if (!state.course.chapter)
      state.content_px = ImGui::GetCursorPosY() - top - std::max(0.0f, std::floor(free / 3));
  }
  ImGui::EndChild();
  return choice;
}

}  // namespace headlight
