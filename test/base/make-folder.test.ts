import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { makeFolder } from '../../base/make-folder.ts';

/** Makes folder after folder, each at the moment when the other threads do. */
const MAKER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { folder, rounds, threads, arrived } = workerData;
  import(workerData.module).then(({ makeFolder }) => {
    for (let round = 0; round < rounds; round++) {
      Atomics.add(arrived, round, 1);
      while (Atomics.load(arrived, round) < threads);
      makeFolder(folder + '/' + round + '/below');
    }
  });`;

describe('making a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-folders-'));
  after(() => rmSync(folder, { recursive: true }));

  it('may be done by several at once', async () => {
    const [rounds, threads] = [100, 2];
    const arrived = new Int32Array(new SharedArrayBuffer(4 * rounds));
    const module = new URL('../../base/make-folder.ts', import.meta.url).href;
    const making = Array.from({ length: threads }, () => {
      const maker = new Worker(MAKER, {
        eval: true,
        workerData: { folder, rounds, threads, arrived, module },
      });
      return new Promise((resolve, reject) => maker.once('error', reject).once('exit', resolve));
    });
    await Promise.all(making);
    expect(existsSync(join(folder, String(rounds - 1), 'below'))).to.equal(true);
  });

  it('fails where there is a file, or where the system allows none', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => makeFolder(join(folder, 'file')))
      .to.throw()
      .with.property('code', 'EEXIST');
    expect(() => makeFolder(join(folder, 'file', 'below')))
      .to.throw()
      .with.property('code', 'ENOTDIR');
    expect(() => makeFolder('/proc/none/below'))
      .to.throw()
      .with.property('code', 'ENOENT');
  });
});
