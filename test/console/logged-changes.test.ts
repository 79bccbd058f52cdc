import { expect } from 'chai';
import { de } from '../../clients/console-app/src/texts/de.ts';
import { en } from '../../clients/console-app/src/texts/en.ts';
import { loadBuiltinFormats } from '../../domain/formats/mapping/builtin.ts';
import { MEMBER_ROUTES, VISITOR_ROUTES } from '../../services/console/routes.ts';
import { type ConsoleAnswer, type ConsoleCall, useConsole } from '../support/console.ts';
import { type Ids, makeNamedRows } from '../support/named-rows.ts';
import { PASSWORD } from '../support/people.ts';
import { encodePng } from '../support/png.ts';
import { Site } from '../support/site.ts';
import { SETTINGS } from '../support/webhooks.ts';

/** What these do is tried or looked at; or a file is kept, with who sent it, until it is applied or forgotten. */
const SET_UP_NOTHING = [
  ...['lookAtLink', 'tryRule', 'tryStoredRule', 'testWebhook', 'tryFormatSource', 'tryLocating'],
  ...['uploadImport', 'checkImport', 'discardImport'],
];

const WRITING = [...VISITOR_ROUTES, ...MEMBER_ROUTES].filter(
  ({ method, operationId }) => method !== 'GET' && !SET_UP_NOTHING.includes(operationId),
);

const PNG = encodePng({ width: 4, height: 3, palette: [[255, 255, 255]], pixels: new Uint8Array(12) });

const CSV = { body: 'external_key,name\nNEW,New\n', headers: { 'Content-Type': 'text/csv' } };

const QUERIES: Readonly<Record<string, string>> = {
  createPlan: '?name=New',
  removeView: '?name=Missing',
};

const RANGE = {
  ...{ ai: '8004', base: '0614141', prefix_length: 7 },
  ...{ filter: 0, next_serial: 1, last_serial: 9 },
};

const ANOTHER = 'nine kettles on a windy roof';

/** Who asks, and where. */
interface Scene {
  orgId: number;
  ids: Ids;
  token: string;
  send(method: string, path: string, json?: object): Promise<ConsoleAnswer>;
}

/** A write with what it needs beside its route, and actions and resources of what it has to log. */
interface Write {
  call?: Partial<ConsoleCall>;
  ids?: Ids;
  logs: [action: string, resource: string][];
  /** Who it was, by address, if not the administrator. */
  by?: string;
}

