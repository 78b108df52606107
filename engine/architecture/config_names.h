// Metadata of config.json, which no computation depends on: start token, class labels.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace headlight {

struct ConfigNames {
  std::optional<std::int32_t> decoder_start;   // decoder_start_token_id: the decoder's text begins with it
  std::map<std::int32_t, std::string> labels;  // id2label: the names of classes
};

// Leaves out what is malformed. config_text: as parse_network_config accepts it.
ConfigNames names_in_config(const std::string& config_text);

}  // namespace headlight
