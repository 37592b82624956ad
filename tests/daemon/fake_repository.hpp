#pragma once

#include "builders/repository.hpp"
#include "daemon/walk/control.hpp"

namespace tandem::tests {

/// A line as a repository: what is asked of one beside the walk.
class FakeRepository final : public builders::Repository {
 public:
  explicit FakeRepository(const daemon::Line& line) : line_(line) {}

  [[nodiscard]] std::optional<std::string> tip(const std::string& /*branch*/) const override {
    return line_.commits.back().id;
  }
  [[nodiscard]] std::optional<builders::Commit> find(const std::string& name) const override {
    const auto at = line_.position(name);
    return at ? std::optional(line_.commits[*at]) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::vector<builders::Commit>> first_parents(
      const std::string& tip, const std::string& after) const override {
    const auto last = line_.position(tip);
    const auto before = line_.position(after);
    if (!last || !before || *before > *last) return std::nullopt;
    const auto first = line_.commits.begin();
    return std::vector(first + static_cast<std::ptrdiff_t>(*before + 1),
                       first + static_cast<std::ptrdiff_t>(*last + 1));
  }
  [[nodiscard]] std::vector<builders::Commit> all_commits(const std::string& /*tip*/,
                                                          const std::string& /*after*/) const override {
    return line_.commits;
  }
  [[nodiscard]] std::optional<std::size_t> first_parent_distance(
      const std::string& ancestor, const std::string& descendant) const override {
    const auto one = line_.position(ancestor);
    const auto other = line_.position(descendant);
    return one && other && *one <= *other ? std::optional(*other - *one) : std::nullopt;
  }
  [[nodiscard]] bool is_strict_ancestor(const std::string& ancestor,
                                        const std::string& descendant) const override {
    return first_parent_distance(ancestor, descendant).value_or(0) > 0;
  }
  [[nodiscard]] std::optional<std::string> merge_base(const std::string& /*one*/,
                                                      const std::string& /*other*/) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::map<std::string, std::string> tags() const override { return {}; }
  [[nodiscard]] builders::CommitFacts facts(const std::string& /*commit*/) const override { return {}; }
  [[nodiscard]] std::map<std::string, std::string> submodule_ids(
      const std::string& /*commit*/) const override {
    return {};
  }
  [[nodiscard]] std::optional<builders::CheckoutFailure> checkout(
      const builders::Commit& /*commit*/, const std::filesystem::path& /*empty_directory*/,
      const std::stop_token& /*stop*/) const override {
    return std::nullopt;
  }

 private:
  const daemon::Line& line_;
};

}  // namespace tandem::tests