describe('every route of the console that changes something', () => {
  const suite = useConsole({ SECRETS_KEY: SETTINGS.keys });
  let count = 0;

  async function scene(): Promise<Scene> {
    count += 1;
    const { orgId, ids } = await makeNamedRows(suite.database, suite.people, `ROWS-${count}`);
    const email = `admin.${orgId}@example.com`;
    const { token } = await suite.people.user(email, { orgId, role: 'admin' });
    const send = async (method: string, path: string, json?: object) => {
      const answer = await suite.call({ method, path, token, ...(json === undefined ? {} : { json }) });
      expect(answer.status, answer.text).to.be.within(200, 299);
      return answer;
    };
    return { orgId, ids, token, send };
  }

  const json = (body: object, ...logs: Write['logs']) => ({ call: { json: body }, logs });
  const format = (name: string) => ({
    source: JSON.stringify({ ...loadBuiltinFormats().get('tagtrail')?.definition, name }),
  });
  const checked = async ({ send, token }: Scene) => {
    const { body } = await suite.call({
      ...{ method: 'POST', path: '/imports?resource=asset&file_name=a.csv', token },
      ...CSV,
    });
    const { id } = body.data;
    await send('POST', `/imports/${id}/check`);
    return { import_id: id };
  };

  /** By operation: a route that is not here fails. */
  const WRITES: Record<string, (scene: Scene) => Write | Promise<Write>> = {
    // Of the own account.
    beginSession: ({ orgId }) =>
      json(
        { email: `admin.${orgId}@example.com`, password: PASSWORD },
        ['sign_in', 'session'],
        ['sign_out', 'session'],
      ),
    endSession: () => ({ logs: [['sign_out', 'session']] }),
    endOneSession: async ({ orgId, send }) => {
      const credentials = { email: `admin.${orgId}@example.com`, password: PASSWORD };
      await suite.call({ method: 'POST', path: '/session', token: null, json: credentials });
      const { body } = await send('GET', '/sessions');
      const other = body.data.find(({ is_this: isThis }: { is_this: boolean }) => !isThis);
      return { ids: { id: other.id }, logs: [['sign_out', 'session']] };
    },
    changePassword: () => json({ current_password: PASSWORD, password: ANOTHER }, ['update', 'user']),
    acceptLink: async ({ orgId, send }) => {
      const email = `new.${orgId}@example.com`;
      const { body } = await send('POST', '/invitations', { email, role: 'viewer' });
      const json = { token: body.data.url.split('/').at(-1), name: 'New', password: ANOTHER };
      return {
        ...{ call: { json, token: null }, by: email },
        logs: [
          ['create', 'user'],
          ['create', 'membership'],
          ['sign_in', 'session'],
        ],
      };
    },

    addSerialRange: () => json(RANGE, ['add_serials', 'organization']),
    addPrinter: () => json({ name: 'dock', address: 'labels.example.com' }, ['add_printer', 'organization']),
    removePrinter: async ({ send }) => {
      await send('POST', '/printers', { name: 'dock', address: 'labels.example.com' });
      return { ids: { printer: 'dock' }, logs: [['remove_printer', 'organization']] };
    },
    labelAssets: async ({ send, orgId }) => {
      await send('POST', '/serial-ranges', RANGE);
      await Site.of(suite.database, orgId).asset('LABELLED');
      const { ai, base } = RANGE;
      return {
        call: { json: { ai, base, external_keys: ['LABELLED'], dpi: 203 } },
        logs: [
          ['draw_serials', 'organization'],
          ['attach_tag', 'asset'],
        ],
      };
    },

    // The API's.
    createAsset: () => json({ name: 'New' }, ['create', 'asset']),
    updateAsset: () => json({ name: 'other' }, ['update', 'asset']),
    renameAsset: () => json({ external_key: 'OTHER' }, ['rename', 'asset']),
    deleteAsset: () => ({ logs: [['delete', 'asset']] }),
    writeAssets: () => json({ items: [{ external_key: 'NEW', name: 'New' }] }, ['create', 'asset']),
    attachAssetTag: () => json({ tag_type: 'rfid', value: 'E299' }, ['attach_tag', 'asset']),
    detachAssetTag: () => ({ logs: [['detach_tag', 'asset']] }),
    importAssets: () => ({
      call: {
        body: '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nexternal_key,name\nNEW,New\n\r\n--b--\r\n',
        headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
      },
      logs: [['create', 'asset']],
    }),
    createLocation: () => json({ name: 'New' }, ['create', 'location']),
    updateLocation: () => json({ name: 'other' }, ['update', 'location']),
    writeLocations: () => json({ items: [{ external_key: 'NEW', name: 'New' }] }, ['create', 'location']),
    renameLocation: () => json({ external_key: 'OTHER' }, ['rename', 'location']),
    deleteLocation: async ({ orgId }) => ({
      ids: { location_id: await Site.of(suite.database, orgId).location('EMPTY') },
      logs: [['delete', 'location']],
    }),
    attachLocationTag: () => json({ tag_type: 'rfid', value: 'E299' }, ['attach_tag', 'location']),
    detachLocationTag: async ({ orgId, ids }) => ({
      ids: {
        tag_id: await Site.of(suite.database, orgId).tag({ locationId: Number(ids['location_id']) }, 'E298'),
      },
      logs: [['detach_tag', 'location']],
    }),
    issueApiKey: () => json({ name: 'New', scopes: ['assets:read'] }, ['create', 'api_key']),
    revokeApiKey: () => ({ logs: [['revoke', 'api_key']] }),
    createRule: () => json({ kind: 'overdue', after_seconds: 300 }, ['create', 'rule']),
    updateRule: () => json({ name: 'other' }, ['update', 'rule']),
    deleteRule: () => ({ logs: [['delete', 'rule']] }),
    createWebhook: () => json({ url: 'https://example.com/new' }, ['create', 'webhook']),
    updateWebhook: () => json({ name: 'other' }, ['update', 'webhook']),
    replayWebhook: () => json({ after: 0 }, ['replay', 'webhook']),
    deleteWebhook: () => ({ logs: [['delete', 'webhook']] }),

    // The console's own.
    acknowledgeAlert: () => ({ logs: [['acknowledge', 'alert']] }),
    applyImport: async (here) => ({ ids: await checked(here), logs: [['create', 'asset']] }),
    createPlan: () => ({
      call: { body: PNG, headers: { 'Content-Type': 'image/png' } },
      logs: [['create', 'plan']],
    }),
    setPhoto: ({ ids }) => ({
      call: {
        path: `/photos?asset_id=${ids['asset_id']}`,
        body: PNG,
        headers: { 'Content-Type': 'image/png' },
      },
      logs: [['set_photo', 'asset']],
    }),
    removePhoto: () => ({ logs: [['set_photo', 'asset']] }),
    addNote: () => json({ note: 'Bent' }, ['note', 'asset']),
    saveView: () => json({ name: 'Missing', query: 'state=missing' }, ['set_view', 'organization']),
    removeView: async ({ send }) => {
      await send('POST', '/asset-views', { name: 'Missing', query: 'state=missing' });
      return { logs: [['set_view', 'organization']] };
    },
    updatePlan: () => json({ name: 'other' }, ['update', 'plan']),
    deletePlan: () => ({ logs: [['delete', 'plan']] }),
    updateOrganization: () => json({ name: 'Other' }, ['update', 'organization']),
    updateUser: () => json({ role: 'operator' }, ['update', 'membership']),
    removeUser: () => ({ logs: [['delete', 'membership']] }),
    makeResetLink: () => ({ logs: [['create', 'link']] }),
    createInvitation: () => json({ email: 'new@example.com', role: 'viewer' }, ['create', 'link']),
    withdrawInvitation: () => ({ logs: [['delete', 'link']] }),
    attachUnknownTag: ({ ids }) => json({ asset_id: ids['asset_id'] }, ['attach_tag', 'asset']),
    ignoreUnknownTag: () => json({}, ['ignore', 'unknown_tag']),
    dismissRejected: () => json({}, ['dismiss', 'rejected_message']),
    dismissManyRejected: ({ ids }) => json({ ids: [ids['rejected_id']] }, ['dismiss', 'rejected_message']),
    replayRejected: () => json({}, ['replay', 'rejected_message']),
    replayManyRejected: ({ ids }) => json({ ids: [ids['rejected_id']] }, ['replay', 'rejected_message']),
    createReader: ({ orgId }) =>
      json(
        { name: 'New', topic: `org-${orgId}/new`, format: 'tagtrail' },
        ['create', 'reader'],
        ['create', 'antenna'],
      ),
    updateReader: () => json({ name: 'other' }, ['update', 'reader']),
    deleteReader: () => ({ logs: [['delete', 'reader']] }),
    setAntenna: () => json({ enabled: false }, ['update', 'antenna']),
    addAntenna: () => json({ antenna: 'yard-left' }, ['create', 'antenna']),
    createFormat: ({ orgId }) => json(format(`made-${orgId}`), ['create', 'format']),
    updateFormat: async ({ orgId, send }) => {
      const { source } = format(`made-${orgId}`);
      await send('POST', '/formats', { source });
      const changed = JSON.stringify({ ...JSON.parse(source), description: 'Ours' });
      return { ids: { name: `made-${orgId}` }, ...json({ source: changed }, ['update', 'format']) };
    },
    deleteFormat: async ({ orgId, send }) => {
      await send('POST', '/formats', format(`made-${orgId}`));
      return { ids: { name: `made-${orgId}` }, logs: [['delete', 'format']] };
    },
    createHandheld: () => json({ name: 'New' }, ['create', 'handheld']),
    updateHandheld: () => json({ name: 'other' }, ['update', 'handheld']),
    renewHandheldToken: () => ({ logs: [['update', 'handheld']] }),
    revokeHandheld: () => ({ logs: [['revoke', 'handheld']] }),
    setLocating: () => json({ procedure: 'strength' }, ['set_locating', 'organization']),
    setWatch: async ({ orgId }) => {
      await Site.of(suite.database, orgId).location('HALL');
      return json({ location_external_key: 'HALL', mode: 'continuous', max_gap_seconds: 60 }, [
        'set_watch',
        'location',
      ]);
    },
    removeLocating: () => ({ logs: [['set_locating', 'location']] }),
  };

  for (const route of WRITING) {
    const { method, operationId } = route;
    it(`${operationId} logs who changed what`, async () => {
      const here = await scene();
      const write = await WRITES[operationId]?.(here);
      if (write === undefined) {
        throw new Error(`${operationId} needs an example here, or logs no change`);
      }
      const ids: Ids = { ...here.ids, ...write.ids };
      const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(ids[name] ?? `no ${name}`),
      );
      const query = QUERIES[operationId] ?? '';
      const answer = await suite.call({ method, path: path + query, token: here.token, ...write.call });
      expect(answer.status, answer.text).to.be.within(200, 299);
      const rows = await suite.database.rows<{ change: [string, string]; type: string; email: string }>(
        `select array[action, resource_type] as change, actor_type as type, users.email
         from changes left join users on users.id::text = actor_id where request_id = $1 order by at, changes.id`,
        [answer.headers.get('x-request-id')],
      );
      expect(rows.map(({ change }) => change)).to.deep.equal(write.logs);
      const email = write.by ?? `admin.${here.orgId}@example.com`;
      expect(rows.filter((row) => row.type !== 'user' || row.email !== email)).to.deep.equal([]);
    });
  }

  it('names every field in words, in every language of the console', async () => {
    const rows = await suite.database.rows<{ field: string }>(
      `select distinct field from changes, json_object_keys(coalesce(after, '{}')) field
       union select distinct field from changes, json_object_keys(coalesce(before, '{}')) field order by field`,
    );
    for (const { changes } of [en, de]) {
      expect(
        rows.map(({ field }) => field).filter((field) => !Object.hasOwn(changes.fields, field)),
      ).to.deep.equal([]);
    }
  });

  it('is an example here', () => {
    expect(WRITING.map(({ operationId }) => operationId)).to.have.members(Object.keys(WRITES));
  });
});
