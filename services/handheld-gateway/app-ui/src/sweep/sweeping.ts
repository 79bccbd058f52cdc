import { signal } from '@preact/signals';
import type { Answer } from '../gateway/answers.ts';
import type { GatewayClient } from '../gateway/client.ts';
import { type Place, placeOf } from '../places/place.ts';
import type { StoredScan } from '../queue/scan.ts';
import type { Database } from '../storage/database.ts';
import { findKnown, keepList } from '../storage/known.ts';
import { latest } from '../storage/latest.ts';
import type { OtherTabs } from '../storage/other-tabs.ts';
import { expectedHere } from './expected-here.ts';
import { type SweepOutcome, type SweptToCheck, sweepOutcome } from './outcome.ts';
import { type Sweep, wantsList } from './sweep.ts';
import { keepWhereabouts, whereaboutsOf } from './whereabouts.ts';

const NOTHING: SweepOutcome = { found: [], movedHere: [], missing: [], unknown: [], toCheck: [] };

export class Sweeping {
  readonly now = signal<Sweep | null>(null);
  readonly outcome = signal<SweepOutcome>(NOTHING);
  /** How many assets should be there; null if nobody knows. */
  readonly expectedCount = signal<number | null>(null);
  /** Scans were made or answered: the outcome is worked out anew. */
  readonly recount = latest(() => this.#recount());
  readonly #database: Database;
  readonly #gateway: GatewayClient;
  readonly #clock: () => Date;
  readonly #otherTabs: OtherTabs;
  #isAsking = false;
  /** How often the sweep was changed in this tab. */
  #changes = 0;

  constructor(database: Database, gateway: GatewayClient, clock: () => Date, otherTabs: OtherTabs) {
    this.#database = database;
    this.#gateway = gateway;
    this.#clock = clock;
    this.#otherTabs = otherTabs;
  }

  async load(): Promise<void> {
    const changes = this.#changes;
    const kept = (await this.#database.get('kept', 'sweep')) as Sweep | undefined;
    // What was changed here meanwhile is newer than what was read.
    if (changes === this.#changes) {
      this.now.value = kept ?? null;
    }
    await this.recount();
  }

  /** The sweep that scans belong to now, if there is one. */
  get open(): Sweep | null {
    return this.now.value?.finished_at === null ? this.now.value : null;
  }

  /** Begins with what should be at the place: asked for now, or as it was the last time. */
  async start(id: string, place: Place, token: string | null): Promise<void> {
    const answer = token === null ? null : await this.#gateway.assetsAt(token, place.id);
    if (answer?.kind === 'ok') {
      await keepList(this.#database, placeOf(place), answer.data, this.#clock().toISOString());
    }
    const list = await this.#database.get('lists', place.id);
    await this.#keep({
      id,
      place: placeOf(place),
      started_at: this.#clock().toISOString(),
      finished_at: null,
      expected: list?.assets ?? null,
      fetched_at: list?.fetched_at ?? null,
      list: answer?.kind === 'ok' ? 'asked' : isGone(answer) ? 'gone' : 'earlier',
    });
  }

  /** Asks for the list that could not be had at the beginning, and compares the sweep with it. */
  async complete(token: string | null): Promise<void> {
    const sweep = this.now.value;
    if (sweep === null || token === null || !wantsList(sweep) || this.#isAsking) {
      return;
    }
    this.#isAsking = true;
    const answer = await this.#gateway.assetsAt(token, sweep.place.id).finally(() => {
      this.#isAsking = false;
    });
    const fetched_at = this.#clock().toISOString();
    if (answer.kind === 'ok') {
      await keepList(this.#database, sweep.place, answer.data, fetched_at);
    }
    const now = this.now.value;
    // It may be over by now, or another tab has the list.
    if (now?.id !== sweep.id || !wantsList(now)) {
      return;
    }
    if (answer.kind === 'ok') {
      await this.#keep({ ...now, expected: answer.data, fetched_at, list: 'later' });
    } else if (isGone(answer)) {
      await this.#keep({ ...now, list: 'gone' });
    }
  }

  /**
   * Asks where assets are that were not expected and only seen: here already, or elsewhere since. Without a network
   * that stays open.
   */
  async lookUp(answered: readonly StoredScan[], token: string | null): Promise<void> {
    const sweep = this.now.value;
    if (sweep === null || token === null) {
      return;
    }
    const open = new Set(this.outcome.value.toCheck.filter(isAsset).map(({ what }) => what.id));
    const found = new Map<number, Place | null>();
    for (const { tag_type, value, result } of answered) {
      if (result?.status === 'seen' && result.asset !== null && open.delete(result.asset.id)) {
        const answer = await this.#gateway.whereIs(token, { tag_type, value });
        if (answer.kind === 'ok') {
          found.set(result.asset.id, answer.data);
        }
      }
    }
    if (found.size > 0) {
      await keepWhereabouts(this.#database, sweep.id, found);
      this.#otherTabs.tell();
      await this.recount();
    }
  }

  async finish(): Promise<void> {
    if (this.now.value !== null) {
      await this.#keep({ ...this.now.value, finished_at: this.#clock().toISOString() });
    }
  }

  /** Goes on with a sweep that was finished too early. */
  async resume(): Promise<void> {
    if (this.now.value !== null) {
      await this.#keep({ ...this.now.value, finished_at: null });
    }
  }

  async clear(): Promise<void> {
    this.#becomes(null);
    await this.#database.delete('kept', 'sweep');
    this.#otherTabs.tell();
    await this.recount();
  }

  async #recount(): Promise<void> {
    const sweep = this.now.value;
    if (sweep === null) {
      this.outcome.value = NOTHING;
      this.expectedCount.value = null;
      return;
    }
    const scans = await this.#database.getAllFromIndex('scans', 'sweep', sweep.id);
    const unanswered = scans.filter(({ result }) => result === null);
    const known = new Map(
      (await findKnown(this.#database, unanswered)).map((asset, index) => [unanswered[index], asset]),
    );
    const expected = expectedHere(sweep, scans);
    const whereabouts = await whereaboutsOf(this.#database, sweep.id);
    this.expectedCount.value = expected?.length ?? null;
    this.outcome.value = sweepOutcome(
      { place: sweep.place, expected: expected ?? [], whereabouts },
      scans,
      (scan) => known.get(scan) ?? null,
    );
  }

  async #keep(sweep: Sweep): Promise<void> {
    this.#becomes(sweep);
    await this.#database.put('kept', sweep, 'sweep');
    this.#otherTabs.tell();
    await this.recount();
  }

  /** At once, not when the device has stored it: the next scan may come before that, and belongs to it or does not. */
  #becomes(sweep: Sweep | null): void {
    this.#changes += 1;
    this.now.value = sweep;
  }
}

/** There is no such place (any more). */
function isGone(answer: Answer<unknown> | null): boolean {
  return answer?.kind === 'refused' && answer.status === 404;
}

function isAsset({ why }: SweptToCheck): boolean {
  return why !== 'place';
}
