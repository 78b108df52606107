// The linear layers before and after attention.
#pragma once

#include <functional>
#include <vector>

#include "engine/layer/layer.h"
#include "engine/simd/workspace.h"

namespace headlight {

// y = x W + b (InOut) or x W^T + b (OutIn). x: T x d_in; w: d_in x d_out or d_out x d_in; bias: 1 x d_out, or
// null; y: T x d_out. Blocks of rows run on several threads if there is enough work.
void project(const MatrixRef& x, const Matrix& w, WeightLayout layout, const Matrix* bias, MatrixOut y,
             Workspace& workspace);

// Applies the parameter's layer, which the layer must use. x: any number of rows, as wide as the layer's
// input; y: as many rows, parameter_width() wide.
void project(const Layer& layer, Parameter parameter, const MatrixRef& x, MatrixOut y, Workspace& workspace);
// Applies the layers of several parameters at once. Calls `take` for each block of result rows, from several
// threads, while the block is in the processor's caches. `rows` are parameter_width() wide; the first is that
// of x's row `begin`. They are valid until `take` returns.
using TakeRows = std::function<void(Parameter parameter, Index begin, const MatrixRef& rows)>;
void project_blocks(const Layer& layer, const std::vector<Parameter>& parameters, const MatrixRef& x,
                    const TakeRows& take, Workspace& workspace);
Matrix projected(const Layer& layer, Parameter parameter, const MatrixRef& x, Workspace& workspace);

}  // namespace headlight
