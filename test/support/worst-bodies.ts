import type { JsonSchema } from '../../base/checks/fields.ts';

/** A body as large as may be, of a kind that could take time out of proportion. */
export interface WorstBody {
  name: string;
  text: string;
}

export const BODY_BYTES = 1_048_576;

/** The worst bodies for what a declaration takes: for each of its members, and for those it does not know. */
export function worstBodies(schema: JsonSchema, size = BODY_BYTES): WorstBody[] {
  const valid = exampleOf(schema) as Record<string, unknown>;
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const bodies = [
    ...anyValues(size).map(({ name, text }) => ({
      name: `unknown: ${name}`,
      text: withMember(valid, 'unknown', text),
    })),
    { name: 'tiny unknown keys', text: withMembers(valid, size, (at) => `"${at.toString(36)}":1`) },
    { name: 'unknown keys of digits', text: withMembers(valid, size, (at) => `"${at * 37}":1`) },
    { name: 'one key, repeated', text: withMembers(valid, size, () => '"k":1') },
    { name: 'nothing but brackets', text: '['.repeat(size) },
    { name: 'nothing but escapes', text: `"${'\\u0041'.repeat(size / 6 - 1)}"` },
  ];
  const kinds = new Set<string>();
  for (const [key, member] of properties) {
    const kind = kindOf(member);
    for (const { name, text } of [
      ...(kinds.has(kind) ? [] : badValues(member, size)),
      ...longestLists(member, size),
    ]) {
      bodies.push({ name: `${key}: ${name}`, text: withMember(valid, key, text) });
    }
    kinds.add(kind);
  }
  return bodies;
}

/** Members that are declared alike are checked alike, whatever their names and what is said of them. */
function kindOf({ description: _, examples: __, ...declared }: JsonSchema): string {
  return JSON.stringify(declared);
}

const BAD_FOR_SCALARS = new Set(['numbers', 'a number of many digits', 'a great exponent', 'letters']);

/** Of a body the bytes that are left for one value. */
const valueBytes = (size: number) => size - 2_048;

const made = new Map<number, WorstBody[]>();

/** What takes long to read, whatever it stands for. */
function anyValues(size: number): WorstBody[] {
  const values = made.get(size) ?? makeValues(size);
  made.set(size, values);
  return values;
}

function makeValues(size: number): WorstBody[] {
  const bytes = valueBytes(size);
  return [
    { name: 'numbers', text: list(bytes, '1') },
    { name: 'long numbers', text: list(bytes, '12345678901234567890') },
    {
      name: 'one long number among small ones',
      text: `[12345678901234567890,${list(bytes, '1').slice(1, -40)}]`,
    },
    { name: 'decimals', text: list(bytes, '1.5') },
    { name: 'objects', text: list(bytes, '{}') },
    { name: 'lists', text: list(bytes, '[]') },
    { name: 'one key in many objects', text: list(bytes, '{"a":1}') },
    { name: 'deep objects', text: list(bytes, `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`) },
    { name: 'an object of many keys', text: `{${fill(bytes, (at) => `"${at.toString(36)}":1`)}}` },
    { name: 'a number of many digits', text: '9'.repeat(bytes) },
    { name: 'a fraction of many digits', text: `1.${'0'.repeat(bytes)}1` },
    { name: 'a great exponent', text: `1e${'9'.repeat(bytes)}` },
    { name: 'escapes', text: `"${'\\n'.repeat(bytes / 2)}"` },
    { name: 'pairs of escapes', text: `"${'\\ud83d\\ude00'.repeat(bytes / 12)}"` },
    { name: 'backslashes', text: `"${'\\\\'.repeat(bytes / 2)}"` },
    { name: 'letters', text: `"${'a'.repeat(bytes)}"` },
    { name: 'blanks', text: `${' '.repeat(bytes)}1` },
  ];
}

/** What is bad for anything, or for this. */
function badValues(schema: JsonSchema, size: number): WorstBody[] {
  if (schema['additionalProperties'] === true) {
    return anyValues(size).map(({ name, text }) => ({
      name,
      text: text.startsWith('{') ? text : `{"a":${text}}`,
    }));
  }
  return schema['items'] === undefined
    ? anyValues(size).filter(({ name }) => BAD_FOR_SCALARS.has(name))
    : anyValues(size);
}

/** Lists of as many items as are taken, valid, alike and empty. */
function longestLists(schema: JsonSchema, size: number): WorstBody[] {
  const items = schema['items'] as JsonSchema | undefined;
  if (items === undefined || schema['additionalProperties'] === true) {
    return [];
  }
  const most = Number(schema['maxItems'] ?? 10_000);
  const item = exampleOf(items) as Record<string, unknown>;
  const numbered = Array.from({ length: most }, (_, at) => JSON.stringify({ ...item, value: `W-${at}` }));
  return [
    { name: 'the most there can be', text: `[${numbered.join(',')}]` },
    { name: 'the most, all alike', text: `[${Array(most).fill(JSON.stringify(item)).join(',')}]` },
    { name: 'the most, all empty', text: `[${Array(most).fill('{}').join(',')}]` },
    {
      name: 'items of unknown keys',
      text: `[${Array.from({ length: Math.min(most, 5_000) }, () => `{${Array.from({ length: 25 }, (_, at) => `"${at}":1`).join(',')}}`).join(',')}]`.slice(
        0,
        valueBytes(size),
      ),
    },
  ];
}

function exampleOf(schema: JsonSchema): unknown {
  return (schema['examples'] as unknown[] | undefined)?.[0] ?? {};
}

function list(bytes: number, item: string): string {
  return `[${fill(bytes, () => item)}]`;
}

/** As many members as make a value of so many bytes. */
function fill(bytes: number, member: (at: number) => string): string {
  const members: string[] = [];
  for (let left = bytes; left > 0; left -= (members.at(-1)?.length ?? 0) + 1) {
    members.push(member(members.length));
  }
  return members.slice(0, -1).join(',');
}

function withMember(valid: Record<string, unknown>, key: string, text: string): string {
  const { [key]: _, ...others } = valid;
  const rest = JSON.stringify(others);
  return `${rest.slice(0, -1)}${rest === '{}' ? '' : ','}${JSON.stringify(key)}:${text}}`;
}

function withMembers(valid: Record<string, unknown>, size: number, member: (at: number) => string): string {
  const rest = JSON.stringify(valid);
  return `${rest.slice(0, -1)}${rest === '{}' ? '' : ','}${fill(valueBytes(size), member)}}`;
}
