#include "engine/architecture/config_names.h"

#include <charconv>

#include "engine/json/json_document.h"

namespace headlight {
namespace {

std::optional<std::int32_t> id_of(const std::string& text) {
  std::int32_t id = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), id);
  return failure == std::errc() && stop == text.data() + text.size() ? std::optional(id) : std::nullopt;
}

}  // namespace

ConfigNames names_in_config(const std::string& config_text) {
  const Json config = parse_json(config_text);
  ConfigNames names;
  if (const auto start = config.find("decoder_start_token_id");
      start != config.end() && start->is_number_integer())
    names.decoder_start = id_of(start->dump());
  const auto labels = config.find("id2label");
  if (labels == config.end() || !labels->is_object()) return names;
  for (const auto& [id, label] : labels->items())
    if (const auto number = id_of(id); number && label.is_string())
      names.labels[*number] = label.get<std::string>();
  return names;
}

}  // namespace headlight
