import { loadBuiltinFormats } from '../../domain/formats/mapping/builtin.ts';
import { compileFormat, type Format } from '../../domain/formats/mapping/format.ts';
import type { RuleDefinition } from '../../domain/formats/mapping/language/definition.ts';
import type { Item, Mapped, Policies, TagRead } from '../../domain/formats/mapping/run.ts';
import { mapMessage } from '../../domain/formats/mapping/run.ts';

const BUILTIN = loadBuiltinFormats();

export function builtin(name: string): Format {
  const format = BUILTIN.get(name);
  if (format === undefined) {
    throw new Error(`no such format: ${name}`);
  }
  return format;
}

/** A payload as bytes: text as it is, anything else as JSON. */
export function bytes(payload: unknown): Buffer {
  if (payload instanceof Uint8Array) {
    return Buffer.from(payload);
  }
  return Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
}

export function map(
  format: Format,
  payload: unknown,
  topic = 'site/reader',
  policies?: Partial<Policies>,
): Mapped {
  return mapMessage(format, { topic, payload: bytes(payload) }, policies);
}

export function itemsOf(mapped: Mapped): Item[] {
  if (mapped.outcome !== 'items') {
    throw new Error(`not mapped: ${mapped.outcome}, ${mapped.reason}`);
  }
  return mapped.items;
}

/** The reads of a message that is expected to hold nothing else. */
export function readsOf(mapped: Mapped): TagRead[] {
  return itemsOf(mapped).map((item) => {
    if (item.outcome !== 'read') {
      throw new Error(`not a read: ${item.outcome}, ${item.reason}`);
    }
    return item.read;
  });
}

/** What became of each item, in one line each. */
export function outcomesOf(mapped: Mapped): string[] {
  return itemsOf(mapped).map((item) =>
    item.outcome === 'read'
      ? `read ${item.read.tagType} ${item.read.value}`
      : `${item.outcome}: ${item.reason}`,
  );
}

/** A format of one rule; fields that a test does not speak of are the plainest. */
export function formatOf(rule: Partial<RuleDefinition>, more: Record<string, unknown> = {}): Format {
  return compileFormat({
    name: 'test',
    decode: 'json',
    rules: [
      {
        each: ['/*', ''],
        ...rule,
        fields: { tag_type: [{ const: 'barcode' }], value: [{ item: '/v' }], ...rule.fields },
      },
    ],
    ...more,
  });
}

/** Microseconds of an ISO time with up to six digits of fraction. */
export function micros(iso: string): number {
  const [, fraction = ''] = /\.(\d+)/.exec(iso) ?? [];
  return Date.parse(iso.replace(/\.\d+/, '')) * 1_000 + Number(fraction.padEnd(6, '0'));
}
