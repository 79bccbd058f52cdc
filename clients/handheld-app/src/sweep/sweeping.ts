import { signal } from '@preact/signals';
import type { Answer, ListedAsset, SweepReport, Unanswered } from '../gateway/answers.ts';
import type { GatewayClient } from '../gateway/client.ts';
import { type Place, placeOf } from '../gateway/place.ts';
import type { Database } from '../storage/database.ts';
import { findKnown, keepList } from '../storage/known.ts';
import { latest } from '../storage/latest.ts';
import type { OtherTabs } from '../storage/other-tabs.ts';
import { isUndone, type StoredScan } from '../storage/scan.ts';
import { askAboutHeld, moveHere } from './checking.ts';
import {
  asTold,
  changeFinished,
  type FinishedSweep,
  finishedSweeps,
  queueFinished,
  unqueueFinished,
} from './finished-sweeps.ts';
import { KeptSweep } from './kept-sweep.ts';
import { type SweepOutcome, type SweptToCheck, sweepOutcome } from './outcome.ts';
import { lacksList, type Sweep, wantsList } from './sweep.ts';
import { askWhere, keepWhereabouts, whereaboutsOf } from './whereabouts.ts';

const NOTHING: SweepOutcome = {
  found: [],
  movedHere: [],
  elsewhere: [],
  missing: [],
  unknown: [],
  toCheck: [],
};

export interface SweepingParts {
  database: Database;
  gateway: GatewayClient;
  clock(): Date;
  otherTabs: OtherTabs;
  /** Null while nobody is signed in. */
  token(): string | null;
}

