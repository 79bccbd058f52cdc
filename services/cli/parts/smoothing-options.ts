import { type Command, InvalidArgumentError, Option } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import { type DatedSmoothing, MAX_WINDOW } from '../../../domain/tracking/smoothing/settings.ts';
import { wholeNumber } from '../command-line/command-line.ts';

export interface SmoothingOptions {
  window?: number;
  minSeconds?: number;
  marginDb?: number;
  off?: true;
  inherit?: true;
}

const MAX_SECONDS = MAX_WINDOW / MICROS_PER_SECOND;
const NUMBERS = ['window', 'minSeconds', 'marginDb'];

export function withSmoothingOptions(command: Command): Command {
  return command
    .option(
      '--window <seconds>',
      `how far around a scan to look, 1 to ${MAX_SECONDS}`,
      wholeNumber(1, MAX_SECONDS),
    )
    .option(
      '--min-seconds <seconds>',
      'a move counts when the asset was seen there, and nowhere else, for so long',
      wholeNumber(1, MAX_SECONDS),
    )
    .option('--margin-db <dB>', 'a move counts when it is stronger there by so much', asDecibels)
    .addOption(new Option('--off', 'every scan counts').conflicts([...NUMBERS, 'inherit']))
    .addOption(new Option('--inherit', 'the location has no setting of its own any more').conflicts(NUMBERS));
}

/** @throws AppError `invalid_input` if the options do not form a setting. */
export function smoothingOf(options: SmoothingOptions): DatedSmoothing['smoothing'] {
  const { window, minSeconds, marginDb, off, inherit } = options;
  if (off === true || inherit === true) {
    return off === true ? 'off' : 'inherit';
  }
  if (window === undefined) {
    throw new AppError(
      'invalid_input',
      'Give --window with --min-seconds, --margin-db or both; or --off; or, for a location, --inherit',
    );
  }
  return {
    window: window * MICROS_PER_SECOND,
    minimum: minSeconds === undefined ? null : minSeconds * MICROS_PER_SECOND,
    margin: marginDb ?? null,
  };
}

function asDecibels(text: string): number {
  const decibels = text.trim() === '' ? Number.NaN : Number(text);
  if (!(decibels > 0 && decibels <= 100)) {
    throw new InvalidArgumentError('It is a number of dB above 0, at most 100.');
  }
  return decibels;
}

export interface ShownSmoothing {
  mode: 'on' | 'off' | 'inherit';
  window_seconds: number | null;
  min_seconds: number | null;
  margin_db: number | null;
}

export function shown(smoothing: DatedSmoothing['smoothing']): ShownSmoothing {
  if (typeof smoothing === 'string') {
    return { mode: smoothing, window_seconds: null, min_seconds: null, margin_db: null };
  }
  const { window, minimum, margin } = smoothing;
  return {
    mode: 'on',
    window_seconds: window / MICROS_PER_SECOND,
    min_seconds: minimum === null ? null : minimum / MICROS_PER_SECOND,
    margin_db: margin,
  };
}

export function described({ mode, window_seconds, min_seconds, margin_db }: ShownSmoothing): string {
  if (mode !== 'on') {
    return mode === 'off' ? 'off, every scan counts' : "none of its own, the organization's holds";
  }
  const proofs = [
    ...(min_seconds === null ? [] : [`${min_seconds} s there and nowhere else`]),
    ...(margin_db === null ? [] : [`${margin_db} dB stronger`]),
  ];
  return `${proofs.join(', or ')}, within ${window_seconds} s`;
}
