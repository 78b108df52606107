// Encoders, models of two sides, and of images, one file each.
#pragma once

#include "engine/architecture/family.h"

namespace headlight {

const Family& bert_family();
const Family& roberta_family();
const Family& distilbert_family();
const Family& electra_family();
const Family& albert_family();
const Family& modernbert_family();
const Family& t5_family();
const Family& bart_family();
const Family& vit_family();

}  // namespace headlight
