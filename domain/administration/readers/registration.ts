import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '../../../base/errors.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import type { Format } from '../../formats/mapping/format.ts';
import { requireIdentity } from '../../formats/mapping/identity.ts';
import type { Policies } from '../../formats/mapping/policies.ts';
import { loadFormats } from '../formats/load-formats.ts';
import { faultOfTopicFilter, topicsOverlap } from './topic.ts';

/** What every registration of a reader must keep to, new or changed. */

/** Registrations go one at a time until the transaction ends, so that of two that collide one sees the other. */
export async function lockRegistrations(client: Client): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.registration]);
}

/** @throws AppError `invalid_input`. */
export function requireTopic(topic: string): void {
  const fault = faultOfTopicFilter(topic);
  if (fault !== null) {
    throw new AppError('invalid_input', `Topic "${topic}" ${fault}`);
  }
}

/**
 * To be asked behind {@link lockRegistrations}, which what replaces a format takes too.
 *
 * @throws AppError `invalid_input` if there is no such format, or it does not know the identity.
 */
export async function requireFormat(
  client: Client,
  builtin: ReadonlyMap<string, Format>,
  { format, identity }: { format: string; identity: Policies['identity'] | undefined },
): Promise<void> {
  const formats = await loadFormats(client, builtin, () => {});
  const known = formats.get(format);
  if (known === undefined) {
    throw new AppError(
      'invalid_input',
      `There is no format ${format}; there are ${[...formats.keys()].join(', ')}`,
    );
  }
  requireIdentity(known, identity);
}

/**
 * @param reader `id` is its own, null for a new one.
 * @throws AppError `conflict` if another live reader has the name, or a topic that overlaps, naming that one.
 */
export async function refuseTaken(
  client: Client,
  { orgId, id, name, topic }: { orgId: number; id: number | null; name: string; topic: string },
): Promise<void> {
  const { rows } = await client.query<{ org_id: number; id: number; name: string; topic: string }>(
    `select reader.org_id, reader.id, reader.name, reader.topic
     from readers reader join organizations organization on organization.id = reader.org_id
     where reader.deleted_at is null and organization.deleted_at is null and reader.id is distinct from $1`,
    [id],
  );
  if (rows.some((other) => other.org_id === orgId && other.name === name)) {
    throw new AppError('conflict', `Reader ${name} already exists in organization ${orgId}`);
  }
  const other = rows.find((each) => topicsOverlap(each.topic, topic));
  if (other !== undefined) {
    throw new AppError(
      'conflict',
      `Topic ${topic} overlaps with ${other.topic} of reader ${other.id} (${other.name}) of organization ${other.org_id}`,
    );
  }
}

/** A password of 192 random bits. With a hyphen in front, command lines such as that of `mqtt pub` would take it for options. */
export function makePassword(): string {
  for (;;) {
    const password = randomBytes(24).toString('base64url');
    if (!password.startsWith('-')) {
      return password;
    }
  }
}

/** What is stored of a password. */
export function digestOfPassword(password: string): Buffer {
  return createHash('sha256').update(password).digest();
}
