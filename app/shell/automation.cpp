#include "app/shell/automation.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <utility>

#include "engine/core/error.h"

namespace headlight {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson rectangle_json(const Rect& rect) {
  return {rect.x, rect.y, rect.width, rect.height};
}

OrderedJson lesson_json(const AutomationState& state) {
  if (!state.lesson) return {};
  return {{"words", state.lesson_words},
          {"words_in_sight", state.lesson_words_in_sight},
          {"rectangle", rectangle_json(*state.lesson)}};
}

OrderedJson widgets_json(const Probe& probe) {
  OrderedJson widgets = OrderedJson::array();
  for (const ProbedWidget& widget : probe.widgets()) {
    widgets.push_back({{"name", widget.name},
                       {"rectangle", rectangle_json(widget.rect)},
                       {"enabled", widget.enabled},
                       {"value", widget.value}});
  }
  return {{"widgets", std::move(widgets)}};
}

OrderedJson cell_json(const CellAddress& cell) {
  return {{"stage", std::string(stage_info(cell.stage).name)},
          {"sequence", cell.sequence},
          {"head", cell.head},
          {"row", cell.row},
          {"column", cell.column}};
}

OrderedJson pipeline_json(const std::vector<PipelineNode>& nodes) {
  OrderedJson strip = OrderedJson::array();
  for (const PipelineNode& node : nodes) {
    OrderedJson json;
    if (node.stage)
      json["stage"] = std::string(stage_info(*node.stage).name);
    else
      json["parameter"] =
          node.parameter ? std::string("W_") + parameter_name(*node.parameter) : "key_embeddings";
    json["rectangle"] = rectangle_json(node.place);
    json["idle"] = node.idle;
    strip.push_back(std::move(json));
  }
  return strip;
}

// The area of all pictures together: the sums over those side by side and over those below each other.
OrderedJson given_json(const std::vector<LargePicture>& pictures) {
  const auto extent = [&](double Rect::*begin, double Rect::*size) {
    std::map<double, double> rooms;  // by their rounded start
    for (const LargePicture& picture : pictures) {
      double& room = rooms[std::round(picture.room.*begin)];
      room = std::max(room, picture.room.*size);
    }
    double sum = 0;
    for (const auto& [at, room] : rooms)
      sum += room;
    return sum;
  };
  return {extent(&Rect::x, &Rect::width), extent(&Rect::y, &Rect::height)};
}

// Pictures side by side share their labels: at the first one of a row and at the top one of a column.
Index outer_labels(const std::vector<LargePicture>& pictures, const LargePicture& of,
                   Index LargePicture::*labels, double Rect::*line) {
  Index most = of.*labels;
  for (const LargePicture& other : pictures)
    if (std::abs(other.cells.*line - of.cells.*line) < 1) most = std::max(most, other.*labels);
  return most;
}

OrderedJson pictures_json(const std::vector<LargePicture>& pictures) {
  OrderedJson json = OrderedJson::array();
  const OrderedJson given = given_json(pictures);
  for (const LargePicture& picture : pictures) {
    json.push_back(
        {{"stage", std::string(stage_info(picture.stage).name)},
         {"head", picture.head},
         {"rectangle", rectangle_json(picture.cells)},
         {"cell_px", {picture.cell_width, picture.cell_height}},
         {"given", given},
         {"row_labels", outer_labels(pictures, picture, &LargePicture::row_labels, &Rect::y)},
         {"column_labels", outer_labels(pictures, picture, &LargePicture::column_labels, &Rect::x)},
         {"numbers", picture.numbers}});
  }
  return json;
}

OrderedJson state_json(const AutomationState& state) {
  OrderedJson json;
  json["revision"] = state.revision;
  json["revision_shown"] = state.revision_shown;
  json["settled"] = state.settled;
  json["selection"] = state.selection ? cell_json(*state.selection) : OrderedJson();
  json["opened_stage"] =
      state.opened_stage ? OrderedJson(std::string(stage_info(*state.opened_stage).name)) : OrderedJson();
  const CellBlock& part = state.in_sight;
  json["in_sight"] = {{"stage", std::string(stage_info(state.large_stage).name)},
                      {"rows", {part.row, part.row_end}},
                      {"columns", {part.column, part.column_end}}};
  json["pictures"] = pictures_json(state.pictures);
  json["strip"] = pipeline_json(state.strip);
  json["lesson"] = lesson_json(state);
  json["card"] = state.card ? rectangle_json(*state.card) : OrderedJson();
  json["playing"] = OrderedJson();
  if (state.playing)
    json["playing"] = {{"of", std::string(stage_info(*state.playing).name)}, {"t", state.playing_t}};
  json["document"] = {{"title", state.title},
                      {"saved", state.saved},
                      {"path", state.path ? OrderedJson(state.path->string()) : OrderedJson()}};
  json["message"] = state.message;
  json["range_held"] = state.range_held;
  json["recoverable"] = state.recoverable;
  json["frame_count"] = state.frame_count;
  json["revisions_drawn"] = state.revisions_drawn;
  json["input"] = {{"marks", state.input.marks}, {"pointer", {state.input.pointer_x, state.input.pointer_y}}};
  json["timings"] = {
      {"first_frame_ms", state.first_frame_ms},
      {"edit_to_picture_ms", state.edit_to_picture_ms},
      {"edit_to_upload_ms", state.edit_to_upload_ms},
      {"compute_ms", state.compute_ms},
      {"frame_cpu_ms", {{"median", state.frame_cpu_median_ms}, {"largest", state.frame_cpu_largest_ms}}},
      {"slowest_frame_ms", state.slowest_frame_ms}};
  return json;
}

// Labels come from files and may hold invalid UTF-8, which must not end the program.
std::string text_of(const OrderedJson& json) {
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + '\n';
}

}  // namespace

Automation::Automation(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code failure;
  std::filesystem::create_directories(folder_, failure);
  if (failure) {
    throw Error("the folder can't be made (" + failure.message() + ")", folder_.string(),
                "give --automation a folder that can be written to");
  }
}

void Automation::write(const Probe& probe, const AutomationState& state) {
  replace("widgets.json", text_of(widgets_json(probe)), written_widgets_);
  OrderedJson json = state_json(state);
  json["controls_in_sight"] = probe.controls_in_sight();
  replace("state.json", text_of(json), written_state_);
}

// Renamed into place, so that no reader sees a partial file. Unlike a saved session it need not survive a
// crash of the machine, so there is no fsync: it would slow the frames that are being measured.
void Automation::replace(const std::string& name, const std::string& text, std::string& written) {
  if (text == written) return;
  const std::filesystem::path unfinished = folder_ / (name + ".new");
  std::ofstream out(unfinished, std::ios::binary);
  out << text;
  out.close();
  std::error_code failure;
  if (out) std::filesystem::rename(unfinished, folder_ / name, failure);
  if (!out || failure) {
    throw Error("the file can't be written", (folder_ / name).string(),
                "give --automation a folder that can be written to, on a disk with room");
  }
  written = text;
}

}  // namespace headlight
