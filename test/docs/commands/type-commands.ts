import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { useProgram } from '../../support/programs.ts';
import { itByNight } from '../../support/random-sets.ts';
import { type CommandBlock, commandBlocks, filesToWrite } from '../command-blocks.ts';
import { ReaderOfDocuments } from '../reader-of-documents.ts';
import { useRunningSystem } from '../use-running-system.ts';

/** Those that take longest; `test/cli` and `test/clients/typescript` try for each change what they lead to. */
const LONGEST = ['docs/simulate.md', 'docs/integrators.md'];

/**
 * A test for each of the documents with commands: somebody types them, one document after another, beside one `npm start`.
 *
 * @returns what was said to each.
 */
export function typeCommandsOf(documents: readonly string[]): ReadonlyMap<string, string> {
  useProgram('curl');
  const system = useRunningSystem();
  const said = new Map<string, string>();

  for (const document of documents) {
    const blocks = commandBlocks(document).filter(({ notRunBecause }) => notRunBecause === null);
    if (blocks.length === 0) {
      continue;
    }
    const test = LONGEST.includes(document) ? itByNight : it;
    test(`of ${document} do what they should`, async function (this: Mocha.Context) {
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
  return said;
}

/** What a sample payload is shown for is that something is read from it. */
function expectUnderstood({ place, commands, refusal }: CommandBlock, said: string): void {
  if (commands.includes('format try')) {
    expect(said, place)
      .to.match(/^[1-9]\d* scans?, /m)
      .and.not.match(/^rejected /m);
  }
  if (commands.includes('docs/mqtt.mjs pub')) {
    expect(said, place).not.to.match(/error/i);
  }
  if (refusal !== null) {
    expect(said, place).to.include(`"status":${refusal}`);
  }
}
