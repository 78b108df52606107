// Decoders that are not derived from Llama, one file each.
#pragma once

#include "engine/architecture/family.h"

namespace headlight {

const Family& gpt2_family();
const Family& gpt_neo_family();
const Family& gpt_neox_family();
const Family& gptj_family();
const Family& codegen_family();
const Family& gpt_bigcode_family();
const Family& opt_family();
const Family& bloom_family();
const Family& mpt_family();
const Family& falcon_family();
const Family& phi_family();

}  // namespace headlight
