import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { useProgram } from '../support/programs.ts';
import { type CommandBlock, commandBlocks, documents, filesToWrite, ROOT } from './command-blocks.ts';
import { ReaderOfDocuments } from './reader-of-documents.ts';
import { useRunningSystem } from './use-running-system.ts';

/** Blocks that cannot be run here: what installs the project or needs what CI has not. Keep them few. */
const MOST_NOT_RUN = 4;

/** The same of runbooks, which deal in containers, units and clusters. */
const MOST_NOT_RUN_IN_RUNBOOKS = 20;

describe('the commands that the documents show', () => {
  useProgram('curl');
  const system = useRunningSystem();
  const said = new Map<string, string>();

  for (const document of documents()) {
    const blocks = commandBlocks(document).filter(({ notRunBecause }) => notRunBecause === null);
    if (blocks.length === 0) {
      continue;
    }
    it(`of ${document} do what they should`, async function () {
      this.timeout(60_000 * blocks.length + 10_000);
      const { clone, environment, shown, here } = system;
      for (const { name, content } of filesToWrite(document)) {
        writeFileSync(join(clone, name), content);
      }
      const reader = new ReaderOfDocuments(clone, environment, shown);
      try {
        for (const block of blocks) {
          const answer = await reader.type({ ...block, commands: here(block.commands) });
          expectUnderstood(block, answer);
          said.set(document, (said.get(document) ?? '') + answer);
        }
      } finally {
        await reader.leave();
      }
    });
  }

  it("lead from nothing to a read of a reader of one's own in the report", () => {
    expect(said.get('README.md')).to.match(
      /"asset_external_key":"PALLET-1","location_id":\d+,"location_external_key":"DOCK-1"/,
    );
  });

  it('tell in the guides where things were, on whichever day they are typed', () => {
    expect(said.get('docs/guides/cold-chain.md')).to.match(
      /"asset_external_key":"CHILLED-2",[^}]*"location_external_key":"COLD-DOCK"/,
    );
    expect(said.get('docs/guides/loaner-pool.md')).to.match(/"asset_external_key":"PUMP-1",[^}]*"count":1\b/);
  });

  it("have a format of one's own read its payload", () => {
    expect(said.get('domain/formats/built-in/README.md')).to.include(
      'scan      ble FEE150BADA55, antenna 1, -77 dBm',
    );
  });

  it('are run but for a few, which say why not', () => {
    const notRun = documents()
      .flatMap(commandBlocks)
      .filter(({ notRunBecause }) => notRunBecause !== null)
      .map(({ place }) => place);
    const isRunbook = (place: string) => place.startsWith('deploy/');
    expect(notRun.filter((place) => !isRunbook(place))).to.have.length.below(MOST_NOT_RUN + 1);
    expect(notRun.filter(isRunbook)).to.have.length.below(MOST_NOT_RUN_IN_RUNBOOKS + 1);
  });

  it('find the command line by npx, as they say', async () => {
    const { stdout } = await promisify(execFile)('npx', ['--no', '--', 'tagtrail', '--help'], { cwd: ROOT });
    expect(stdout).to.include('Usage: tagtrail');
  });
});

/** What a sample payload is shown for is that something is read from it. */
function expectUnderstood({ place, commands, refusal }: CommandBlock, said: string): void {
  if (commands.includes('format try')) {
    expect(said, place)
      .to.match(/^[1-9]\d* scans?, /m)
      .and.not.match(/^rejected /m);
  }
  if (commands.includes('docs/mqtt.mjs pub')) {
    // It ends with 0 all the same.
    expect(said, place).not.to.match(/error/i);
  }
  if (refusal !== null) {
    expect(said, place).to.include(`"status":${refusal}`);
  }
}
