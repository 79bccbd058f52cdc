import { expect } from 'chai';
import type { Micros } from '../../../../base/instant.ts';
import { differenceOf } from '../../../../domain/alerts/deriving/derive-subjects.ts';
import type { FoundStretch, StoredAlert } from '../../../../domain/alerts/stored/alert.ts';
import { Random } from '../../../support/random.ts';

const AFTER = 10;
const PLAIN = { level: null, alarmSince: null, locationId: 1 };

type Kept = Omit<StoredAlert, 'state'> & { state: StoredAlert['state'] | 'withdrawn' };

/** Alerts of one rule and one asset, as a table keeps them. */
class Alerts {
  readonly kept: Kept[] = [];

  /** @returns how much was written. */
  bringInLine(derived: (since: Micros) => FoundStretch[], wanted: Micros, until: Micros): number {
    const since = this.#reaching(wanted);
    const stored = this.kept.filter(
      (alert): alert is StoredAlert => alert.state !== 'withdrawn' && (alert.closedAt ?? until) >= since,
    );
    const { opened, changed, withdrawn } = differenceOf(stored, derived(since), { since, until });
    for (const alert of this.kept) {
      const change = changed.find(({ id }) => id === alert.id);
      if (withdrawn.includes(alert.id)) {
        alert.state = 'withdrawn';
      } else if (change !== undefined) {
        const { since: openedAt, until: closedAt, ...stretch } = change.stretch;
        const acknowledgedAt = change.state === 'open' ? null : alert.acknowledgedAt;
        Object.assign(alert, { ...stretch, openedAt, closedAt, acknowledgedAt, state: change.state });
      }
    }
    for (const { since: openedAt, until: closedAt, ...stretch } of opened) {
      const id = String(this.kept.length).padStart(4, '0');
      const state = closedAt === null ? 'open' : 'closed';
      this.kept.push({ id, openedAt, closedAt, acknowledgedAt: null, state, ...stretch });
    }
    return opened.length + changed.length + withdrawn.length;
  }

  acknowledge(at: Micros): void {
    const alert = this.kept.find(({ state }) => state === 'open');
    if (alert !== undefined) {
      Object.assign(alert, { acknowledgedAt: at, state: 'acknowledged' });
    }
  }

  /** Those that count, as stretches. */
  get stretches() {
    return this.kept
      .filter(({ state }) => state !== 'withdrawn')
      .map(({ openedAt, closedAt, because }) => ({ since: openedAt, until: closedAt, because }))
      .sort((a, b) => a.since - b.since);
  }

  #reaching(wanted: Micros): Micros {
    const reach = this.kept.filter(
      ({ state, closedAt }) => state !== 'withdrawn' && (closedAt ?? wanted) >= wanted,
    );
    const first = Math.min(wanted, ...reach.map(({ openedAt }) => openedAt));
    return first === wanted ? wanted : this.#reaching(first);
  }
}

/** Not read for longer than {@link AFTER}: from then until the next read. */
function unread(reads: readonly Micros[], since: Micros, now: Micros): FoundStretch[] {
  const times = [...new Set(reads)].sort((a, b) => a - b);
  return times
    .map((read, index) => ({
      since: read + AFTER,
      until: times[index + 1] ?? Number.POSITIVE_INFINITY,
      read,
    }))
    .filter((gap) => gap.since < Math.min(gap.until, now) && gap.until > since)
    .map(({ read, ...gap }) => ({
      ...{ ...PLAIN, since: gap.since, because: `{"last_seen":${read}}` },
      until: gap.until >= now ? null : gap.until,
    }));
}

