// Llama and the families derived from it, one file each.
#pragma once

#include "engine/architecture/family.h"

namespace headlight {

const Family& llama_family();
const Family& mistral_family();
const Family& mixtral_family();
const Family& qwen2_family();
const Family& qwen3_family();
const Family& qwen3_moe_family();
const Family& gemma_family();
const Family& gemma2_family();
const Family& gemma3_text_family();
const Family& phi3_family();
const Family& olmo_family();
const Family& olmo2_family();
const Family& smollm3_family();
const Family& granite_family();
const Family& cohere_family();
const Family& stablelm_family();
const Family& starcoder2_family();
const Family& gpt_oss_family();

}  // namespace headlight
