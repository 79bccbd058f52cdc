import { wireTime } from '../../base/timestamps.ts';
import { TAGTRAIL } from '../../base/typed-command.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type Finding, type Mend, ok, warning } from './finding.ts';

interface RefusedRow {
  kind: ReaderRefusal['kind'] | 'key' | 'handheld' | 'user';
  /** Empty if none was given, and for names beyond those counted. */
  name: string;
  hour: number;
  day: number;
  last_at: string;
  address: string;
  id: number | null;
  org_id: number | null;
  owner: string | null;
  state: 'live' | 'revoked' | 'expired' | 'deleted' | 'leaving' | 'disabled' | null;
}

export async function examineSignIns(db: Connection, orgId: number | null = null): Promise<Finding[]> {
  const rows = await findRefused(db, orgId);
  const [first] = rows;
  if (first === undefined) {
    return [ok('sign-ins', 'None was refused in the last day')];
  }
  const findings = rows.map((row) =>
    warning('sign-ins', `${whoOf(row)} ${times(row)}`, remedyOf(row), mendOf(row)),
  );
  const leftOut = first.names - rows.length;
  return leftOut === 0
    ? findings
    : [
        ...findings,
        warning(
          'sign-ins',
          `${leftOut} other names were refused in the last day, less often than these`,
          'Mend those above, then check again; so many names usually come from strangers: restrict access to these ports',
        ),
      ];
}

const MOST_NAMED = 10;

function times({ hour, day, last_at: lastAt, address }: RefusedRow): string {
  const from = address === '' ? '' : ` from ${address}`;
  return `(${hour} in the last hour, ${day} in the last day, the last at ${wireTime(lastAt)}${from})`;
}

function whoOf(row: RefusedRow): string {
  const { kind, name, owner, id, org_id: orgId, state } = row;
  if (name === '') {
    return UNNAMED[kind];
  }
  const reader = `${owner} (reader ${id}, user name ${name})`;
  switch (kind) {
    case 'reader':
    case 'reader_mqtt_5':
    case 'reader_taken_over':
      if (owner === null) {
        return `The MQTT user name ${name}, which no reader has, was refused`;
      }
      return kind === 'reader_taken_over'
        ? `Two devices use the login of reader ${reader}, and end each other's connections`
        : `Reader ${reader} was refused: ${kind === 'reader' ? WHY_READER[state ?? 'live'] : 'it speaks MQTT 5, which the embedded broker does not'}`;
    case 'key':
      return owner === null
        ? `The API key tt_${name.slice(0, PREFIX)}..., which is not known here, was refused`
        : `The API key ${owner} (tt_${name.slice(0, PREFIX)}..., organization ${orgId}) was refused: ${WHY[state ?? 'live']}`;
    case 'handheld':
      return owner === null
        ? `The token th_${name}_..., of a handheld that is not known here, was refused`
        : `Handheld ${owner} (handheld ${name}, organization ${orgId}) was refused: ${WHY[state ?? 'live']}`;
    case 'user':
      return owner === null
        ? `User ${name}, who is not known here, was refused`
        : `${owner} was refused at the console: ${state === 'disabled' ? WHY.disabled : 'the password was wrong'}`;
  }
}

const WHY = {
  live: 'its secret was wrong',
  revoked: 'it is revoked',
  expired: 'it has expired',
  deleted: 'its organization was deleted',
  leaving: 'its secret was wrong',
  disabled: 'the account is disabled',
};

const WRONG_PROOF = 'the password or certificate was wrong';
const WHY_READER = { ...WHY, live: WRONG_PROOF, leaving: WRONG_PROOF };

const UNNAMED = {
  reader:
    'Connections to the MQTT broker without a user name, or with too many different names to count, were refused',
  reader_mqtt_5:
    'Too many readers to count were refused because they speak MQTT 5, which the embedded broker does not',
  reader_taken_over:
    "Devices that share a reader's login, of too many readers to count, end each other's connections",
  key: 'Requests to the API with malformed keys, or with too many different keys to count, were refused',
  user: 'Sign-ins to the console with unknown e-mail addresses, or of too many different users to count, were refused',
  handheld:
    'Requests to the handheld gateway with malformed tokens, or with too many different tokens to count, were refused',
};

const PREFIX = 20;

function remedyOf({ kind, name, owner, id, org_id: orgId, state }: RefusedRow): string {
  if (state === 'leaving') {
    return 'Its organization is moving or has moved to another cell: mend it there';
  }
  if (kind === 'reader_mqtt_5') {
    return 'Set it to MQTT 3.1.1 on the device';
  }
  if (kind === 'reader_taken_over') {
    return `Give each its own login: ${TAGTRAIL} reader create --org ${orgId ?? '...'}; if there is only one device, its network fails often`;
  }
  if (kind === 'reader' && state !== 'deleted') {
    return owner === null
      ? `Compare with mqtt_username in ${TAGTRAIL} reader list --org ... --json; keep strangers out by a firewall`
      : `Set its password on the device (for a certificate, see the log); if it is lost: ${TAGTRAIL} reader set --reader ${id} --new-password`;
  }
  if (kind === 'user') {
    return owner === null
      ? 'Find out by the address who it is; keep strangers out by a firewall'
      : remedyOfUser(owner, state);
  }
  if (owner === null || name === '') {
    return `Find out by the address who sends it; ${TAGTRAIL} key list and handheld list show the valid ones`;
  }
  if (state === 'deleted') {
    return 'Stop the program that still uses it, or give it a credential of another organization';
  }
  return kind === 'key'
    ? `Stop the program that still uses it, or give it another: ${TAGTRAIL} key create --org ${orgId} --name ... --scopes ...`
    : `Sign in on the device with another token: ${TAGTRAIL} handheld create --org ${orgId} --name ...`;
}

