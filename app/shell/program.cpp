#include "app/shell/program.h"

#include <algorithm>
#include <iostream>
#include <new>
#include <utility>

#include <imgui.h>

#include "app/figure/paint/cairo_painter.h"
#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/label_text.h"
#include "app/platform/cpu_clock.h"
#include "app/shell/default_session.h"
#include "app/ui/picture/map_view.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

// The window's own pixels as a PNG. Throws Error if it cannot be written.
void save_window_picture(const Window::Picture& picture, const std::filesystem::path& path) {
  HeatmapPlan plan;
  plan.width = picture.width;
  plan.height = picture.height;
  plan.cells.rect = {0, 0, static_cast<double>(picture.width), static_cast<double>(picture.height)};
  plan.cells.rows = picture.height;
  plan.cells.columns = picture.width;
  plan.cells.colors = picture.pixels;
  for (Color& pixel : plan.cells.colors)
    pixel.a = 255;
  save_png(plan, 1, path);
}

Window::Picture cropped(const Window::Picture& whole, const Rect& area) {
  const auto within = [](double at, int most) { return std::clamp(static_cast<int>(at), 0, most); };
  const int left = within(area.x, whole.width), top = within(area.y, whole.height);
  const int right = within(area.right(), whole.width), bottom = within(area.bottom(), whole.height);
  if (right <= left || bottom <= top) return whole;
  Window::Picture part;
  part.width = right - left;
  part.height = bottom - top;
  for (int y = top; y < bottom; ++y) {
    const auto row = whole.pixels.begin() + static_cast<std::ptrdiff_t>(y) * whole.width;
    part.pixels.insert(part.pixels.end(), row + left, row + right);
  }
  return part;
}

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestMessage = 1000;  // bytes: it may quote a file's contents

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

Program::Program(ProgramOptions& options)
    : window_(options.window), options_(std::move(options)), document_(std::move(options_.session)) {
  if (options_.path) document_.set_file(*options_.path, options_.stamp);
  const std::shared_ptr<const Session> opened = document_.unchanged();
  worker_ = std::make_unique<Worker>(
      std::shared_ptr<const Layer>(opened, &opened->layer), [this] { window_.wake(); }, document_.revision());
  document_.set_edit_sink(
      [this](const Edit& edit, std::uint64_t revision) { worker_->post(edit, revision); });
  if (options_.automation_folder) {
    automation_.emplace(*options_.automation_folder);
    view_.tip.wait = 0;  // the window settles without waiting for the tooltip of what the pointer is moved to
  }
  preferences_ = preferences_saved_ = options_.preferences;
  if (options_.look) preferences_.look = *options_.look;
  const Window::Size size = window_.size_at_scale_1();
  const std::string fitted = fit_to_window(options_.memory, size.width, size.height);
  workbench_.memory = memory_saved_ = options_.memory;
  workbench_.show_start = options_.show_start;
  workbench_.opened = !options_.show_start;
  if (options_.path) {
    remember_file(workbench_.memory, *options_.path);
    workbench_.memory.last = workbench_.memory.recent.front();
  }
  workbench_.strip.height = options_.memory.pipeline_height;
  follow_preferences();
  workbench_.lesson.entries = read_lessons(options_.lesson_files);
  workbench_.start.model = options_.bundled_model;
  if (!options_.bundled_model.empty())
    workbench_.start.learning = options_.bundled_model.parent_path() / "see-it-learn.headlight";
  look_at(document_.session());
  if (options_.model) {
    remember_file(workbench_.memory, *options_.model);
    workbench_.memory.last = workbench_.memory.recent.front();
    view_.focus_view = FocusView::Model;
    view_.head = 0;
  }
  if (options_.arrays) dialogs_.choose_arrays(*options_.arrays, options_.apply_arrays, options_.answers);
  if (!window_.scale_warning().empty())
    options_.message += (options_.message.empty() ? "" : "; ") + window_.scale_warning();
  if (!options_.message.empty())
    show_error(options_.message);
  else if (!window_.missing_fonts().empty())
    show_error(window_.missing_fonts());
  else if (!fitted.empty() && !options_.screenshot)
    say(fitted);
  // Without any font the window cannot show the message.
  if (!window_.missing_fonts().empty()) std::cerr << "headlight: " << window_.missing_fonts() << std::endl;
  if (options_.without_model) ask_missing_model(*options_.without_model);
  if (options_.screenshot) return;
  if (const std::string message = recovery_.begin([this] { window_.wake(); }); !message.empty())
    show_error(message);
  offer_recovered();
}

