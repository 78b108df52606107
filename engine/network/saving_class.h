// Which class of the transformers library saves a model as files that can be opened.
#pragma once

#include <string>

namespace headlight {

// config_text: the model's config.json. Chooses by the class that its architectures name, else by its family:
// "AutoModelForCausalLM", "AutoModelForMaskedLM" and the like; "AutoModel" if neither is known. Never throws
// because of the text.
std::string saving_class(const std::string& config_text);

}  // namespace headlight