function remedyOfUser(email: string, state: RefusedRow['state']): string {
  return state === 'disabled'
    ? `To let the user in again: ${TAGTRAIL} user enable --email ${email}`
    : `Ask whether it was them: then ${TAGTRAIL} user reset --email ${email}; if not, somebody guesses: look at the address`;
}

function mendOf({ kind, id, owner, state }: RefusedRow): Mend | null {
  if (owner === null || state === 'deleted' || state === 'leaving') {
    return null;
  }
  switch (kind) {
    case 'reader':
      return { what: 'set_password', id };
    case 'reader_mqtt_5':
      return { what: 'set_mqtt_version', id };
    case 'reader_taken_over':
      return { what: 'separate_logins', id };
    case 'key':
      return { what: 'replace_key', id: null };
    case 'handheld':
      return { what: 'replace_handheld', id: null };
    case 'user':
      return { what: state === 'disabled' ? 'enable_user' : 'reset_user', id: null };
  }
}

export interface ReaderRefusal {
  kind: 'reader' | 'reader_mqtt_5' | 'reader_taken_over';
  hour: number;
  day: number;
  last_at: string;
}

/** Faults as the reader signs in at the embedded broker. */
export async function refusalsOfReader(
  db: Connection,
  reader: { orgId: number; mqttUsername: string },
): Promise<ReaderRefusal[]> {
  const rows = await findRefused(db, reader.orgId, reader.mqttUsername);
  return rows.flatMap(({ kind, hour, day, last_at }) =>
    kind === 'reader' || kind === 'reader_mqtt_5' || kind === 'reader_taken_over'
      ? [{ kind, hour, day, last_at }]
      : [],
  );
}

/**
 * A device with a bad network takes over its own earlier connection: this many in an hour do not indicate two devices.
 */
const FEW_TAKE_OVERS = 5;

/**
 * The most refused names, those of the last hour first; ten-minute periods cut by the hour count whole. Readers that
 * signed in after they spoke MQTT 5 are left out.
 *
 * @param orgId null for all; else that organization's readers, keys, handhelds and members, without strangers.
 * @param name null for all.
 */
function findRefused(
  db: Connection,
  orgId: number | null,
  name: string | null = null,
): Promise<readonly (RefusedRow & { names: number })[]> {
  return db.any(sql.type(rowsOf<RefusedRow & { names: number }>())`
    with refused as (
      select kind, name, coalesce(sum(count) filter (where period > now() - interval '70 minutes'), 0)::bigint as hour,
        sum(count)::bigint as day, max(last_at) as last_at,
        (array_agg(address order by last_at desc))[1] as address
      from refused_sign_ins where period > now() - interval '1 day 10 minutes'
        and (${name}::text is null or name = ${name}::text)
      group by kind, name
    )
    select refused.*, count(*) over () as names,
      coalesce(reader.id, handheld.id, account.id) as id, coalesce(reader.org_id, api_key.org_id, handheld.org_id) as org_id,
      coalesce(reader.name, api_key.name, handheld.name, account.email) as owner,
      case when organization.held_at is not null then 'leaving'
        when organization.deleted_at is not null then 'deleted'
        when coalesce(api_key.revoked_at, handheld.revoked_at) is not null then 'revoked'
        when coalesce(api_key.expires_at, handheld.expires_at) <= now() then 'expired'
        when account.is_disabled then 'disabled'
        when coalesce(organization.id, account.id) is not null then 'live'
      end as state
    from refused
    left join readers reader on refused.kind like 'reader%' and reader.mqtt_username = refused.name
      and reader.deleted_at is null
    left join api_keys api_key on refused.kind = 'key' and api_key.id = refused.name
    left join handhelds handheld on refused.kind = 'handheld' and handheld.id::text = refused.name
    left join users account on refused.kind = 'user' and account.id::text = refused.name
    left join organizations organization
      on organization.id = coalesce(reader.org_id, api_key.org_id, handheld.org_id)
    where (
        ${orgId}::integer is null or organization.id = ${orgId}::integer
        or exists (select from memberships where user_id = account.id and org_id = ${orgId}::integer)
      )
      and (refused.kind <> 'reader_taken_over' or refused.hour > ${FEW_TAKE_OVERS})
      and (refused.kind <> 'reader_mqtt_5' or reader.last_used_at is null or reader.last_used_at < refused.last_at)
    order by hour desc, day desc, refused.kind, refused.name
    limit ${MOST_NAMED}`);
}
