// The families of whole models that are computed, and a config.json read by the table of its family.
#pragma once

#include <string>
#include <vector>

#include "engine/architecture/family.h"

namespace headlight {

// In alphabetical order.
const std::vector<const Family*>& known_families();

// The family by its model_type; null if it is not known.
const Family* find_family(const std::string& name);

// Parses the text of config.json; missing members get the library's defaults. Throws Error if it is not JSON,
// if the family is not known (the message says that its layers can be opened one by one), and for what
// config_of() rejects.
NetworkConfig parse_network_config(const std::string& text);

}  // namespace headlight
