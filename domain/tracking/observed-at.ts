import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';

export interface TimeRules {
  /** `LATENESS_DAYS`: a device time further than this before the reception is too late. */
  lateness: Micros;
  /** `SCAN_RETENTION_DAYS`: older raw scans are dropped, so nothing older can be recorded among them. */
  retention: Micros;
}

export type ObservedAt =
  | { ok: true; observedAt: Micros; timeIsReceived: boolean }
  | { ok: false; reason: string };

/** A device's clock may run ahead of this service's by so much. */
export const AHEAD_TOLERANCE: Micros = 120 * MICROS_PER_SECOND;

/** A clock before the first was never set; one from the second on is broken. */
export const EARLIEST_DEVICE_TIME: Micros = Date.UTC(2015, 0, 1) * 1_000;
const LATEST_DEVICE_TIME: Micros = Date.UTC(2101, 0, 1) * 1_000;

/**
 * Device time counts unless it is missing, unset or too far ahead; then the time of reception does, and the scan is
 * flagged. A wrong clock can neither move an asset into the future nor rewrite last year.
 *
 * @param now this service's clock at the recording; later than `receivedAt` in a replay.
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
