import { signal } from '@preact/signals';
import { receiveEvents } from '../api/receive-events.ts';
import { addressOf, noteReached } from '../api/send.ts';
import type { AlertEvent, MoveEvent } from '../api/types.ts';

export const liveState = signal<'connecting' | 'open' | 'lost'>('connecting');

/** Called if later moves are no longer kept: counts that were continued from the last one must be read again. */
const resets = new Set<() => void>();

type Listener = (moves: readonly MoveEvent[]) => void;

const listeners = new Set<Listener>();

/**
 * Calls `listener` with moves as they are committed, several at a time if they come fast.
 *
 * @returns a function that ends it.
 */
export function onMoves(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

type AlertListener = (event: AlertEvent) => void;

const alertListeners = new Set<AlertListener>();

/** Calls `listener` whenever the state of an alert has changed. Returns what ends it. */
export function onAlerts(listener: AlertListener): () => void {
  alertListeners.add(listener);
  return () => alertListeners.delete(listener);
}

function tellOf(event: AlertEvent): void {
  for (const listener of alertListeners) {
    listener(event);
  }
}

export function onReset(listener: () => void): () => void {
  resets.add(listener);
  return () => resets.delete(listener);
}

/** Recent moves, for a screen that is opened or reloaded just then. */
const KEPT = 500;

let recent: MoveEvent[] = [];
/** All moves after this position are in `recent`, also positions of alerts. Null until the stream has begun. */
let keptAfter: number | null = null;

/** The moves received after a position of the feed; null if some may be missing. */
export function movesAfter(position: number): readonly MoveEvent[] | null {
  return keptAfter === null || position < keptAfter
    ? null
    : recent.filter((move) => move.data.position > position);
}

/** Milliseconds in which moves are gathered, so that a hundred a second draw the screen ten times. */
const BATCH_MS = 100;

/**
 * One connection for all screens. It continues after its last move, so none is missed; the first begins with the next
 * commit.
 */
export function startLive(organization: number): () => void {
  let last: string | undefined;
  let flush: ReturnType<typeof setTimeout> | undefined;
  let gathered: MoveEvent[] = [];

  const deliver = () => {
    const moves = gathered;
    gathered = [];
    flush = undefined;
    const all = [...recent, ...moves];
    recent = all.slice(-KEPT);
    keptAfter = all.at(-KEPT - 1)?.data.position ?? keptAfter;
    for (const listener of listeners) {
      listener(moves);
    }
  };

  liveState.value = 'connecting';
  recent = [];
  keptAfter = null;
  const end = receiveEvents({
    address: () => addressOf('/events', { organization, after: last }),
    onOpen: () => {
      liveState.value = 'open';
      noteReached();
    },
    onLost: () => {
      liveState.value = 'lost';
    },
    on: {
      ready: (event) => {
        last = event.lastEventId;
        keptAfter ??= Number(last);
      },
      reset: (event) => {
        last = event.lastEventId;
        keptAfter = Number(last);
        recent = [];
        for (const listener of resets) {
          listener();
        }
      },
      alert: (event) => {
        last = event.lastEventId;
        tellOf(JSON.parse(event.data));
      },
      move: (event) => {
        last = event.lastEventId;
        gathered.push(JSON.parse(event.data));
        flush ??= setTimeout(deliver, BATCH_MS);
      },
    },
  });
  return () => {
    end();
    clearTimeout(flush);
  };
}
