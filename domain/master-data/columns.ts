import type { Instant } from '../../base/timestamps.ts';

/**
 * A column that people fill in. Statements, bodies, rows of CSV, and the description take it from its list below; the few
 * places that say more of it have to name every column of the list, or nothing compiles.
 */
export type Column =
  /** Of 1 to `most` characters. */
  | { readonly type: 'text'; readonly most: number; readonly otherwise: null | typeof REQUIRED }
  | { readonly type: 'flag'; readonly otherwise: boolean }
  | { readonly type: 'time'; readonly otherwise: null | typeof NOW }
  /** An object, as the text that was sent. */
  | { readonly type: 'json'; readonly otherwise: string };

export type Columns = Readonly<Record<string, Column>>;

/** What is stored if nothing is said: refused, or the time of the transaction. Null can be said as well. */
export const REQUIRED = 'required';
export const NOW = 'now';

/** What people fill in of assets and locations alike, in the order of the wire and of CSV. */
export const COMMON_COLUMNS = {
  name: { type: 'text', most: 255, otherwise: REQUIRED },
  description: { type: 'text', most: 1024, otherwise: null },
  is_active: { type: 'flag', otherwise: true },
  valid_from: { type: 'time', otherwise: NOW },
  valid_to: { type: 'time', otherwise: null },
} as const satisfies Columns;

/** What people fill in of an asset. Scans tell where it is. */
export const ASSET_COLUMNS = {
  ...COMMON_COLUMNS,
  metadata: { type: 'json', otherwise: '{}' },
} as const satisfies Columns;

/** What people fill in of a location. Its parent refers to a row, and is none of these. */
export const LOCATION_COLUMNS = COMMON_COLUMNS;

type ItemColumns = typeof ASSET_COLUMNS & typeof LOCATION_COLUMNS;
export type ItemColumn = keyof ItemColumns;

const OF = { asset: ASSET_COLUMNS, location: LOCATION_COLUMNS };

/** The columns of either, where rows of both go one way. The type has those of both: what is not in the list, no row has. */
export function columnsOf(resource: keyof typeof OF): ItemColumns {
  return OF[resource] as ItemColumns;
}

/** Names of columns of JSON, which have no bound of their own. */
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

/** A column of a row, as it is read. */
export type StoredValue<C extends Column> = Held[C['type']] | OrNull<C>;

/** The columns of a row, as they are read. */
export type Stored<C extends Columns> = { -readonly [Name in keyof C]: StoredValue<C[Name]> };

/** The columns of either, as they are read. */
export type StoredItem = Stored<typeof COMMON_COLUMNS> & Partial<Stored<ItemColumns>>;

/** The columns of a row, as they are written: null for now. */
export type Written<C extends Columns> = {
  -readonly [Name in keyof C]:
    | StoredValue<C[Name]>
    | (C[Name]['otherwise'] extends typeof NOW ? null : never);
};

/** A value as requests say it. */
export type SaidValue<C extends Column> = Said[C['type']] | OrNull<C>;

/** What a change says of the columns; undefined for nothing. */
export type Changes<C extends Columns> = { -readonly [Name in keyof C]?: SaidValue<C[Name]> | undefined };

/** What a create says of the columns. */
export type Given<C extends Columns> = Changes<C> & {
  -readonly [Name in keyof C as C[Name]['otherwise'] extends typeof REQUIRED ? Name : never]: SaidValue<
    C[Name]
  >;
};
