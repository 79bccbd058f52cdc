import { type Field, flag, jsonObject, text, timestamp } from '../../base/checks/fields.ts';
import { invalidValue, refused } from '../../base/checks/issues.ts';
import { mandatory, nullable, optional, type Writable } from '../../base/checks/members.ts';
import type { Instant } from '../../base/timestamps.ts';
import { hasCheckDigit } from '../identity/gs1-elements.ts';

/**
 * A column filled in by users. Statements, bodies, CSV and the API's description derive from the lists below;
 * code with more to say about columns must name every one, or it does not compile.
 */
export type Column =
  /** 1 to `most` characters, in a form if it has one. */
  | {
      readonly type: 'text';
      readonly most: number;
      readonly otherwise: null | typeof REQUIRED;
      readonly form?: keyof typeof FORMS;
    }
  | { readonly type: 'flag'; readonly otherwise: boolean }
  | { readonly type: 'time'; readonly otherwise: null | typeof NOW }
  /** An object, as the text that was sent. */
  | { readonly type: 'json'; readonly otherwise: string };

export type Columns = Readonly<Record<string, Column>>;

/** Default of a column: refused, or the time of the transaction. Null may also be given. */
export const REQUIRED = 'required';
export const NOW = 'now';

export const COMMON_COLUMNS = {
  name: { type: 'text', most: 255, otherwise: REQUIRED },
  description: { type: 'text', most: 1024, otherwise: null },
  is_active: { type: 'flag', otherwise: true },
  valid_from: { type: 'time', otherwise: NOW },
  valid_to: { type: 'time', otherwise: null },
} as const satisfies Columns;

/** The location is not listed: it follows from scans. */
export const ASSET_COLUMNS = {
  ...COMMON_COLUMNS,
  metadata: { type: 'json', otherwise: '{}' },
} as const satisfies Columns;

/** The parent is a reference to a row, so it is not listed here. */
export const LOCATION_COLUMNS = {
  ...COMMON_COLUMNS,
  gln: { type: 'text', most: 34, otherwise: null, form: 'gln' },
  biz_step: { type: 'text', most: 255, otherwise: null, form: 'biz_step' },
  disposition: { type: 'text', most: 255, otherwise: null, form: 'disposition' },
} as const satisfies Columns;

type ItemColumns = typeof ASSET_COLUMNS & typeof LOCATION_COLUMNS;
export type ItemColumn = keyof ItemColumns;

const OF = { asset: ASSET_COLUMNS, location: LOCATION_COLUMNS };

export function columnsOf(resource: keyof typeof OF): ItemColumns {
  return OF[resource] as ItemColumns;
}

export type JsonName<C extends Columns> = {
  [Name in keyof C]: C[Name]['type'] extends 'json' ? Name : never;
}[keyof C];

export function jsonNames<C extends Columns>(columns: C): JsonName<C>[] {
  return Object.keys(columns).filter((name) => columns[name]?.type === 'json') as JsonName<C>[];
}

interface Held {
  text: string;
  flag: boolean;
  time: string;
  json: string;
}

type Said = Omit<Held, 'time'> & { time: Instant };

type OrNull<C extends Column> = null extends C['otherwise'] ? null : never;

export type StoredValue<C extends Column> = Held[C['type']] | OrNull<C>;

export type Stored<C extends Columns> = { -readonly [Name in keyof C]: StoredValue<C[Name]> };

export type StoredItem = Stored<typeof COMMON_COLUMNS> & Partial<Stored<ItemColumns>>;

/** Null stands for now. */
export type Written<C extends Columns> = {
  -readonly [Name in keyof C]:
    | StoredValue<C[Name]>
    | (C[Name]['otherwise'] extends typeof NOW ? null : never);
};

export type SaidValue<C extends Column> = Said[C['type']] | OrNull<C>;

export type Changes<C extends Columns> = { -readonly [Name in keyof C]?: SaidValue<C[Name]> | undefined };

export type Given<C extends Columns> = Changes<C> & {
  -readonly [Name in keyof C as C[Name]['otherwise'] extends typeof REQUIRED ? Name : never]: SaidValue<
    C[Name]
  >;
};

type NewMembers<C extends Columns> = {
  -readonly [Name in keyof C]: Writable<
    SaidValue<C[Name]> | (C[Name]['otherwise'] extends typeof REQUIRED ? never : undefined)
  >;
};

