// The page *Questions* of the open model as the panels see it: what is asked, and what was found.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/analysis/analysis.h"
#include "engine/interpretation/open_model.h"

namespace headlight {

// What is asked of the open model, and what it found.
struct AnalysisRun {
  std::shared_ptr<const OpenModel> of, from;  // B, and A where the analysis has one
  std::string texts_file;                     // a text a line; empty: the open text
  Analysis analysis;                          // with its texts, once it is answered
  AnalysisResult result;
  std::optional<Error> failure;

  bool same_analysis(const AnalysisRun& other) const {
    return of == other.of && from == other.from && texts_file == other.texts_file &&
           analysis == other.analysis;
  }
};

struct AnalysisView {
  // Set by the page. Without its texts: those are the open one, or the lines of the file.
  Analysis asked;
  std::optional<Index> layer, head;  // none: those that are shown
  std::string texts_file;
  bool compute = false, stop = false;  // requests of this frame
  std::size_t table = 0;               // which of the result's tables is shown
  bool edges_as_matrix = false;        // edges: as a heatmap, not as their layered picture
  std::optional<Index> edges_shown;    // of that picture: so many of the strongest; none: Analysis::top

  // Written by the program.
  std::shared_ptr<const AnalysisRun> run;  // the newest; null before the first
  bool fresh = false;                      // whether it answers what is asked
  std::optional<double> progress;          // 0 to 1, while it is computed
};

}  // namespace headlight
