import type { JsonSchema } from '../../../base/checks/fields.ts';
import { ID_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { type Finding, MENDS } from '../../../domain/health/finding.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { COUNT_SCHEMA, listOf, objectOf, TEXT_OR_NULL, TEXT_SCHEMA } from '../serving/schemas.ts';

const FINDING: JsonSchema = objectOf({
  check: TEXT_SCHEMA,
  status: { type: 'string', enum: ['ok', 'warning', 'fault'] },
  message: TEXT_OR_NULL,
  remedy: TEXT_OR_NULL,
  mend: nullableSchema(objectOf({ what: { type: 'string', enum: MENDS }, id: nullableSchema(ID_SCHEMA) })),
});

const HEALTH = objectOf({
  checked_at: TIME_SCHEMA,
  organization: listOf(FINDING),
  installation: listOf(FINDING),
  retention: objectOf({
    scan_days: COUNT_SCHEMA,
    move_days: nullableSchema(COUNT_SCHEMA),
    lateness_days: COUNT_SCHEMA,
  }),
});

const read = memberRoute({
  ...{ method: 'GET', path: '/console/v1/health', operationId: 'readHealth' },
  summary: 'What is wrong in the organization, and whether all is well with the installation',
  description:
    'What `doctor` finds. Of the installation, findings have no words, unless this is its only organization: those of others are none of its business.',
  scope: 'health:admin',
  success: found(HEALTH, 'The findings, and how long what is recorded is kept'),
  // Shared by all who ask meanwhile, so that one caller who leaves does not cancel it.
  handle: async ({ context: { db, parts } }) => {
    const { own, installation } = await parts.health.ofOrganization(db.orgId, (work) =>
      parts.insight.run(db.orgId, work),
    );
    const { retention } = parts.health;
    return {
      checked_at: own.at.toISOString(),
      organization: own.findings,
      installation: installation.hasOneOrganization
        ? installation.findings
        : inGeneral(installation.findings),
      retention: {
        scan_days: retention.scans,
        move_days: retention.moves,
        lateness_days: retention.lateness,
      },
    };
  },
});

/** Nor how many there are. */
function inGeneral(findings: readonly Finding[]) {
  const statuses = new Map(findings.map(({ check, status }) => [`${check} ${status}`, { check, status }]));
  return [...statuses.values()].map((finding) => ({ ...finding, message: null, remedy: null, mend: null }));
}

export const healthRoutes = [read];