export class Sweeping {
  readonly outcome = signal<SweepOutcome>(NOTHING);
  /** Null if unknown. */
  readonly expectedCount = signal<number | null>(null);
  /** Recomputes the outcome after scans or answers; debounced. */
  readonly recount = latest(() => this.#recount());
  readonly #kept: KeptSweep;
  readonly #database: Database;
  readonly #gateway: GatewayClient;
  readonly #clock: () => Date;
  readonly #otherTabs: OtherTabs;
  readonly #token: () => string | null;
  #isAskingAboutHeld = false;
  /** Requests for lists under way, by sweep. */
  readonly #asking = new Map<string, Promise<void>>();

  constructor({ database, gateway, clock, otherTabs, token }: SweepingParts) {
    this.#kept = new KeptSweep(database);
    this.#database = database;
    this.#gateway = gateway;
    this.#clock = clock;
    this.#otherTabs = otherTabs;
    this.#token = token;
  }

  get now() {
    return this.#kept.now;
  }

  async load(): Promise<void> {
    await this.#kept.load();
    await this.recount();
  }

  get open(): Sweep | null {
    return this.now.value?.finished_at === null ? this.now.value : null;
  }

  /** Starts at once: scans belong to it from now on, even before its list arrives. */
  async start(id: string, place: Place, isCheck: boolean): Promise<void> {
    const sweep: Sweep = {
      id,
      place: placeOf(place),
      started_at: this.#clock().toISOString(),
      finished_at: null,
      isCheck,
      expected: null,
      fetched_at: null,
      list: 'awaited',
    };
    await this.#kept.begin(sweep);
    this.#otherTabs.tell();
    await this.recount();
    const kept = await this.#database.get('lists', place.id);
    if (kept !== undefined) {
      const { assets: expected, fetched_at } = kept;
      await this.#change(id, (now) => (now.fetched_at === null ? { ...now, expected, fetched_at } : now));
    }
    await this.#ask(sweep);
  }

  /** Fetches the list that was unavailable at the start, and compares. */
  async complete(): Promise<void> {
    const sweep = this.now.value;
    if (sweep !== null && wantsList(sweep)) {
      await this.#ask({ ...sweep, list: 'earlier' });
    }
  }

  async #ask(sweep: Sweep): Promise<void> {
    const asking = this.#asking.get(sweep.id) ?? this.#askOnce(sweep);
    this.#asking.set(sweep.id, asking);
    await asking.finally(() => this.#asking.delete(sweep.id));
  }

  async #askOnce({ id, place, list }: Sweep): Promise<void> {
    const token = this.#token();
    const answer = await (token === null ? null : this.#gateway.assetsAt(token, place.id));
    if (this.#token() !== token) {
      return; // it may be another organization's; whoever is signed in now asks anew
    }
    if (answer?.kind === 'ok') {
      const fetched_at = this.#clock().toISOString();
      await keepList(this.#database, place, answer.data, fetched_at);
      const isFirst = (await this.#database.countFromIndex('scans', 'sweep', id)) === 0;
      const which = list === 'earlier' ? 'later' : isFirst ? 'asked' : 'during';
      await this.#withList(id, { expected: answer.data, fetched_at, list: which });
    } else {
      await this.#withList(id, { list: isGone(answer) ? 'gone' : 'earlier' });
    }
  }

  /** The sweep may be over by now, or another tab has the list. */
  async #withList(id: string, has: Partial<Sweep>): Promise<void> {
    const sweep = this.now.value;
    if (sweep?.id === id && wantsList(sweep) && (has.list !== 'earlier' || sweep.list === 'awaited')) {
      await this.#change(id, (now) => (wantsList(now) ? { ...now, ...has } : now));
    }
  }

  /**
   * Asks where unexpected assets are that were only seen: here already, or elsewhere since. Without a network that
   * stays open.
   */
  async lookUp(answered: readonly StoredScan[]): Promise<void> {
    const sweep = this.now.value;
    const token = this.#token();
    if (sweep === null || token === null) {
      return;
    }
    const open = new Set(this.outcome.value.toCheck.filter(isAsset).map(({ what }) => what.id));
    const found = await askWhere(this.#gateway, token, open, answered);
    if (found.size > 0) {
      await keepWhereabouts(this.#database, sweep.id, found);
      this.#otherTabs.tell();
      await this.recount();
    }
  }

  /** Asks what a sweep has found that only checks. Without a network that stays open. @returns whether there is news. */
  async askAboutHeld(): Promise<boolean> {
    const sweep = this.now.value;
    const token = this.#token();
    if (sweep?.isCheck !== true || token === null || this.#isAskingAboutHeld) {
      return false;
    }
    this.#isAskingAboutHeld = true;
    let isNews = false;
    try {
      while (await askAboutHeld(this.#database, this.#gateway, token, this.now.value ?? sweep)) {
        isNews = true;
        this.#otherTabs.tell();
        await this.recount();
      }
    } finally {
      this.#isAskingAboutHeld = false;
    }
    return isNews;
  }

  /** Queues the scans of assets found here that belong elsewhere. */
  async moveHere(): Promise<void> {
    const sweep = this.now.value;
    if (sweep !== null) {
      const found = new Set(this.outcome.value.elsewhere.map(({ asset }) => asset.id));
      await moveHere(this.#database, sweep, found);
    }
  }

  /** Queues it as well, under this id. @param mark by which a correction of its times is known. */
  async finish(sweep_id: string, mark: number): Promise<void> {
    const finished_at = this.#clock().toISOString();
    await this.#change(
      this.now.value?.id,
      (now) => ({ ...now, finished_at }),
      (transaction, sweep) => queueFinished(transaction, sweep, { sweep_id, mark }),
    );
  }

  /** Continues it: unless it was sent, the finished record is not sent. */
  async resume(): Promise<void> {
    await this.#change(
      this.now.value?.id,
      (now) => ({ ...now, finished_at: null }),
      (transaction, sweep) => unqueueFinished(transaction, sweep.id),
    );
  }

  /** The user is done with it: the record is what its screen shows now, once the expected assets are known. */
  async clear(): Promise<void> {
    const sweep = this.now.value;
    await this.#change(sweep?.id, () => null);
    for (const each of await finishedSweeps(this.#database)) {
      if (sweep !== null && each.sweep.id === sweep.id && each.state === 'finished') {
        await (lacksList(sweep)
          ? changeFinished(this.#database, each.sweep_id, asTold)
          : this.#settle(each.sweep_id, sweep, 'told'));
      }
    }
  }

  /**
   * Settles the record of a finished sweep.
   *
   * @returns null if the user continued it; the reason if the list is missing, without which it would be a sweep of an
   * empty place.
   */
  async report({
    sweep_id,
    sweep,
    state,
    report,
  }: FinishedSweep): Promise<FinishedSweep | Unanswered | null> {
    if (report !== null) {
      return changeFinished(this.#database, sweep_id, (now) => ({ ...now, state: 'ready' }));
    }
    const now = this.now.value;
    const shown = state === 'finished' && now?.id === sweep.id ? now : sweep;
    if (!lacksList(shown)) {
      return this.#settle(sweep_id, shown, 'ready');
    }
    const token = this.#token();
    const listed = token === null ? null : await listAfterwards(this.#gateway, token, shown.place);
    if (listed === null || this.#token() !== token) {
      return null;
    }
    if ('kind' in listed) {
      return listed;
    }
    const fetched_at = this.#clock().toISOString();
    await this.#withList(shown.id, { ...listed, fetched_at });
    return this.#settle(sweep_id, { ...shown, ...listed, fetched_at }, 'ready');
  }

  async #settle(sweepId: string, shown: Sweep, state: 'told' | 'ready'): Promise<FinishedSweep | null> {
    const found = await reportOf(this.#database, shown);
    return changeFinished(this.#database, sweepId, (now) => {
      if (now.state !== 'finished' && (now.state !== 'told' || now.report !== null)) {
        return now;
      }
      const { started_at, finished_at } = now.sweep;
      const ended_at = finished_at ?? started_at;
      // The clock may have been set back meanwhile.
      const began_at = new Date(Math.min(Date.parse(started_at), Date.parse(ended_at))).toISOString();
      return { ...now, state, report: { ...found, began_at, ended_at } };
    });
  }

  async #change(
    id: string | undefined,
    change: (sweep: Sweep) => Sweep | null,
    also?: Parameters<KeptSweep['change']>[2],
  ): Promise<void> {
    if (await this.#kept.change(id, change, also)) {
      this.#otherTabs.tell();
      await this.recount();
    }
  }

  async #recount(): Promise<void> {
    const sweep = this.now.value;
    if (sweep === null) {
      this.outcome.value = NOTHING;
      this.expectedCount.value = null;
      return;
    }
    const { expected, outcome } = await countSweep(this.#database, sweep);
    this.expectedCount.value = expected?.length ?? null;
    this.outcome.value = outcome;
  }
}

function isAsset({ why }: SweptToCheck): boolean {
  return why !== 'place';
}

/** The assets expected at the location of a finished sweep that had no list; or why they are unknown. */
async function listAfterwards(
  gateway: GatewayClient,
  token: string,
  place: Place,
): Promise<Required<Pick<Sweep, 'expected' | 'list'>> | Unanswered> {
  const answer = await gateway.assetsAt(token, place.id);
  switch (answer.kind) {
    case 'ok':
      return { expected: answer.data, list: 'later' };
    case 'unauthorized':
    case 'unreachable':
      return answer;
    default:
      return { expected: null, list: isGone(answer) ? 'gone' : 'earlier' };
  }
}

function isGone(answer: Answer<unknown> | null): boolean {
  return answer?.kind === 'refused' && answer.status === 404;
}

/** The result of a sweep for the screen; sweeps do not include the locations below. */
async function reportOf(
  database: Database,
  sweep: Sweep,
): Promise<Omit<SweepReport, 'began_at' | 'ended_at'>> {
  const { expected, outcome } = await countSweep(database, sweep);
  return {
    location: { id: sweep.place.id },
    include_descendants: false,
    expected: (expected ?? []).map(({ id }) => id),
    found: outcome.found.map(({ asset }) => asset.id),
    moved_here: outcome.movedHere.map(({ asset }) => asset.id),
    missing: outcome.missing.map(({ id }) => id),
    unknown: [...new Set(outcome.unknown.map(({ value }) => value))],
  };
}

/** The result of a sweep by the device's own data; `expected` is null if unknown. */
async function countSweep(
  database: Database,
  sweep: Sweep,
): Promise<{ expected: readonly ListedAsset[] | null; outcome: SweepOutcome }> {
  const scans = (await database.getAllFromIndex('scans', 'sweep', sweep.id)).filter(
    (scan) => !isUndone(scan),
  );
  const unanswered = scans.filter(({ result }) => result === null);
  const known = new Map(
    (await findKnown(database, unanswered)).map((asset, index) => [unanswered[index], asset]),
  );
  const expected = expectedHere(sweep, scans);
  const whereabouts = await whereaboutsOf(database, sweep.id);
  const outcome = sweepOutcome(
    { place: sweep.place, expected: expected ?? [], whereabouts },
    scans,
    (scan) => known.get(scan) ?? null,
  );
  return { expected, outcome };
}

/**
 * The assets expected at the place of a sweep; null if unknown. Assets that the sweep itself moved there were elsewhere
 * before, but a newer list may contain them.
 */
function expectedHere(
  { expected, list }: Pick<Sweep, 'expected' | 'list'>,
  scans: readonly StoredScan[],
): readonly ListedAsset[] | null {
  if (expected === null || (list !== 'later' && list !== 'during')) {
    return expected;
  }
  const moved = new Set(
    scans.flatMap(({ result }) => (result?.status === 'moved' ? [result.asset?.id] : [])),
  );
  return expected.filter(({ id }) => !moved.has(id));
}
