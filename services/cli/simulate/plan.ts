import { AppError } from '../../../base/errors.ts';
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
}

/** Longest simulated time: far less than reads may be late. */
const MOST_SIMULATED = 7 * 86_400;

/** @throws AppError `invalid_input` for impossible combinations of options. */
export function requirePossible({ duration, speed, formats }: SimulatePlan): void {
  if (speed === 1) {
    return;
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
