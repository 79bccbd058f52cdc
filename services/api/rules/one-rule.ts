import { findRule } from '../../../domain/alerts/rules/stored-rules.ts';
import type { ApiContext } from '../serving/context.ts';

export const ADMINISTRATION = { scope: 'rules:admin', isInternal: true } as const;

export const ONE = {
  missing: 'Rule not found',
  row: ({ context: { db }, params }: { context: ApiContext; params: { rule_id: string } }) =>
    findRule(db, { orgId: db.orgId, id: params.rule_id }),
};
