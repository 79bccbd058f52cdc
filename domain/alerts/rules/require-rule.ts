import { orNotFound } from '../../../base/errors.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { findRule, type RuleRef, type StoredRule } from './stored-rules.ts';

/** @throws AppError `not_found`. */
export function requireRule(db: Connection, ref: RuleRef): Promise<StoredRule> {
  return orNotFound(`Rule ${ref.id} not found`, findRule(db, ref));
}
