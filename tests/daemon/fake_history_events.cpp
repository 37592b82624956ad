// What happens beside the walk of a scripted history: people, calibrations, requests, force-pushes.
#include "daemon/fake_history.hpp"
#include "daemon/fake_repository.hpp"
#include "daemon/service/request_handler.hpp"
#include "runners/pairing/pairing.hpp"

namespace tandem::tests {

void FakeWalk::rewrite(const std::vector<FakeCommit>& history) {
  set_line(history);
  daemon::RewrittenBranch branch;
  branch.has = [this](const std::string& commit) { return line.position(commit).has_value(); };
  branch.with_patch = [this](const std::string& patch) -> std::optional<builders::Commit> {
    for (const auto& commit : line.commits) {
      if (commits.at(commit.id).patch == patch) return commit;
    }
    return std::nullopt;
  };
  store->save_records(daemon::carried_over(store->records({settings.key, {}, {}, {}}), branch, now), {});
}

void FakeWalk::say(daemon::Wish wish, const std::string& culprit, const std::string& reason) {
  for (const daemon::Record& one : store->records({})) {
    if (one.culprit.id != culprit) continue;
    store->save_records({}, {{one.id, [&](daemon::Record record) {
                                auto event = daemon::wished(record, wish, "a person", reason, now);
                                return daemon::with_event(std::move(record), std::move(event));
                              }}});
  }
}

void FakeWalk::calibrate(const std::string& benchmark, double noise, std::optional<double> spread) {
  constexpr std::size_t launches = 60;
  analysis::Calibration calibration;
  calibration.benchmark = benchmark;
  calibration.chosen = runners::possible_arrangements(runner.protocol, runner.benchmark_facts, settings.cpus,
                                                      runners::available_memory())
                           .arrangements.front();
  calibration.noise.launches = launches;
  calibration.noise.sigma = calibration.noise.sigma_total = noise;
  calibration.layout_spread = spread;
  store->save_calibration(settings.key, calibration);
}

std::vector<std::string> FakeWalk::serve(const std::stop_token& stop) {
  if (!pipeline_) restart();
  daemon::RequestHandler handler(*pipeline_);
  const FakeRepository repository(line);
  std::vector<std::string> answers;
  for (daemon::Request& request : store->waiting_requests()) {
    const auto answer = handler.serve(request, repository, line, stop);
    if (!answer) break;
    request.state = answer->state;
    request.answer = answer->text;
    store->update_request(request);
    answers.push_back(answer->text);
  }
  return answers;
}

}  // namespace tandem::tests
