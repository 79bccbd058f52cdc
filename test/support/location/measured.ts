import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';

/** Reads of tags with their true positions, as `test/data/location/README.md` describes them. */
export interface Measured {
  plan: MeasuredPlan;
  /** By tag, in order of time. */
  reads: ReadonlyMap<string, readonly MeasuredRead[]>;
  /** By tag, in order of time. */
  truth: ReadonlyMap<string, readonly TruePosition[]>;
}

export interface MeasuredPlan {
  metres: { width: number; depth: number };
  /** In order of readers and their antennas. */
  antennas: readonly MeasuredAntenna[];
  zonings: Readonly<Record<string, readonly Outline[]>>;
}

export interface MeasuredAntenna {
  reader: string;
  antenna: number;
  x: number;
  y: number;
  /** By division. */
  locations: Readonly<Record<string, string>>;
}

export interface Outline {
  location: string;
  /** Corners in metres. */
  polygon: readonly (readonly [x: number, y: number])[];
}

export interface MeasuredRead {
  at: Micros;
  reader: string;
  antenna: number;
  rssi: number;
}

export interface TruePosition {
  at: Micros;
  x: number;
  y: number;
}

export const OPEN_HALF = join(import.meta.dirname, '../../data/location');

/** @throws Error naming what is missing. */
export function readMeasured(folder: string = OPEN_HALF): Measured {
  const suffix = '-truth.jsonl.gz';
  const [truthFile, another] = readdirSync(folder).filter((file) => file.endsWith(suffix));
  if (truthFile === undefined || another !== undefined) {
    throw new Error(`${folder} must have one file NAME${suffix}, and its reads in NAME.jsonl.gz`);
  }
  const truth = linesOf<Timed & Omit<TruePosition, 'at'>>(join(folder, truthFile));
  const reads = linesOf<Timed & Omit<MeasuredRead, 'at'>>(
    join(folder, truthFile.replace(suffix, '.jsonl.gz')),
  );
  const plan: MeasuredPlan = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8'));
  return {
    plan: {
      ...plan,
      antennas: plan.antennas.toSorted(
        (a, b) => Number(a.reader > b.reader) - Number(a.reader < b.reader) || a.antenna - b.antenna,
      ),
    },
    reads: byTag(reads),
    truth: byTag(truth),
  };
}

interface Timed {
  tag: string;
  at: string;
}

function linesOf<Line>(path: string): Line[] {
  return gunzipSync(readFileSync(path))
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function byTag<Line extends Timed>(
  lines: readonly Line[],
): Map<string, (Omit<Line, 'tag' | 'at'> & { at: Micros })[]> {
  const tags = Map.groupBy(lines, ({ tag }) => tag);
  return new Map(
    [...tags].map(([name, own]) => [
      name,
      own
        .map(({ tag, at, ...line }) => ({ ...line, at: Date.parse(at) * MICROS_PER_MILLISECOND }))
        .sort((a, b) => a.at - b.at),
    ]),
  );
}

/** Procedures that the specification gives figures for. */
export const PROCEDURES = ['strength', 'position'] as const;

export type Procedure = (typeof PROCEDURES)[number];

export interface Result {
  figures: Record<Kind, Figures>;
  moves: Moves;
}

export type Kind = 'walk' | 'rest';

/** By tag: the first is its first location. */
export type Moves = Record<string, [instant: string, location: string][]>;

export interface Figures {
  right_percent: number;
  right_at_the_moment_percent: number;
  moves: number;
  true_moves: number;
  seconds: number;
}

/** By division and procedure. */
export function readExpected(): Record<string, Result> {
  return JSON.parse(readFileSync(join(OPEN_HALF, 'expected.json'), 'utf8'));
}
