import type { KeyObject } from 'node:crypto';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { documentsFor } from '../../epcis/subscribed.ts';
import type { FeedEvent } from '../../moves/event.ts';
import type { Agents } from '../sending/agents.ts';
import { type Attempt, deliver } from '../sending/deliver.ts';
import type { StateReason } from '../stored-webhook.ts';
import { Lane } from './lane.ts';
import type { Claimed, Configured } from './leases.ts';
import type { Pace } from './pace.ts';
import type { Picked, PickedEvent, Settled, Wanted } from './pick-events.ts';
import { forgetPassed, noteSettled, pickSettled, type WantedSettled } from './pick-settled.ts';
import { LaneLost, type Recorder } from './recorder.ts';
import { type DelivererLog, Trouble } from './trouble.ts';
import type { Turns } from './turns.ts';

/** What all webhooks of a process share. */
export interface Shared {
  db: Connection;
  /** The id of the process. */
  deliverer: string;
  log: DelivererLog;
  agents: Agents;
  turns: Turns;
  pace: Pace;
  pickEvents(orgId: number, wanted: Wanted): Promise<Picked>;
  recorder: Recorder;
  ladder: readonly number[];
  random(): number;
  /** False once another process may have claimed the webhook. */
  isLeased(): boolean;
  headOf(orgId: number): number;
  end(webhook: Configured, reason: StateReason): Promise<void>;
  onAttempt(attempt: Attempt): void;
  onSettled(events: number): void;
}

/** Delivers for one webhook, in its lanes, until it is stopped. */
export class WebhookDelivery {
  config: Configured;
  readonly lanes: readonly Lane[];
  readonly #shared: Shared;
  #secrets: readonly KeyObject[];
  /** What is sent in place of an event. */
  readonly #documents = new WeakMap<FeedEvent, string>();
  /** Lanes that have sent something beyond their position, also if the webhook does not wait any more. */
  readonly #settling: Set<number>;
  readonly #stopping = new AbortController();
  readonly #cut = new AbortController();
  readonly #running: Promise<unknown>;

  /** @param secrets the newest first. */
  constructor(claimed: Claimed, secrets: readonly KeyObject[], shared: Shared) {
    this.config = claimed;
    this.#secrets = secrets;
    this.#shared = shared;
    this.#settling = new Set(claimed.lanes.filter(({ hasSettled }) => hasSettled).map(({ lane }) => lane));
    const { orgId, webhookId } = claimed;
    const trouble = new Trouble(shared.log, { webhook: webhookId, org: orgId });
    this.lanes = claimed.lanes.map(
      (start) =>
        new Lane(start, {
          head: () => shared.headOf(orgId),
          pick: (lane, after, head) => {
            const { types, locationId, settleSeconds } = this.config;
            const wanted = { lane, types, locationId, after, head };
            if (settleSeconds > 0) {
              this.#settling.add(lane);
            }
            return this.#told(
              this.#settling.has(lane)
                ? this.#pickSettled({ ...wanted, webhookId, settleSeconds })
                : shared.pickEvents(orgId, wanted),
            );
          },
          onSettled: shared.onSettled,
          note: (lane, settled) => this.#note(lane, settled),
          takeBack: (lane, { subject, first }) =>
            // Keeps the notes of events that were sent.
            this.#note(lane, { subject, first: 0, last: first - 1 }),
          send: (event) => this.#send(event),
          record: (state, attempt) => {
            if (attempt !== null) {
              trouble.note(state.lane, attempt);
            }
            return shared.recorder.note({ orgId, webhookId, ...state }, attempt);
          },
          pace: () => shared.pace.step(orgId),
          turn: (work) => shared.turns.run(orgId, webhookId, work, this.#stopping.signal),
          end: async (reason) => {
            this.#stopping.abort();
            await shared.end(this.config, reason);
          },
          ladder: shared.ladder,
          random: shared.random,
          signal: this.#stopping.signal,
        }),
    );
    this.#running = Promise.all(this.lanes.map((lane) => lane.run()));
  }

  /** It was stopped, perhaps by itself. */
  get isOver(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Applies a change of the webhook, from the next event on. */
  change(config: Configured, secrets: readonly KeyObject[]): void {
    this.config = config;
    this.#secrets = secrets;
    for (const lane of this.lanes) {
      lane.reconsider();
    }
  }

  /**
   * Sends nothing more, waits for requests in flight, and records them.
   *
   * @param patience milliseconds until these are cut off; the next holder of the webhook sends them again.
   */
  async stop(patience: number): Promise<void> {
    this.#stopping.abort();
    const timer = setTimeout(() => this.#cut.abort(), patience);
    await this.#running;
    clearTimeout(timer);
  }

  /** Cuts off requests in flight. */
  cut(): void {
    this.#cut.abort();
  }

  /** The same, without events of which a subscription wants nothing. */
  async #told(picking: Promise<Picked>): Promise<Picked> {
    const { orgId, webhookId, epcis } = this.config;
    const picked = await picking;
    if (epcis === null || picked.events.length === 0) {
      return picked;
    }
    const moves = picked.events.flatMap(({ event }) => event ?? []);
    const { db, turns } = this.#shared;
    const documents = await turns.pick(orgId, () => documentsFor(db, orgId, epcis, String(webhookId), moves));
    for (const [move, document] of documents) {
      this.#documents.set(move, document);
    }
    const isTold = ({ event }: PickedEvent) => event !== null && documents.has(event);
    return {
      ...picked,
      events: picked.events.map((each) => (isTold(each) ? each : { ...each, event: null })),
    };
  }

  async #pickSettled(wanted: WantedSettled): Promise<Picked> {
    const { db, deliverer, turns } = this.#shared;
    const { orgId } = this.config;
    const { hasSettled, ...picked } = await turns.pick(orgId, () => pickSettled({ db, orgId }, wanted));
    if (wanted.settleSeconds === 0 && !hasSettled) {
      this.#settling.delete(wanted.lane);
      await forgetPassed(db, deliverer, { orgId, webhookId: wanted.webhookId, lane: wanted.lane });
    }
    return picked;
  }

  async #note(lane: number, settled: Pick<Settled, 'subject' | 'first' | 'last'>): Promise<void> {
    const { db, deliverer } = this.#shared;
    const { orgId, webhookId } = this.config;
    if (!(await noteSettled(db, deliverer, { orgId, webhookId, lane }, settled))) {
      throw new LaneLost();
    }
  }

  async #send(event: FeedEvent): Promise<Attempt | null> {
    const { agents, isLeased, onAttempt } = this.#shared;
    if (this.#cut.signal.aborted || !isLeased()) {
      return null;
    }
    const { orgId, url } = this.config;
    const document = this.#documents.get(event);
    const attempt = await deliver(
      agents,
      {
        ...{ orgId, url, secrets: this.#secrets, id: event.id },
        ...(document === undefined ? { body: JSON.stringify(event) } : { body: document, isEpcis: true }),
      },
      { signal: this.#cut.signal },
    );
    if (attempt.status === null && this.#cut.signal.aborted) {
      return null;
    }
    onAttempt(attempt);
    return attempt;
  }
}