int Program::run() {
  redraw();
  while (!quit_) {
    const bool moving = frames_due_.any() || window_.events_pending();
    const bool nothing = !moving && looks_at_lesson() && !redraw_timer_.seconds();
    const bool slept = nothing && sleep_beside_lesson();
    if (!nothing) window_.wait_events(moving ? 0 : redraw_timer_.seconds().value_or(-1));
    if (const auto signal = recovery_.signal()) end_by_signal(*signal);
    if (slept) continue;
    if (!moving) redraw();
    notice_focus();
    hold_for_answer();
    for (const std::filesystem::path& file : window_.take_dropped_files())
      actions_.push_back({dropped_action(file, view_), file, Stage::Weights});
    if (window_.close_requested()) {
      window_.cancel_close();
      actions_.push_back({Action::Quit, {}, Stage::Weights});
    }
    follow_preferences();
    draw_frame();
    frames_due_.drawn(received_input_);
    if (!settled()) {
      if (view_.learning.plays && !window_.events_pending()) write_automation();
      continue;
    }
    save_settings();
    write_automation();
    follow_window_picture();
    if (options_.screenshot && !window_.captured().pixels.empty()) {
      save_window_picture(window_.captured(), *options_.screenshot);
      return 0;
    }
    if (options_.screenshot) {
      window_.capture_next_frame();
      frames_due_.ask(1);
    }
  }
  remember_window();
  recovery_.forget();
  return 0;
}

void Program::follow_window_picture() {
  if (window_picture_.path.empty()) return;
  if (!std::exchange(window_picture_.captured, true)) {
    window_.capture_next_frame();
    return redraw();
  }
  const std::filesystem::path path = std::exchange(window_picture_, {}).path;
  try {
    const ProbedWidget* const large = probe_.find("focus.area");
    save_window_picture(large ? cropped(window_.captured(), large->rect) : window_.captured(), path);
    say("Saved as " + path.string());
  } catch (const Error& error) {
    show_error(error.what());
  }
}

void Program::redraw() {
  frames_due_.ask();
}

// An edit could cause two frames, one with its number and one with its pictures. Waiting briefly for the
// result skips the first: while a number is dragged in a large model, twice as many edits reach the screen.
void Program::hold_for_answer() {
  constexpr double kLongestHold = 0.05;  // seconds; a slow engine must not hold up the pointer
  const auto due = [this] { return worker_->idle() || worker_->answer() != answer_shown_; };
  while (frames_.count > 0 && revision_shown() < document_.revision() && !due()) {
    const double left = kLongestHold - milliseconds_since(frames_.last) / 1000;
    if (left <= 0) return;
    window_.rest(left);
  }
}

void Program::draw_frame() {
  const Clock::time_point frame_began = Clock::now();
  const double cpu_began = thread_cpu_ms();
  const std::shared_ptr<const ViewResult> answer = worker_->answer();
  if (answer != answer_shown_) redraw();  // regardless of the frames left from an earlier event
  follow_opening();
  follow_sentence();
  follow_model();
  ViewRequest requested;
  redraw_timer_.begin_frame();
  probe_.begin_frame();
  received_input_ = window_.begin_frame();
  const std::shared_ptr<const ViewResult> told =
      result_since(answer, document_.layer_revision(), view_.baseline.layer);
  UiContext ui = context(told.get(), requested);
  ui.progress = worker_->progress();
  workbench(ui, workbench_);
  exports_.show(dialogs_.exporting(), ui);
  const std::optional<DialogResult> dialog = dialogs_.draw(ui);
  exports_.follow(dialogs_.exporting(), ui);
  follow_focus(ui, workbench_.focus);
  run_commands(std::exchange(commands_, {}));  // the engine computes while the frame is drawn
  ask_engine(std::move(requested));
  follow_model();  // requests what was typed in this frame at once
  const Clock::time_point uploaded = Clock::now();
  window_.end_frame(theme_.ground);
  if (window_.renew_fonts()) use_theme(theme_.kind);
  frames_.cpu_times.add(thread_cpu_ms() - cpu_began - window_.driver_ms());
  frames_.last = Clock::now();
  ++frames_.count;
  if (frames_.count == 1)
    frames_.first_ms = milliseconds_since(options_.started);
  else
    frames_.slowest_ms = std::max(frames_.slowest_ms, milliseconds_since(frame_began));
  if (answer && answer->revision != revision_shown()) ++frames_.revisions_drawn;
  answer_shown_ = answer;
  note_timings(uploaded);
  name_window();

  if (dialog) handle_dialog(*dialog);
  run_actions();
  run_commands(std::exchange(commands_, {}));  // the commands of a dialog
  follow_worker();
  if (const auto outcome = exports_.take_outcome(dialogs_.exporting())) {
    redraw();
    if (!outcome->copied.empty()) ImGui::SetClipboardText(outcome->copied.c_str());
    if (!outcome->drawn.empty())
      add_drawn_picture(outcome->drawn);
    else if (!dialogs_.exporting().open)
      outcome->failed ? show_error(outcome->text) : say(outcome->text);
  }
  follow_lesson_file();
  if (const std::string failure = take_clipboard_failure(); !failure.empty())
    show_error("Not pasted: " + failure);
  if (const auto trouble = recovery_.update()) show_error(*trouble);
}

