// The linear layers in front of attention and behind it.
#pragma once

#include <functional>
#include <vector>

#include "engine/model/model.h"
#include "engine/simd/workspace.h"

namespace headlight {

// y = x W + b (InOut) or x W^T + b (OutIn).
// x: T x d_in; w: d_in x d_out or d_out x d_in; bias: 1 x d_out, or null; y: T x d_out. Blocks of rows run on
// several threads where there is work for them.
void project(const MatrixRef& x, const Matrix& w, WeightLayout layout, const Matrix* bias, MatrixOut y,
             Workspace& workspace);

// Rows through the parameter's layer. x: any number of rows, as wide as its input; the model uses the
// parameter. y: as many rows of d_out.
void project(const Model& model, Parameter parameter, const MatrixRef& x, MatrixOut y, Workspace& workspace);
// The same through the layers of several parameters at once. What they make is handed over block of rows by
// block, from several threads, while it is in the processor's caches: rows of d_out, the first of them that
// of x's row `begin`, which live until `take` returns.
using TakeRows = std::function<void(Parameter parameter, Index begin, const MatrixRef& rows)>;
void project_blocks(const Model& model, const std::vector<Parameter>& parameters, const MatrixRef& x,
                    const TakeRows& take, Workspace& workspace);
Matrix projected(const Model& model, Parameter parameter, const MatrixRef& x, Workspace& workspace);

}  // namespace headlight
