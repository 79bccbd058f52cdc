import { expect } from 'chai';
import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';

describe('a lifecycle', () => {
  it('stops what was started in reverse order, once, also if a part cannot be stopped', async () => {
    const events: string[] = [];
    const lifecycle = new Lifecycle(pino({ level: 'silent' }));
    for (const name of ['database', 'broker', 'http']) {
      const part = await lifecycle.start(
        name,
        () => {
          events.push(`start ${name}`);
          return name;
        },
        (started) => {
          events.push(`stop ${started}`);
          if (started === 'broker') {
            throw new Error('stuck');
          }
        },
      );
      expect(part).to.equal(name);
    }
    await Promise.all([lifecycle.stop(), lifecycle.stop()]);
    expect(events).to.deep.equal([
      'start database',
      'start broker',
      'start http',
      'stop http',
      'stop broker',
      'stop database',
    ]);
  });

  it('announces that it stops, and begins when the notice is over', async () => {
    const lifecycle = new Lifecycle(pino({ level: 'silent' }));
    let stoppedAt = 0;
    await lifecycle.start(
      'http',
      () => {},
      () => {
        stoppedAt = performance.now();
      },
    );
    expect(lifecycle.stopping.aborted).to.equal(false);
    const began = performance.now();
    const stopped = lifecycle.stop(40);
    expect(lifecycle.stopping.aborted).to.equal(true);
    await stopped;
    expect(stoppedAt - began).to.be.at.least(38);
  });

  it('does not remember a part that did not start', async () => {
    const lifecycle = new Lifecycle(pino({ level: 'silent' }));
    const fault = () => Promise.reject(new Error('no'));
    const outcome = await lifecycle
      .start('http', fault, () => expect.fail('was never started'))
      .catch((error: Error) => error.message);
    expect(outcome).to.equal('no');
    await lifecycle.stop();
  });
});
