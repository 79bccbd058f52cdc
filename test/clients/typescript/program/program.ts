import { type components, createTagtrailClient, isMove, unwrap } from 'tagtrail-client';

type Alert = components['schemas']['Alert'];
type Asset = components['schemas']['Asset'];
type Location = components['schemas']['Location'];
type NewTag = components['schemas']['NewTag'];

/**
 * What an integrator would write: every operation, through a client whose types were generated from the description.
 * The test compiles it against those types and then runs it.
 *
 * @returns the operations used, as `METHOD /path/template`.
 */
export async function useEveryOperation(baseUrl: string, apiKey: string): Promise<string[]> {
  const used: string[] = [];
  const client = createTagtrailClient({ baseUrl, apiKey });
  client.use({
    onRequest: ({ request, schemaPath }) => {
      used.push(`${request.method} ${schemaPath}`);
    },
  });
  const rfid: NewTag = { tag_type: 'rfid', value: 'E28011600000020912345678' };

  const { scopes, api_key_id: keyId } = unwrap(await client.GET('/api/v1/orgs/me')).data;
  check(scopes.includes('assets:write') && keyId.length === 26);

  const site: Location = unwrap(
    await client.POST('/api/v1/locations', { body: { name: 'Warehouse', external_key: 'WAREHOUSE' } }),
  ).data;
  const dock = unwrap(
    await client.POST('/api/v1/locations', {
      body: { name: 'Dock', parent_id: site.id, tags: [{ tag_type: 'ble', value: 'beacon-1' }] },
    }),
  ).data;
  const location = { path: { location_id: dock.id } };
  const locationRead: Location = unwrap(
    await client.GET('/api/v1/locations/{location_id}', { params: location }),
  ).data;
  check(locationRead.parent_external_key === 'WAREHOUSE' && locationRead.tags[0]?.tag_type === 'ble');
  const detached = unwrap(
    await client.PATCH('/api/v1/locations/{location_id}', {
      params: location,
      body: { ...locationRead, description: null, parent_id: null, parent_external_key: null },
    }),
  ).data;
  check(detached.parent_id === null);
  unwrap(
    await client.PATCH('/api/v1/locations/{location_id}', {
      params: location,
      body: { parent_external_key: 'WAREHOUSE' },
    }),
  );
  const renamed = unwrap(
    await client.POST('/api/v1/locations/{location_id}/rename', {
      params: { path: { location_id: site.id } },
      body: { external_key: 'SITE' },
    }),
  );
  check(renamed.descendant_count_affected === 1 && renamed.data.external_key === 'SITE');
  const found = unwrap(
    await client.GET('/api/v1/locations', {
      params: { query: { external_key: ['SITE', 'NONE'], sort: '-name', limit: 10, is_active: true } },
    }),
  );
  check(found.total_count === 1 && found.data[0]?.id === site.id);
  for (const [path, id] of [
    ['/api/v1/locations/{location_id}/ancestors', dock.id],
    ['/api/v1/locations/{location_id}/children', site.id],
    ['/api/v1/locations/{location_id}/descendants', site.id],
  ] as const) {
    const tree = unwrap(
      await client.GET(path, { params: { path: { location_id: id }, query: { limit: 5 } } }),
    );
    check(tree.total_count === 1);
  }
  const placed = unwrap(
    await client.POST('/api/v1/locations/{location_id}/tags', { params: location, body: rfid }),
  ).data;
  const none: undefined = unwrap(
    await client.DELETE('/api/v1/locations/{location_id}/tags/{tag_id}', {
      params: { path: { ...location.path, tag_id: placed.id } },
    }),
  );
  check(none === undefined);

  const asset: Asset = unwrap(
    await client.POST('/api/v1/assets', {
      body: { name: 'Pallet', metadata: { owner: 'Blue Line', weights: [1, 2.5] }, valid_to: null },
    }),
  ).data;
  const params = { path: { asset_id: asset.id } };
  check(asset.location_id === null && asset.metadata['owner'] === 'Blue Line');
  const tag = unwrap(await client.POST('/api/v1/assets/{asset_id}/tags', { params, body: rfid })).data;
  const read = unwrap(await client.GET('/api/v1/assets/{asset_id}', { params })).data;
  check(read.tags[0]?.id === tag.id);
  const changed = unwrap(
    await client.PATCH('/api/v1/assets/{asset_id}', {
      params,
      body: { ...read, name: 'Euro pallet' },
    }),
  ).data;
  check(changed.name === 'Euro pallet');
  unwrap(
    await client.POST('/api/v1/assets/{asset_id}/rename', { params, body: { external_key: 'PALLET-1' } }),
  );
  const items = [{ external_key: 'PALLET-1', description: 'Blue' }];
  const written = unwrap(await client.POST('/api/v1/assets/batch', { body: { items } })).data;
  check(written[0]?.id === asset.id && written[0].result === 'updated');
  const places = unwrap(
    await client.POST('/api/v1/locations/batch', {
      body: { items: [{ external_key: 'DRY', name: 'Dry' }], dry_run: true },
    }),
  ).data;
  check(places[0]?.id === null && places[0].result === 'created');
  const assets = unwrap(
    await client.GET('/api/v1/assets', { params: { query: { q: 'euro', external_key: ['PALLET-1'] } } }),
  );
  check(assets.data.length === 1 && assets.limit === 50);
  const history = unwrap(
    await client.GET('/api/v1/assets/{asset_id}/history', {
      params: { ...params, query: { from: '2026-01-01T00:00:00Z', sort: 'event_observed_at' } },
    }),
  );
  check(history.data.every((row) => row.duration_seconds === null || row.duration_seconds >= 0));
  const readings = unwrap(
    await client.GET('/api/v1/assets/{asset_id}/readings', {
      params: { ...params, query: { bucket: '1h' } },
    }),
  );
  check(readings.data.length === 0);
  const report = unwrap(
    await client.GET('/api/v1/reports/asset-locations', {
      params: { query: { asset_id: [asset.id], include_deleted: true } },
    }),
  );
  check(report.data.every((row) => row.asset_last_seen.endsWith('Z')));
  const then = unwrap(
    await client.GET('/api/v1/reports/positions-at', { params: { query: { at: '2020-05-04T08:00:00Z' } } }),
  );
  check(then.data.every((row) => row.since <= row.last_seen));
  const presence = unwrap(
    await client.GET('/api/v1/reports/presence', {
      params: { query: { asset_id: [asset.id], state: ['present', 'never_seen'] } },
    }),
  );
  check(presence.data.every((row) => row.because === null));
  const stays = unwrap(
    await client.GET('/api/v1/reports/stays', {
      params: { query: { from: '2020-05-01T00:00:00Z', to: '2020-06-01T00:00:00Z', asset_id: [asset.id] } },
    }),
  );
  check(stays.data.every((row) => row.seconds_in_window >= 0));
  const dwell = unwrap(
    await client.GET('/api/v1/reports/dwell', {
      params: { query: { from: '2020-05-01T00:00:00Z', to: '2020-06-01T00:00:00Z', group_by: 'asset' } },
    }),
  );
  check(dwell.data.every((row) => row.seen || row.asset_id === null));
  const sweeps = unwrap(
    await client.GET('/api/v1/reports/sweeps', {
      params: { query: { from: '2020-05-01T00:00:00Z', to: '2020-06-01T00:00:00Z' } },
    }),
  );
  check(sweeps.data.every((row) => row.accuracy === null || row.accuracy <= 1));
  const turns = unwrap(
    await client.GET('/api/v1/reports/turns', {
      params: {
        query: {
          from: '2020-05-01T00:00:00Z',
          to: '2020-06-01T00:00:00Z',
          from_location_external_key: 'DOCK-1',
          to_location_external_key: 'WASHING',
        },
      },
    }),
  );
  check(turns.data.every((row) => row.count === 0 && row.median_seconds === null));
  const { moves, next, head, oldest } = unwrap(
    await client.GET('/api/v1/moves', { params: { query: { after: 0, limit: 10, wait: 0 } } }),
  ).data;
  check(
    next === head &&
      oldest === 1 &&
      moves.every((event) => isMove(event) && event.data.asset.id === asset.id),
  );
  const feed = unwrap(
    await client.GET('/api/v1/changes', { params: { query: { after: 0, limit: 10, wait: 0 } } }),
  ).data;
  check(feed.changes.every(({ resource, location: row }) => resource === 'location' || row === null));
  await useAlerts(client);
  unwrap(
    await client.DELETE('/api/v1/assets/{asset_id}/tags/{tag_id}', {
      params: { path: { ...params.path, tag_id: tag.id } },
    }),
  );
  unwrap(await client.DELETE('/api/v1/assets/{asset_id}', { params }));
  unwrap(await client.DELETE('/api/v1/locations/{location_id}', { params: location }));

  const { error, response } = await client.GET('/api/v1/assets/{asset_id}', { params });
  check(response.status === 404 && error?.error.type === 'not_found');
  const refused = await client.POST('/api/v1/assets', { body: { name: '' } });
  check(refused.error?.error.fields?.[0]?.code === 'too_short');
  return used;
}

async function useAlerts(client: ReturnType<typeof createTagtrailClient>): Promise<void> {
  const { data: alerts } = unwrap(
    await client.GET('/api/v1/alerts', { params: { query: { state: ['open', 'acknowledged'] } } }),
  );
  check(alerts.every(({ closed_at: closedAt, level }) => closedAt === null && level !== 'warning'));
  // Known values are named, and others may come.
  const [state, unknown]: Alert['state'][] = ['open', 'snoozed'];
  check(state === 'open' && unknown?.length === 7);
  const { error } = await client.GET('/api/v1/alerts/{alert_id}', {
    params: { path: { alert_id: '01KQSB3M8R0E5T9V2W4X6Y8Z1B' } },
  });
  check(error?.error.type === 'not_found');
}

function check(holds: boolean): void {
  if (!holds) {
    throw new Error('the client was told something else');
  }
}
