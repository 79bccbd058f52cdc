import { expect } from 'chai';
import fc from 'fast-check';
import { describePublicApi } from '../../../services/api/description/document.ts';
import { API_RESOURCES } from '../../../services/api/routes.ts';
import { useClient } from '../../support/contract-client.ts';
import { appendMoves } from '../../support/feed-rows.ts';
import { randomSets } from '../../support/random-sets.ts';
import { requestsOf } from './requests-from-description.ts';

const RUNS = randomSets(60);

/** What no description can tell: what is there, and whether two forms of a parent mean the same one. */
const STATE = ['fk_not_found'];
/** Nor how far the feed goes. */
const STATE_OF_FEED = [...STATE, 'invalid_value'];
/** Nor what time it is, and since when the feed tells what was known. */
const STATE_OF_TIME = [...STATE, 'invalid_value'];
/** Nor which keys are new, tags free and parents of each other. */
const STATE_OF_ROWS = [...STATE, 'required', 'invalid_value'];
/** Nor what the check digit of a GLN is. */
const WITH_GLN = [...STATE, 'invalid_value'];
const STATE_OF_PARENTS = [...WITH_GLN, 'ambiguous_fields'];

const UNTOLD: Readonly<Record<string, readonly string[]>> = {
  createLocation: WITH_GLN,
  updateLocation: STATE_OF_PARENTS,
  writeAssets: STATE_OF_ROWS,
  writeLocations: STATE_OF_ROWS,
  listMoves: STATE_OF_FEED,
  listMasterDataChanges: STATE_OF_FEED,
  listAssetHistory: STATE_OF_TIME,
  reportPresence: STATE_OF_TIME,
  reportPositionsAt: STATE_OF_TIME,
  reportStays: STATE_OF_TIME,
  reportDwell: STATE_OF_TIME,
  reportSweeps: STATE_OF_TIME,
  reportTurns: [...STATE_OF_TIME, 'required'],
};

const document = describePublicApi(API_RESOURCES, { publicUrl: null, limits: { perMinute: 60, burst: 120 } });

describe('requests made from the description alone', () => {
  const client = useClient();

  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      it(`are valid: ${operation.operationId}`, async () => {
        const [asset, location] = [await client.make('assets'), await client.make('locations')];
        const ids: Record<string, number | string> = {
          ...{ asset_id: asset.id, location_id: location.id, tag_id: 1 },
          alert_id: '01KQSB3M8R0E5T9V2W4X6Y8Z1B',
        };
        const untold = UNTOLD[operation.operationId] ?? STATE;
        // So that none waits for what is after it.
        await appendMoves(client.api.database, client.api.orgId, Array(1_000).fill({ assetId: asset.id }));
        const at = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ids[name]));
        await fc.assert(
          fc.asyncProperty(requestsOf(document, operation), async ({ search, body }) => {
            const answer = await client.api.call({
              method: method.toUpperCase(),
              // Nothing is sealed here, so that the feed of changes has nothing to wait for.
              path:
                search === ''
                  ? at
                  : `${at}?${path.endsWith('/changes') ? search.replace(/\bwait=\d+/, 'wait=0') : search}`,
              ...(body === undefined ? {} : { json: body }),
            });
            const codes = answer.body?.error?.fields?.map(({ code }) => code) ?? [];
            const isValid =
              answer.status !== 400 || (codes.length > 0 && codes.every((code) => untold.includes(code)));
            expect(isValid, `${JSON.stringify(body)} ${search}: ${answer.text}`).to.equal(true);
            expect(answer.status).to.be.oneOf([200, 201, 204, 400, 404, 409]);
          }),
          { numRuns: RUNS },
        );
      });
    }
  }

  it('say in the description what excludes what', () => {
    const said = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId, 'x-dependencies': rules = [] }) => [operationId, ...rules]),
    );
    const alone = ['ZeroOrOne(after, offset);', 'ZeroOrOne(after, sort);'];
    expect(said.filter(([, ...rules]) => rules.length > 0)).to.deep.equal([
      [
        'listAssets',
        'ZeroOrOne(location_id, location_external_key);',
        ...alone,
        'IF tag_type THEN tag_value;',
      ],
      [
        'listLocations',
        'ZeroOrOne(parent_id, parent_external_key);',
        ...alone,
        'IF tag_type THEN tag_value;',
      ],
      [
        'reportAssetLocations',
        'ZeroOrOne(asset_id, asset_external_key);',
        'ZeroOrOne(location_id, location_external_key);',
        ...alone,
      ],
      ...['reportPresence', 'reportPositionsAt', 'reportStays', 'reportDwell'].map((report) => [
        report,
        'ZeroOrOne(asset_id, asset_external_key);',
        'ZeroOrOne(location_id, location_external_key);',
        ...(report === 'reportPresence' ? alone : []),
      ]),
      [
        'reportTurns',
        'ZeroOrOne(from_location_id, from_location_external_key);',
        'ZeroOrOne(to_location_id, to_location_external_key);',
        'ZeroOrOne(asset_id, asset_external_key);',
      ],
      [
        'reportSweeps',
        'ZeroOrOne(asset_id, asset_external_key);',
        'ZeroOrOne(location_id, location_external_key);',
      ],
    ]);
  });
});
