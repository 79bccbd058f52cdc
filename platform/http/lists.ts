import { type JsonSchema, MAX_ID } from '../../base/checks/fields.ts';
import { accepted, type FieldIssue, invalidValue, refused } from '../../base/checks/issues.ts';
import { writeJson } from '../../base/json/json-text.ts';
import type { Page, Paging, SortTerm } from '../../base/page.ts';
import { described, integer, type Parameter } from './parameters.ts';

/** Contract 4.6. */
export const PAGING = pagingOf({ max: 200, initial: 50 });

export function pagingOf({ max, initial }: { max: number; initial: number }) {
  return {
    limit: described(integer({ min: 1, max }, initial), 'How many rows a page has at most.'),
    offset: described(integer({ min: 0, max: 2_147_483_647 }, 0), 'How many rows come before the page.'),
  };
}

/** For lists that are read whole. Ids never change, so whatever others do between two pages shifts no row. */
export const AFTER = {
  after: described(
    integer({ min: 0, max: MAX_ID }, undefined),
    'To read the list whole: rows in order of their ids after this one, the id of the last row that you have, or 0. Each row that is in the list all the while is read once, whatever others create, rename or delete.',
    17,
  ),
};

/** Beside {@link AFTER}, which has an order and a place of its own. */
export const EXCLUDED_BY_AFTER = [
  ['after', 'offset'],
  ['after', 'sort'],
] as const;

export function listBody<Row, View>(page: Page<Row>, { limit, offset }: Paging, view: (row: Row) => View) {
  const { later, totalCount } = page;
  const data = page.rows.map(view);
  const rest = { limit, offset, total_count: totalCount };
  return later === undefined ? { data, ...rest } : new StreamedList(data, later, rest);
}

export function listSchema(item: JsonSchema, { limit, offset }: typeof PAGING): JsonSchema {
  const description = 'How many rows there are on all pages.';
  return {
    ...(item['title'] === undefined ? {} : { title: `${item['title']}List` }),
    type: 'object',
    properties: {
      data: { type: 'array', items: item },
      limit: { ...limit.schema, description: limit.description },
      offset: { ...offset.schema, description: offset.description },
      total_count: { type: 'integer', minimum: 0, description, examples: [1] },
    },
    required: ['data', 'limit', 'offset', 'total_count'],
  };
}

/**
 * `sort`: comma-separated field names, a leading `-` for descending. Empty means absent.
 *
 * @param withMembers a field whose members can be sorted by, as `metadata.owner`: last, for their names may have commas.
 */
export function sortBy<Field extends string, Members extends string = never>(
  fields: readonly Field[],
  initial: readonly SortTerm<Field>[],
  withMembers?: Members,
): Parameter<readonly SortTerm<Field | Members>[]> {
  const term = `-?(${fields.join('|')})`;
  const member = `-?${withMembers}\\.[^\\u0000]+`;
  const pattern =
    withMembers === undefined ? `^(${term}(,${term})*)?$` : `^((${term},)*(${term}|${member}))?$`;
  const names = [...fields, ...(withMembers === undefined ? [] : [`${withMembers}.<name>`])];
  return {
    schema: {
      type: 'string',
      pattern,
      default: initial.map(({ field, isDescending }) => (isDescending ? `-${field}` : field)).join(','),
    },
    isRepeatable: false,
    description: `Fields to sort by, separated by commas; a leading \`-\` sorts descending. Fields: ${names.map((each) => `\`${each}\``).join(', ')}.`,
    read: ([value = '', ...others], name) => {
      if (others.length > 0) {
        return refused(invalidValue(name, 'must be given only once'));
      }
      if (value === '') {
        return accepted(initial);
      }
      const terms: SortTerm<Field | Members>[] = [];
      const unknown = new Set<string>();
      for (const part of partsOf(value, withMembers)) {
        const isDescending = part.startsWith('-');
        const wanted = isDescending ? part.slice(1) : part;
        const field = fields.find((candidate) => candidate === wanted);
        const member = memberIn(wanted, withMembers);
        if (withMembers !== undefined && member !== '') {
          terms.push({ field: withMembers, isDescending, member });
        } else if (field === undefined) {
          unknown.add(wanted);
        } else if (!terms.some((term) => term.field === field)) {
          terms.push({ field, isDescending });
        }
      }
      return unknown.size > 0
        ? refused(...[...unknown].map((wanted) => unknownSortField(name, wanted)))
        : accepted(terms);
    },
  };
}

/** What begins with a member is one part, whatever commas its name has. */
function partsOf(sorted: string, withMembers: string | undefined): readonly string[] {
  const parts = sorted.split(',');
  const at = parts.findIndex((part) => memberIn(part.replace(/^-/, ''), withMembers) !== '');
  return at === -1 ? parts : [...parts.slice(0, at), parts.slice(at).join(',')];
}

/** Empty if it is none, or cannot be one. */
function memberIn(wanted: string, withMembers: string | undefined): string {
  const isMember =
    withMembers !== undefined && wanted.startsWith(`${withMembers}.`) && !wanted.includes('\0');
  return isMember ? wanted.slice(withMembers.length + 1) : '';
}

function unknownSortField(field: string, wanted: string): FieldIssue {
  return { field, code: 'invalid_value', message: `unknown sort field: ${wanted}` };
}

export class StreamedList {
  readonly #first: readonly unknown[];
  readonly #later: AsyncIterable<Uint8Array>;
  readonly #rest: object;

  /**
   * @param later JSON of rows, comma-separated.
   * @param rest members beside `data`.
   */
  constructor(first: readonly unknown[], later: AsyncIterable<Uint8Array>, rest: object) {
    this.#first = first;
    this.#later = later;
    this.#rest = rest;
  }

  /** Serialized JSON; the next rows are read when the next piece is asked for. */
  async *pieces(): AsyncGenerator<Uint8Array, void> {
    yield Buffer.from(`{"data":[${this.#first.map(writeJson).join(',')}`);
    let isFirst = this.#first.length === 0;
    for await (const rows of this.#later) {
      if (rows.length > 0) {
        if (!isFirst) {
          yield COMMA;
        }
        yield rows;
        isFirst = false;
      }
    }
    yield Buffer.from(`],${JSON.stringify(this.#rest).slice(1)}`);
  }
}

const COMMA = Buffer.from(',');
