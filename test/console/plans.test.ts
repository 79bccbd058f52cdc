import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { examineOrganization } from '../../domain/health/examine.ts';
import { findPhoto, readPhoto, type StoredPhoto } from '../../domain/master-data/plans/asset-photo.ts';
import { useConsole } from '../support/console.ts';
import { encodePng } from '../support/png.ts';
import { openDoor } from '../support/recorded-past.ts';
import { aRead, record } from '../support/recording.ts';
import { Site } from '../support/site.ts';
import { untilWaiting } from '../support/until-waiting.ts';

const PNG = encodePng({ width: 4, height: 3, palette: [[255, 255, 255]], pixels: new Uint8Array(12) });

/** A PNG of about `size` bytes, in which the same bytes never come again. */
function largePng(size: number): Buffer {
  const [width, height] = [1_024, Math.floor(size / 1_024)];
  const palette = Array.from({ length: 256 }, (_, grey) => [grey, grey, grey] as const);
  return encodePng({ width, height, palette, pixels: randomBytes(width * height) });
}

describe('plans', () => {
  const suite = useConsole();
  const { call, database } = suite;
  let site: Site;
  let token: string;
  let dock: number;
  let yard: number;
  const add = (body: Uint8Array, query = 'name=Ground%20floor', type = 'image/png') =>
    call({ method: 'POST', path: `/plans?${query}`, body, token, headers: { 'Content-Type': type } });
  const put = (id: number, json: object) => call({ method: 'PATCH', path: `/plans/${id}`, json, token });
  const get = (path: string, headers: Record<string, string> = {}) => call({ path, token, headers });
  const bytesOf = async (id: number) => {
    const response = await fetch(`${suite.url}/console/v1/plans/${id}/image?organization=${site.orgId}`, {
      headers: { Cookie: `tagtrail_session=${token}` },
    });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  before(async () => {
    site = await Site.create(database, 'Planned');
    token = await suite.as('operator', site.orgId);
    dock = await site.location('DOCK');
    yard = await site.location('YARD');
  });

  it('are added, read, changed and deleted, and the change log says so', async () => {
    const created = await add(PNG, `name=Ground%20floor&location_id=${yard}`);
    expect(created.status, created.text).to.equal(201);
    const { id, updated_at: updatedAt, ...plan } = created.body.data;
    const location = { id: yard, external_key: 'YARD', name: 'YARD' };
    expect(plan).to.deep.equal({
      ...{ name: 'Ground floor', media_type: 'image/png', width: 4, height: 3, size: PNG.length, version: 1 },
      ...{ place_count: 0, scale: null, location, digest: createHash('sha256').update(PNG).digest('hex') },
    });
    expect(updatedAt).to.match(/Z$/);
    const places = [
      { location_id: dock, points: [[0.25, 0.5]] },
      {
        location_id: yard,
        points: [
          [0, 0],
          [1, 0],
          [1, 1],
        ],
      },
    ];
    const pinned = await put(id, { version: 1, places });
    expect([pinned.status, pinned.body.data.version]).to.deep.equal([200, 2]);
    expect((await get(`/plans/${id}`)).body.data.places).to.deep.equal(places);
    expect((await put(id, { version: 2, places })).body.data.version, 'the same again').to.equal(2);
    const renamed = await put(id, { name: 'First floor', location_id: null });
    expect([renamed.body.data.name, renamed.body.data.location]).to.deep.equal(['First floor', null]);
    expect((await get('/plans')).body.data.map((row: { id: number }) => row.id)).to.deep.equal([id]);
    expect((await call({ method: 'DELETE', path: `/plans/${id}`, token })).status).to.equal(204);
    expect((await get(`/plans/${id}`)).status).to.equal(404);
    const logged = await database.rows(
      `select action, actor_type, before ->> 'name' as before, after ->> 'name' as after,
         after -> 'places' -> 0 ->> 'location_id' as first
       from changes where org_id = $1 and resource_type = 'plan' order by id`,
      [site.orgId],
    );
    expect(logged.map((row) => Object.values(row))).to.deep.equal([
      ['create', 'user', null, 'Ground floor', null],
      ['update', 'user', null, null, String(dock)],
      ['update', 'user', 'Ground floor', 'First floor', null],
      ['delete', 'user', 'First floor', null, null],
    ]);
    const left = await database.rows('select from plan_places where org_id = $1', [site.orgId]);
    expect(left).to.deep.equal([]);
  });

  it('answer the image byte for byte, as what it is, and not again to whom has it', async () => {
    const image = largePng(4_500_000);
    const { id } = (await add(image, 'name=Large', 'image/jpeg')).body.data;
    const { response, bytes } = await bytesOf(id);
    expect(bytes.equals(image)).to.equal(true);
    const header = (name: string) => response.headers.get(name);
    expect(header('content-type')).to.equal('image/png');
    expect(header('content-length')).to.equal(String(image.length));
    expect(header('x-content-type-options')).to.equal('nosniff');
    expect(header('cache-control')).to.equal('private, no-cache');
    expect(header('content-security-policy')).to.include('sandbox');
    const etag = header('etag') ?? '';
    const again = await get(`/plans/${id}/image`, { 'If-None-Match': etag });
    expect([again.status, again.text]).to.deep.equal([304, '']);
    expect((await get(`/plans/${id}/image`, { 'If-None-Match': '"other"' })).status).to.equal(200);
    const head = await call({ method: 'HEAD', path: `/plans/${id}/image`, token });
    expect([head.status, head.headers.get('content-length'), head.text]).to.deep.equal([
      200,
      String(image.length),
      '',
    ]);
    await call({ method: 'DELETE', path: `/plans/${id}`, token });
  });

  it('show their images to members of the organization only', async () => {
    const { id } = (await add(PNG)).body.data;
    const path = `/plans/${id}/image`;
    const stranger = await suite.as('admin');
    expect((await call({ path, token: null })).status).to.equal(401);
    expect((await call({ path, token: stranger })).status).to.equal(404);
    expect((await call({ path: `${path}?organization=${site.orgId}`, token: stranger })).status).to.equal(
      403,
    );
    expect((await call({ path, token: await suite.as('viewer', site.orgId) })).status).to.equal(200);
  });

  it('take no file for an image because of its name or type', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    for (const [body, type] of [
      [svg, 'image/svg+xml'],
      [svg, 'image/png'],
      ['<!doctype html><script>alert(1)</script>', 'image/png'],
      [PNG.subarray(0, -5), 'image/png'],
    ] as const) {
      const { status, body: answer } = await add(Buffer.from(body), 'name=x', type);
      expect([status, answer.error.type], String(body).slice(0, 20)).to.deep.equal([400, 'validation_error']);
      expect(answer.error.fields[0].field).to.equal('image');
    }
    const typed = await add(PNG, 'name=x', 'text/html');
    expect([typed.status, typed.body.error.type]).to.deep.equal([415, 'unsupported_media_type']);
    const large = await add(Buffer.alloc(5 * 1_048_576 + 1), 'name=x');
    expect([large.status, large.body.error.type]).to.deep.equal([413, 'payload_too_large']);
    expect((await add(PNG, 'name=')).status).to.equal(400);
    expect((await add(PNG, 'name=x&location_id=999999')).body.error.fields[0].code).to.equal('fk_not_found');
  });

  it('let none of two who edit at once overwrite the other', async () => {
    const { id } = (await add(PNG)).body.data;
    const pin = (x: number) => ({ version: 1, places: [{ location_id: dock, points: [[x, 0.5]] }] });
    const answers = await Promise.all([put(id, pin(0.25)), put(id, pin(0.75))]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    const won = answers.find(({ status }) => status === 200)?.body.data.places;
    const lost = answers.find(({ status }) => status === 409)?.body.error;
    expect(lost.detail).to.include('changed by somebody else');
    expect((await get(`/plans/${id}`)).body.data.places).to.deep.equal(won);
    const blind = await put(id, { places: [] });
    expect([blind.status, blind.body.error.fields[0]?.field]).to.deep.equal([400, 'version']);
  });

  it('hold only places that are there, on the plan, once', async () => {
    const { id } = (await add(PNG)).body.data;
    const wrong: [object[], string][] = [
      [[{ location_id: 999_999, points: [[0, 0]] }], 'places[0].location_id'],
      [[{ location_id: dock, points: [[1.01, 0]] }], 'places[0].points'],
      [[{ location_id: dock, points: [[0, -0.1]] }], 'places[0].points'],
      [[{ location_id: dock, points: [] }], 'places[0].points'],
      [
        [
          {
            location_id: dock,
            points: [
              [0, 0],
              [1, 1],
            ],
          },
        ],
        'places[0].points',
      ],
      ...[
        [
          [0.1, 0.1],
          [0.2, 0.2],
          [0.9, 0.9],
        ],
        [
          [0, 0],
          [1, 1],
          [1, 0],
          [0, 1],
        ],
      ].map((points): [object[], string] => [[{ location_id: dock, points }], 'places[0].points']),
      [
        [
          { location_id: dock, points: [[0, 0]] },
          { location_id: dock, points: [[0, 1]] },
        ],
        'places[1].location_id',
      ],
    ];
    for (const [places, field] of wrong) {
      const { status, body } = await put(id, { version: 1, places });
      expect([status, body.error.fields?.[0]?.field], JSON.stringify(places)).to.deep.equal([400, field]);
    }
    const many = Array.from({ length: 2_001 }, (_, n) => ({ location_id: n + 1, points: [[0, 0]] }));
    expect((await put(id, { version: 1, places: many })).body.error.fields[0].code).to.equal('too_long');
    expect((await put(id, { version: 1, places: [{ location_id: dock }] })).body.error.type).to.equal(
      'bad_request',
    );
  });

  it('lose a place that is deleted, and who still had it on the plan is told', async () => {
    const shed = await site.location('SHED');
    const { id } = (await add(PNG, `name=Shed&location_id=${shed}`)).body.data;
    const places = [shed, dock].map((location) => ({ location_id: location, points: [[0.5, 0.5]] }));
    expect((await put(id, { version: 1, places })).status).to.equal(200);
    expect((await call({ method: 'DELETE', path: `/locations/${shed}`, token })).status).to.equal(204);
    const { data } = (await get(`/plans/${id}`)).body;
    expect([data.location, data.places, data.version]).to.deep.equal([null, [places[1]], 3]);
    expect((await put(id, { version: 2, places })).body.error.type).to.equal('validation_error');
    expect((await put(id, { version: 2, places: [places[1]] })).status).to.equal(409);
  });

  describe('with a scale', () => {
    const LARGE = encodePng({
      ...{ width: 400, height: 200, palette: [[255, 255, 255]] },
      pixels: new Uint8Array(80_000),
    });
    /** Half of the image's width: 40 m by 20 m in all. */
    const scale = {
      points: [
        [0, 0.5],
        [0.5, 0.5],
      ],
      metres: 20,
    };
    let hall: number;
    let shelf: number;
    let reader: number;
    let id: number;
    const versionOf = async (plan: number) => (await get(`/plans/${plan}`)).body.data.version;
    const set = async (json: object, plan = id) => put(plan, { version: await versionOf(plan), ...json });
    const faultOf = ({ status, body }: Awaited<ReturnType<typeof set>>) => [
      status,
      body.error?.fields?.[0]?.field,
    ];
    const pin = (port: number, readerId = reader) => ({ reader_id: readerId, port, point: [0.25, 0.75] });
    const insertPosition = (assetId: number, location: number, [x, y, radius]: number[], since = '10 s') =>
      database.rows(
        `insert into positions (org_id, asset_id, location_id, since, last_seen, is_in_feed,
           position_plan_location_id, position_x, position_y, position_radius, position_observed_at)
         values ($1, $2, $3, now() - $8::interval, now(), true, $4, $5, $6, $7, now() - interval '5 s')`,
        [site.orgId, assetId, location, hall, x, y, radius, since],
      );

    before(async () => {
      hall = await site.location('HALL');
      shelf = await site.location('SHELF', hall);
      reader = await site.reader('Scaled', [hall, shelf]);
      id = (await add(LARGE, `name=Hall&location_id=${hall}`)).body.data.id;
    });

    it('say how large they are and where antennas hang, and the change log says so', async () => {
      const first = await set({ scale, antennas: [pin(2), pin(1)] });
      expect(first.status, first.text).to.equal(200);
      const { data } = (await get(`/plans/${id}`)).body;
      expect(data.scale).to.deep.equal({ ...scale, width_m: 40, height_m: 20 });
      const reader = { reader_name: 'Scaled', antenna_name: null };
      expect(data.antennas).to.deep.equal([1, 2].map((port) => ({ ...pin(port), ...reader })));
      const same = await set({ scale, antennas: [pin(1), pin(2)] });
      expect(same.body.data.version, 'the same again').to.equal(data.version);
      expect((await set({ antennas: [] })).body.data.antennas).to.deep.equal([]);
      const off = await set({ scale: null });
      expect([off.status, off.body.data.scale]).to.deep.equal([200, null]);
      const logged = await database.rows<{ before: string; after: string }>(
        `select before, after from changes
         where org_id = $1 and resource_type = 'plan' and resource_id = $2 and action = 'update' order by id`,
        [site.orgId, String(id)],
      );
      const named = { name: 'Hall', location_external_key: 'HALL' };
      expect(logged.map(({ before, after }) => [JSON.parse(before), JSON.parse(after)])).to.deep.equal([
        [
          { ...named, scale: null, antennas: [] },
          { ...named, scale, antennas: [pin(1), pin(2)] },
        ],
        [{ antennas: [pin(1), pin(2)] }, { antennas: [] }],
        [
          { ...named, scale },
          { ...named, scale: null },
        ],
      ]);
    });

    it('refuse a scale that cannot be, and say how to mend it', async () => {
      const at = (points: number[][], metres = 20) => set({ scale: { points, metres } });
      const near = await at([
        [0.5, 0.5],
        [0.51, 0.5],
      ]);
      expect(faultOf(near)).to.deep.equal([400, 'scale.points']);
      expect(near.body.error.detail).to.include('at least 10 pixels');
      expect(faultOf(await at([[0.5, 0.5]]))).to.deep.equal([400, 'scale.points']);
      expect(
        faultOf(
          await at([
            [0, 0],
            [1.1, 0],
          ]),
        ),
      ).to.deep.equal([400, 'scale.points']);
      for (const metres of [0, -1, 1e-9, 0.09, 10_001]) {
        expect(faultOf(await at(scale.points, metres)), String(metres)).to.deep.equal([400, 'scale.metres']);
      }
      expect((await set({ scale: { ...scale, feet: 1 } })).body.error.type).to.equal('bad_request');
      expect(faultOf(await put(id, { scale }))).to.deep.equal([400, 'version']);
      const ofNothing = (await add(LARGE, 'name=Unbound')).body.data.id;
      const unbound = await set({ scale }, ofNothing);
      expect(faultOf(unbound)).to.deep.equal([400, 'scale']);
      expect(unbound.body.error.detail).to.include('of a location');
    });

    it('refuse places that span more than can be decided on', async () => {
      const places = [
        {
          location_id: hall,
          points: [
            [0, 0],
            [1, 0],
            [1, 1],
          ],
        },
      ];
      const { status } = await set({ places, scale });
      expect(status).to.equal(200);
      const wide = await set({ scale: { ...scale, metres: 2_000 } });
      expect(faultOf(wide)).to.deep.equal([400, 'scale']);
      expect(wide.body.error.detail).to.include('4000 m x 2000 m');
    });

    it('refuse places without a width that are too long, or with too many corners and overlaps', async () => {
      /** A comb, whose teeth are so wide. */
      const comb = (width: number) => [
        ...Array.from({ length: 98 }, (_, index) => [index * width, index % 2 === 0 ? 0.1 : 1]),
        [98 * width, 0],
        [0, 0],
      ];
      const near = {
        points: [
          [0, 0],
          [0.025, 0],
        ],
        metres: 10_000,
      };
      const long = await set({ places: [{ location_id: hall, points: comb(0.00001) }], scale: near });
      expect(faultOf(long)).to.deep.equal([400, 'scale']);
      expect(long.body.error.detail).to.include('check the distance');
      const many: number[] = [];
      while (many.length < 60) {
        many.push(await site.location(`CORNER-${many.length}`, hall));
      }
      const places = many.map((location_id) => ({ location_id, points: comb(0.01) }));
      const intricate = await set({ places, scale: { ...scale, metres: 140 } });
      expect(faultOf(intricate)).to.deep.equal([400, 'scale']);
      expect(intricate.body.error.detail).to.include('fewer corners');
      expect((await set({ places: places.slice(0, 10), scale: { ...scale, metres: 100 } })).status).to.equal(
        200,
      );
      expect((await set({ places: [], scale: null })).status).to.equal(200);
    });

    it('are one for each location, also if two get a scale at once', async () => {
      expect((await set({ scale })).status).to.equal(200);
      const other = (await add(LARGE, `name=Other&location_id=${hall}`)).body.data.id;
      const refused = await set({ scale }, other);
      expect(refused.status).to.equal(409);
      expect(refused.body.error.detail).to.include('"Hall"');
      const [one, two] = [await add(LARGE, `name=1&location_id=${shelf}`), await add(LARGE, 'name=2')];
      const moved = two.body.data.id;
      await put(moved, { location_id: shelf });
      const answers = await Promise.all([one.body.data.id, moved].map((plan) => set({ scale }, plan)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
      const won = answers[0]?.status === 200 ? one.body.data.id : moved;
      expect((await put(won, { location_id: hall })).status, 'moved to one that has one').to.equal(409);
    });

    it('hold antennas of readers that are there, once', async () => {
      const others = await Site.create(database, 'Others');
      const foreign = await others.reader('Foreign', [null]);
      const deleted = await site.reader('Gone', [null]);
      expect((await set({ antennas: [pin(1), pin(1, deleted)] })).status).to.equal(200);
      await database.rows('update readers set deleted_at = now() where id = $1', [deleted]);
      expect((await get(`/plans/${id}`)).body.data.antennas).to.have.lengthOf(1);
      const wrong: [object[], string][] = [
        [[pin(1, foreign)], 'antennas[0].reader_id'],
        [[pin(1), pin(1, deleted)], 'antennas[1].reader_id'],
        [[pin(3)], 'antennas[0].port'],
        [[pin(1), pin(1)], 'antennas[1].port'],
        [[{ ...pin(1), point: [0, 1.1] }], 'antennas[0].point'],
        [[pin(0)], 'antennas[0].port'],
        [[pin(1, 0)], 'antennas[0].reader_id'],
        [Array.from({ length: 201 }, (_, n) => pin(n + 1)), 'antennas'],
      ];
      for (const [antennas, field] of wrong) {
        expect(faultOf(await set({ antennas })), JSON.stringify(antennas).slice(0, 80)).to.deep.equal([
          400,
          field,
        ]);
      }
      expect((await set({ antennas: [{ reader_id: reader, port: 1 }] })).body.error.type).to.equal(
        'bad_request',
      );
    });

    it('tell where on them assets are, until they leave', async () => {
      const [here, gone, deleted] = [
        await site.asset('HERE', 'A1'),
        await site.asset('GONE'),
        await site.asset('DEL'),
      ];
      await insertPosition(here, shelf, [12.346, 7.004, 2.996]);
      await insertPosition(gone, yard, [1, 1, 1], '1 s');
      await insertPosition(deleted, shelf, [1, 1, 1]);
      expect((await call({ method: 'DELETE', path: `/assets/${deleted}`, token })).status).to.equal(204);
      const { data } = (await get(`/plans/${id}/positions`)).body;
      const [{ observed_at: observedAt, ...dot }, ...others] = data.dots;
      expect([dot, others, data.is_cut]).to.deep.equal([
        { asset: { id: here, external_key: 'HERE', name: 'HERE' }, x: 12.35, y: 7, radius_m: 3 },
        [],
        false,
      ]);
      expect(Date.now() - Date.parse(observedAt)).to.be.within(4_000, 600_000);
      const stranger = await suite.as('viewer');
      expect((await call({ path: `/plans/${id}/positions`, token: stranger })).status).to.equal(404);
      await set({ scale: null });
      expect((await get(`/plans/${id}/positions`)).body.data.dots, 'without a scale').to.deep.equal([]);
    });

    it('tell where the recorder puts an asset that antennas on the plan hear', async () => {
      const room = await site.location('ROOM');
      const [west, east] = [await site.location('WEST', room), await site.location('EAST', room)];
      const gateway = await site.reader('Gateway', [west, west, east, east]);
      const walked = await site.asset('WALKED', 'C1');
      const plan = (await add(LARGE, `name=Room&location_id=${room}`)).body.data.id;
      const half = (left: number) => [
        [left, 0],
        [left + 0.5, 0],
        [left + 0.5, 1],
        [left, 1],
      ];
      const corners = [
        [0.1, 0.1],
        [0.1, 0.9],
        [0.9, 0.1],
        [0.9, 0.9],
      ];
      const drawn = await set(
        {
          scale,
          places: [
            { location_id: west, points: half(0) },
            { location_id: east, points: half(0.5) },
          ],
          antennas: corners.map((point, index) => ({ reader_id: gateway, port: index + 1, point })),
        },
        plan,
      );
      expect(drawn.status, drawn.text).to.equal(200);
      await database.rows(
        `insert into location_settings (org_id, location_id, valid_from, procedure, certainty)
         values ($1, $2, '2000-01-01', 'position', 1)`,
        [site.orgId, room],
      );
      // As it is heard 6 m from the left and 10 m from the top, in free space.
      const begun = (Date.now() - 60_000) * 1_000;
      const heard = corners.flatMap(([x = 0, y = 0], index) => {
        const distance = Math.hypot(x * 40 - 6, y * 20 - 10, 1);
        return Array.from({ length: 10 }, (_, n) =>
          aRead({
            ...{ orgId: site.orgId, readerId: gateway, antenna: index + 1, value: 'C1' },
            ...{ locationId: index < 2 ? west : east, at: begun + n * 400_000 + index * 1_000 },
            rssi: -55 - 20 * Math.log10(Math.max(1, distance)),
          }),
        );
      });
      await record(database, heard);
      const [dot] = (await get(`/plans/${plan}/positions`)).body.data.dots;
      expect(dot.asset.id).to.equal(walked);
      expect([dot.x, dot.y][0]).to.be.closeTo(6, 4);
      expect([dot.x, dot.y][1]).to.be.closeTo(10, 4);
      const asset = (await get(`/assets/${walked}`)).body.data;
      const { asset: _, ...position } = dot;
      expect(asset.location_external_key).to.equal('WEST');
      expect(asset.position).to.deep.equal({ plan_location_id: room, ...position });
    });

    it('keep what position needs where it is set, unless it is said that strength shall decide', async () => {
      const bay = await site.location('BAY');
      const plan = (await add(LARGE, `name=Bay&location_id=${bay}`)).body.data.id;
      const antennas = [pin(3, await site.reader('Bay', [bay, bay, bay]))];
      const places = [{ location_id: bay, points: [[0.5, 0.5]] }];
      const decide = async () =>
        (
          await call({
            ...{ method: 'POST', path: '/locating', token: await suite.as('admin', site.orgId) },
            json: { location_external_key: 'BAY', procedure: 'position' },
          })
        ).body.data;
      const lacking = async () =>
        (await get('/locating')).body.data.flatMap(
          (made: { location: { id: number } | null; position_lacks: string | null }) =>
            made.location?.id === bay ? [made.position_lacks] : [],
        );
      expect((await set({ scale }, plan)).status).to.equal(200);
      expect((await decide()).position_lacks).to.equal('outlines');
      expect((await set({ places }, plan)).status).to.equal(200);
      expect(await lacking()).to.deep.equal(['antennas']);
      expect((await set({ antennas }, plan)).status).to.equal(200);
      expect(await lacking()).to.deep.equal([null]);
      for (const [change, lack] of [
        [{ scale: null }, 'a scale on its plan'],
        [{ antennas: [] }, 'antennas on its plan'],
        [{ places: [] }, 'places on its plan'],
        [{ scale: null, location_id: null }, 'a plan'],
      ] as const) {
        const refused = await set(change, plan);
        expect(faultOf(refused)).to.deep.equal([400, 'without_position']);
        expect(refused.body.error.detail).to.include(`BAY is decided by position and would lack ${lack}, so`);
      }
      const deleting = (query = '') => call({ method: 'DELETE', path: `/plans/${plan}${query}`, token });
      expect(faultOf(await deleting())).to.deep.equal([400, 'without_position']);
      expect(await lacking()).to.deep.equal([null]);
      const findings = async () =>
        (await examineOrganization(database.pool, site.orgId)).map(({ message }) => message);
      expect((await set({ scale: null, without_position: true }, plan)).status).to.equal(200);
      expect(await lacking()).to.deep.equal(['scale']);
      expect((await findings()).join()).to.include(
        'BAY is set to be decided by position and lacks a scale on its plan, so strength decides',
      );
      expect((await deleting('?without_position=true')).status).to.equal(204);
      expect(await lacking()).to.deep.equal(['plan']);
    });

    it('go with all that is pinned on them', async () => {
      expect((await call({ method: 'DELETE', path: `/plans/${id}`, token })).status).to.equal(204);
      const left = await database.rows('select from plan_antennas where plan_id = $1', [id]);
      expect(left).to.deep.equal([]);
    });
  });

  it('are no more than 200 of an organization, also if several are added at once', async () => {
    const full = await Site.create(database, 'Full');
    const operator = await suite.as('operator', full.orgId);
    await database.rows(
      `insert into plans (org_id, name, media_type, width, height, image, sha256)
       select $1, 'Plan ' || n, 'image/png', 1, 1, '\\x00', sha256('x') from generate_series(1, 199) n`,
      [full.orgId],
    );
    const answers = await Promise.all(
      [1, 2, 3].map((n) =>
        call({
          ...{ method: 'POST', path: `/plans?name=${n}`, body: PNG, token: operator },
          headers: { 'Content-Type': 'image/png' },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409]);
  });
});

describe('photos of assets, and notes on them', () => {
  const suite = useConsole();
  const { call, database } = suite;
  let site: Site;
  let token: string;
  let asset: number;
  const add = (body: Uint8Array, type = 'image/png', id = asset) =>
    call({ method: 'POST', path: `/photos?asset_id=${id}`, body, token, headers: { 'Content-Type': type } });

  before(async () => {
    site = await Site.create(database, 'Photographed');
    token = await suite.as('operator', site.orgId);
    asset = await site.asset('PALLET');
  });

  it('are set, replaced, read byte for byte and removed, and the change log says so', async () => {
    expect((await add(PNG)).status).to.equal(200);
    const other = largePng(3_000_000);
    const { data } = (await add(other, 'image/jpeg')).body;
    expect(data).to.include({ asset_id: asset, media_type: 'image/png', size: other.length });
    expect(
      (await call({ path: `/photos?asset_id=${asset}&asset_id=${asset + 1}`, token })).body.data,
    ).to.deep.equal([data]);
    const response = await fetch(`${suite.url}/console/v1/photos/${asset}?organization=${site.orgId}`, {
      headers: { Cookie: `tagtrail_session=${token}` },
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(other)).to.equal(true);
    expect(response.headers.get('content-type')).to.equal('image/png');
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(response.headers.get('content-security-policy')).to.include('sandbox');
    expect((await call({ method: 'DELETE', path: `/photos/${asset}`, token })).status).to.equal(204);
    expect((await call({ path: `/photos/${asset}`, token })).status).to.equal(404);
    expect(
      (
        await call({
          method: 'POST',
          path: `/assets/${asset}/notes`,
          json: { note: 'Bent.\nMended.' },
          token,
        })
      ).status,
    ).to.equal(204);
    const { body } = await call({ path: `/changes?resource_type=asset&resource_id=${asset}`, token });
    const logged = body.data as { action: string; before: Logged; after: Logged }[];
    expect(
      logged.map(({ action, before, after }) => [
        action,
        before?.photo?.size,
        after?.photo?.size ?? after?.note,
      ]),
    ).to.deep.equal([
      ['note', undefined, 'Bent.\nMended.'],
      ['set_photo', other.length, undefined],
      ['set_photo', PNG.length, other.length],
      ['set_photo', undefined, PNG.length],
    ]);
    const notes = await call({
      path: `/changes?resource_type=asset&resource_id=${asset}&action=note`,
      token,
    });
    expect(notes.body.data).to.have.length(1);
  });

  it('take no file for an image because of its name or type, nor more bytes than an organization may have', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    expect((await add(svg)).body.error.fields[0].field).to.equal('image');
    expect((await add(PNG, 'text/html')).status).to.equal(415);
    expect((await add(PNG, 'image/png', asset + 1_000)).status).to.equal(404);
    const long = await call({
      method: 'POST',
      path: `/assets/${asset}/notes`,
      json: { note: 'x'.repeat(2_001) },
      token,
    });
    expect(long.body.error.fields[0]).to.include({ field: 'note', code: 'too_long' });
  });

  it('are those of members of the organization', async () => {
    await add(PNG);
    const stranger = await suite.as('admin');
    expect((await call({ path: `/photos/${asset}`, token: stranger })).status).to.equal(404);
    expect((await call({ path: `/photos?asset_id=${asset}`, token: stranger })).body.data).to.deep.equal([]);
    const viewer = await suite.as('viewer', site.orgId);
    expect((await call({ path: `/photos/${asset}`, token: viewer })).status).to.equal(200);
    expect((await call({ method: 'DELETE', path: `/photos/${asset}`, token: viewer })).status).to.equal(403);
  });

  it('are never sent in pieces of two images', async () => {
    await add(largePng(400_000));
    const db = openDoor(database).of(site.orgId);
    const pieces = readPhoto(db, (await findPhoto(db, asset)) as StoredPhoto);
    expect((await pieces.next()).value).to.have.length(131_072);
    await add(largePng(500_000));
    expect(await pieces.next().catch((error: unknown) => error)).to.include({ code: 'not_found' });
  });

  it('are logged as they were when they were removed, though they were replaced meanwhile', async () => {
    await add(PNG);
    const replacing = await database.pool.connect();
    await replacing.query('begin');
    await replacing.query(
      `update asset_photos set image = image || '\\x00', sha256 = sha256(image || '\\x00') where asset_id = $1`,
      [asset],
    );
    const removing = call({ method: 'DELETE', path: `/photos/${asset}`, token });
    await untilWaiting(database, 1);
    await replacing.query('commit');
    replacing.release();
    expect((await removing).status).to.equal(204);
    const { body } = await call({ path: `/changes?resource_type=asset&resource_id=${asset}`, token });
    expect(body.data[0].before.photo).to.include({ media_type: 'image/png', size: PNG.length + 1 });
  });

  it('can still be removed once the asset is retired, as they count', async () => {
    const id = await site.asset('RETIRED');
    await add(PNG, 'image/png', id);
    expect((await call({ method: 'DELETE', path: `/assets/${id}`, token })).status).to.equal(204);
    expect((await add(PNG, 'image/png', id)).status).to.equal(404);
    expect((await call({ method: 'DELETE', path: `/photos/${id}`, token })).status).to.equal(204);
    expect((await call({ path: `/photos?asset_id=${id}`, token })).body.data).to.deep.equal([]);
    const { body } = await call({ path: `/changes?resource_type=asset&resource_id=${id}`, token });
    expect(body.data[0]).to.deep.include({ action: 'set_photo', after: { photo: null } });
    expect(body.data[0].resource.external_key).to.equal('RETIRED');
  });
});

type Logged = { photo?: { size: number } | null; note?: string } | null;
