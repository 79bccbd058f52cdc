import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import type { Explanation } from '../../../domain/tracking/why/explain.ts';
import { locationsNamed, type References } from '../serving/names.ts';

/** What the locations in an explanation are called now, by id; deleted ones too. */
export function locationNames(
  db: OrganizationConnection,
  { stay, rivals, around, saidBefore }: Explanation,
): Promise<References> {
  return locationsNamed(db, [
    stay.locationId,
    ...(rivals ?? []).map(({ scan }) => scan.locationId),
    ...(around ?? []).map(({ locationId }) => locationId),
    ...saidBefore.flatMap(({ locationId }) => locationId ?? []),
  ]);
}
