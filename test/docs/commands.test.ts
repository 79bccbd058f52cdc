import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type CommandBlock, commandBlocks, documents, ROOT } from './command-blocks.ts';
import { ReaderOfDocuments } from './reader-of-documents.ts';
import { useRunningSystem } from './use-running-system.ts';

/** Blocks that cannot be run here: what installs the project or needs what CI has not. Keep them few. */
const MOST_NOT_RUN = 6;

describe('the commands that the documents show', () => {
  const system = useRunningSystem();

  for (const document of documents()) {
    const blocks = commandBlocks(document).filter(({ notRunBecause }) => notRunBecause === null);
    if (blocks.length === 0) {
      continue;
    }
    it(`of ${document} do what they should`, async () => {
      const { clone, environment, shown, here } = system;
      const reader = new ReaderOfDocuments(clone, environment, shown);
      try {
        for (const block of blocks) {
          expectUnderstood(block, await reader.type({ ...block, commands: here(block.commands) }));
        }
      } finally {
        await reader.leave();
      }
    });
  }

  it('are run but for a few, which say why not', () => {
    const notRun = documents()
      .flatMap(commandBlocks)
      .filter(({ notRunBecause }) => notRunBecause !== null);
    expect(notRun.map(({ place }) => place)).to.have.length.below(MOST_NOT_RUN + 1);
  });

  it('find the command line by npx, as they say', async () => {
    const { stdout } = await promisify(execFile)('npx', ['tagtrail', '--help'], { cwd: ROOT });
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
  if (refusal !== null) {
    expect(said, place).to.include(`"status":${refusal}`);
  }
}
