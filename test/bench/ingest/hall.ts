import { type Mast, Radio } from '../../../simulation/hall.ts';
import { createRandom } from '../../../simulation/random.ts';
import { encodePng } from '../../support/png.ts';
import { ANTENNAS, onServer, readerName, tagValue } from './site.ts';

/** A hall: each antenna hears all assets in it, so many times a second. */
export interface Hall {
  assets: number;
  /** Reads of an asset by one antenna, a second. */
  hertz: number;
}

/** Readers of the site that hang in the hall, by their first antennas: four in a row, each in the middle of a square of 8 m. */
export const MASTS = 12;
const COLUMNS = 4;
const ROWS = 3;
const SQUARE = 8;

/** One asset in so many walks about. */
const WALKERS = 20;

const masts = Array.from(
  { length: MASTS },
  (_, number): Mast => ({
    number,
    height: 1,
    x: ((number % COLUMNS) + 0.5) * SQUARE,
    y: (Math.floor(number / COLUMNS) + 0.5) * SQUARE,
  }),
);

export interface HallTraffic {
  readers: readonly number[];
  messages: number;
  readsPerMessage: number;
  /** Milliseconds since 1970 of the first read. */
  start: number;
  seed: number;
}

/** Messages of the antennas in turn, in order of time. */
export function* hallTraffic(
  hall: Hall,
  { readers, messages, readsPerMessage, start, seed }: HallTraffic,
): Generator<{ reader: number; topic: string; payload: Buffer }> {
  const random = createRandom(seed);
  const radio = new Radio(1);
  const between = 1_000 / hall.hertz / hall.assets;
  for (let sent = 0; sent < messages; sent++) {
    const reader = readers[sent % readers.length] ?? 0;
    const mast = masts[reader];
    if (mast === undefined) {
      throw new RangeError(`reader ${reader} hangs in no hall`);
    }
    const first = Math.floor(sent / readers.length) * readsPerMessage;
    const reads: object[] = [];
    for (let index = first; index < first + readsPerMessage; index++) {
      // Each hears the assets in an order of its own.
      const asset = (index * 7 + reader * 13) % hall.assets;
      const at = start + index * between;
      // A place in the hall is heard everywhere; else as faintly as can be.
      const rssi = radio.read(mast, asset, placeOf(asset, at / 1_000), random) ?? -96;
      reads.push({ value: tagValue(asset), antenna: 1, rssi, observed_at: new Date(at).toISOString() });
    }
    const topic = readerName(reader);
    yield { reader, topic, payload: Buffer.from(JSON.stringify(reads)) };
  }
}

/** The time that `reads` reads of all antennas together span, in milliseconds. */
export function hallSpan({ assets, hertz }: Hall, reads: number): number {
  return (reads / MASTS / assets / hertz) * 1_000;
}

/** In metres; a walker goes round at 1 m/s. */
function placeOf(asset: number, seconds: number): { x: number; y: number } {
  const [width, depth] = [COLUMNS * SQUARE, ROWS * SQUARE];
  const [x, y] = [((asset * 0.618) % 1) * width, ((asset * 0.414) % 1) * depth];
  return asset % WALKERS === 0 ? { x: (x + seconds) % width, y } : { x, y };
}

export type HallProcedure = 'every' | 'strength' | 'position';

export const HALL_PROCEDURES: readonly HallProcedure[] = ['every', 'strength', 'position'];

/** Puts the locations of the antennas into a hall with a plan, and sets what they are decided by. */
export async function makeHall(url: string, procedure: HallProcedure): Promise<void> {
  const side = 32;
  const image = encodePng({
    ...{ width: side, height: side, palette: [[255, 255, 255]] },
    pixels: new Uint8Array(side * side),
  });
  await onServer(url, async (client) => {
    const { rows } = await client.query<{ id: number }>(
      `insert into locations (org_id, external_key, name) values (1, 'HALL', 'Hall') returning id`,
    );
    const hall = rows[0]?.id;
    const locationOf = (mast: Mast) => mast.number * ANTENNAS + 1;
    await client.query('update locations set parent_id = $1 where org_id = 1 and id = any ($2::integer[])', [
      hall,
      masts.map(locationOf),
    ]);
    const plan = await client.query<{ id: number }>(
      `insert into plans (org_id, location_id, name, media_type, width, height, image, sha256, scale_points, scale_metres)
       values (1, $1, 'Hall', 'image/png', $2::integer, $2::integer, $3, sha256($3), '{0,0,1,0}', $2::integer) returning id`,
      [hall, side, image],
    );
    for (const mast of masts) {
      const [left, top] = [mast.x - SQUARE / 2, mast.y - SQUARE / 2];
      const corners = [left, top, left + SQUARE, top, left + SQUARE, top + SQUARE, left, top + SQUARE];
      await client.query(
        'insert into plan_places (org_id, plan_id, location_id, points) values (1, $1, $2, $3)',
        [plan.rows[0]?.id, locationOf(mast), corners.map((metres) => metres / side)],
      );
      await client.query(
        'insert into plan_antennas (org_id, plan_id, reader_id, port, x, y) values (1, $1, $2, 1, $3, $4)',
        [plan.rows[0]?.id, mast.number + 1, mast.x / side, mast.y / side],
      );
    }
    if (procedure !== 'every') {
      await client.query(
        `insert into location_settings (org_id, valid_from, procedure, certainty) values (1, '2000-01-01', $1, 1)`,
        [procedure],
      );
    }
  });
}
