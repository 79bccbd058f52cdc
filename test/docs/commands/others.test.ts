import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { itByNight } from '../../support/random-sets.ts';
import { commandBlocks, documents, OF_GUIDES, OF_READERS, ROOT } from '../command-blocks.ts';
import { typeCommandsOf } from './type-commands.ts';

/** Blocks that cannot be run here: what installs the project or needs what CI has not. Keep them few. */
const MOST_NOT_RUN = 5;

/** The same of runbooks, which deal in containers, units and clusters. */
const MOST_NOT_RUN_IN_RUNBOOKS = 28;

describe('the commands that the documents show', () => {
  const said = typeCommandsOf(
    documents().filter((file) => !file.startsWith(OF_READERS) && !file.startsWith(OF_GUIDES)),
  );

  it("lead from nothing to a read of a reader of one's own in the report", () => {
    expect(said.get('README.md')).to.match(
      /"asset_external_key":"PALLET-1","location_id":\d+,"location_external_key":"DOCK-1"/,
    );
  });

  it("have a format of one's own read its payload", () => {
    expect(said.get('domain/formats/built-in/README.md')).to.include(
      'scan      rfid E28011606000020A6681FA3E, antenna 1, -54 dBm',
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

  itByNight('find the command line by npx, as they say', async () => {
    const { stdout } = await promisify(execFile)('npx', ['--no', '--', 'tagtrail', '--help'], { cwd: ROOT });
    expect(stdout).to.include('Usage: tagtrail');
  });
});
