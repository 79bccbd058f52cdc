import { TAGTRAIL } from '../../base/typed-command.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { PlanFault } from '../tracking/location/position.ts';
import { LACK_WORDS, positionSettings } from '../tracking/location/position-lacks.ts';
import { faultOfPlan } from '../tracking/location/read-site.ts';
import { type Finding, isOf, warning } from './finding.ts';

/** The number of plans to examine: those changed last. */
const MOST_PLANS = 200;

/** Names plans with a scale that are not used, as deciding on them would hold up everybody. */
export async function examinePlans(db: Connection, orgId: number | null = null): Promise<Finding[]> {
  const plans = await db.any(sql.type(rowsOf<PlanRow>())`
    select plan.id, plan.name, plan.org_id, organization.name as org_name
    from plans plan
    join organizations organization on organization.id = plan.org_id
    where organization.deleted_at is null and plan.scale_metres is not null and plan.location_id is not null
      and ${isOf(sql.fragment`plan.org_id`, orgId)}
      and exists (select from location_settings where org_id = plan.org_id and procedure = 'position')
    order by plan.updated_at desc limit ${MOST_PLANS}`);
  const findings: Finding[] = [];
  for (const plan of plans) {
    const fault = await faultOfPlan(db, plan.org_id, plan.id);
    if (fault !== null && fault !== 'no_places') {
      findings.push(toFinding(plan, fault));
    }
  }
  return [...findings, ...(await examinePositions(db, orgId))];
}

/** The most organizations deciding by position to examine. */
const MOST_ORGANIZATIONS = 100;

/** Names locations that are set to position and lack what it needs. */
async function examinePositions(db: Connection, orgId: number | null): Promise<Finding[]> {
  const organizations = await db.any(sql.type(rowsOf<{ id: number; name: string }>())`
    select id, name from organizations organization
    where deleted_at is null and ${isOf(sql.fragment`id`, orgId)}
      and exists (select from location_settings where org_id = organization.id and procedure = 'position')
    order by id limit ${MOST_ORGANIZATIONS}`);
  const findings: Finding[] = [];
  for (const { id, name } of organizations) {
    for (const { location_external_key: key, lacks } of await positionSettings(db, id)) {
      if (lacks !== null) {
        const of = `--org ${id}${key === null ? '' : ` --location ${key}`}`;
        findings.push(
          warning(
            'plans',
            `Organization ${id} (${name}): ${key ?? 'it'} is set to be decided by position and lacks ${LACK_WORDS[lacks]}, so strength decides`,
            `Set that in the console, under Plans; or choose strength: ${TAGTRAIL} locate set ${of} --by strength`,
          ),
        );
      }
    }
  }
  return findings;
}

interface PlanRow {
  id: number;
  name: string;
  org_id: number;
  org_name: string;
}

function toFinding(plan: PlanRow, fault: Exclude<PlanFault, 'no_places'>): Finding {
  const [why, remedy] = FAULTS[fault];
  return warning(
    'plans',
    `Organization ${plan.org_id} (${plan.org_name}): the plan "${plan.name}" is not used to decide by position: ${why}`,
    `In the console, under Plans, ${remedy}, or use a plan for each part`,
  );
}

const FAULTS = {
  too_wide: ['its places span more than 200 m x 200 m', 'check the distance of its scale'],
  too_intricate: [
    'its outlines have too many corners or overlaps for their size',
    'draw them with fewer corners or take off places that cover others',
  ],
} as const;
