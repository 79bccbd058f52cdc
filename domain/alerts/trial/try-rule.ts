import { eachInTurns } from '../../../base/each-in-turns.ts';
import { TooMuchWork } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Interval } from '../../presence/intervals.ts';
import { loadAssetEvidence } from '../conditions/load-asset-evidence.ts';
import { loadReaderEvidence } from '../conditions/load-reader-evidence.ts';
import { stretchesOf } from '../conditions/rule-kinds.ts';
import type { Stretch } from '../conditions/stretch.ts';
import { datedRule } from '../rules/dated-rule.ts';
import type { DatedRule } from '../rules/rule.ts';
import type { RuleSettings } from '../rules/settings.ts';
import { nextSubjects, type Subject } from './subjects.ts';

export interface Trial {
  orgId: number;
  settings: RuleSettings;
  /** When the location that it is about was deleted; null if it was not. */
  until: Micros | null;
  window: Interval;
}

/** The alerts that a rule would have raised for some of its assets or readers. */
export interface Tried {
  looked: number;
  found: { subject: Subject; stretches: readonly Stretch[] }[];
}

/**
 * Tries a rule on the data of a window, as if it had always existed, for live assets or readers ordered by id. Stores
 * nothing. Each batch is loaded when it is asked for.
 *
 * @param batch at most 1,000.
 * @throws TooMuchWork for a single asset or reader.
 */
export async function* tryRule(db: Connection, trial: Trial, batch: number): AsyncGenerator<Tried, void> {
  const rule = trialRule(trial);
  for (let after = 0; ; ) {
    const subjects = await nextSubjects(db, rule, after, batch);
    const last = subjects.at(-1);
    if (last === undefined) {
      return;
    }
    const byId = new Map(subjects.map((subject) => [subject.id, subject]));
    const found = await stretchesByOf(db, rule, [...byId.keys()], trial.window);
    yield {
      looked: subjects.length,
      found: found.flatMap(([id, stretches]) => {
        const subject = byId.get(id);
        return subject === undefined || stretches.length === 0 ? [] : { subject, stretches };
      }),
    };
    after = last.id;
  }
}

/** As if it had always been set so. */
export function trialRule({ orgId, settings, until }: Trial): DatedRule {
  return datedRule({ orgId, id: '' }, settings, { from: 0, until });
}

/** Retries with fewer at a time if there is too much evidence. */
async function stretchesByOf(
  db: Connection,
  rule: DatedRule,
  ids: readonly number[],
  window: Interval,
): Promise<[number, Stretch[]][]> {
  try {
    return await stretchesBy(db, rule, ids, window);
  } catch (error) {
    if (!(error instanceof TooMuchWork) || ids.length === 1) {
      throw error;
    }
    const half = Math.ceil(ids.length / 2);
    return [
      ...(await stretchesByOf(db, rule, ids.slice(0, half), window)),
      ...(await stretchesByOf(db, rule, ids.slice(half), window)),
    ];
  }
}

async function stretchesBy(
  db: Connection,
  rule: DatedRule,
  ids: readonly number[],
  window: Interval,
): Promise<[number, Stretch[]][]> {
  if (rule.kind === 'reader') {
    const { readers, around } = await loadReaderEvidence(db, rule.orgId, ids, window);
    return eachInTurns(readers, (reader) => [reader.readerId, stretchesOf([rule], reader, around)]);
  }
  const { assets, around } = await loadAssetEvidence(db, rule.orgId, [rule], ids, window);
  if (assets.some(({ measured }) => measured?.values().some(({ tags }) => tags.some(({ isCut }) => isCut)))) {
    throw new TooMuchWork('more readings than are looked at; try a later time');
  }
  return eachInTurns(assets, (asset) => [asset.assetId, stretchesOf([rule], asset, around)]);
}
