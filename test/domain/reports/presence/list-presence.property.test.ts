import { expect } from 'chai';
import type { OrganizationDoor } from '../../../../db/timescale/connections/organization-door.ts';
import type { Presence } from '../../../../domain/presence/coverage/state-of.ts';
import type { DatedWatch } from '../../../../domain/presence/coverage/watches.ts';
import { useDatabase } from '../../../support/database.ts';
import { presenceByDefinition } from '../../../support/presence-by-definition.ts';
import { type Delivered, PresenceSite } from '../../../support/presence-site.ts';
import { Random } from '../../../support/random.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { openDoor } from '../../../support/recorded-past.ts';

/** Seconds. */
const STEP = 5;
const END = 60 * STEP;
/** Of readers that are new. */
const EXPECTED = 30;
const READER_PLACES = [0, 0, 1];
const ASSETS = 4;

function randomCase(random: Random) {
  const second = () => random.below(END / STEP) * STEP;
  const instants = [...new Set(Array.from({ length: 8 + random.below(20) }, second))];
  return {
    reads: instants.map((at) => ({
      at,
      reader: random.below(READER_PLACES.length),
      assets: [...new Set(Array.from({ length: 1 + random.below(3) }, () => random.below(ASSETS)))],
    })),
    watches: [0, 1].map((): DatedWatch[] =>
      [...new Set([-500, ...(random.once(2) ? [second()] : [])])].map((from) =>
        random.once(5)
          ? { from, mode: 'portal', maxGap: null, coverage: 'all' }
          : {
              ...{ from, mode: 'continuous', coverage: random.pick(['all', 'any'] as const) },
              maxGap: random.once(5) ? null : (1 + random.below(12)) * STEP,
            },
      ),
    ),
    sweeps: Array.from({ length: random.below(3) }, (_, which) => ({
      id: `SWEEP-${which}`,
      place: random.below(2),
      endedAt: 60 + second(),
      missing: [...new Set([random.below(ASSETS), random.below(ASSETS)])],
    })),
  };
}

