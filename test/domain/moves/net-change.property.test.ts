import { expect } from 'chai';
import fc from 'fast-check';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { eventOf, type MoveEvent, type MoveRow } from '../../../domain/moves/event.ts';
import { netChange } from '../../../domain/moves/net-change.ts';
import { randomSets } from '../../support/random-sets.ts';

/** A history: the location and duration at each instant. */
type History = ReadonlyMap<number, readonly [location: number, duration: number]>;

const BEGAN = 1_777_880_280_000_000;

/** Histories that follow one another, few instants and locations apart, so that much comes back. */
const histories = fc.array(
  fc
    .uniqueArray(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 3 }), fc.nat(1)), {
      selector: ([at]) => at,
      maxLength: 6,
    })
    .map(
      (rows): History =>
        new Map(
          rows
            .sort(([one], [other]) => one - other)
            .map(([at, location, duration]) => [BEGAN + at * 1_000_000, [location, duration]]),
        ),
    ),
  { minLength: 1, maxLength: 12 },
);

/** The event that leads from a history to the next; null if they are the same. */
function moveBetween(before: History, after: History, position: number): MoveRow | null {
  const [from, to] = [...before.keys(), ...after.keys()].reduce(
    ([one, other], at) => [Math.min(one, at), Math.max(other, at)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  const [added, removed, changed]: [number[][], number[][], number[][]] = [[], [], []];
  for (let at = from; at <= to; at += 1_000_000) {
    const [was, is] = [before.get(at), after.get(at)];
    if (was === undefined && is !== undefined) {
      added.push([at, ...is]);
    } else if (was !== undefined && is === undefined) {
      removed.push([at, ...was]);
    } else if (was !== undefined && is !== undefined && String(was) !== String(is)) {
      changed.push([at, ...is, ...was]);
    }
  }
  if (added.length + removed.length + changed.length === 0) {
    return null;
  }
  const [last] = [...after].slice(-1);
  const isMove = added.length === 1 && removed.length + changed.length === 0 && added[0]?.[0] === last?.[0];
  return {
    ...{ org_id: 1, position, asset_id: 17, kind: isMove ? 'moved' : 'corrected', part: 1, parts: 1 },
    recorded_at: '2026-05-04 08:00:11.12+00',
    location_id: last?.[1][0] ?? null,
    location_external_key: last === undefined ? null : `L-${last[1][0]}`,
    since: last === undefined ? null : wireTimeOfMicros(last[0]),
    last_seen: last === undefined ? null : wireTimeOfMicros(last[0]),
    previous_location_id: [...before.values()].at(-1)?.[0] ?? null,
    duration_seconds: isMove ? (last?.[1][1] ?? null) : null,
    rows: isMove ? null : JSON.stringify({ added, removed, changed }),
    keys: isMove ? null : JSON.stringify({ 1: 'L-1', 2: 'L-2', 3: 'L-3' }),
    ...{ asset_external_key: 'A', asset_name: 'A', reader_name: null, alert_location_external_key: null },
  };
}

function movesThrough(states: readonly History[]): MoveRow[] {
  return states.flatMap((after, index) => {
    const move = moveBetween(states[index - 1] ?? new Map(), after, index + 1);
    return move === null ? [] : [move];
  });
}

/** Folds an event onto rows by their keys, as a consumer does. */
function fold(rows: Map<string, [string, number | null]>, { data }: MoveEvent): void {
  for (const { row } of data.removed) {
    rows.delete(row);
  }
  for (const each of [...data.added, ...data.changed]) {
    rows.set(each.row, [each.location_external_key, each.duration_seconds]);
  }
}

const eventFrom = (row: MoveRow) => eventOf(row) as MoveEvent;

describe('the net change of events', () => {
  it('folds to what they fold to, tells nothing that cancels out, and keeps the kinds of events', () => {
    fc.assert(
      fc.property(
        histories,
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 12, maxLength: 12 }),
        (states, cuts) => {
          const moves = movesThrough(states);
          const raw = new Map<string, [string, number | null]>();
          const told = new Map<string, [string, number | null]>();
          let location: number | null = null;
          for (const cut of cuts) {
            const [first, ...rest] = moves.splice(0, cut);
            if (first === undefined) {
              break;
            }
            const before = new Map(raw);
            for (const move of [first, ...rest]) {
              fold(raw, eventFrom(move));
            }
            const net = netChange([first, ...rest]);
            const isSame = JSON.stringify([...before].sort()) === JSON.stringify([...raw].sort());
            expect(net === null).to.equal(isSame);
            if (net === null) {
              continue;
            }
            const event = eventFrom(net);
            fold(told, event);
            const { added, removed, changed, position, current } = event.data;
            expect(position).to.equal((rest.at(-1) ?? first).position);
            expect(current.changed).to.equal(current.location_id !== location);
            location = current.location_id;
            for (const row of [...added, ...removed, ...changed]) {
              expect(row.location_external_key).to.equal(`L-${row.location_id}`);
            }
            const named = [...added, ...removed, ...changed].map(({ row }) => row);
            expect(new Set(named).size).to.equal(named.length);
            for (const { was, location_id, duration_seconds } of changed) {
              expect([was.location_id, was.duration_seconds]).not.to.deep.equal([
                location_id,
                duration_seconds,
              ]);
            }
            expect(added.every(({ row }) => !before.has(row))).to.equal(true);
            expect(removed.every(({ row }) => before.has(row))).to.equal(true);
            const isMove =
              added.length === 1 &&
              removed.length + changed.length === 0 &&
              added[0]?.event_observed_at === current.since;
            expect(event.type).to.equal(isMove ? 'tagtrail.asset.moved.v1' : 'tagtrail.history.corrected.v1');
            expect([...told].sort()).to.deep.equal([...raw].sort());
          }
        },
      ),
      { numRuns: randomSets(5_000) },
    );
  });
});
