import { invalid, invalidValue, refuseIssues } from '../../../base/checks/issues.ts';
import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { positionAt } from '../../tracking/feed/position-at.ts';
import { laterThan, requirePast, type Times } from '../require-past.ts';

/** Everything recorded before an instant. */
export interface Known {
  before: Micros;
  /** Changes recorded later come after this position of the feed. */
  position: number;
}

/**
 * @param knownAt as given, and the first instant that is later as the wire shows it.
 * @param times none may be later than `knownAt`.
 * @throws Invalid also for an instant before the feed of the organization begins.
 */
export async function requireKnown(
  db: Connection & { readonly orgId: number },
  knownAt: { at: Micros; before: Micros },
  times: Times,
): Promise<Known> {
  await requirePast(db, { ...times, known_at: knownAt.at });
  refuseIssues(laterThan(times, knownAt.at, 'known_at'));
  const since = await knownSince(db, db.orgId);
  if (knownAt.before <= since) {
    const earliest = wireTimeOfMicros(since + MICROS_PER_MILLISECOND - 1);
    throw invalid([
      invalidValue('known_at', `must not be before ${earliest}, where the feed of moves begins`, {
        earliest,
      }),
    ]);
  }
  return { before: knownAt.before, position: await positionAt(db, db.orgId, knownAt.before) };
}

/** The instant from which the feed has every change: it has all histories as of then, and all later events. */
async function knownSince(db: Connection, orgId: number): Promise<Micros> {
  const { since } = await db.one(sql.prepared('known-since', rowsOf<{ since: Micros }>())`
    select micros_of_time(case
      when feed.org_id is null then organization.created_at
      when feed.oldest = 1 then feed.complete_since
      else greatest(feed.complete_since, coalesce((
        select move.sealed_at from moves move where move.org_id = feed.org_id and move.position = feed.oldest
      ), feed.sealed_at))
    end) as since
    from organizations organization
      left join move_heads feed on feed.org_id = organization.id
    where organization.id = ${orgId}`);
  return since;
}
