// Scratch memory with an owner: buffers that a computation uses while it runs and the next one reuses. The
// owner (an evaluator, a pass over a model, a task) has a Workspace and passes it to the functions that need
// buffers; the memory lives as long as the owner.
#pragma once

#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

class Workspace {
 public:
  Workspace() = default;
  // Copies no buffers: the copy of an owner starts with an empty workspace.
  Workspace(const Workspace&) {}
  Workspace& operator=(const Workspace&) { return *this; }
  ~Workspace();  // precondition: nothing is on loan

  std::size_t bytes() const;          // allocated, on loan or not
  void release();                     // frees what is not on loan
  static std::size_t bytes_of_all();  // allocated by all workspaces of the process

 private:
  friend class Scratch;
  struct Buffer {
    float* data = nullptr;
    std::size_t capacity = 0;  // in numbers
    std::thread::id user;      // the last one that used it: its processor's cache may still hold it
  };
  Buffer lend(std::size_t count);
  void take_back(Buffer buffer);
  Buffer allocate(std::size_t count);
  void free(const Buffer& buffer);

  mutable std::mutex mutex_;  // guards the members below
  std::vector<Buffer> idle_;
  std::size_t bytes_ = 0;
};

// A buffer on loan from a workspace, which must outlive it. Its numbers are undefined. May be resized and
// destroyed on any thread; each concurrent task needs its own Scratch.
class Scratch {
 public:
  explicit Scratch(Workspace& workspace) : workspace_(&workspace) {}
  Scratch(Workspace& workspace, Index count) : Scratch(workspace) { resize(count); }
  ~Scratch();
  Scratch(Scratch&& other) noexcept;
  Scratch& operator=(Scratch&& other) noexcept;

  // Resizes to at least that many numbers and discards the contents.
  void resize(Index count);
  float* data() { return buffer_.data; }
  const float* data() const { return buffer_.data; }
  Workspace& workspace() const { return *workspace_; }

 private:
  Workspace* workspace_;
  Workspace::Buffer buffer_;
};

// A matrix in a buffer on loan.
class ScratchMatrix {
 public:
  ScratchMatrix(Workspace& workspace, Index rows, Index columns)
      : numbers_(workspace, rows * columns), map_(numbers_.data(), rows, columns) {}
  ScratchMatrix(const ScratchMatrix&) = delete;
  ScratchMatrix& operator=(const ScratchMatrix&) = delete;
  Eigen::Map<Matrix>& operator*() { return map_; }
  Eigen::Map<Matrix>* operator->() { return &map_; }

 private:
  Scratch numbers_;
  Eigen::Map<Matrix> map_;
};

}  // namespace headlight