void Program::name_window() {
  const std::string& session = document_.session().title;
  const std::string open = (session.empty() ? "Untitled session" : visible_label(session)) +
                           (document_.saved() ? "" : " (not saved)") + " - Headlight";
  const std::string title = workbench_.show_start ? "Headlight" : open;
  if (title == window_title_) return;
  window_title_ = title;
  window_.set_title(title);
}

// Called before the frame, so that the frame shows the model's current state.
void Program::follow_model() {
  const auto idle = [&] { return models_.idle() && data_sets_.idle() && analyses_.idle(); };
  const bool was_idle = idle();
  try {
    TrainingView& training = view_.model.training;
    training_.follow(training);
    open_new_model(std::exchange(training.first_of_new, std::nullopt));
    if (const auto command = checkpoints_.follow(document_, view_, models_.idle())) run_commands({*command});
    run_commands(models_.follow(document_, view_));
    data_sets_.follow(view_);
    analyses_.follow(view_, context_between_frames().shown_head());
  } catch (const Error& error) {
    show_error(error.what());
  } catch (const std::bad_alloc&) {
    show_error(kNoMemory);
  }
  if (!was_idle && idle()) redraw();
}

void Program::follow_worker() {
  if (const auto failure = worker_->take_failure()) show_error(size_error_text().value_or(*failure));
  if (!worker_->take_model_request()) return;
  try {
    worker_->post(LayerEdit{std::make_shared<Layer>(document_.layer())}, document_.revision());
  } catch (const std::bad_alloc&) {
    show_error(
        "There is not enough memory to compute this text: take fewer tokens (undo brings the last text "
        "back), or "
        "close other programs and change something");
  }
}

void Program::run_commands(const std::vector<Command>& commands) {
  const std::uint64_t before = document_.revision();
  for (const Command& command : commands) {
    try {
      run_command(command, document_, view_.model);
    } catch (const Error& error) {
      show_error(error.what());
    } catch (const std::bad_alloc&) {
      show_error(kNoMemory);
    }
  }
  if (document_.revision() != before) on_edit();
}

void Program::on_edit() {
  frames_.edited_at = Clock::now();
  frames_.edited_revision = document_.revision();
  redraw();
  const Index sequences = document_.layer().sequence_count(), heads = document_.layer().head_count();
  view_.sequence = std::min(view_.sequence, sequences - 1);
  if (view_.head && *view_.head >= heads) view_.head.reset();
  if (!stage_exists(document_.layer(), view_.focused_stage)) view_.focused_stage = Stage::Weights;
  if (view_.opened_stage && !stage_exists(document_.layer(), *view_.opened_stage))
    view_.opened_stage = Stage::Weights;
  if (view_.selection.cell && !address_exists(document_.layer(), *view_.selection.cell))
    view_.selection.cell.reset();
  if (view_.selection.hovered.last && !address_exists(document_.layer(), *view_.selection.hovered.last))
    view_.selection.hovered.last.reset();
}

void Program::note_timings(Clock::time_point uploaded) {
  if (!frames_.edited_at || revision_shown() < frames_.edited_revision) return;
  workbench_.edit_to_picture_ms = milliseconds_since(*frames_.edited_at);
  frames_.edit_to_upload_ms =
      std::chrono::duration<double, std::milli>(uploaded - *frames_.edited_at).count();
  frames_.edited_at.reset();
}

void Program::ask_engine(ViewRequest requested) {
  if (requested == requested_) return;
  requested_ = requested;
  worker_->request(std::move(requested));
}

