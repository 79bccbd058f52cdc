import { type FragmentSqlToken, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { eventOf, type FeedEvent, type MoveRow } from './event.ts';
import { NAMED, NAMED_COLUMNS } from './named-moves.ts';
import { sealedFor } from './sealed-for.ts';

export interface FeedPage<Event = FeedEvent> {
  events: readonly Event[];
  /** The last position given; 0 in an empty feed. */
  head: number;
  /** The first kept position, or the next one without any. */
  oldest: number;
}

export interface FeedQuery {
  /** A position, up to 2^53 - 1. */
  after: number;
  limit: number;
}

type Read = { head: number; oldest: number } & ({ position: null } | MoveRow);

/**
 * Reads the events of an organization after a position, in order, with present names, from one snapshot. Returns none
 * if `after` has expired or is beyond the head; the caller says what that means. A page has fewer events than `limit`
 * if they are large ({@link LARGE}), but at least one if there is any.
 */
export function readMoves(db: Connection & { readonly orgId: number }, query: FeedQuery): Promise<FeedPage> {
  return readMovesAs(db, query, eventOf);
}

/** {@link readMoves}, each row as `make` shows it. */
export async function readMovesAs<Event>(
  db: Connection & { readonly orgId: number },
  query: FeedQuery,
  make: (row: MoveRow) => Event,
): Promise<FeedPage<Event>> {
  const page = await readPage(db, query);
  // Retention drops whole chunks, whatever snapshots are open: the head is older, the rows are gone.
  const { rows, ...ends } = isCutShort(page, query) ? await readPage(db, query) : page;
  return { events: rows.map(make), ...ends };
}

interface RowsRead {
  rows: readonly MoveRow[];
  head: number;
  oldest: number;
}

function isCutShort({ rows: [first], head, oldest }: RowsRead, { after }: FeedQuery): boolean {
  return after < head && after >= oldest - 1 && first?.position !== after + 1;
}

async function readPage(
  db: Connection & { readonly orgId: number },
  { after, limit }: FeedQuery,
): Promise<RowsRead> {
  const { orgId } = db;
  const rows = await db.any(sql.type(rowsOf<Read>())`
    select coalesce(feed.head, 0) as head, coalesce(feed.oldest, 1) as oldest, ${NAMED_COLUMNS}
    from (select) always
    left join move_heads feed on feed.org_id = ${orgId}
    left join (${upTo(orgId, after, limit)}) move on move.size_before < ${LARGE} and feed.oldest <= ${after}::int8 + 1
    ${NAMED}
    order by move.position`);
  const [{ head, oldest } = { head: 0, oldest: 1 }] = rows;
  return { rows: rows.filter((row) => row.position !== null), head, oldest };
}

/** Stored bytes of rows after which a page takes no further event: about a megabyte of JSON. */
const LARGE = 65_536;

/** Positions have no gaps, so a range of them bounds the look-up. */
function upTo(orgId: number, after: number, limit: number): FragmentSqlToken {
  return sql.fragment`
    select ranged.*, sum(ranged.size) over (order by ranged.position) - ranged.size as size_before
    from (
      select move.*, coalesce(pg_column_size(move.rows), 0) as size
      from moves move
      where move.org_id = ${orgId}
        and move.position > ${after}::int8 and move.position <= ${after}::int8 + ${limit}::int8
        and ${sealedFor(orgId, after + 1, after + limit)}
    ) ranged`;
}
