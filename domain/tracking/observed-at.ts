import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';

/** How old a scan may be. */
export interface TimeRules {
  /** A device time further than this before the reception is too late (`LATENESS_DAYS`). */
  lateness: Micros;
  /** Raw scans older than this are dropped (`SCAN_RETENTION_DAYS`), so that nothing older can be placed among them. */
  retention: Micros;
}

export type ObservedAt =
  | { ok: true; observedAt: Micros; timeIsReceived: boolean }
  | { ok: false; reason: string };

/** How far a device's clock may run ahead of this service's. */
export const AHEAD_TOLERANCE: Micros = 120 * MICROS_PER_SECOND;

/** A clock that says less has not been set, one that says more is broken. */
export const EARLIEST_DEVICE_TIME: Micros = Date.UTC(2015, 0, 1) * 1_000;
export const LATEST_DEVICE_TIME: Micros = Date.UTC(2101, 0, 1) * 1_000;

/**
 * When a scan was observed. Device time counts unless it is missing, unset or too far ahead; then the reception does,
 * and the scan is flagged. A wrong clock can neither move an asset into the future nor rewrite last year.
 *
 * @param now this service's clock at the recording; later than `receivedAt` when a kept message is replayed.
 */
export function observedAt(
  scan: { deviceTime: Micros | null; receivedAt: Micros },
  now: Micros,
  rules: TimeRules,
): ObservedAt {
  const { receivedAt } = scan;
  const at = isDeviceTimeUsed(scan) ? scan.deviceTime : receivedAt;
  const timeIsReceived = !isDeviceTimeUsed(scan);
  if (at < receivedAt - rules.lateness) {
    return { ok: false, reason: tooLate('received', receivedAt - at, rules.lateness) };
  }
  if (at < now - rules.retention) {
    return { ok: false, reason: tooLate('recorded', now - at, rules.retention) };
  }
  return { ok: true, observedAt: at, timeIsReceived };
}

/** Whether the device's clock is set and not too far ahead, so that its time counts. */
export function isDeviceTimeUsed<Scan extends { deviceTime: Micros | null; receivedAt: Micros }>(
  scan: Scan,
): scan is Scan & { deviceTime: Micros } {
  const { deviceTime, receivedAt } = scan;
  return (
    deviceTime !== null &&
    deviceTime >= EARLIEST_DEVICE_TIME &&
    deviceTime < LATEST_DEVICE_TIME &&
    deviceTime <= receivedAt + AHEAD_TOLERANCE
  );
}

function tooLate(what: string, age: Micros, bound: Micros): string {
  const days = (micros: Micros) => Number((micros / MICROS_PER_DAY).toFixed(1));
  return `too late: observed ${days(age)} days before it was ${what}, the bound is ${days(bound)} days`;
}
