import { assert } from 'chai';
import type { LongForm } from './long-form.ts';
import { pickLongForm, usageOf } from './pick-long-form.ts';

describe('scenarios of npm run chaos', () => {
  const form = (summary: string): LongForm => ({ summary, options: '[--reads 10]', run: async () => true });
  const forms = { faults: form('All at once.'), cluster: form('Nodes die.') };

  it('are picked by name, and the first without one', () => {
    assert.deepEqual(pickLongForm(['--reads', '5'], forms), { form: forms.faults, rest: ['--reads', '5'] });
    for (const args of [
      ['--reads', '5', '--scenario', 'cluster', '--seed', '2'],
      ['--reads', '5', '--scenario=cluster', '--seed', '2'],
    ]) {
      assert.deepEqual(pickLongForm(args, forms), {
        form: forms.cluster,
        rest: ['--reads', '5', '--seed', '2'],
      });
    }
  });

  it('are listed to whoever names another', () => {
    for (const args of [['--scenario', 'floods'], ['--scenario='], ['--scenario', 'toString']]) {
      assert.throws(() => pickLongForm(args, forms), TypeError, /is not one of faults, cluster/);
    }
    assert.throws(() => pickLongForm(['--scenario'], forms), TypeError, /--scenario/);
  });

  it('are told of with their options', () => {
    assert.include(usageOf(forms), 'faults (default): All at once.\n  [--reads 10]');
    assert.include(usageOf(forms), 'cluster: Nodes die.\n');
  });
});
