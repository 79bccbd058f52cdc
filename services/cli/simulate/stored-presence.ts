import { append } from '../../../base/append.ts';
import { MICROS_PER_MILLISECOND } from '../../../base/instant.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { listPresence } from '../../../domain/reports/presence/list-presence.ts';
import type { PresenceAnswer } from '../../../simulation/presence/compare-presence.ts';

/** What the report says of assets with these keys. @param at milliseconds since 1970. */
export async function storedPresence(
  db: OrganizationDatabase,
  keys: ReadonlySet<string>,
  at: number,
): Promise<PresenceAnswer[]> {
  const answers: PresenceAnswer[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { rows, totalCount } = await listPresence(db, at * MICROS_PER_MILLISECOND, {
      ...{ include_not_in_effect: true, include_deleted: false, include_descendants: false },
      ...{ sort: [{ field: 'asset_external_key', isDescending: false }], limit: PAGE, offset },
    });
    append(
      answers,
      rows
        .filter(({ external_key: key }) => keys.has(key))
        .map(({ external_key: asset, presence, readerName: reader }) => ({
          ...{ asset, state: presence.state, reader },
          since: presence.since === null ? null : Math.floor(presence.since / MICROS_PER_MILLISECOND),
        })),
    );
    if (offset + PAGE >= totalCount) {
      return answers;
    }
  }
}

const PAGE = 1_000;
