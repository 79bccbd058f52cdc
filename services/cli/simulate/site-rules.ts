import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { endRule } from '../../../domain/alerts/rules/change-rule.ts';
import { createRule } from '../../../domain/alerts/rules/create-rule.ts';
import { listRules } from '../../../domain/alerts/rules/stored-rules.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import type { SiteRules } from '../../../simulation/truth/presence-document.ts';
import type { WatchPlan } from './plan.ts';

export interface RuledSite {
  orgId: number;
  prefix: string;
  /** Key of the location that all is in. */
  location: string;
  readerIds: readonly number[];
}

/** Ends the rules of an earlier simulation, and sets those of a site that is watched. */
export async function setSiteRules(
  { db, actor, now }: { db: Database; actor: Actor; now: Micros },
  { orgId, prefix, location, readerIds }: RuledSite,
  watch: WatchPlan | null,
): Promise<SiteRules | null> {
  const names = { overdue: `${prefix}overdue`, reader: `${prefix}reader` };
  for (const { id, settings } of await listRules(db, orgId)) {
    if (Object.values(names).includes(settings.name)) {
      await endRule(db, actor, now, { orgId, id }, { validFrom: null });
    }
  }
  if (watch === null) {
    return null;
  }
  const [after, thenAfter, readerAfter] = [watch.maxGap, 2 * watch.maxGap, watch.expected / 3];
  const overdue = await createRule(db, actor, now, {
    ...{ orgId, kind: 'overdue', name: names.overdue, withinLocationExternalKey: location },
    ...{ after, thenAfter },
  });
  const reader = await createRule(db, actor, now, {
    ...{ orgId, kind: 'reader', name: names.reader, readerIds, after: readerAfter },
  });
  const seconds = (span: Micros) => span / MICROS_PER_SECOND;
  return {
    overdue: { id: overdue.id, after_seconds: seconds(after), then_seconds: seconds(thenAfter) },
    reader: { id: reader.id, after_seconds: seconds(readerAfter) },
  };
}