describe('the states of assets', () => {
  const database = useDatabase();
  let door: OrganizationDoor;
  before(() => {
    door = openDoor(database);
  });

  async function siteOf({ watches, sweeps }: ReturnType<typeof randomCase>): Promise<PresenceSite> {
    const site = await PresenceSite.create(database, {
      ...{ places: 2, readerPlaces: READER_PLACES, assets: ASSETS },
    });
    for (const [place, dated] of watches.entries()) {
      for (const watch of dated) {
        await site.watch(place, watch);
      }
    }
    for (const { id, place, endedAt, missing } of sweeps) {
      await site.sweep(id, place, endedAt, missing);
    }
    return site;
  }

  async function deliver(site: PresenceSite, messages: readonly Delivered[], random: Random): Promise<void> {
    const left = [...messages];
    while (left.length > 0) {
      await site.deliver(left.splice(0, 1 + random.below(6)));
    }
  }

  it('are what counting says (up to 50 random cases), also of what came late and in another order', async () => {
    const met = new Map<string, number>();
    for (let index = 0; index < randomSets(50) || (index < 50 && met.size < 4); index++) {
      // In this order all states are met soon.
      const random = new Random(79, 50 - index);
      const some = randomCase(random);
      const inTime = some.reads.map((read): Delivered => ({ ...read, receivedAt: read.at }));
      const late = inTime
        .map((read) => (random.once(2) ? { ...read, receivedAt: END + 20 + random.below(100) } : read))
        .map((message) => ({ message, rank: random.below(1e6) }))
        .toSorted((a, b) => a.rank - b.rank)
        .map(({ message }) => message);
      const [one, other] = [await siteOf(some), await siteOf(some)];
      await deliver(
        one,
        inTime.toSorted((a, b) => a.at - b.at),
        random,
      );
      await deliver(other, late, random);
      for (const second of [END / 2, END].map((most) => random.below(most / STEP) * STEP)) {
        const { rows } = await one.list(door, second);
        const expected = Array.from({ length: ASSETS }, (_, asset) => {
          const last = some.reads
            .filter(({ at, assets }) => at <= second && assets.includes(asset))
            .toSorted((a, b) => b.at - a.at)[0];
          const place = READER_PLACES[last?.reader ?? 0] ?? 0;
          const swept = some.sweeps
            .filter((sweep) => sweep.place === place)
            .map(({ endedAt, missing }) => ({ since: endedAt - 60, until: endedAt, missing }));
          return last === undefined
            ? []
            : [
                {
                  ...{ asset, place, lastSeen: last.at },
                  ...presenceByDefinition(
                    {
                      ...{ step: STEP, watches: some.watches[place] ?? [], swept, lastSeen: last.at },
                      missed: swept.filter(({ missing }) => missing.includes(asset)),
                      antennas: READER_PLACES.flatMap((own, readerId) =>
                        own === place ? [{ readerId, since: -1_000, until: 10_000 }] : [],
                      ),
                      listens: (reader, at) =>
                        some.reads.some(
                          (read) => read.reader === reader && read.at <= at && at < read.at + EXPECTED,
                        ),
                      proven: (reader, at) => {
                        const own = some.reads.filter((read) => read.reader === reader);
                        return own.some(
                          (read) =>
                            read.at <= at &&
                            own.some((next) => at < next.at && next.at <= read.at + EXPECTED),
                        );
                      },
                    },
                    second,
                  ),
                },
              ];
        }).flat();
        expect(
          rows.map(({ because: _because, ...row }) => row),
          `case ${index} at ${second}`,
        ).to.deep.equal(expected);
        expect((await other.list(door, second)).rows, `case ${index} at ${second}, late`).to.deep.equal(rows);
        await expectPages(one, second, rows);
        for (const { state } of rows) {
          met.set(state, (met.get(state) ?? 0) + 1);
        }
      }
    }
    expect([...met.keys()]).to.have.members(['present', 'overdue', 'unknown', 'missing']);
  });

  async function expectPages(
    site: PresenceSite,
    second: number,
    rows: Awaited<ReturnType<PresenceSite['list']>>['rows'],
  ): Promise<void> {
    expect(await site.list(door, second, { limit: 2, offset: 1 })).to.deep.equal({
      totalCount: rows.length,
      rows: rows.slice(1, 3),
    });
    const state: Presence['state'][] = ['overdue', 'unknown'];
    const chosen = rows.filter((row) => state.includes(row.state));
    expect(await site.list(door, second, { limit: 1, offset: 1, state })).to.deep.equal({
      totalCount: chosen.length,
      rows: chosen.slice(1, 2),
    });
  }

  it('are missing since the first sweep that missed them, also longer ago than coverage is looked at', async () => {
    const DAY = 86_400;
    const site = await PresenceSite.create(database, { places: 2, readerPlaces: [0, 1], assets: 3 });
    await site.watch(0, { from: -1_000, mode: 'continuous', maxGap: 60, coverage: 'all' });
    await site.deliver([{ reader: 0, at: 120, receivedAt: 120, assets: [0, 1] }]);
    await site.deliver([{ reader: 1, at: 120, receivedAt: 120, assets: [2] }]);
    const [BEFORE, FIRST, SECOND, ELSEWHERE] = ['BEFORE', 'FIRST', 'SECOND', 'ELSEWHERE'];
    await site.sweep(BEFORE, 0, 100, [0]);
    await site.sweep(SECOND, 0, 5 * DAY, [0, 1]);
    await site.sweep(FIRST, 0, 4 * DAY, [0]);
    await site.sweep(ELSEWHERE, 0, 4 * DAY, [2]);
    const { rows } = await site.list(door, 50 * DAY);
    expect(rows.map(({ state, since, because }) => ({ state, since, because }))).to.deep.equal([
      { state: 'missing', since: 4 * DAY, because: { sweepId: FIRST } },
      { state: 'missing', since: 5 * DAY, because: { sweepId: SECOND } },
      { state: 'present', since: 120, because: null },
    ]);
    const states = (await site.list(door, 4 * DAY - 1)).rows.map(({ state }) => state);
    expect(states).not.to.include('missing');
  });

  it('are unknown behind a reader that died, which is named, and overdue of what was taken away only', async () => {
    const [PLACES, EACH, DEAD] = [8, 14, 3];
    const places = Array.from({ length: PLACES }, (_, place) => place);
    const site = await PresenceSite.create(database, {
      ...{ places: PLACES, readerPlaces: places, assets: PLACES * EACH },
    });
    for (const place of places) {
      await site.watch(place, { from: -1_000, mode: 'continuous', maxGap: 60, coverage: 'all' });
    }
    const assetsAt = (place: number) => Array.from({ length: EACH }, (_, own) => place * EACH + own);
    const TAKEN = 0;
    for (let second = -60; second <= 120; second += 10) {
      const alive = places.filter((place) => place !== DEAD || second <= 0);
      await site.deliver(
        alive.map((reader) => ({
          ...{ reader, at: second, receivedAt: second },
          assets: assetsAt(reader).filter((asset) => asset !== TAKEN || second <= 0),
        })),
      );
    }
    const { rows } = await site.list(door, 120);
    const of = (state: Presence['state']) => rows.filter((row) => row.state === state);
    expect(rows).to.have.length(112);
    expect(of('missing')).to.deep.equal([]);
    expect(of('overdue').map(({ asset, since }) => ({ asset, since }))).to.deep.equal([
      { asset: TAKEN, since: 60 },
    ]);
    expect(of('unknown').map(({ asset }) => asset)).to.deep.equal(assetsAt(DEAD));
    for (const row of of('unknown')) {
      expect(row).to.deep.include({ since: 60, unseen: 0, because: { reader: DEAD, since: 30 } });
    }
  });
});
