import { expect } from 'chai';
import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { loadWatches, tidyWatches } from '../../../../domain/presence/watching/stored-watches.ts';
import { type Hearing, IntakeWatch } from '../../../../domain/presence/watching/watch.ts';
import { useDatabase } from '../../../support/database.ts';

const BEGINNING: Micros = Date.UTC(2026, 4, 1, 10) * 1_000;

const at = (second: number): Micros => BEGINNING + second * MICROS_PER_SECOND;

describe('when a process of ingestion could hear', () => {
  const database = useDatabase();
  beforeEach(() => database.empty('intake_watches'));

  const stored = async () => (await loadWatches(database.pool, null)).toSorted((a, b) => a.since - b.since);
  const all = (second: number, quiet = 0): Hearing => ({
    settledUpTo: at(second),
    quietFor: quiet * MICROS_PER_SECOND,
  });
  const noteSeconds = (watch: IntakeWatch, from: number, to: number) => {
    for (let second = from; second <= to; second++) {
      watch.note(at(second), all(second));
    }
  };

  it('is noted up to the last message that is committed, also while it cannot be stored', async () => {
    const watch = new IntakeWatch();
    noteSeconds(watch, 0, 10);
    watch.note(at(11), all(10));
    watch.note(at(12), null);
    noteSeconds(watch, 20, 30);
    await watch.store(database.pool);
    expect(await stored()).to.deep.equal([
      { since: at(0), until: at(10) },
      { since: at(20), until: at(30) },
    ]);
    noteSeconds(watch, 31, 40);
    await watch.store(database.pool);
    expect(await stored()).to.deep.equal([
      { since: at(0), until: at(10) },
      { since: at(20), until: at(40) },
    ]);
  });

  it('is not while messages wait for the database, nor once the broker was last heard', async () => {
    const watch = new IntakeWatch();
    noteSeconds(watch, 0, 10);
    for (let second = 11; second <= 60; second++) {
      watch.note(at(second), all(10));
    }
    noteSeconds(watch, 61, 70);
    for (let quiet = 1; quiet <= 20; quiet++) {
      watch.note(at(70 + quiet), all(70 + quiet, quiet));
    }
    watch.note(at(91), null);
    await watch.store(database.pool);
    expect(await stored()).to.deep.equal([
      { since: at(0), until: at(10) },
      { since: at(61), until: at(70) },
    ]);
  });

  it('is not while the machine slept, whatever its clock says afterwards', async () => {
    const watch = new IntakeWatch();
    noteSeconds(watch, 0, 10);
    noteSeconds(watch, 3_600, 3_610);
    noteSeconds(watch, 1_000, 1_010);
    await watch.store(database.pool);
    expect(await stored()).to.deep.equal([
      { since: at(0), until: at(10) },
      { since: at(1_000), until: at(1_010) },
      { since: at(3_600), until: at(3_610) },
    ]);
  });

  it('is not told by a clock that is ahead of the database', async () => {
    const watch = new IntakeWatch();
    const ahead = Date.now() * 1_000 + MICROS_PER_DAY;
    for (let second = 0; second < 10; second++) {
      const now = ahead + second * MICROS_PER_SECOND;
      watch.note(now, { settledUpTo: now, quietFor: 0 });
    }
    await watch.store(database.pool);
    expect(await stored()).to.deep.equal([]);
  });

  it('leaves no row for each of many short connections', async () => {
    const watch = new IntakeWatch();
    for (let second = 0; second < 100; second += 5) {
      noteSeconds(watch, second, second + 3);
      watch.note(at(second + 4), null);
      await watch.store(database.pool);
    }
    expect(await stored()).to.deep.equal([]);
  });

  it('is a row for all the processes that followed each other, and forgotten when it is not needed any more', async () => {
    for (const [from, to] of [
      [0, 10],
      [20, 30],
      [25, 40],
      [40, 50],
      [4_000, 4_010],
      [4_005, 4_015],
    ] as const) {
      const watch = new IntakeWatch();
      noteSeconds(watch, from, to);
      await watch.store(database.pool);
    }
    await tidyWatches(database.pool, at(15), at(4_015));
    expect(await stored()).to.deep.equal([
      { since: at(20), until: at(50) },
      { since: at(4_000), until: at(4_010) },
      { since: at(4_005), until: at(4_015) },
    ]);
  });
});
