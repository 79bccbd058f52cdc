import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { messageOf } from '../../../base/errors.ts';
import type { Ladder } from '../../../domain/moves/published/refused-feeds.ts';
import { resendUnsure, sendAllAgain } from '../../../domain/moves/published/resend-unsure.ts';
import { BackOff } from '../source/back-off.ts';
import { type Destination, markTopic } from './messages.ts';
import { publishOn } from './publish-loop.ts';
import type { Sink } from './publish-step.ts';
import { whilePublisher } from './publishing-session.ts';
import { Refusals } from './refusals.ts';

export interface PublishedMoves {
  figures(): MovesOutFigures;
  stop(): Promise<void>;
}

/** Of this process. */
export interface MovesOutFigures {
  isPublishing: boolean;
  /** Messages since the start. */
  published: number;
  /** Events that wait. */
  behind: number;
}

export interface PublishingOptions {
  databaseUrl: string;
  to: Destination;
  /** Names the broker: everything is published once more if it changes. */
  broker: string;
  openSink(signal: AbortSignal): Promise<Sink & { close(): void }>;
  log: Logger;
  /** Milliseconds between looks at what the broker has written down by now. */
  trustEvery?: number;
  /** When what the broker did not take is tried again. */
  again?: Ladder;
}

/**
 * Publishes where every asset is, from the move feed, or stands by to do so: of all processes that call this one does it,
 * and the next takes over within seconds when that one is gone. At least once, and in order for each asset.
 *
 * A fault of the database or the broker ends it, which frees the lock; it begins again where the last acknowledgement was.
 */
export function publishMoves({
  databaseUrl,
  to,
  broker,
  openSink,
  log,
  trustEvery = 300_000,
  again,
}: PublishingOptions): PublishedMoves {
  const stopping = new AbortController();
  const { signal } = stopping;
  const figures = { isPublishing: false, published: 0, behind: 0 };
  const refusals = new Refusals(
    {
      onSetAside: ({ orgId, topic, reason }) =>
        log.error(
          { orgId, ...(topic === null ? {} : { topic }), reason },
          topic === null
            ? 'Moves of the organization cannot be published, because a query fails; they wait and are tried again, the others go on'
            : 'Message is not taken by the broker; the moves of its organization wait and are tried again, the others go on',
        ),
      onMarkRefused: (reason) =>
        log.warn(
          { reason },
          'Broker does not take the message that tells whether it has lost what is retained; this process does not ask again',
        ),
      onMended: (orgId) => log.info({ orgId }, 'Moves of the organization are published again'),
    },
    again,
  );
  const backOff = new BackOff(AGAIN);
  let told: string | null = null;
  const target = JSON.stringify([broker, to.prefix, to.homeAssistant]);
  const publish = () =>
    whilePublisher(databaseUrl, signal, async (db, held) => {
      const sink = await openSink(held);
      try {
        figures.isPublishing = true;
        log.info({ prefix: to.prefix }, 'Publishing moves to the broker');
        const mark = markTopic(to);
        await refusals.load(db);
        await resendUnsure(db);
        if (!refusals.isMarkRefused && (await sink.hasForgotten?.(mark)) === true) {
          await sendAllAgain(db);
          await sink.publish([{ topic: mark, payload: target }]).catch((error) => refusals.noteMark(error));
        }
        const onPublished = (messages: number) => {
          figures.published += messages;
          told = null;
          backOff.reset();
        };
        const onBehind = (events: number) => {
          figures.behind = events;
        };
        const ending = AbortSignal.any(sink.lost === undefined ? [held] : [held, sink.lost]);
        await publishOn(
          { db, sink, to, target, refusals, onPublished },
          { signal: ending, trustEvery, onBehind },
        );
        ending.throwIfAborted();
      } finally {
        Object.assign(figures, { isPublishing: false, behind: 0 });
        sink.close();
      }
    });
  const run = async () => {
    while (!signal.aborted) {
      await publish().catch(async (error: unknown) => {
        if (signal.aborted) {
          return;
        }
        const reason = messageOf(error);
        log[reason === told ? 'debug' : 'warn']({ reason }, 'Moves could not be published; will retry');
        told = reason;
        await pause(backOff.next(), undefined, { signal }).catch(() => {});
      });
    }
  };
  const running = run();
  return {
    figures: () => ({ ...figures }),
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Milliseconds between attempts. */
const AGAIN = { first: 250, longest: 5_000 };
