#include "app/cli/export_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

#include "app/cli/option_checks.h"
#include "app/export/figure_options.h"
#include "app/export/option_text.h"
#include "app/figure/paint/file_format.h"
#include "app/figure/plan/row_plan.h"

namespace headlight {
namespace {

constexpr int kMostIndex = std::numeric_limits<int>::max();

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    c == separator ? parts.emplace_back() : parts.back() += c;
  return parts;
}

// Parses "weights", "scores,weights" or "all".
std::vector<Stage> parse_stages(const std::string& option, const std::string& text) {
  std::vector<Stage> stages;
  const auto add = [&](Stage stage) {
    if (std::find(stages.begin(), stages.end(), stage) != stages.end())
      throw CLI::ValidationError(
          option, "'" + std::string(stage_info(stage).name) + "' is named twice: name it once");
    stages.push_back(stage);
  };
  for (const std::string& name : parts_of(text, ',')) {
    if (name == "all")
      for (const StageInfo& info : stage_table())
        add(info.stage);
    else if (const auto stage = stage_from_name(name))
      add(*stage);
    else
      throw CLI::ValidationError(option,
                                 "'" + name + "' is none of " + CLI::detail::join(stage_names()) + ", all");
  }
  return stages;
}

// The stages of a row figure: only those from scores to dropped.
std::vector<Stage> parse_row_stages(const std::string& text) {
  std::vector<Stage> stages = parse_stages("--row-stages", text);
  for (const Stage stage : stages)
    if (!is_pair(stage))
      throw CLI::ValidationError("--row-stages", std::string(stage_info(stage).name) +
                                                     " is no part of a row: these are the stages from scores "
                                                     "to dropped");
  return stages;
}

void parse_range(const std::string& text, StageColors& colors) {
  if (!text.empty() && !read_range(text, colors))
    throw CLI::ValidationError(
        "--range", "'" + text + "' is none of auto, whole, robust, symmetric, log and LOW:HIGH, as 0:0.5");
}

std::vector<std::string> colormap_names() {
  std::vector<std::string> names;
  for (const ColormapInfo& info : colormap_table())
    names.emplace_back(info.id);
  return names;
}

std::vector<std::string> format_ids() {
  std::vector<std::string> ids;
  for (const FileFormatInfo& info : file_format_table())
    ids.emplace_back(info.id);
  return ids;
}

CLI::Option* add_names(CLI::App& command, const std::string& option, std::string& to, const std::string& what,
                       const std::vector<std::string>& names) {
  return command.add_option(option, to, what)->type_name("NAME")->check(CLI::IsMember(names));
}

}  // namespace

HeadPool parse_head_pool(const std::string& text) {
  return text == "mean" ? HeadPool::Mean : text == "max" ? HeadPool::Maximum : HeadPool::Each;
}

std::optional<std::vector<Index>> parse_heads(const std::string& text) {
  if (text == "all" || parse_head_pool(text) != HeadPool::Each) return std::nullopt;
  std::vector<Index> heads;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    Index head = 0;
    const auto [next, failed] = std::from_chars(at, end, head);
    const bool last = next == end;
    if (failed != std::errc() || head < 0 || (!last && *next != ','))
      throw CLI::ValidationError(
          "--head", "'" + text + "' is not a list of heads such as 0 or 0,2, nor all, mean or max");
    heads.push_back(head);
    if (last) return heads;
    at = next + 1;
  }
}

std::vector<std::string> stage_names() {
  std::vector<std::string> names;
  for (const StageInfo& info : stage_table())
    names.emplace_back(info.name);
  return names;
}

namespace {

std::vector<std::string> row_stage_names() {
  std::vector<std::string> names;
  for (const StageInfo& info : stage_table())
    if (is_pair(info.stage)) names.emplace_back(info.name);
  return names;
}

}  // namespace

void ExportLine::add_to(CLI::App& command) {
  add_choice(command);
  page_.add_to(command);
  add_look(command);
  add_panels(command);
}

