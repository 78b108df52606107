// The layered picture of a model's edges: the embedding at the bottom, layers upward with their heads side by
// side and their MLP, the logits at the top, and the strongest edges as lines from what adds to the stream to
// what reads it. Edges are sums over tokens, so that the picture has no tokens. Beside it the curve of how
// much of the number a run carries that keeps only so many edges.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/plan/drawing.h"
#include "engine/core/counting.h"

namespace headlight {

// Where an edge begins or ends. Queries, keys and values are what a head reads, and ends alone.
struct EdgeEnd {
  enum class Kind { Embedding, Head, Queries, Keys, Values, Mlp, Logits };
  Kind kind = Kind::Embedding;
  Index layer = 0, head = 0;  // head: of Keys and Values one of keys, of which there may be fewer
  bool operator==(const EdgeEnd&) const = default;
};

struct LayeredEdges {
  struct Edge {
    EdgeEnd from, to;
    double value = 0;
  };
  Index layers = 1, heads = 1, key_heads = 1;
  bool parallel = false;    // the MLP reads the stream that the heads read
  std::vector<Edge> edges;  // of falling |value|, all of them
  std::size_t shown = 10;   // so many of them have a line
  std::string quantity;     // what the values are: "change of the logit"
  // How many edges a run kept, rising from 0, and how much it carried: 0 is A, 1 is B; NaN: nothing to carry.
  std::vector<Index> kept;
  std::vector<double> carried;  // by kept
  Counting counting;
};

struct EdgesPlan {
  struct Line {
    std::size_t edge = 0;  // index in LayeredEdges::edges
    Curve path;
    double width = 1;
  };
  struct Node {
    EdgeEnd end;  // never queries, keys or values
    Rect rect;
    bool touched = false;  // by a line
  };
  Drawing lines_drawing, drawing;  // of one size; the lines are painted first, below the nodes
  std::vector<Line> lines;         // the strongest last
  std::vector<Node> nodes;
  std::optional<Rect> curve;  // the area of the curve; none: there was no room for it, or nothing to carry

  // The line nearest to a point, less than `reach` away; null: none.
  const Line* line_at(double x, double y, double reach) const;
  const Node* node_at(double x, double y) const;  // null: none
};

// "16 edges carry 0.7421, 32 carry 0.8113": the runs that were computed with as many edges as `shown`, or
// with the next fewer and the next more of them; "" of a curve without numbers.
std::string carried_text(const LayeredEdges& figure);

// The height in pixels in which every node has room for its name.
double edges_height(const LayeredEdges& figure, const FigureStyle& style);

// Labels that have no room are left out, then the curve.
EdgesPlan plan_edges(const LayeredEdges& figure, const FigureStyle& style, double width, double height,
                     const MeasureText& measure);

}  // namespace headlight
