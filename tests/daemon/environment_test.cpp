#include "daemon/idle/status_facts.hpp"

#include <gtest/gtest.h>

#include "support/temporary_directory.hpp"

namespace tandem::daemon {
namespace {

runners::MachineFacts machine() {
  runners::MachineFacts facts;
  facts.kernel = "6.1.0";
  facts.cpu_model = "Example 3000";
  facts.governor = "performance";
  facts.turbo = false;
  facts.processors = 8;
  return facts;
}

TEST(Environment, IsOneFactToALine) {
  EXPECT_EQ(environment_of(machine(), "c++: /usr/bin/c++ 12.2.0\nclang++: none\nlibraries: 12ab\n"),
            "kernel=6.1.0\nprocessor=Example 3000\nmicrocode=unknown\ngovernor=performance\nturbo=off\n"
            "SMT=unknown\nnumber of processors=8\nprogram c++=/usr/bin/c++ 12.2.0\nprogram clang++=none\n"
            "set of linked libraries=12ab\n");
}

TEST(Environment, KeepsAValueOnItsLine) {
  auto facts = machine();
  facts.cpu_model = "two\nlines";
  EXPECT_NE(environment_of(facts, "").find("processor=two lines\n"), std::string::npos);
}

TEST(EnvironmentChanges, AreSentences) {
  auto now = machine();
  now.kernel = "6.2.0";
  now.turbo = true;
  const auto changes =
      environment_changes(environment_of(machine(), "c++: gcc 12\n"), environment_of(now, "c++: gcc 13\n"));
  EXPECT_EQ(changes, (std::vector<std::string>{"the kernel changed from 6.1.0 to 6.2.0",
                                               "the turbo changed from off to on",
                                               "the program c++ changed from gcc 12 to gcc 13"}));
}

TEST(EnvironmentChanges, AreOnlyOfWhatBothKnow) {
  EXPECT_TRUE(environment_changes("kernel=6.1\n", "kernel=6.1\nfan=loud\n").empty());
  EXPECT_TRUE(environment_changes("kernel=6.1\nfan=loud\n", "kernel=6.1\n").empty());
  EXPECT_TRUE(environment_changes("", "kernel=6.1\n").empty());
  EXPECT_TRUE(environment_changes("not a fact", "").empty());
}

TEST(EnvironmentMark, StandsForTheWholeOfIt) {
  EXPECT_EQ(environment_mark(""), "");
  EXPECT_EQ(environment_mark("kernel=6.1\n").size(), 12u);
  EXPECT_EQ(environment_mark("kernel=6.1\n"), environment_mark("kernel=6.1\n"));
  EXPECT_NE(environment_mark("kernel=6.1\n"), environment_mark("kernel=6.2\n"));
}

TEST(NoteEnvironment, MakesAnEventOfEachChangeOnce) {
  const tests::TemporaryDirectory directory;
  store::Store store(directory.path() / "tandem.db", store::Store::Mode::write);
  EXPECT_TRUE(note_environment(store, "pebble", "kernel=6.1\nturbo=on\n", 100).empty())
      << "nothing to compare";
  EXPECT_TRUE(note_environment(store, "pebble", "kernel=6.1\nturbo=on\n", 200).empty());
  EXPECT_TRUE(store.newest_events(10).empty());
  EXPECT_EQ(note_environment(store, "pebble", "kernel=6.2\nturbo=off\n", 300).size(), 2u);
  EXPECT_TRUE(note_environment(store, "pebble", "kernel=6.2\nturbo=off\n", 400).empty());
  const auto events = store.newest_events(10);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events.back().kind, "environment");
  EXPECT_EQ(events.back().sentence, "the kernel changed from 6.1 to 6.2");
  EXPECT_EQ(events.back().at, 300);
  EXPECT_EQ(known_environment(store), "kernel=6.2\nturbo=off\n");
}

}  // namespace
}  // namespace tandem::daemon
