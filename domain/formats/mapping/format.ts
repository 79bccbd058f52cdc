import { greatestOf } from '../../../base/extremes.ts';
import { compileShared } from './condition.ts';
import { compileDecoders, type Decoder } from './decoding/decode.ts';
import { Compilation, MOST_STEPS } from './language/compilation.ts';
import { type FormatDefinition, IDENTITIES, type Identity } from './language/definition.ts';
import { FormatError } from './language/fault.ts';
import { DEFAULT_POLICIES, type Policies } from './policies.ts';
import { compileRule, type Rule } from './rule.ts';
import { validateShape } from './validate.ts';

export type { FormatDefinition } from './language/definition.ts';
export { type Fault, FormatError } from './language/fault.ts';
export { FORMAT_SCHEMA } from './schema.ts';

/**
 * A format that can be run. Built by {@link compileFormat}; stateless, so any number of readers share one.
 */
export interface Format {
  readonly name: string;
  readonly description: string;
  readonly definition: FormatDefinition;
  /** The format's own; a reader's take precedence. */
  readonly policies: Policies;
  readonly identities: readonly Identity[];
  readonly decoders: readonly Decoder[];
  readonly ignoredTopics: readonly ((levels: readonly string[]) => boolean)[];
  readonly ignoredTexts: ReadonlySet<string>;
  /** Bytes; longer payloads need not be compared. */
  readonly longestIgnoredText: number;
  readonly rules: readonly Rule[];
}

/**
 * Compiles a definition. Takes milliseconds (the first in a process tens of them): call it once per format, never per
 * message.
 *
 * @throws FormatError naming every fault with its JSON Pointer: first faults of shape, then of meaning.
 */
export function compileFormat(definition: unknown): Format {
  return compileShaped(validateShape(definition));
}

/** {@link compileFormat} for a definition already validated against the schema. */
export function compileShaped(valid: FormatDefinition): Format {
  const compilation = new Compilation();
  const shared = compileShared(valid.only, compilation);
  const rules = valid.rules.map((rule, index) => compileRule(rule, `/rules/${index}`, shared, compilation));
  const decoders = compileDecoders(valid.decode, compilation);
  const ignoredTopics = compileIgnoredTopics(valid.ignore?.topics ?? [], compilation);
  const policies: Policies = {
    identity: valid.policies?.identity ?? DEFAULT_POLICIES.identity,
    time: valid.policies?.time ?? DEFAULT_POLICIES.time,
    reportUnknown: valid.policies?.report_unknown ?? DEFAULT_POLICIES.reportUnknown,
  };
  const identities = IDENTITIES.filter((identity) =>
    rules.every((rule) => rule.fields.values[identity].all.length > 0),
  );
  if (!identities.includes(policies.identity)) {
    compilation.fault(
      valid.policies?.identity === undefined ? '/rules' : '/policies/identity',
      `must have, in every rule, a candidate for value that serves the identity ${policies.identity}`,
    );
  }
  if (compilation.steps > MOST_STEPS) {
    compilation.fault(
      '',
      `has ${compilation.steps} steps (names in pointers and topics, values to compare with, look-ups, transforms); ` +
        `at most ${MOST_STEPS} are allowed: leave out candidates, rules or values`,
    );
  }
  if (compilation.faults.length > 0) {
    throw new FormatError(compilation.faults);
  }
  const ignoredTexts = (valid.ignore?.texts ?? []).map((text) => text.trim());
  return {
    name: valid.name,
    description: valid.description ?? '',
    definition: valid,
    policies,
    identities,
    decoders,
    ignoredTopics,
    ignoredTexts: new Set(ignoredTexts),
    longestIgnoredText: greatestOf([
      Number.NEGATIVE_INFINITY,
      ...ignoredTexts.map((text) => Buffer.byteLength(text)),
    ]),
    rules,
  };
}

function compileIgnoredTopics(patterns: readonly string[], compilation: Compilation) {
  return patterns.flatMap((pattern, index) => {
    compilation.steps += pattern.split('/').length;
    const matches = compileTopicPattern(pattern);
    if (typeof matches === 'function') {
      return [matches];
    }
    compilation.fault(`/ignore/topics/${index}`, matches);
    return [];
  });
}

/**
 * Compiles an MQTT topic filter to a test of a topic's levels. Beyond MQTT, one `#` may stand anywhere, for
 * any number of levels: gateways put `LWT` behind a prefix that the site chooses, of any depth.
 *
 * @returns the fault, as text, of an invalid filter.
 */
export function compileTopicPattern(pattern: string): ((levels: readonly string[]) => boolean) | string {
  const parts = pattern.split('/');
  const many = parts.indexOf('#');
  if (parts.some((part) => part.length > 1 && /[#+]/.test(part))) {
    return 'has # or + within a level';
  }
  if (many === -1) {
    return (levels) => levels.length === parts.length && matches(parts, levels, 0);
  }
  if (parts.includes('#', many + 1)) {
    return 'has # more than once';
  }
  const front = parts.slice(0, many);
  const back = parts.slice(many + 1);
  return (levels) =>
    levels.length >= front.length + back.length &&
    matches(front, levels, 0) &&
    matches(back, levels, levels.length - back.length);
}

function matches(parts: readonly string[], levels: readonly string[], from: number): boolean {
  return parts.every((part, index) => part === '+' || part === levels[from + index]);
}
