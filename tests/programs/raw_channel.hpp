#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

/// The slice protocol by hand, for programs that break it on purpose.
struct RawChannel {
  int descriptor = std::atoi(std::getenv("TANDEM_FD") != nullptr ? std::getenv("TANDEM_FD") : "-1");

  bool read_line(std::string& line) const {
    line.clear();
    for (char c = 0; ::read(descriptor, &c, 1) == 1;) {
      if (c == '\n') return true;
      line += c;
    }
    return false;
  }
  void write_line(const std::string& line) const {
    const std::string text = line + "\n";
    if (::write(descriptor, text.data(), text.size()) < 0) std::_Exit(3);
  }

  /// Answers everything up to the selection of the only benchmark, "work", the way an honest program does.
  void be_honest_until_selected() const {
    for (std::string line; read_line(line);) {
      if (line.rfind("hello", 0) == 0) write_line("hello 1");
      if (line == "list") {
        write_line("benchmark work");
        write_line("end");
      }
      if (line == "quit") std::exit(0);
      if (line.rfind("select", 0) == 0) {
        write_line("selected");
        return;
      }
    }
    std::exit(0);
  }
};