void ExportLine::add_choice(CLI::App& command) {
  command
      .add_option("FILE", files_,
                  "the session, or several (.headlight), arrays (.npy, .npz, .safetensors, .csv, .tsv), or a "
                  "model (a folder or .gguf)")
      ->type_name("")
      ->required()
      ->check(file_name());
  text_.add_text(command);
  text_.add_layer(command);
  text_.add_model(command);
  arrays_.add_to(command);
  std::vector<std::string> stages = stage_names();
  stages.emplace_back("all");
  command.add_option("--stage", stages_, "which stage, or several: scores,weights")
      ->type_name(words_type("LIST", stages));
  command.add_option("--head", heads_, kHeadsHelp)->type_name("LIST");
  command
      .add_option(
          "--rows", rows_,
          "of the matrix: 29:69 (from 29 to 68, counted from 0), 29:, -5:, one number, a token's text, or "
          "two, Your:one (both included); in quotes, '\"29\"', a number is a text")
      ->type_name("PART");
  command.add_option("--columns", columns_, "likewise: keys or dimensions")->type_name("PART");
  command.add_flag("--by-value", by_value_,
                   "each weight times the length of what its key's value adds to the output");
  command.add_flag("--without-first-key", without_first_key_, kWithoutFirstHelp);
  command
      .add_option(
          "-o,--output", output_,
          "a figure (.png .svg .pdf), numbers (.csv .tsv .npy .npz .json .tex .md), or a folder; with "
          "several sessions or stages a folder, whose files are named by session and stage")
      ->type_name("FILE")
      ->required()
      ->check(file_name());
  add_names(command, "--format", format_, "of the files in a folder (png by default)", format_ids());
  command.add_flag("--force", force_, "replace files that exist");
  add_names(command, "--kind", kind_,
            "heads: the stage's heads side by side (the default); pipeline: every stage of one head; flow: "
            "the weights as lines; row: one query's bars; map: the weights of all heads of a model's folder",
            {"heads", "pipeline", "flow", "row", "map"});
  command.add_option("--compare", compared_, "show FILE as A, OTHER as B, and B - A")
      ->type_name("OTHER")
      ->check(file_name());
  command.add_option("--query", query_, "of a row or a flow: which query, from 0")
      ->type_name("N")
      ->check(CLI::Range(0, kMostIndex).description(""));
}

void ExportLine::add_look(CLI::App& command) {
  add_names(command, "--theme", theme_, "dark or light (the default)", {"dark", "light"});
  add_names(command, "--background", ground_, "white or dark, each with its theme, or transparent",
            {"white", "dark", "transparent"});
  command.add_option("--colormap", map_, CLI::detail::join(colormap_names(), ", "))
      ->type_name("NAME")
      ->transform(CLI::IsMember(colormap_names(), CLI::ignore_case));
  command
      .add_option("--range", range_,
                  "of the colours: auto, as in the window (the default), one of the others, or LOW:HIGH")
      ->type_name(words_type("RANGE", {"auto", "whole", "robust", "symmetric", "log"}));
  command.add_flag("--own-range", own_range_, "each head has its own range");
  command.add_flag("--without-first", without_first_, "the first token's column does not count in the range");
  command
      .add_option(
          "--decimals", decimals_,
          "of the numbers in the cells, 0 to 9 (4 by default): also in more than 12 rows and columns, and "
          "of shares of a model's attention, which are per cent without it")
      ->each([this](const std::string&) { has_decimals_ = true; })
      ->type_name("N");
  command.add_option("--title", title_, "instead of the figure's own; \"\" for none")
      ->type_name("TEXT")
      ->each([this](const std::string&) { has_title_ = true; });
  command.add_option("--subtitle", subtitle_, "likewise")
      ->type_name("TEXT")
      ->each([this](const std::string&) { has_subtitle_ = true; });
  command.add_option("--hide", hidden_, "leave out some of title, subtitle, labels, axes, bar, numbers")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(CLI::IsMember({"title", "subtitle", "labels", "axes", "bar", "numbers"}));
  add_names(command, "--grid-lines", lines_, "between cells: auto (large ones, the default), on or off",
            {"auto", "on", "off"});
}

void ExportLine::add_panels(CLI::App& command) {
  command.add_option("--panel-columns", panel_columns_, "heatmaps side by side; by itself as suits the page")
      ->type_name("N")
      ->check(CLI::Range(1, kMostIndex).description(""));
  command
      .add_option(
          "--panel-title", panel_title_,
          "of each heatmap, as 'L{layer}H{head}': {head}, {sequence} (both from 0), {stage}, {title} and "
          "{layer}, which is 0 but of a whole model")
      ->type_name("TEXT");
  command.add_flag("--columns-below", columns_below_, "the columns' labels below the cells instead of above");
  command.add_option("--row-stages", row_stages_, "of --kind row: which of them")
      ->type_name(words_type("LIST", row_stage_names()));
}