type ChangeMembers<C extends Columns> = {
  -readonly [Name in keyof C]: Writable<SaidValue<C[Name]> | undefined>;
};

export function newMembers<C extends Columns>(columns: C): NewMembers<C> {
  return membersOf(columns, (column) =>
    column.otherwise === REQUIRED ? mandatory(fieldOf(column)) : changeMember(column),
  ) as NewMembers<C>;
}

export function changeMembers<C extends Columns>(columns: C): ChangeMembers<C> {
  return membersOf(columns, changeMember) as ChangeMembers<C>;
}

function membersOf(columns: Columns, memberOf: (column: Column) => Writable<unknown>): object {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, memberOf(column)]));
}

function changeMember(column: Column): Writable<unknown> {
  return column.otherwise === null ? nullable(fieldOf(column)) : optional(fieldOf(column));
}

function fieldOf(column: Column): Field<unknown> {
  if (column.type !== 'text') {
    return FIELDS[column.type];
  }
  return column.form === undefined ? text(column.most) : formed(text(column.most), FORMS[column.form]);
}

interface Form {
  pattern: RegExp;
  isRight?: (text: string) => boolean;
  rule: string;
}

/** Business steps and dispositions of the core business vocabulary (CBV 2.0). */
const BIZ_STEPS = words(`accepting arriving assembling collecting commissioning consigning
  creating_class_instance cycle_counting decommissioning departing destroying disassembling dispensing encoding
  entering_exiting holding inspecting installing killing loading other packing picking receiving removing repackaging
  repairing replacing reserving retail_selling sampling sensor_reporting shipping staging_outbound stock_taking stocking
  storing transporting unloading unpacking void_shipping`);

const DISPOSITIONS = words(`active available completeness_inferred completeness_verified conformant
  container_closed container_open damaged destroyed dispensed disposed encoded expired in_progress in_transit inactive
  mismatch_class mismatch_instance mismatch_quantity needs_replacement no_pedigree_match non_conformant
  non_sellable_other partially_dispensed recalled reserved retail_sold returned sellable_accessible
  sellable_not_accessible stolen unavailable unknown`);

function words(text: string): readonly string[] {
  return text.split(/\s+/);
}

/** A word of a vocabulary, or the URI of a term of another one. */
function termOf(vocabulary: readonly string[]): Form {
  return {
    pattern: new RegExp(`^(?:${vocabulary.join('|')}|${URL_OF_TERM}|urn:[a-z0-9]{2,32}:[A-Za-z0-9._~:/-]+)$`),
    rule: `must be the URI of a term of your own, or one of: ${vocabulary.join(', ')}`,
  };
}

const URL_OF_TERM = 'https?://[A-Za-z0-9.-]+(?:/[A-Za-z0-9._~/-]*)?(?:#[A-Za-z0-9._~-]+)?';

export const FORMS = {
  gln: {
    pattern: /^[0-9]{13}(?:\.[A-Za-z0-9/_-]{1,20})?$/,
    isRight: (gln) => hasCheckDigit(gln.slice(0, 13)),
    rule: 'must be 13 digits with a correct check digit, and behind a point the extension if there is one',
  },
  biz_step: termOf(BIZ_STEPS),
  disposition: termOf(DISPOSITIONS),
} satisfies Record<string, Form>;

function formed(field: Field<string>, { pattern, isRight = () => true, rule }: Form): Field<string> {
  return {
    ...field,
    schema: { ...field.schema, pattern: pattern.source },
    read: (value, name, source) => {
      const read = field.read(value, name, source);
      return read.ok && !(pattern.test(read.value) && isRight(read.value))
        ? refused(invalidValue(name, rule))
        : read;
    },
  };
}

const FIELDS = { flag, time: timestamp, json: jsonObject };

/** Members in the order of wire and CSV: location members follow the description. */
export function behindDescription<M extends { description: unknown }, Where extends object>(
  members: M,
  where: Where,
): M & Where {
  const all = Object.entries(members);
  const behind = all.findIndex(([name]) => name === 'description') + 1;
  const ordered = [...all.slice(0, behind), ...Object.entries(where), ...all.slice(behind)];
  return Object.fromEntries(ordered) as M & Where;
}
