#include "app/shell/model_session.h"

#include "engine/checkpoint/checkpoint_series.h"
#include "engine/checkpoint/gguf_model.h"
#include "engine/interpretation/first_text.h"
#include "engine/session/model_folder_field.h"

namespace headlight {
namespace {

constexpr const char* kConfig = "config.json";

// Of a folder that only holds checkpoints the last one.
std::filesystem::path weights_folder(const std::filesystem::path& path) {
  if (path.filename() == kConfig) return path.parent_path();
  std::error_code unreadable;
  if (std::filesystem::exists(path / kConfig, unreadable)) return path;
  const std::vector<SavedStep> steps = checkpoints_in(path);
  return steps.empty() ? path : steps.back().folder;
}

// One of the checkpoints in a folder is named step-100 or so: what it is of, the folder says.
std::string title_of(const Network& network) {
  const std::filesystem::path& folder = network.checkpoint().folder();
  const CheckpointSeries series = series_of(folder);
  const std::filesystem::path parent = std::filesystem::absolute(folder).lexically_normal().parent_path();
  const bool one_of_many = !series.steps.empty() && !series.inside && parent.filename() != "snapshots";
  return one_of_many ? folder_name(parent) : network.name();
}

}  // namespace

bool is_model(const std::filesystem::path& path) {
  std::error_code unreadable;
  return path.filename() == kConfig || std::filesystem::is_directory(path, unreadable) || is_gguf_file(path);
}

Session model_session(const std::filesystem::path& path, const std::string& text) {
  OpenModel work;
  work.network = std::make_shared<const Network>(weights_folder(path));
  set_first_text(work);
  if (!text.empty() && work.network->tokenizer())
    set_text(work, text, work.network->encoder() ? Side::Encoder : Side::Own);
  return session_of_model(std::move(work));
}

Session session_of_model(OpenModel work) {
  Session session;
  session.title = title_of(*work.network);
  session.layer = shown_layer(work);
  session.work = std::make_shared<const OpenModel>(std::move(work));
  return session;
}

}  // namespace headlight