describe('stored alerts', () => {
  it('are those that follow from all reads, whatever the order in which these come, each looked at from then on', () => {
    const tally = { withdrawn: 0, kept: 0 };
    for (let round = 0; round < 1_000; round++) {
      const random = new Random(91, round);
      const waiting = Array.from({ length: 3 + random.below(10) }, () => random.below(200));
      const reads: Micros[] = [];
      const alerts = new Alerts();
      let now = 0;
      while (waiting.length > 0 || now < 300) {
        now += 1 + random.below(30);
        const come = waiting.filter((read) => read < now && random.once(3));
        for (const read of come) {
          waiting.splice(waiting.indexOf(read), 1);
        }
        reads.push(...come);
        const known = reads.map((read) => read);
        // What time alone has changed is looked at from when it may have.
        const since = Math.min(now - 31, ...come);
        const derive = (from: Micros) => unread(known, from, now);
        alerts.bringInLine(derive, since, now);
        expect(alerts.bringInLine(derive, since, now), `round ${round}, nothing new`).to.equal(0);
        const standing = alerts.kept.filter(({ state }) => state === 'open' || state === 'acknowledged');
        expect(standing.length).to.be.at.most(1);
        const inherited = alerts.kept.filter(
          ({ openedAt, acknowledgedAt }) => acknowledgedAt !== null && openedAt > acknowledgedAt,
        );
        expect(inherited, `round ${round}, acknowledged before they began`).to.deep.equal([]);
        if (random.once(3)) {
          alerts.acknowledge(now);
        }
      }
      const expected = unread(reads, Number.NEGATIVE_INFINITY, now).map(({ since, until, because }) => ({
        ...{ since, until, because },
      }));
      expect(alerts.stretches, `round ${round}`).to.deep.equal(expected);
      tally.withdrawn += alerts.kept.filter(({ state }) => state === 'withdrawn').length;
      tally.kept += expected.length;
    }
    expect(tally.withdrawn).to.be.above(50);
    expect(tally.kept).to.be.above(1_000);
  });

  const alert = (id: string, openedAt: Micros, closedAt: Micros | null): StoredAlert => ({
    ...{ ...PLAIN, id, openedAt, closedAt, acknowledgedAt: null, because: '{}' },
    state: closedAt === null ? 'open' : 'closed',
  });
  const stretch = (since: Micros, until: Micros | null): FoundStretch => ({
    ...{ ...PLAIN, since, until, because: '{}' },
  });
  const acknowledgedAt = (at: Micros, of: StoredAlert): StoredAlert => ({
    ...of,
    ...{ acknowledgedAt: at, state: of.state === 'open' ? 'acknowledged' : of.state },
  });
  const WINDOW = { since: 0, until: 100 };

  it('keep to the stretch in which they were opened, so that what begins again is new, whoever acknowledged what was', () => {
    const acknowledged = acknowledgedAt(11, alert('a', 10, null));
    for (const stored of [alert('a', 10, null), alert('a', 10, 90), acknowledged]) {
      expect(differenceOf([stored], [stretch(10, 12), stretch(13, null)], WINDOW)).to.deep.equal({
        opened: [stretch(13, null)],
        changed: [{ id: 'a', state: 'closed', stretch: stretch(10, 12) }],
        withdrawn: [],
      });
    }
  });

  it('keep else to the one that they overlap most, so that one of two is new and one of two is withdrawn', () => {
    expect(differenceOf([alert('a', 5, 50)], [stretch(6, 10), stretch(20, 50)], WINDOW)).to.deep.equal({
      opened: [stretch(6, 10)],
      changed: [{ id: 'a', state: 'closed', stretch: stretch(20, 50) }],
      withdrawn: [],
    });
    expect(differenceOf([alert('b', 20, 30), alert('a', 0, 10)], [stretch(0, 30)], WINDOW)).to.deep.equal({
      opened: [],
      changed: [{ id: 'a', state: 'closed', stretch: stretch(0, 30) }],
      withdrawn: ['b'],
    });
  });

  it('that are not over overlap what is not over up to the time derived to', () => {
    expect(differenceOf([alert('a', 10, null)], [stretch(11, 60), stretch(90, null)], WINDOW)).to.deep.equal({
      opened: [stretch(90, null)],
      changed: [{ id: 'a', state: 'closed', stretch: stretch(11, 60) }],
      withdrawn: [],
    });
  });

  it('are of nothing that began after they were acknowledged', () => {
    const late = stretch(30, null);
    const acknowledged = acknowledgedAt(20, alert('a', 10, null));
    expect(differenceOf([acknowledged], [stretch(11, 15), late], WINDOW)).to.deep.equal({
      opened: [late],
      changed: [{ id: 'a', state: 'closed', stretch: stretch(11, 15) }],
      withdrawn: [],
    });
    for (const stored of [acknowledged, acknowledgedAt(20, alert('a', 10, 60))]) {
      const another = { opened: [late], changed: [], withdrawn: ['a'] };
      expect(differenceOf([stored], [late], WINDOW)).to.deep.equal(another);
    }
    expect(differenceOf([acknowledged], [late], { since: 15, until: 100 })).to.deep.equal({
      opened: [late],
      changed: [{ id: 'a', state: 'closed', stretch: stretch(10, 15) }],
      withdrawn: [],
    });
  });

  it('stay acknowledged until they are over, and are open again if they were not', () => {
    const acknowledged = acknowledgedAt(5, alert('a', 0, null));
    expect(differenceOf([acknowledged], [stretch(5, null)], WINDOW).changed[0]?.state).to.equal(
      'acknowledged',
    );
    expect(differenceOf([acknowledged], [stretch(0, 50)], WINDOW).changed[0]?.state).to.equal('closed');
    expect(differenceOf([alert('a', 0, 50)], [stretch(0, null)], WINDOW).changed[0]?.state).to.equal('open');
  });

  it('are found among thousands of an asset that comes and goes', () => {
    const beginnings = Array.from({ length: 20_000 }, (_, at) => at * 10);
    const window = { since: 0, until: 200_000 };
    const stored = beginnings.map((at) => alert(String(at).padStart(6, '0'), at, at + 5));
    const derived = beginnings.map((at) => stretch(at + 1, at + 5));
    const { opened, changed, withdrawn } = differenceOf(stored, derived, window);
    expect([opened.length, changed.length, withdrawn.length]).to.deep.equal([0, 20_000, 0]);
    expect(changed.at(-1)).to.deep.include({ id: '199990', stretch: derived.at(-1) });
  });

  it('that began before what is looked at keep their beginning, and end with it at the latest', () => {
    const window = { since: 50, until: 100 };
    expect(differenceOf([alert('a', 0, null)], [stretch(20, null)], window).changed).to.deep.equal([]);
    const inTwo = differenceOf([alert('a', 0, null)], [stretch(20, 60), stretch(70, null)], window);
    expect(inTwo.changed).to.deep.equal([{ id: 'a', state: 'closed', stretch: stretch(0, 60) }]);
    expect(differenceOf([alert('a', 0, null)], [], window).changed).to.deep.equal([
      { id: 'a', state: 'closed', stretch: stretch(0, 50) },
    ]);
  });
});
