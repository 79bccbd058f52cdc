import type { Finding } from '../../../domain/health/finding.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { HEALTH } from './schema.ts';

const read = memberRoute({
  ...{ method: 'GET', path: '/console/v1/health', operationId: 'readHealth' },
  summary: 'What is wrong in the organization, and whether all is well with the installation',
  description:
    'What `doctor` finds. Of the installation, findings have no words, unless this is its only organization: those of others are none of its business.',
  scope: 'health:admin',
  query: NO_QUERY,
  params: {},
  success: found(HEALTH, 'The findings, and how long what is recorded is kept'),
  // Shared by whoever asks meanwhile, so that one who leaves breaks nothing off.
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
