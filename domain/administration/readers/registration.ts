import { createHash, randomBytes } from 'node:crypto';
import { eachInTurns } from '../../../base/each-in-turns.ts';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Change } from '../../changes/make-change.ts';
import type { Format } from '../../formats/mapping/format.ts';
import { requireIdentity } from '../../formats/mapping/identity.ts';
import type { Policies } from '../../formats/mapping/policies.ts';
import { NO_FORMAT } from '../../formats/no-format.ts';
import { EXPECTED } from '../../presence/expectations.ts';
import { loadFormats } from '../formats/load-formats.ts';
import { FIXED_LEVELS, LIVE_READERS } from '../live-readers.ts';
import { faultOfNewTopic, fixedBeginnings, isWildcard, topicsOverlap } from './topic.ts';

/** @throws AppError `invalid_input`. */
export function requireTopic(topic: string): void {
  const fault = faultOfNewTopic(topic);
  if (fault !== null) {
    throw new AppError('invalid_input', `Topic "${topic}" ${fault}`);
  }
}

/**
 * Topics are one namespace for all organizations. So that nobody takes a topic that others would use, nor finds out by trying
 * which they have, an organization registers topics below one of its own, `org-2/`, where there are others. The command
 * line may register any: there are devices whose topics cannot be chosen. Topics from before stay.
 *
 * @throws AppError `invalid_input`.
 */
export async function requireOwnTopic(change: Change, orgId: number, topic: string): Promise<void> {
  const own = `org-${orgId}`;
  const [first = ''] = topic.split('/', 1);
  if (change.actor.type === 'command_line' || first === own) {
    return;
  }
  if (/^org-\d+$/.test(first) || (await hasOthers(change, orgId))) {
    throw new AppError(
      'invalid_input',
      `Topic "${topic}" must begin with ${own}/, because several organizations share this installation. If the device cannot ` +
        `publish there, ask the operator to register it (${TAGTRAIL} reader create, or reader set)`,
    );
  }
}

async function hasOthers(change: Change, orgId: number): Promise<boolean> {
  const { has_others: hasSome } = await change.one(sql.type(rowsOf<{ has_others: boolean }>())`
    select exists (select from organizations where deleted_at is null and id <> ${orgId}) as has_others`);
  return hasSome;
}

/**
 * @param seconds null to learn it.
 * @throws AppError `invalid_input`.
 */
export function requireExpectation(seconds: number | null): void {
  const { least, most } = EXPECTED;
  if (seconds !== null && !(Number.isInteger(seconds) && seconds >= least && seconds <= most)) {
    throw new AppError(
      'invalid_input',
      `The time within which a reader must send something is ${least} to ${most} seconds, not ${seconds}`,
    );
  }
}

/**
 * Call after {@link lockRegistrations}, which replacing a format also takes.
 *
 * @throws AppError `invalid_input` if the organization has no such format, or it lacks the identity.
 */
export async function requireFormat(
  transaction: Connection,
  builtin: ReadonlyMap<string, Format>,
  { orgId, format, identity }: { orgId: number; format: string; identity: Policies['identity'] | undefined },
): Promise<void> {
  if (format === NO_FORMAT) {
    return;
  }
  const formats = await loadFormats(transaction, builtin, orgId);
  const known = formats.get(format);
  if (known === undefined) {
    throw new AppError(
      'invalid_input',
      `There is no format ${format}; there are ${formats.names.join(', ')}`,
    );
  }
  requireIdentity(known, identity);
}

/**
 * @param reader `id` is null for a new one.
 * @throws AppError `conflict` if another live reader of the organization has the name.
 */
export async function refuseTakenName(
  transaction: Connection,
  { orgId, id, name }: { orgId: number; id: number | null; name: string },
): Promise<void> {
  const { is_taken: isTaken } = await transaction.one(sql.type(rowsOf<{ is_taken: boolean }>())`
    select exists (
      select from readers
      where org_id = ${orgId} and name = ${name} and deleted_at is null and id is distinct from ${id}) as is_taken`);
  if (isTaken) {
    throw new AppError('conflict', `Reader ${name} already exists in organization ${orgId}`);
  }
}

/**
 * Looks only at readers whose topic begins like this one, so that others' number makes no difference.
 *
 * @param reader `id` is null for a new one.
 * @throws AppError `conflict` if another live reader has an overlapping topic; the message names it.
 */
export async function refuseTakenTopic(
  transaction: Connection,
  { id, topic }: { id: number | null; topic: string },
): Promise<void> {
  const beginnings = fixedBeginnings(topic);
  const fixed = beginnings.at(-1) ?? '';
  const [least, limit] = fixed === '' ? ['', LAST_CHARACTER] : [`${fixed}/`, `${fixed}${AFTER_SLASH}`];
  const rows = await transaction.any(sql.type(
    rowsOf<{ org_id: number; id: number; name: string; topic: string }>(),
  )`
    select reader.org_id, reader.id, reader.name, reader.topic
    from ${LIVE_READERS}
    where reader.id is distinct from ${id} and (${FIXED_LEVELS} = any (${sql.array(beginnings, 'text')})
      or ${isWildcard(topic)} and ${FIXED_LEVELS} >= ${least} and ${FIXED_LEVELS} < ${limit})
    order by reader.id`);
  const overlapping = await eachInTurns(rows, (other) => (topicsOverlap(other.topic, topic) ? other : null));
  const other = overlapping.find((each) => each !== null);
  if (other !== undefined) {
    throw new TopicTaken(topic, other);
  }
}

const AFTER_SLASH = '0';
const LAST_CHARACTER = '\u{10FFFF}';

/** The message names the other reader, which may be another organization's. */
export class TopicTaken extends AppError {
  readonly topic: string;
  /** The other reader's. */
  readonly orgId: number;

  constructor(topic: string, other: { org_id: number; id: number; name: string; topic: string }) {
    super(
      'conflict',
      `Topic ${topic} overlaps with ${other.topic} of reader ${other.id} (${other.name}) of organization ${other.org_id}`,
    );
    this.topic = topic;
    this.orgId = other.org_id;
  }
}

/**
 * 192 random bits. A leading hyphen is avoided: command lines such as `mqtt pub` would take it for an option.
 */
export function makePassword(): string {
  for (;;) {
    const password = randomBytes(24).toString('base64url');
    if (!password.startsWith('-')) {
      return password;
    }
  }
}

/** SHA-256, the stored form. */
export function digestOfPassword(password: string): Buffer {
  return createHash('sha256').update(password).digest();
}
