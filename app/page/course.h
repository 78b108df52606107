// A course: a folder of pages that any web server or a stick can hold. A list of lessons, and a page for
// each.
#pragma once

#include <string>
#include <vector>

#include "engine/session/session.h"

namespace headlight {

struct CourseLesson {
  std::string name;  // of the file without its ending
  Session session;   // with a lesson
};

struct CoursePage {
  std::string file;  // "index.html", "20-two-heads.html"
  std::string html;
  std::string still;  // why its lesson stands still, as Page::still; "": it is computed in the browser
};

// The list first, then the lessons in the order of the course: a variation stands behind its lesson. The
// pages refer to each other by name and to nothing else. A lesson stands still if its layer does, if its
// session is one of a whole model, and if it has a goal whose gradients a page does not compute: its page
// then has each step with its picture and its text as the program evaluates it. Throws Error if two lessons
// have the same name, and what page_of() throws.
std::vector<CoursePage> course_of(std::vector<CourseLesson> lessons);

}  // namespace headlight
