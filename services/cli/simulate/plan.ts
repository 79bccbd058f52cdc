import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { ENCODERS, type EncoderName } from '../../../simulation/encoders/encoders.ts';
import { FAULTS, type Fault } from '../../../simulation/faults.ts';

export interface SimulatePlan {
  orgId: number;
  readers: number;
  assets: number;
  rate: number;
  /** Seconds; null for no end. */
  duration: number | null;
  formats: readonly EncoderName[];
  faults: ReadonlySet<Fault>;
  speed: number;
  seed: number;
  prefix: string;
  /** Seconds. */
  tolerance: number;
  /** How the locations where things stay are watched; null if they are not. */
  watch: WatchPlan | null;
  /** Carts in a hall with Bluetooth gateways, where strength decides; 0 without. */
  carts: number;
}

/** Micros. */
export interface WatchPlan {
  maxGap: Micros;
  /** For every reader: how long it may be silent. */
  expected: Micros;
  /** Present assets are read again within this. */
  reread: Micros;
}

/** @param maxGap seconds. */
export function watchPlan(maxGap: number): WatchPlan {
  const seconds = (count: number) => Math.round(count * MICROS_PER_SECOND);
  return { maxGap: seconds(maxGap), expected: seconds(EXPECTED), reread: seconds(maxGap / 3) };
}

/** Seconds: three heartbeats. */
const EXPECTED = 15;

/** Longest simulated time: far less than reads may be late. */
const MOST_SIMULATED = 7 * 86_400;

/** @throws AppError `invalid_input` for impossible combinations of options. */
export function requirePossible({ duration, speed, formats, watch, carts }: SimulatePlan): void {
  if (speed === 1) {
    return;
  }
  if (watch !== null) {
    throw new AppError(
      'invalid_input',
      '--continuous needs --speed 1: how a location is watched holds from now on, and the time at a faster site lies in the past',
    );
  }
  if (carts > 0) {
    throw new AppError(
      'invalid_input',
      '--hall needs --speed 1: strength decides there from now on, and the time at a faster site lies in the past',
    );
  }
  if (duration === null) {
    throw new AppError('invalid_input', '--speed needs a --duration: the time at the site ends with the run');
  }
  if (duration * speed > MOST_SIMULATED) {
    throw new AppError(
      'invalid_input',
      `--duration ${duration} at --speed ${speed} is more than a week at the site; shorten one of them`,
    );
  }
  const timeless = formats.filter((format) => ENCODERS[format].clockTick === null);
  if (timeless.length > 0) {
    throw new AppError(
      'invalid_input',
      `Messages of ${timeless.join(', ')} bring no time, so that they cannot printResult a site's that runs faster; leave it out, or --speed`,
    );
  }
}

/** Parses `zebra-iotc,minew-json`, or `mixed` for one of each. @returns null for an unknown one. */
export function formatsOf(text: string, speed: number): EncoderName[] | null {
  const all = Object.keys(ENCODERS) as EncoderName[];
  if (text === 'mixed') {
    return speed === 1 ? all : all.filter((format) => ENCODERS[format].clockTick !== null);
  }
  return listed(text, all);
}

/** Parses `all`, `none`, or `dead-reader,outage`. @returns null for an unknown one. */
export function faultsOf(text: string): Set<Fault> | null {
  if (text === 'all' || text === 'none') {
    return new Set(text === 'all' ? FAULTS : []);
  }
  const faults = listed(text, FAULTS);
  return faults === null ? null : new Set(faults);
}

function listed<Word extends string>(text: string, words: readonly Word[]): Word[] | null {
  const found = text.split(',').map((each) => words.find((word) => word === each.trim()));
  return found.includes(undefined) ? null : found.filter((word) => word !== undefined);
}
