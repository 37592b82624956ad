#include <fstream>
#include <iterator>

#include "builders/hg_program.hpp"

namespace tandem::builders::hg {
namespace {

namespace fs = std::filesystem;

/// It only hands out what is stored. Nothing is believed because of it: hg_manifest.cpp computes every id
/// anew.
constexpr std::string_view commands = R"py(from mercurial import hg, registrar
from mercurial.node import hex

cmdtable = {}
command = registrar.command(cmdtable)


def block(ui, parents, data):
    ui.write(b'%s %s %d\n' % (hex(parents[0]), hex(parents[1]), len(data)))
    ui.write(data)
    ui.write(b'\n')


@command(b'tandem-witness', [], b'COMMIT')
def witness(ui, repo, commit):
    repo = repo.unfiltered()
    node = bytes.fromhex(commit.decode('ascii'))
    changes = repo.changelog
    block(ui, changes.parents(node), changes.rawdata(node))
    manifest = changes.read(node)[0]
    manifests = repo.manifestlog.getstorage(b'')
    block(ui, manifests.parents(manifest), manifests.rawdata(manifest))
    for path, version, flags in repo.manifestlog[manifest].read().iterentries():
        versions = repo.file(path)
        data = versions.rawdata(version)
        # Where a file was copied from stands before its content and belongs to its id.
        end = data.find(b'\x01\n', 2) + 2 if data.startswith(b'\x01\n') else 0
        block(ui, versions.parents(version), data[:end])


@command(b'tandem-names', [], b'SOURCE', norepo=True)
def names(ui, source):
    peer = hg.peer(ui, {}, ui.config(b'paths', source) or source)
    try:
        with peer.commandexecutor() as executor:
            branches = executor.callcommand(b'branchmap', {}).result()
        with peer.commandexecutor() as executor:
            bookmarks = executor.callcommand(b'listkeys', {b'namespace': b'bookmarks'}).result()
        for name in sorted(set(branches) | set(bookmarks)):
            ui.write(b'%s\n' % name)
    finally:
        peer.close()
)py";

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::string with_our_commands(const fs::path& directory) {
  const fs::path file = directory / "commands.py";
  if (content_of(file) != commands) {
    fs::create_directories(directory);
    replace_file(file, commands);
  }
  return "extensions.tandem=" + fs::absolute(file).string();
}

}  // namespace tandem::builders::hg
