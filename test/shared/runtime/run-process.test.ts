import { expect } from 'chai';
import { run } from '../../support/process.ts';

describe('a process that is told to stop', () => {
  async function stopped(...args: string[]) {
    const program = run('test/shared/runtime/stopping-process.ts', args, {});
    await program.printed('running');
    program.child.kill('SIGTERM');
    return { status: await program.ended, output: program.stdout() };
  }

  it('stops its parts and ends with 0', async () => {
    expect(await stopped()).to.deep.include({ status: 0 });
  });

  it('does not wait for ever for a part that hangs, and says so', async () => {
    const { status, output } = await stopped('hangs');
    expect(status).to.equal(1);
    expect(output).to.include('stopping takes too long');
  });
});
