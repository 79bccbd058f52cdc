import {
  createSqlTag,
  type FragmentSqlToken,
  type QuerySqlToken,
  type ValueExpression,
} from '@slonik/sql-tag';
import type pg from 'pg';
import { append } from '../../../base/append.ts';

export type { FragmentSqlToken, ValueExpression } from '@slonik/sql-tag';

/**
 * slonik's tag alone: the rest of slonik would take 10 MB and 50 ms of every process. Nothing else imports
 * it; {@link toConfig} converts its tokens for `pg`.
 */
const tag = createSqlTag();

export const sql = { ...tag, fragment, prepared };

export type RowQuery<Row> = QuerySqlToken<RowType<Row>>;

type RowType<Row> = QuerySqlToken['parser'] & {
  readonly '~standard': { readonly types?: { readonly input: Row; readonly output: Row } | undefined };
};

/** Like slonik's, but composed once for each template: see {@link composedOnce}. */
function fragment(template: TemplateStringsArray, ...given: ValueExpression[]): FragmentSqlToken {
  return composedOnce(template, given, '', () => tag.fragment(template, ...given));
}

/** Like slonik's, but composed once for each template: see {@link composedOnce}. */
function prepared<Row>(name: string, parser: RowType<Row>) {
  return (template: TemplateStringsArray, ...given: ValueExpression[]): RowQuery<Row> =>
    composedOnce(template, given, name, () => {
      const query = tag.prepared(name, parser)(template, ...given);
      return { ...query, text: toConfig(query).text };
    });
}

interface Composed {
  name: string;
  /** Per place of the template the text of its fragment, or null for a parameter. */
  texts: readonly (string | null)[];
  token: object;
}

const composed = new WeakMap<TemplateStringsArray, Composed>();

/**
 * Caches a template's latest composition and its fragments, and reuses it for other values.
 * Composing a statement of five arrays takes slonik 1.6 us, and 3.4 with them in a fragment; 0.4 and 0.7
 * cached. A commit of ingestion has some ten.
 */
function composedOnce<Token extends FragmentSqlToken | RowQuery<unknown>>(
  template: TemplateStringsArray,
  given: readonly ValueExpression[],
  name: string,
  compose: () => Token,
): Token {
  const texts: (string | null)[] = [];
  const values: Token['values'][number][] = [];
  for (const each of given) {
    if (each === null || (typeof each !== 'object' && each !== undefined)) {
      texts.push(null);
      values.push(each);
    } else if (each !== undefined && 'type' in each && each.type === BINARY.type) {
      texts.push(null);
      values.push(each.data);
    } else if (each !== undefined && 'type' in each && each.type === EMPTY.type) {
      texts.push(each.sql);
      append(values, each.values);
    } else {
      return compose();
    }
  }
  const known = composed.get(template);
  if (known?.name === name && known.texts.every((text, index) => text === texts[index])) {
    return { ...(known.token as Token), values };
  }
  const token = compose();
  composed.set(template, { name, texts, token });
  return token;
}

const BINARY = tag.binary(Buffer.alloc(0));
const EMPTY = tag.fragment``;

/**
 * Type of a query's rows. Schema and query are written side by side and tested on the database, so rows are not
 * validated one by one.
 */
export function rowsOf<Row>(): RowType<Row> {
  return PASS as RowType<Row>;
}

const PASS: QuerySqlToken['parser'] = {
  '~standard': { version: 1, vendor: 'tagtrail', validate: (value) => ({ value }) },
};

export const NO_ROWS = rowsOf<never>();

/**
 * Converts a query for `pg`. slonik numbers parameters `$slonik_1`, once each, in order of the values; a text
 * without any stays as it is.
 *
 * @throws RangeError for a text with the marker elsewhere, as in a literal.
 */
export function toConfig(
  query: Pick<RowQuery<unknown>, 'name' | 'sql' | 'values'> & { text?: string },
): pg.QueryConfig {
  const { name, values, text = textOf(query) } = query;
  return { text, values: [...values], ...(name === undefined ? {} : { name }) };
}

function textOf({ sql, values }: Pick<RowQuery<unknown>, 'sql' | 'values'>): string {
  const parts = sql.split(MARK);
  if (parts.length > 1 && parts.length - 1 !== values.length) {
    throw new RangeError(`a statement with ${values.length} values has ${MARK} ${parts.length - 1} times`);
  }
  return parts.join('$');
}

const MARK = '$slonik_';
