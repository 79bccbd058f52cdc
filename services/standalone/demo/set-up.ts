import type { Pool } from '../../../db/timescale/connections/client.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { createApiKey } from '../../../domain/administration/api-keys/create-api-key.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { createOrganization } from '../../../domain/administration/organizations/create-organization.ts';
import { createReader } from '../../../domain/administration/readers/create-reader.ts';
import { setAntenna } from '../../../domain/administration/readers/set-antenna.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { type ApiClient, createApiClient } from '../../../simulation/api-client.ts';
import type { ConnectedReader } from '../../../simulation/connections.ts';
import type { Standalone } from '../standalone.ts';
import { ASSETS } from './assets.ts';
import { PLACES, READERS } from './site.ts';

export interface InstalledSite {
  api: ApiClient;
  apiKey: string;
  readers: readonly ConnectedReader[];
}

/**
 * Sets the site up as its owner would: an organization and a key on the server, locations and assets through the API,
 * then the readers and what their antennas look at.
 */
export async function setUpSite({ apiUrl, databaseUrl }: Standalone): Promise<InstalledSite> {
  const pool = createWritePool(databaseUrl, { max: 1, applicationName: 'tagtrail demo' });
  try {
    const { id: orgId } = await createOrganization(pool, 'North Hub Logistics');
    const { key: apiKey } = await createApiKey(pool, {
      orgId,
      name: 'demo',
      scopes: PUBLIC_SCOPES,
      expiresAt: null,
    });
    const api = createApiClient(apiUrl, apiKey);
    await createPlacesAndAssets(api);
    return { api, apiKey, readers: await installReaders(pool, orgId) };
  } finally {
    await pool.end();
  }
}

async function createPlacesAndAssets(api: ApiClient): Promise<void> {
  for (const { key, name, parent } of PLACES) {
    const under = parent === null ? {} : { parent_external_key: parent };
    await api.createLocation({ external_key: key, name, ...under });
  }
  for (const { key, name, registeredTag } of ASSETS) {
    const tags = [{ tag_type: 'rfid' as const, value: registeredTag }];
    await api.createAsset({ external_key: key, name, tags });
  }
}

async function installReaders(pool: Pool, orgId: number): Promise<ConnectedReader[]> {
  const formats = loadBuiltinFormats();
  const installed: ConnectedReader[] = [];
  for (const { name, topic, format, antennas } of READERS) {
    const reader = await createReader(pool, formats, { orgId, name, topic, format, policies: {} });
    for (const [index, locationExternalKey] of antennas.entries()) {
      await setAntenna(pool, { readerId: reader.id, port: index + 1, locationExternalKey });
    }
    const login = { username: reader.mqttUsername, password: reader.mqttPassword };
    installed.push({ name, topic, login });
  }
  return installed;
}