bool Program::settled() const {
  const auto answer = worker_->answer();
  // The start screen requests nothing from the engine, nor do the pages of a whole model if there is no space
  // for pictures beside them.
  const bool asks_nothing = workbench_.show_start || (frames_.count > 0 && requested_ == ViewRequest{});
  const bool shown =
      asks_nothing || (answer && answer == answer_shown_ && answer->revision == document_.revision() &&
                       answer->requested == requested_);
  const bool still = !frames_due_.any() && !view_.lesson.fading && !view_.picture.held_ranges.moving() &&
                     !view_.picture.held_ranges.waiting() && !tooltip_waits(view_.tip) &&
                     !window_.events_pending();
  const bool computed = worker_->idle() && models_.idle() && data_sets_.idle() && analyses_.idle() &&
                        checkpoints_.idle() && !opening_.running() &&
                        (!workbench_.show_start || sentence_.idle()) &&
                        exports_.settled(dialogs_.exporting());
  return still && computed && !dialogs_.reading() && commands_.empty() && actions_.empty() && shown;
}

std::uint64_t Program::revision_shown() const {
  return answer_shown_ ? answer_shown_->revision : 0;
}

void Program::write_automation() {
  if (!automation_) return;
  AutomationState state;
  state.revision = document_.revision();
  state.revision_shown = revision_shown();
  state.settled = !view_.learning.plays && training_.idle();
  state.selection = view_.selection.cell;
  state.opened_stage = view_.opened_stage;
  state.large_stage = large_stage(view_);
  state.in_sight = region_of(view_, document_.layer(), state.large_stage);
  state.strip = workbench_.strip.nodes;
  state.pictures = workbench_.stages.cache.pictures();
  const LessonSight& sight = workbench_.lesson.sight;
  if (sight.shown) state.lesson = sight.rectangle;
  state.lesson_words = sight.words;
  state.lesson_words_in_sight = sight.in_sight;
  state.card = workbench_.card.shown;
  if (const MotionPlayer& motion = workbench_.stages.motion; motion.shown()) {
    state.playing = motion.cell->stage;
    state.playing_t = motion.t;
  }
  state.title = document_.session().title;
  state.saved = document_.saved();
  state.path = document_.path();
  state.message = workbench_.message.text;
  state.range_held = view_.picture.held_ranges.held();
  state.recoverable = recovery_.count();
  state.frame_count = frames_.count;
  state.revisions_drawn = frames_.revisions_drawn;
  state.input = window_.input_progress();
  state.first_frame_ms = frames_.first_ms;
  state.slowest_frame_ms = frames_.slowest_ms;
  state.edit_to_picture_ms = workbench_.edit_to_picture_ms;
  state.edit_to_upload_ms = frames_.edit_to_upload_ms;
  state.frame_cpu_median_ms = frames_.cpu_times.median();
  state.frame_cpu_largest_ms = frames_.cpu_times.largest();
  if (const auto answer = worker_->answer()) state.compute_ms = answer->compute_ms;
  automation_->write(probe_, state);
}

void Program::say(const std::string& text) {
  constexpr double kGoodNewsSeconds = 8;
  workbench_.message = {capped(text, kLongestMessage), false, ImGui::GetTime() + kGoodNewsSeconds};
  redraw();
}

void Program::show_error(const std::string& text) {
  workbench_.message = {capped(text, kLongestMessage), true, 0, !view_.dialogs.empty()};
  redraw();
}

void Program::look_at(const Session& session) {
  ViewState fresh;
  // Preferences of the view stay; ranges are dropped, since they fit only the numbers they were chosen for.
  for (std::size_t i = 0; i < kStageCount; ++i)
    fresh.picture.colors[i].map = view_.picture.colors[i].map;
  // What is chosen in or before a lesson stays where it was chosen: a lesson's numbers have four decimals.
  if (!in_lesson_) chosen_decimals_ = view_.picture.decimals;
  in_lesson_ = session.lesson.has_value();
  if (!in_lesson_) fresh.picture.decimals = chosen_decimals_;
  fresh.baseline = view_.baseline;
  fresh.tip = view_.tip;  // what comes below the resting pointer has no tooltip
  view_ = fresh;
  workbench_.lesson.guide = begin_guide(session);
  if (workbench_.lesson.guide.opened) workbench_.side_tab = 2;  // a narrow window shows the lesson first
  if (!session.lesson) return;
  const Lesson& lesson = *session.lesson;
  const CellAddress cell = {lesson.stage, 0, lesson.head, lesson.row, lesson.column};
  view_.focused_stage = lesson.stage;
  if (address_exists(session.layer, cell)) view_.selection.cell = cell;
}

}  // namespace headlight
