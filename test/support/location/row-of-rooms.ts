import { encodePng } from '../png.ts';
import type { Rows } from '../site.ts';

/** Metres that each room is wide; there are four on a plan. */
export const ROOM = 8;

/** Of the plan, in metres and pixels. */
export const SIDE = 4 * ROOM;

/** Draws rooms side by side, 4 m deep, with the reader's antennas 1 to 3 in the middle of the first three. */
export async function drawRowOfRooms(
  database: Rows,
  {
    orgId,
    hall,
    rooms,
    readerId,
  }: { orgId: number; hall: number; rooms: readonly number[]; readerId: number },
): Promise<void> {
  const image = encodePng({
    ...{ width: SIDE, height: SIDE, palette: [[255, 255, 255]] },
    pixels: new Uint8Array(SIDE * SIDE),
  });
  const [plan] = await database.rows<{ id: number }>(
    `insert into plans (org_id, location_id, name, media_type, width, height, image, sha256, scale_points, scale_metres)
     values ($1, $2, 'Hall', 'image/png', $3::integer, $3::integer, $4, sha256($4), '{0,0,1,0}', $3::integer) returning id`,
    [orgId, hall, SIDE, image],
  );
  for (const [index, room] of rooms.entries()) {
    const [left, right] = [(index * ROOM) / SIDE, ((index + 1) * ROOM) / SIDE];
    await database.rows(
      'insert into plan_places (org_id, plan_id, location_id, points) values ($1, $2, $3, $4)',
      [orgId, plan?.id, room, [left, 0, right, 0, right, 0.125, left, 0.125]],
    );
  }
  for (const port of [1, 2, 3]) {
    await database.rows(
      'insert into plan_antennas (org_id, plan_id, reader_id, port, x, y) values ($1, $2, $3, $4, $5, 0.0625)',
      [orgId, plan?.id, readerId, port, ((port - 0.5) * ROOM) / SIDE],
    );
  }
}
