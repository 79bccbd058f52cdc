import { RecentReads } from '../../../base/recent-reads.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { examineInstallation, examineOrganization } from '../../../domain/health/examine.ts';
import type { Finding } from '../../../domain/health/finding.ts';

/** Milliseconds for which findings are reused. */
const RECENT_MS = 5_000;

export interface Retention {
  scans: number;
  /** Null for good. */
  moves: number | null;
  lateness: number;
}

export interface Checked {
  at: Date;
  findings: readonly Finding[];
}

export interface CheckedInstallation extends Checked {
  /** There is only one organization: its administrators run the installation. */
  hasOneOrganization: boolean;
}

/** Checks an organization's health at most once at a time, and once per {@link RECENT_MS}. */
export class HealthChecks {
  readonly retention: Retention;
  readonly #organizations = new RecentReads<number, Checked>(RECENT_MS);
  readonly #installation = new RecentReads<'installation', CheckedInstallation>(RECENT_MS);

  constructor(settings: {
    SCAN_RETENTION_DAYS: number;
    MOVES_RETENTION_DAYS: number | null;
    LATENESS_DAYS: number;
  }) {
    this.retention = {
      scans: settings.SCAN_RETENTION_DAYS,
      moves: settings.MOVES_RETENTION_DAYS,
      lateness: settings.LATENESS_DAYS,
    };
  }

  /** @param run has work done with the service's own rights, in the organization's turn. */
  async ofOrganization(
    orgId: number,
    run: <Result>(work: (installation: Pool) => Promise<Result>) => Promise<Result>,
  ): Promise<{ own: Checked; installation: CheckedInstallation }> {
    const own = await this.#organizations.read(orgId, () =>
      run(async (db) => ({ at: new Date(), findings: await examineOrganization(db, orgId) })),
    );
    const installation = await this.#installation.read('installation', () =>
      run(async (db) => {
        const { count } = await db.one(sql.type(rowsOf<{ count: number }>())`
          select count(*) as count from (select from organizations where deleted_at is null limit 2) two`);
        const findings = await examineInstallation(db, Date.now);
        return { at: new Date(), findings, hasOneOrganization: count === 1 };
      }),
    );
    return { own, installation };
  }
}
