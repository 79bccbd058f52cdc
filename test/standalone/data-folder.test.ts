import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { requireOwnCluster } from '../../db/timescale/embedded/data-folder.ts';
import { startEmbedded } from '../../db/timescale/embedded/server.ts';
import { runCommand } from '../support/command-line.ts';
import { run } from '../support/process.ts';
import { byTurns } from '../support/random-sets.ts';

const NO_DATABASE = /^There is no database in TAGTRAIL_DATA, \S+; set TAGTRAIL_DATA to .*\n$/;

/**
 * Each is a way in which TAGTRAIL_DATA cannot be used. `make` gets an empty folder. What `npm start` says, and a command,
 * which makes none, so that most ways are the same to it.
 */
const WAYS: [string, (folder: string) => string, RegExp, RegExp][] = [
  ['a file', (folder) => made(join(folder, 'file')), /is no folder/, NO_DATABASE],
  ['below a file', (folder) => join(made(join(folder, 'file')), 'data'), /is no folder/, NO_DATABASE],
  [
    'a folder whose place for the database is a file',
    (folder) => made(join(folder, 'postgres')) && folder,
    /is no folder/,
    NO_DATABASE,
  ],
  ['below a device', () => '/dev/null/x', /is no folder/, NO_DATABASE],
  ['where nothing can be made', () => '/proc/nowhere', /cannot be made|may not write/, NO_DATABASE],
  [
    'a link to itself',
    (folder) => linked(join(folder, 'loop')),
    /is no folder|link to itself/,
    /^TAGTRAIL_DATA \S+ cannot be used: it is a symbolic link to itself; .*set TAGTRAIL_DATA to .*\n$/,
  ],
  [
    'a path that is too long',
    (folder) => join(folder, 'x'.repeat(300)),
    /too long/,
    /^TAGTRAIL_DATA \S+ cannot be used: .*too long.*set TAGTRAIL_DATA to .*\n$/,
  ],
];

describe('a data folder that cannot be used', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tagtrail-folder-'));
    chmodSync(folder, 0o711);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function oneLine(program: string, args: string[], data: string, reason: RegExp) {
    const { ended, stderr, stdout } = run(program, args, { TAGTRAIL_DATA: data });
    expect(await ended, stderr()).to.equal(1);
    expect(stdout()).to.equal('');
    const lines = stderr().trimEnd().split('\n');
    expect(lines, stderr()).to.have.lengthOf(1);
    expect(lines[0]).to.include(`TAGTRAIL_DATA ${data} cannot be used`).and.include('set TAGTRAIL_DATA to');
    expect(lines[0]).to.match(reason);
  }

  const started = byTurns(WAYS, 'way');
  for (const way of WAYS) {
    const [what, make, reason, ofCommand] = way;
    it(`is told in one line that names the setting, by npm start and by a command, when it is ${what}`, async () => {
      const data = make(folder);
      if (started.includes(way)) {
        await oneLine('services/standalone/main.ts', [], data, reason);
      }
      // What npm start then says.
      const error = await startEmbedded({ data, durable: true }).catch((e: Error) => e);
      expect(error)
        .to.have.property('message')
        .that.matches(reason)
        .and.includes(`TAGTRAIL_DATA ${data} cannot be used`);
      const { status, stderr } = await runCommand(['org', 'list'], { TAGTRAIL_DATA: data });
      expect(status).to.equal(1);
      expect(stderr).to.include(data).and.match(ofCommand);
    });
  }

  it("is told in one line when this account may not write there, or it is another account's", async () => {
    if (process.getuid?.() === 0) {
      // Root may write everywhere; the form that runs as an ordinary account tries it.
      mkdirSync(join(folder, 'cluster'));
      expect(() => requireOwnCluster(folder, join(folder, 'cluster'))).not.to.throw();
      return;
    }
    const data = join(folder, 'closed');
    mkdirSync(data, { mode: 0o500 });
    await oneLine('services/standalone/main.ts', [], data, /may not write/);
    expect(() => requireOwnCluster(folder, '/')).to.throw(/TAGTRAIL_DATA .* belongs to account 0/);
  });
});

function made(file: string): string {
  writeFileSync(file, '');
  return file;
}

function linked(path: string): string {
  symlinkSync(path, path);
  return path;
}
