import { expect } from 'chai';
import { Alarm } from '../../base/alarm.ts';

/** Longer than the test may take. */
const LONG = 100_000_000;

describe('an alarm', () => {
  it('wakes one who sleeps', async () => {
    const alarm = new Alarm();
    const sleeping = alarm.sleep(LONG);
    alarm.ring();
    await sleeping;
  });

  it('lets nobody fall asleep who was woken while awake, once', async () => {
    const alarm = new Alarm();
    alarm.ring();
    alarm.ring();
    await alarm.sleep(LONG);
    let isAwake = false;
    const sleeping = alarm.sleep(LONG).then(() => {
      isAwake = true;
    });
    await new Promise(setImmediate);
    expect(isAwake).to.equal(false);
    alarm.ring();
    await sleeping;
  });

  it('ends a sleep until a time that has passed without a warning of the process', async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error) => warnings.push(warning);
    process.on('warning', hear);
    try {
      await new Alarm().sleep(-1);
      await new Promise(setImmediate);
    } finally {
      process.removeListener('warning', hear);
    }
    expect(warnings).to.deep.equal([]);
  });
});
