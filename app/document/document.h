// The open session and its history. The only place where the model changes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/document/command.h"
#include "app/document/history.h"
#include "engine/session/session.h"

namespace headlight {

class Document {
 public:
  // `pass_on` receives every edit in order with its revision; it feeds the worker.
  using PassOn = std::function<void(const Edit&, std::uint64_t revision)>;
  explicit Document(Session session, PassOn pass_on = {});

  const Model& model() const { return session_.model; }
  const Session& session() const { return session_; }
  std::uint64_t revision() const { return revision_; }  // grows with every change, undo and redo included
  void set_pass_on(PassOn pass_on) { pass_on_ = std::move(pass_on); }

  // Carries the command out, or throws Error and changes nothing.
  void run(const Command& command);

  bool can_undo() const { return history_.can_undo(); }
  bool can_redo() const { return history_.can_redo(); }
  std::string undo_name() const { return history_.undo_name(); }
  std::string redo_name() const { return history_.redo_name(); }
  void undo();
  void redo();

  // The file it came from or was last saved to; none for a lesson or a new session.
  const std::optional<std::filesystem::path>& path() const { return path_; }
  bool saved() const { return history_.at_saved_point(); }
  // Both throw Error; open and replace leave the document as it was then.
  void open(const std::filesystem::path& path);
  void replace(Session session, std::optional<std::filesystem::path> path);
  void save(const std::filesystem::path& path);

 private:
  void carry_out(const Change& change);

  Session session_;
  History history_;
  PassOn pass_on_;
  std::optional<std::filesystem::path> path_;
  std::uint64_t revision_ = 1;
};

}  // namespace headlight
