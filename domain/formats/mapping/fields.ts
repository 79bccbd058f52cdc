import type { Micros } from '../../../base/instant.ts';
import { READING_KINDS, type ReadingKind, type Readings } from '../../tracking/reading-kind.ts';
import type { TagType } from '../../tracking/tag-type.ts';
import { asAntenna, asInstant, asReader, asReading, asRssi, asTagType, asTagValue } from './acceptance.ts';
import { type Candidate, compileCandidate } from './candidate.ts';
import type { Compilation } from './language/compilation.ts';
import {
  type CandidateDefinition,
  FIELDS,
  type Field,
  type FieldsDefinition,
  type Identity,
} from './language/definition.ts';
import type { Scope } from './scope.ts';
import { isBeforeAnyDevice } from './transforms/time/range.ts';
import { isTimeTransform } from './transforms/transforms.ts';

/** Compiled fields of a rule; each returns undefined if no candidate is usable. */
export interface Fields {
  readonly tagType: (scope: Scope) => TagType | undefined;
  readonly value: Readonly<Record<Identity, (scope: Scope) => string | undefined>>;
  readonly antenna: (scope: Scope) => number | string | null;
  readonly rssi: (scope: Scope) => number | undefined;
  /** The signal strength as the payload has it; undefined without one. */
  readonly givenRssi: (scope: Scope) => unknown;
  readonly observedAt: (scope: Scope) => Micros | undefined;
  /** The first time that stands in the payload, though none could be used. */
  readonly givenTime: (scope: Scope) => GivenTime | undefined;
  readonly reader: (scope: Scope) => string | undefined;
  /** Null if the format has none, as most. */
  readonly readings: ((scope: Scope) => Readings | null) | null;
  readonly tagTypes: Candidates;
  readonly values: Readonly<Record<Identity, Candidates>>;
}

export interface GivenTime {
  readonly given: unknown;
  /** It is a time, and from before there were such devices. */
  readonly isUnset: boolean;
}

export interface Candidates {
  readonly all: readonly Candidate[];
  /**
   * The places that are searched, for the reason if nothing is found. Built in advance, because each item may need it.
   */
  readonly places: string;
}

export function compileFields(definition: FieldsDefinition, at: string, compilation: Compilation): Fields {
  for (const field of FIELDS) {
    checkCandidates(field, definition[field] ?? [], `${at}/${field}`, compilation);
  }
  const compiled = (field: Field) =>
    (definition[field] ?? []).map((candidate, index) =>
      compileCandidate(candidate, `${at}/${field}/${index}`, compilation),
    );
  const tagTypes = withPlaces(compiled('tag_type'));
  const values = byIdentity(compiled('value'));
  const rssi = compiled('rssi');
  const times = compiled('observed_at');
  return {
    tagType: firstUsable(tagTypes.all, asTagType),
    value: {
      mac: firstUsable(values.mac.all, asTagValue),
      ibeacon: firstUsable(values.ibeacon.all, asTagValue),
      eddystone: firstUsable(values.eddystone.all, asTagValue),
      raw: firstUsable(values.raw.all, asTagValue),
    },
    antenna: firstAntenna(compiled('antenna')),
    rssi: firstUsable(rssi, asRssi),
    givenRssi: firstGiven(rssi),
    observedAt: firstUsable(times, asInstant),
    givenTime: firstGivenTime(times),
    reader: firstUsable(compiled('reader'), asReader),
    readings: compileReadings(compiled),
    tagTypes,
    values,
  };
}

function compileReadings(compiled: (kind: ReadingKind) => readonly Candidate[]): Fields['readings'] {
  const kinds = READING_KINDS.flatMap((kind) => {
    const candidates = compiled(kind);
    return candidates.length === 0 ? [] : [{ kind, read: firstUsable(candidates, asReading(kind)) }];
  });
  if (kinds.length === 0) {
    return null;
  }
  return (scope) => {
    let readings: Partial<Record<ReadingKind, number>> | null = null;
    for (const { kind, read } of kinds) {
      const value = read(scope);
      if (value !== undefined) {
        readings ??= {};
        readings[kind] = value;
      }
    }
    return readings;
  };
}

function byIdentity(candidates: readonly Candidate[]): Record<Identity, Candidates> {
  const serving = (identity: Identity) =>
    withPlaces(
      candidates.filter((candidate) => candidate.identity === null || candidate.identity === identity),
    );
  return {
    mac: serving('mac'),
    ibeacon: serving('ibeacon'),
    eddystone: serving('eddystone'),
    raw: serving('raw'),
  };
}

function withPlaces(all: readonly Candidate[]): Candidates {
  const places = [...new Set(all.map((candidate) => candidate.name))];
  return { all, places: `nothing at ${places.join(' or ')}`.slice(0, 300) };
}

function firstUsable<T>(candidates: readonly Candidate[], accept: (value: unknown) => T | undefined) {
  const reads = candidates.map((candidate) => candidate.read);
  return (scope: Scope): T | undefined => {
    for (const read of reads) {
      const accepted = accept(read(scope));
      if (accepted !== undefined) {
        return accepted;
      }
    }
    return undefined;
  };
}

/**
 * The first port; without one, the first name. A value that a transform cannot read counts as a name: some antenna is
 * named.
 */
function firstAntenna(candidates: readonly Candidate[]) {
  return (scope: Scope): number | string | null => {
    let name: string | null = null;
    for (const { read, source } of candidates) {
      const antenna = asAntenna(read(scope) ?? source(scope));
      if (typeof antenna === 'number') {
        return antenna;
      }
      name ??= antenna ?? null;
    }
    return name;
  };
}

function firstGiven(candidates: readonly Candidate[]) {
  return (scope: Scope): unknown => {
    for (const { source } of candidates) {
      const given = source(scope);
      if (isGiven(given)) {
        return given;
      }
    }
    return undefined;
  };
}

function firstGivenTime(candidates: readonly Candidate[]) {
  return (scope: Scope): GivenTime | undefined => {
    let first: GivenTime | undefined;
    for (const { source, read } of candidates) {
      const given = source(scope);
      if (isGiven(given)) {
        const time = read(scope);
        first ??= { given, isUnset: false };
        if (typeof time === 'number' && isBeforeAnyDevice(time)) {
          return { given, isUnset: true };
        }
      }
    }
    return first;
  };
}

/** Blank texts say nothing (lines of separated fields have them), nor do empty objects. */
function isGiven(value: unknown): boolean {
  if (typeof value === 'object') {
    return value !== null && Object.keys(value).length > 0;
  }
  return value !== undefined && !(typeof value === 'string' && value.trim() === '');
}

function checkCandidates(
  field: Field,
  candidates: readonly CandidateDefinition[],
  at: string,
  compilation: Compilation,
): void {
  for (const [index, candidate] of candidates.entries()) {
    const makesTime = (candidate.transform ?? []).map(isTimeTransform);
    if (field === 'observed_at' && makesTime.at(-1) !== true) {
      compilation.fault(`${at}/${index}`, 'must end with a time transform: time, rfc3339, epoch or date');
    }
    const misplaced = field === 'observed_at' ? makesTime.slice(0, -1) : makesTime;
    if (misplaced.includes(true)) {
      compilation.fault(
        `${at}/${index}/transform`,
        'may have a time transform only at the end of observed_at',
      );
    }
    if (field !== 'value' && candidate.identity !== undefined) {
      compilation.fault(`${at}/${index}/identity`, 'is of use in candidates for value only');
    }
  }
}
