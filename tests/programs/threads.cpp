// Two threads that share the work of every iteration; the second one spins while it waits, as OpenMP's
// workers do.
#include <atomic>
#include <thread>

#include "tandem.hpp"
#include "work.hpp"

#ifndef UNITS
#define UNITS 20000
#endif

int main(int argc, char** argv) {
  std::atomic<std::uint64_t> asked{0};
  std::atomic<std::uint64_t> done{0};
  std::thread worker;
  tandem::Program program;
  program.add("work", [&] {
    worker = std::thread([&] {
      for (std::uint64_t round = 1;; ++round) {
        for (unsigned spins = 0; asked.load() < round; ++spins) {
          if (spins % 4096 == 4095) std::this_thread::yield();
        }
        tandem::keep(work(UNITS, round));
        done = round;
      }
    });
    worker.detach();
    return [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        const std::uint64_t round = ++asked;
        tandem::keep(work(UNITS, round + 7));
        while (done.load() < round) std::this_thread::yield();
      }
    };
  });
  std::_Exit(program.run(argc, argv));
}
