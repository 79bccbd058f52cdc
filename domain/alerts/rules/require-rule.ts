import { notFound } from '../../../base/errors.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { findRule, type RuleRef, type StoredRule } from './stored-rules.ts';

/** @throws AppError `not_found`. */
export async function requireRule(db: Connection, ref: RuleRef): Promise<StoredRule> {
  const rule = await findRule(db, ref);
  if (rule === null) {
    throw notFound(`Rule ${ref.id} not found`);
  }
  return rule;
}
