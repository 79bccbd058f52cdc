import type { JsonSchema } from './fields.ts';
import { accepted, invalidValue, refused } from './issues.ts';
import { integer, type Parameter } from './parameters.ts';

/** Where a page of a list starts and how long it is (interface section 4.6). */
export const PAGING = {
  limit: integer({ min: 1, max: 200 }, 50),
  offset: integer({ min: 0, max: 2_147_483_647 }, 0),
};

export interface Paging {
  limit: number;
  offset: number;
}

/** A page of rows, and how many rows there are on all pages; both of one snapshot. */
export interface Page<T> {
  rows: readonly T[];
  totalCount: number;
}

/** The body of a list answer. */
export function listBody<Row, View>(page: Page<Row>, { limit, offset }: Paging, view: (row: Row) => View) {
  return { data: page.rows.map(view), limit, offset, total_count: page.totalCount };
}

/** The JSON Schema of {@link listBody}. */
export function listSchema(item: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: {
      data: { type: 'array', items: item },
      limit: PAGING.limit.schema,
      offset: PAGING.offset.schema,
      total_count: { type: 'integer', minimum: 0 },
    },
    required: ['data', 'limit', 'offset', 'total_count'],
    additionalProperties: false,
  };
}

export interface SortTerm<Field extends string> {
  field: Field;
  isDescending: boolean;
}

/** `sort`: field names separated by commas, `-` in front for descending. Empty is as if absent. */
export function sortBy<Field extends string>(
  fields: readonly Field[],
  initial: readonly SortTerm<Field>[],
): Parameter<readonly SortTerm<Field>[]> {
  return {
    schema: {
      type: 'string',
      default: initial.map(({ field, isDescending }) => (isDescending ? `-${field}` : field)).join(','),
      description: `Comma-separated, a leading - sorts descending. Fields: ${fields.join(', ')}.`,
    },
    isRepeatable: false,
    read: ([value = '', ...others], name) => {
      if (others.length > 0) {
        return refused(invalidValue(name, 'must be given only once'));
      }
      if (value === '') {
        return accepted(initial);
      }
      const terms: SortTerm<Field>[] = [];
      for (const part of value.split(',')) {
        const isDescending = part.startsWith('-');
        const wanted = isDescending ? part.slice(1) : part;
        const field = fields.find((candidate) => candidate === wanted);
        if (field === undefined) {
          return refused({ field: name, code: 'invalid_value', message: `unknown sort field: ${wanted}` });
        }
        if (!terms.some((term) => term.field === field)) {
          terms.push({ field, isDescending });
        }
      }
      return accepted(terms);
    },
  };
}
