import type { Micros } from '../../base/instant.ts';
import type { DatedWatch } from '../../domain/presence/coverage/watches.ts';
import type { Interval } from '../../domain/presence/intervals.ts';

/** A location and an asset there, in which nothing changes but at multiples of a step. */
export interface Scene {
  step: Micros;
  watches: readonly DatedWatch[];
  antennas: readonly (Interval & { readerId: number })[];
  /** Taken to listen, or proven to. */
  listens(readerId: number, at: Micros): boolean;
  proven(readerId: number, at: Micros): boolean;
  swept: readonly Interval[];
  lastSeen: Micros;
  /** Sweeps that did not find the asset. */
  missed: readonly Interval[];
  /** What rules allow, of covered time; null for nothing said. */
  limits?: readonly { from: Micros; overdue: Micros | null; missing: Micros | null }[];
}

/** The state at an instant and since when it is the same, counted step by step. */
export function presenceByDefinition(
  scene: Scene,
  at: Micros,
): { state: string; since: Micros; unseen: Micros | null } {
  const { state, unseen } = stateAt(scene, at);
  let since = at;
  while (since > scene.lastSeen && stateAt(scene, since - scene.step).state === state) {
    since -= scene.step;
  }
  return { state, since, unseen };
}

function stateAt(scene: Scene, at: Micros): { state: string; unseen: Micros | null } {
  const { watches, lastSeen, missed, step } = scene;
  const watch = watches.findLast(({ from }) => from <= at);
  const isMissed = missed.some(({ since, until }) => since > lastSeen && until <= at);
  if (watch === undefined || watch.mode === 'portal') {
    return { state: isMissed ? 'missing' : 'present', unseen: null };
  }
  let unseen = 0;
  for (let then = lastSeen; then < at; then += step) {
    unseen += isCovered(scene, then, scene.proven) ? step : 0;
  }
  const limits = scene.limits?.findLast(({ from }) => from <= at);
  const missing = limits?.missing ?? null;
  if (isMissed || (missing !== null && unseen >= missing)) {
    return { state: 'missing', unseen };
  }
  const gap = limits?.overdue ?? watch.maxGap;
  if (gap !== null && unseen >= gap) {
    return { state: 'overdue', unseen };
  }
  const isFresh = gap !== null && at - lastSeen < gap;
  return { state: isFresh || isCovered(scene, at, scene.listens) ? 'present' : 'unknown', unseen };
}

function isCovered({ watches, antennas, swept }: Scene, at: Micros, listens: Scene['listens']): boolean {
  const includes = ({ since, until }: Interval) => since <= at && at < until;
  const watch = watches.findLast(({ from }) => from <= at);
  if (watch === undefined || watch.mode === 'portal') {
    return false;
  }
  if (swept.some(includes)) {
    return true;
  }
  const enabled = antennas.filter(includes).map(({ readerId }) => listens(readerId, at));
  return enabled.length > 0 && (watch.coverage === 'all' ? enabled.every(Boolean) : enabled.some(Boolean));
}
