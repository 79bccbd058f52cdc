import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import type { KnownFormats } from '../../../domain/administration/formats/load-formats.ts';
import { type Replay, replay } from '../../../domain/messages/replay.ts';
import type { ConsoleContext } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { loadFormatsOf } from './registered.ts';

export type ReplayOne = (id: number, how: { isOnlyOnce: boolean }) => Promise<Replay | null>;

/**
 * Replays messages of the organization, each in a turn and a transaction of its own: others of the organization get
 * theirs between two.
 *
 * @param name of the format to read them by; undefined for their readers'.
 * @throws Invalid if there is no such format.
 */
export async function startReplaying(
  context: ConsoleContext,
  requestId: string,
  name: string | undefined,
): Promise<ReplayOne> {
  const formats = await loadFormatsOf(context);
  const format = name === undefined ? undefined : (formats.get(name) ?? noSuchFormat(formats));
  const { insight, dating } = context.parts;
  const actor = actorOfUser(context.session, requestId);
  return (id, { isOnlyOnce }) =>
    insight.run(context.db.orgId, (pool) =>
      replay({ pool, actor, formats, ...dating, onMoves: insight.onMoves }, id, { isOnlyOnce, format }),
    );
}

/** @throws Invalid naming the formats that there are. */
export function noSuchFormat(formats: KnownFormats): never {
  throw invalid([invalidValue('format', `must be one of ${[...formats.names].sort().join(', ')}`)]);
}
