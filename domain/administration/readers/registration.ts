import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '../../../base/errors.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Format } from '../../formats/mapping/format.ts';
import { requireIdentity } from '../../formats/mapping/identity.ts';
import type { Policies } from '../../formats/mapping/policies.ts';
import { loadFormats } from '../formats/load-formats.ts';
import { LIVE_READERS } from '../live-readers.ts';
import { faultOfTopicFilter, topicsOverlap } from './topic.ts';

/** What every registration of a reader must keep to, new or changed. */

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
  transaction: Connection,
  builtin: ReadonlyMap<string, Format>,
  { format, identity }: { format: string; identity: Policies['identity'] | undefined },
): Promise<void> {
  const formats = await loadFormats(transaction, builtin, () => {});
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
  transaction: Connection,
  { orgId, id, name, topic }: { orgId: number; id: number | null; name: string; topic: string },
): Promise<void> {
  const rows = await transaction.any(sql.type(
    rowsOf<{ org_id: number; id: number; name: string; topic: string }>(),
  )`
    select reader.org_id, reader.id, reader.name, reader.topic
    from ${LIVE_READERS} where reader.id is distinct from ${id}`);
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