ExportOptions ExportLine::options() const {
  ExportOptions options;
  options.files.assign(files_.begin(), files_.end());
  const Source source = text_.source("");
  options.text = source.text;
  options.layer = source.layer;
  options.model = source.model;
  options.arrays = arrays_.answers();
  options.output = output_;
  options.folder_format = format_;
  options.force = force_;
  for (const FigureKindInfo& info : kFigureKinds)
    if (info.word == kind_) options.kind = info.kind;
  options.map = kind_ == "map";
  const FigureKindInfo& kind = figure_kind_info(options.kind);
  if (stages_.empty() && kind.own_maps && !options.map) throw CLI::RequiredError("--stage");
  options.stages = stages_.empty() ? std::vector{Stage::Weights} : parse_stages("--stage", stages_);
  options.stages_in_use = stages_ == "all";
  const bool one_stage = options.stages.size() == 1;
  if (kind.lines && one_stage) options.stages = {stage_for(kind.kind, options.stages[0])};
  if (!kind.own_maps && !one_stage)
    throw CLI::ValidationError("--stage", "only --kind heads shows several stages, each in its own file");
  if (!kind.own_maps && !compared_.empty())
    throw CLI::ValidationError("--compare", "it goes with --kind heads only");
  options.choice.heads = parse_heads(heads_);
  options.choice.pool = parse_head_pool(heads_);
  if (options.choice.pool != HeadPool::Each && (!kind.own_maps || !compared_.empty()))
    throw CLI::ValidationError("--head",
                               "'" + heads_ + "' goes with --kind heads only, and not with --compare");
  options.choice.by_value = by_value_;
  const bool drawn_by_value = kind.by_value && !options.map;
  if (by_value_ && (!drawn_by_value || options.choice.pool != HeadPool::Each))
    throw CLI::ValidationError("--by-value",
                               "it goes with weights of each head, not with --kind pipeline or "
                               "map, nor with --head mean or max");
  options.choice.without_first = without_first_key_;
  if (without_first_key_ && (!kind.own_maps || options.map || !compared_.empty() || by_value_ ||
                             options.choice.pool != HeadPool::Each))
    throw CLI::ValidationError("--without-first-key",
                               "it goes with --kind heads and each head's own weights, not with --compare, "
                               "--by-value, nor --head mean or max");
  options.choice.sequence = arrays_.sequence().value_or(0);
  options.choice.rows = rows_;
  options.choice.columns = columns_;
  if (options.map &&
      (!stages_.empty() || options.layer || heads_ != "all" || !rows_.empty() || !columns_.empty()))
    throw CLI::ValidationError("--kind map", "shows the weights of all heads of all layers, whole");
  if (kind.one_row && !rows_.empty())
    throw CLI::ValidationError("--rows", "--kind row shows one query's row: choose it with --query");
  if (!compared_.empty()) {
    options.kind = FigureKind::Compare;
    options.compared = compared_;
  }
  if (query_ >= 0) options.query = query_;
  page_.read(options.figure);
  read_look(options.figure);
  return options;
}

void ExportLine::read_look(FigureOptions& figure) const {
  figure.theme = theme_ == "dark" ? StyleKind::Dark : StyleKind::Light;
  if (ground_ == "white") figure.ground = Ground::White;
  if (ground_ == "dark") figure.ground = Ground::Dark;
  if (ground_ == "transparent") figure.ground = Ground::Transparent;
  for (const ColormapInfo& info : colormap_table())
    if (map_ == info.id) figure.colors.map = info.kind;
  // As the window shows it.
  figure.colors.range = without_first_ ? RangeKind::Whole : RangeKind::Automatic;
  parse_range(range_, figure.colors);
  figure.colors.shared = !own_range_;
  figure.colors.without_first = without_first_;
  figure.decimals = decimals_;
  figure.many_numbers = has_decimals_;
  if (has_title_) figure.title = title_;
  if (has_subtitle_) figure.subtitle = subtitle_;
  const auto hides = [this](const char* what) {
    return std::find(hidden_.begin(), hidden_.end(), what) != hidden_.end();
  };
  if (hides("title")) figure.title = "";
  if (hides("subtitle")) figure.subtitle = "";
  figure.labels = !hides("labels");
  figure.axis_names = !hides("axes");
  figure.color_bar = !hides("bar");
  figure.numbers = !hides("numbers");
  figure.grid_lines = grid_lines_in(lines_);
  figure.panel_columns = static_cast<std::size_t>(panel_columns_);
  if (!panel_title_.empty()) figure.panel_title = panel_title_;
  figure.columns_below = columns_below_;
  if (!row_stages_.empty()) figure.row_stages = parse_row_stages(row_stages_);
}

}  // namespace headlight
