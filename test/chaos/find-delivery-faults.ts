import type { Arrival } from './receiver-program.ts';

export interface DeliveryFaults {
  /** Events that a webhook wants and its receiver was not sent. */
  unsent: number;
  /** Requests with an earlier position of their asset than one before. */
  wentBack: number;
  /** Requests with an event that the webhook does not want, or that is not there. */
  unwanted: number;
}

export const NO_DELIVERY_FAULTS: DeliveryFaults = { unsent: 0, wentBack: 0, unwanted: 0 };

/**
 * Compares what a receiver got with what webhooks owe it: every event, and along an asset never an earlier position than
 * before. The same position again is no fault.
 *
 * @param wanted positions of each webhook, by the path of its URL.
 */
export function findDeliveryFaults(
  wanted: ReadonlyMap<string, ReadonlySet<number>>,
  arrived: readonly Omit<Arrival, 'body'>[],
): DeliveryFaults {
  const faults = { ...NO_DELIVERY_FAULTS };
  const told = new Map([...wanted.keys()].map((path) => [path, new Set<number>()]));
  const last = new Map<string, number>();
  for (const { path, asset, position } of arrived) {
    const key = `${path} ${asset}`;
    const before = last.get(key) ?? 0;
    faults.unwanted += wanted.get(path)?.has(position) === true ? 0 : 1;
    faults.wentBack += position < before ? 1 : 0;
    if (position > before) {
      last.set(key, position);
      told.get(path)?.add(position);
    }
  }
  for (const [path, positions] of wanted) {
    faults.unsent += positions.difference(told.get(path) ?? new Set()).size;
  }
  return faults;
}
