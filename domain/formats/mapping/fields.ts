import type { Micros } from '../../../base/instant.ts';
import { READING_KINDS, type ReadingKind, type Readings } from '../../tracking/reading-kind.ts';
import type { TagType } from '../../tracking/tag-type.ts';
import {
  asAntenna,
  asInstant,
  asReader,
  asReading,
  asRssi,
  asTagType,
  asTagValue,
  oncePerObject,
} from './acceptance.ts';
import { compileConditions, compileElementConditions, type ElementConditions } from './condition.ts';
import type { Compilation } from './language/compilation.ts';
import {
  type CandidateDefinition,
  FIELDS,
  type Field,
  type FieldsDefinition,
  type Identity,
  type PartDefinition,
  PLACES,
} from './language/definition.ts';
import { compilePlace, type Scope } from './scope.ts';
import { isBeforeAnyDevice } from './transforms/time/range.ts';
import { compileTransforms, isTimeTransform } from './transforms/transforms.ts';
import { MAX_TEXT, TRANSFORM } from './values/limits.ts';
import { LongNumber, toText } from './values/long-number.ts';
import { asGiven } from './values/printable.ts';

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
  readonly readings: ((scope: Scope) => Measured | null) | null;
  readonly tagTypes: Candidates;
  readonly values: Readonly<Record<Identity, Candidates>>;
}

/** The values of one tag; null where there are none. */
interface Measured {
  readonly readings: Readings | null;
  /** Impossible ones, as the payload has them. */
  readonly unusable: UnusableReadings | null;
}

export type UnusableReadings = Readonly<Partial<Record<ReadingKind, number | string>>>;

interface GivenTime {
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
    return candidates.length === 0
      ? []
      : [{ kind, candidates, accept: asReading(kind), isRefused: refusedBy(kind) }];
  });
  if (kinds.length === 0) {
    return null;
  }
  return (scope) => {
    let readings: Partial<Record<ReadingKind, number>> | null = null;
    let unusable: Partial<Record<ReadingKind, number | string>> | null = null;
    for (const { kind, candidates, accept, isRefused } of kinds) {
      let refused: unknown;
      let value: number | undefined;
      for (const { read } of candidates) {
        const given = read(scope);
        value = accept(given);
        if (value !== undefined) {
          break;
        }
        refused ??= isRefused(given) ? given : undefined;
      }
      if (value !== undefined) {
        readings ??= {};
        readings[kind] = value;
      } else if (refused !== undefined) {
        unusable ??= {};
        unusable[kind] = asGiven(refused);
      }
    }
    return readings === null && unusable === null ? null : { readings, unusable };
  };
}

/** How a button was pressed, such as `double` or a list of several buttons, is no measured value. */
function refusedBy(kind: ReadingKind): (value: unknown) => boolean {
  return kind === 'button' || kind === 'motion' ? (value) => typeof value === 'number' : isGiven;
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
 * The first port; without one, the first name. A value that a transform cannot read still counts as a name, because it
 * shows that an antenna was named.
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
  if (typeof value === 'string') {
    return value.slice(0, MAX_TEXT).trim() !== '';
  }
  if (typeof value === 'object' && value !== null) {
    return value instanceof LongNumber || hasMembers(value);
  }
  return value !== undefined && value !== null;
}

const hasMembers = oncePerObject((value) => Object.keys(value).length > 0);

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

interface Candidate {
  /** The value after all transforms; undefined (or null) if unusable. */
  readonly read: (scope: Scope) => unknown;
  readonly source: (scope: Scope) => unknown;
  readonly name: string;
  /** The identity that a `value` serves; null for every one. */
  readonly identity: Identity | null;
}

interface Part {
  readonly read: (scope: Scope) => unknown;
  readonly source: (scope: Scope) => unknown;
  readonly name: string;
}

function compileCandidate(definition: CandidateDefinition, at: string, compilation: Compilation): Candidate {
  const part = compilePart(definition, at, compilation);
  const conditions = compileConditions(definition.if, `${at}/if`, compilation);
  const identity = definition.identity ?? null;
  if (conditions.length === 0) {
    return { ...part, identity };
  }
  const considered = (scope: Scope) => conditions.every((condition) => condition.holds(scope));
  return {
    read: (scope) => (considered(scope) ? part.read(scope) : undefined),
    source: (scope) => (considered(scope) ? part.source(scope) : undefined),
    name: part.name,
    identity,
  };
}

