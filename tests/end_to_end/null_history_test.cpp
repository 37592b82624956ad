#include <functional>

#include "end_to_end/world.hpp"

namespace tandem::tests {
namespace {

using Change = std::function<void(Net&)>;

/// Changes of code without effect, each of another kind; the later ones are variations.
std::vector<Change> changes_without_effect(std::size_t count) {
  std::vector<Change> changes = {
      [](Net& net) { net.unused += "int spare(int x) { return x * 3; }\n"; },
      [](Net& net) { net.conv = "convolve"; },
      [](Net& net) { net.order = Net::Order::softmax_first; },
      [](Net& net) { net.unused += "/* Nothing calls spare. */\n"; },
      [](Net& net) { net.at_start = "if (argc > 100) return 17;"; },
      [](Net& net) { net.at_start = "if (argc > 100) return 18;"; },
      [](Net& net) { net.unused += "const char* const version = \"1.1\";\n"; },
      [](Net& net) { net.order = Net::Order::conv_first; },
      [](Net& net) {
        net.unused += "static int table[64] = {1, 2, 3};\nint* spare_table(void) { return table; }\n";
      },
      [](Net& net) { net.conv = "conv"; },
  };
  for (std::size_t i = 0; changes.size() < count; ++i) {
    changes.emplace_back([i](Net& net) {
      net.unused +=
          "double spare" + std::to_string(i) + "(double x) { return x / " + std::to_string(i + 3) + "; }\n";
    });
  }
  changes.resize(count);
  return changes;
}

using NullHistory = World;

TEST_F(NullHistory, IsSilent) {
  Net net;
  commit(net, "Add the net");
  for (const Change& change : changes_without_effect(long_form() ? 20 : 5)) {
    change(net);
    commit(net, "Change nothing that matters");
  }
  const auto finished = tandem(once_flags());
  EXPECT_TRUE(is_quiet(finished)) << describe(finished) << "\n" << finished.errors;
  for (const ReportReading& report : reports()) {
    EXPECT_EQ(report.kind, "not_reproduced") << report.benchmark << " " << report.culprit;
  }
  EXPECT_TRUE(read_reports(tandem({"report", "--json", "--state_dir", state_dir_}).output).empty());
  EXPECT_EQ(status().open_regressions, 0U);
}

}  // namespace
}  // namespace tandem::tests
