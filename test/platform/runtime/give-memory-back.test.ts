import { expect } from 'chai';
import { run } from '../../support/process.ts';
import { itByNight } from '../../support/random-sets.ts';

describe('a process that has needed much memory', () => {
  itByNight('gives most of it back once it has nothing to do', async () => {
    const program = run('test/platform/runtime/peak-process.ts');
    try {
      await program.printed('nearer to');
    } finally {
      program.child.kill('SIGKILL');
    }
    const [start = 0, peak = 0] = (program.stdout().match(/[\d.]+/g) ?? []).map(Number);
    expect(peak - start).to.be.above(100);
  });
});