function compilePart(definition: CandidateDefinition, at: string, compilation: Compilation): Part {
  const { source, name } = compileSource(definition, at, compilation);
  compilation.lookUp();
  const transform = compileTransforms(definition.transform, `${at}/transform`, compilation) ?? asItIs;
  const transforms = definition.transform?.length ?? 0;
  compilation.steps += transforms;
  compilation.work += TRANSFORM * transforms;
  const readings = Math.max(1, transforms);
  const read = (scope: Scope) => {
    const value = source(scope);
    if (value === undefined || value === null) {
      return undefined;
    }
    scope.workLeft -= lengthToRead(value) * readings;
    // One item has a bound, too: up to here a format may still have a thousand candidates to try.
    return scope.workLeft < 0 ? undefined : transform(value);
  };
  return { read, source, name };
}

function asItIs(value: unknown): unknown {
  return value;
}

/** Characters; longer texts are refused unread. */
function lengthToRead(value: unknown): number {
  const text = value instanceof LongNumber ? LongNumber.text(value) : value;
  return (typeof text === 'string' || Array.isArray(text)) && text.length <= MAX_TEXT ? text.length : 0;
}

const SOURCES = [...PLACES, 'const', 'join'] as const;

function compileSource(definition: CandidateDefinition, at: string, compilation: Compilation) {
  if (SOURCES.filter((key) => definition[key] !== undefined).length !== 1) {
    compilation.fault(
      at,
      'must have exactly one source: item, parent, grandparent, root, key, topic, const or join',
    );
  }
  if (definition.with !== undefined && definition.join === undefined) {
    compilation.fault(`${at}/with`, 'is of use with join only');
  }
  const isSearch = definition.where !== undefined || definition.take !== undefined;
  if (isSearch && (['const', 'join', 'topic', 'key'] as const).some((key) => definition[key] !== undefined)) {
    compilation.fault(at, 'may have where and take with a pointer only');
  }
  if (definition.const !== undefined) {
    const constant = definition.const;
    return { source: () => constant, name: `constant ${constant}` };
  }
  if (definition.join !== undefined) {
    return compileJoin(definition.join, definition.with ?? '', `${at}/join`, compilation);
  }
  return compileSearch(definition, at, compilation);
}

function compileJoin(
  definitions: readonly PartDefinition[],
  between: string,
  at: string,
  compilation: Compilation,
) {
  const parts = definitions.map((part, index) => compilePart(part, `${at}/${index}`, compilation));
  const source = (scope: Scope) => {
    const texts: string[] = [];
    for (const part of parts) {
      const text = toText(part.read(scope));
      if (text === undefined || text.length > MAX_TEXT) {
        return undefined;
      }
      texts.push(text);
    }
    return texts.join(between);
  };
  return { source, name: parts.map((part) => part.name).join(' + ') };
}

/** A place, or the first element of the array there for which `where` holds. */
function compileSearch(definition: PartDefinition, at: string, compilation: Compilation) {
  const place = compilePlace(definition, at, compilation);
  const { where, take } = definition;
  if (where === undefined || take === undefined) {
    if (where !== undefined || take !== undefined) {
      compilation.fault(at, 'must have where and take together');
    }
    return { source: place.get, name: place.name };
  }
  const conditions = compileElementConditions(where, `${at}/where`, compilation);
  const get = compilation.getter(take, `${at}/take`);
  const search = compilation.nextSearch();
  const source = (scope: Scope) => {
    const array = place.get(scope);
    if (!Array.isArray(array)) {
      return undefined;
    }
    if (scope.searchedIn[search] !== array) {
      scope.searchedIn[search] = array;
      scope.found[search] = get(firstHolding(array, conditions, scope));
    }
    return scope.found[search];
  };
  return { source, name: `${take} of an element of ${place.name}` };
}

function firstHolding(array: readonly unknown[], { hold, work }: ElementConditions, scope: Scope): unknown {
  for (const element of array) {
    scope.workLeft -= work;
    if (scope.workLeft < 0) {
      return undefined;
    }
    if (hold(element)) {
      return element;
    }
  }
  return undefined;
}
