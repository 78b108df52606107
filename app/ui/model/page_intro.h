// The layout of what stands above a page of a whole model: its sentence and its example.
#pragma once

namespace headlight {

// Heights in pixels; 0: there is nothing to show.
struct IntroSizes {
  float sentence = 0, line = 0;  // the whole sentence, and one line of it
  float example = 0;
  float gap = 0;         // below each part
  float least_page = 0;  // what the page needs at least
};

// Left out where the page needs the room, in this order: the example, the sentence but for one line, the
// sentence.
struct IntroPlan {
  float sentence = 0, example = 0;  // heights; 0: left out
  float page = 0;                   // where the page begins
};
IntroPlan plan_intro(float height, const IntroSizes& sizes);

}  // namespace headlight
