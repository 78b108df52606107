// Which class of the hub's library saves a model as files that can be opened.
#pragma once

#include <string>

namespace headlight {

// config_text: of the model's config.json. By the class that its architectures name, else by its family:
// "AutoModelForCausalLM", "AutoModelForMaskedLM" and the like; "AutoModel" where nothing tells. Never throws
// for what the text says.
std::string saving_class(const std::string& config_text);

}  // namespace headlight
