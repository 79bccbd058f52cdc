import type { StateReason, StoredWebhook } from './stored-webhook.ts';

/** `paused: the last attempt failed`. */
export function sayState({ state, stateReason }: Pick<StoredWebhook, 'state' | 'stateReason'>): string {
  return stateReason === null ? state : `${state}: ${REASONS[stateReason]}`;
}

const REASONS: Readonly<Record<StateReason, string>> = {
  gone: 'the receiver answered 410',
  undeliverable: 'the last attempt failed',
  expired: 'the next events are no longer kept',
};
