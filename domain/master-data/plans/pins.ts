import { foreignKeyNotFound, invalid, invalidValue } from '../../../base/checks/issues.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { doubles, integers, smallints } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';

/** Antennas of a plan: levels of each are compared with every square metre. */
export const MOST_PINNED = 200;

/** Where an antenna hangs: from 0 at the left and at the top to 1. */
export interface AntennaPin {
  readerId: number;
  port: number;
  x: number;
  y: number;
}

/** Pins of antennas whose readers are live. */
export async function readPins(db: OrganizationConnection, planId: number): Promise<readonly NamedPin[]> {
  const rows = await db.any(sql.prepared('read-plan-antennas', rowsOf<PinRow>())`
    select pin.reader_id, pin.port, pin.x, pin.y, reader.name as reader_name,
      (select coalesce(name, device_port::text) from antennas
       where org_id = pin.org_id and reader_id = pin.reader_id and port = pin.port) as antenna_name
    from plan_antennas pin
    join readers reader on reader.org_id = pin.org_id and reader.id = pin.reader_id and reader.deleted_at is null
    where pin.org_id = ${db.orgId} and pin.plan_id = ${planId} order by pin.reader_id, pin.port`);
  return rows.map(({ reader_id: readerId, reader_name: readerName, antenna_name: antennaName, ...pin }) => ({
    ...{ readerId, ...pin, readerName, antennaName },
  }));
}

interface PinRow {
  reader_id: number;
  port: number;
  x: number;
  y: number;
  reader_name: string;
  antenna_name: string | null;
}

export interface NamedPin extends AntennaPin {
  readerName: string;
  antennaName: string | null;
}

/** Needs the plan's lock. @throws Invalid naming antennas that the organization does not have (any more). */
export async function replacePins(
  change: OrganizationChange,
  planId: number,
  pins: readonly AntennaPin[],
): Promise<void> {
  const { orgId } = change;
  await requireAntennas(change, pins);
  await change.exec(
    sql.type(NO_ROWS)`delete from plan_antennas where org_id = ${orgId} and plan_id = ${planId}`,
  );
  await change.exec(sql.type(NO_ROWS)`
    insert into plan_antennas (org_id, plan_id, reader_id, port, x, y)
    select ${orgId}, ${planId}, given.reader_id, given.port, given.x, given.y
    from unnest(
      ${sql.binary(integers(pins.map(({ readerId }) => readerId)))}::integer[],
      ${sql.binary(smallints(pins.map(({ port }) => port)))}::smallint[],
      ${sql.binary(doubles(pins.map(({ x }) => x)))}::double precision[],
      ${sql.binary(doubles(pins.map(({ y }) => y)))}::double precision[]
    ) as given (reader_id, port, x, y)`);
}

async function requireAntennas(change: OrganizationChange, pins: readonly AntennaPin[]): Promise<void> {
  const rows = await change.any(sql.type(rowsOf<{ reader_id: number; ports: number[] }>())`
    select reader.id as reader_id, array_agg(antenna.port::integer) filter (where antenna.port is not null) as ports
    from readers reader
    left join antennas antenna on antenna.org_id = reader.org_id and antenna.reader_id = reader.id
    where reader.org_id = ${change.orgId} and reader.deleted_at is null
      and reader.id = any(${sql.binary(integers(pins.map(({ readerId }) => readerId)))}::integer[])
    group by reader.id`);
  const portsOf = new Map(rows.map(({ reader_id: id, ports }) => [id, new Set(ports)]));
  const issues = pins.flatMap(({ readerId, port }, index) => {
    const ports = portsOf.get(readerId);
    if (ports === undefined) {
      return [foreignKeyNotFound(`antennas[${index}].reader_id`, readerId)];
    }
    return ports.has(port)
      ? []
      : [invalidValue(`antennas[${index}].port`, `${port} is no antenna of reader ${readerId}`)];
  });
  if (issues.length > 0) {
    throw invalid(issues.slice(0, MOST_NAMED));
  }
}

const MOST_NAMED = 20;

/** As answered and logged. */
export function pinsView(pins: readonly AntennaPin[]) {
  return pins.map(({ readerId, port, x, y }) => ({ reader_id: readerId, port, point: [x, y] }));
}
