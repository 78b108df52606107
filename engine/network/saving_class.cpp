#include "engine/network/saving_class.h"

#include <array>
#include <string_view>

#include "engine/core/error.h"
#include "engine/json/json_document.h"
#include "engine/network/known_families.h"

namespace headlight {
namespace {

struct SavedBy {
  std::string_view part, saves;
};
// By a part of the class name; the first match counts.
constexpr std::array kByClass = {SavedBy{"ForCausalLM", "AutoModelForCausalLM"},
                                 SavedBy{"LMHeadModel", "AutoModelForCausalLM"},
                                 SavedBy{"ForMaskedLM", "AutoModelForMaskedLM"},
                                 SavedBy{"ForPreTraining", "AutoModelForMaskedLM"},
                                 SavedBy{"ForConditionalGeneration", "AutoModelForSeq2SeqLM"},
                                 SavedBy{"ForSequenceClassification", "AutoModelForSequenceClassification"},
                                 SavedBy{"ForTokenClassification", "AutoModelForTokenClassification"},
                                 SavedBy{"ForQuestionAnswering", "AutoModelForQuestionAnswering"},
                                 SavedBy{"ForImageClassification", "AutoModelForImageClassification"}};
// By a part of model_type, if no class is named and the family is not known.
constexpr std::array kByFamily = {
    SavedBy{"bert", "AutoModelForMaskedLM"},    SavedBy{"t5", "AutoModelForSeq2SeqLM"},
    SavedBy{"bart", "AutoModelForSeq2SeqLM"},   SavedBy{"gpt", "AutoModelForCausalLM"},
    SavedBy{"llama", "AutoModelForCausalLM"},   SavedBy{"mistral", "AutoModelForCausalLM"},
    SavedBy{"qwen", "AutoModelForCausalLM"},    SavedBy{"gemma", "AutoModelForCausalLM"},
    SavedBy{"phi", "AutoModelForCausalLM"},     SavedBy{"cohere", "AutoModelForCausalLM"},
    SavedBy{"granite", "AutoModelForCausalLM"}, SavedBy{"olmo", "AutoModelForCausalLM"}};

template <std::size_t kCount>
std::string first_that_fits(const std::array<SavedBy, kCount>& known, const std::string& name) {
  for (const SavedBy& one : known)
    if (name.find(one.part) != std::string::npos) return std::string(one.saves);
  return "AutoModel";
}

}  // namespace

std::string saving_class(const std::string& config_text) {
  try {
    const Json config = parse_json(config_text);
    const auto names = config.find("architectures"), type = config.find("model_type");
    if (names != config.end() && names->is_array() && !names->empty() && names->front().is_string())
      return first_that_fits(kByClass, names->front().get<std::string>());
    if (type != config.end() && type->is_string())
      if (const Family* family = find_family(type->get<std::string>())) return std::string(family->saved_by);
    if (type != config.end() && type->is_string())
      return first_that_fits(kByFamily, type->get<std::string>());
  } catch (const Error&) {
    return "AutoModel";
  }
  return "AutoModel";
}

}  // namespace headlight
