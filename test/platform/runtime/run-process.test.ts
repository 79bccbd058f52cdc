import { expect } from 'chai';
import { run } from '../../support/process.ts';

describe('a process that is told to stop', () => {
  const start = (environment: NodeJS.ProcessEnv = {}) =>
    run('test/platform/runtime/stopping-process.ts', [], environment);

  async function stopped(environment?: NodeJS.ProcessEnv) {
    const program = start(environment);
    await program.printed('running');
    program.child.kill('SIGTERM');
    return { status: await program.ended, output: program.stdout() };
  }

  it('stops its parts and ends with 0', async () => {
    expect(await stopped()).to.deep.include({ status: 0 });
  });

  it('does not wait for ever for a part that hangs, and says so', async () => {
    const { status, output } = await stopped({ HOW: 'hangs' });
    expect(status).to.equal(1);
    expect(output).to.include('Graceful shutdown timed out');
  });

  it('takes a signal that comes twice at once, as from a terminal and from npm, for one', async () => {
    const program = start({ HOW: 'slow', PATIENCE_MS: '30000' });
    await program.printed('running');
    program.child.kill('SIGINT');
    program.child.kill('SIGINT');
    await program.printed('Shutting down');
    program.child.kill('SIGTERM');
    expect(await program.ended).to.equal(0);
  });

  it('does not wait any more at a second one', async () => {
    const program = start({ HOW: 'hangs', PATIENCE_MS: '30000' });
    await program.printed('running');
    const again = setInterval(() => program.child.kill('SIGINT'), 100);
    expect(await program.ended).to.equal(1);
    clearInterval(again);
    expect(program.stdout()).not.to.include('Graceful shutdown timed out');
  });
});
