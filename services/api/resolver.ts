import type { Middleware } from 'koa';
import { accepted } from '../../base/checks/issues.ts';
import { conflict, notFound } from '../../base/errors.ts';
import { namedByBarcode } from '../../domain/identity/barcode-key.ts';
import { identifiersOf } from '../../domain/identity/named.ts';
import { type AssetFilters, listAssets } from '../../domain/master-data/assets/list.ts';
import type { AssetRow } from '../../domain/master-data/rows.ts';
import type { Parameter } from '../../platform/http/parameters.ts';
import type { Success } from '../../platform/http/success.ts';
import { route } from './serving/context.ts';

/**
 * Sends people from a Digital Link below this installation to the console, which asks who they are first. Everybody is
 * sent to the same address, so that strangers do not learn what is there.
 */
export function sendPeople(consoleUrl: string): Middleware {
  return (koa, next) => {
    const isPerson = koa.get('Authorization') === '' && koa.accepts(['json', 'html']) === 'html';
    if (!koa.path.startsWith('/id/') || !['GET', 'HEAD'].includes(koa.method) || !isPerson) {
      return next();
    }
    const link = encodeURIComponent(`https://id.gs1.org${koa.path.slice('/id'.length)}`);
    koa.body = null;
    koa.status = 302;
    koa.set('Location', `${consoleUrl}/#/find?q=${link}&open=true`);
    return undefined;
  };
}

const text: Parameter<string> = {
  schema: { type: 'string' },
  isRepeatable: false,
  read: ([given = '']) => accepted(given),
};

/** Pairs of an identifier and a value: the key, and what completes it. */
const MOST_PAIRS = 3;

/** Digital Links below this installation, for programs: which asset it is, as linked data. */
export function resolverRoutes(consoleUrl: string | null) {
  return Array.from({ length: MOST_PAIRS }, (_, index) => {
    const names = Array.from({ length: 2 * (index + 1) }, (_, at) => `part_${at + 1}`);
    return route({
      method: 'GET',
      path: `/id/${names.map((name) => `{${name}}`).join('/')}`,
      operationId: `resolve${index + 1}`,
      summary: 'The asset that a GS1 Digital Link names',
      scope: 'assets:read',
      isInternal: true,
      params: Object.fromEntries(names.map((name) => [name, text])),
      success: LINKED_DATA,
      handle: async ({ context, params, signal }) => {
        const path = names.map((name) => encodeURIComponent(params[name] ?? '')).join('/');
        const named = namedByBarcode(`https://id.gs1.org/${path}`);
        const link = named === null ? null : identifiersOf(named).digital_link;
        const { rows } =
          link === null
            ? { rows: [] }
            : await listAssets(context.db, sought(link), context.readLarge, signal());
        const [asset, another] = rows;
        if (asset === undefined) {
          throw notFound('Asset not found');
        }
        if (another !== undefined) {
          throw conflict(`Tags of ${asset.external_key} and ${another.external_key} name the same`);
        }
        return linkedData(asset, link, consoleUrl);
      },
    });
  });
}

function sought(link: string): AssetFilters {
  return {
    ...{ tag_value: [link], include_deleted: false, include_not_in_effect: true },
    ...{ limit: 2, offset: 0, sort: [{ field: 'external_key', isDescending: false }] },
  };
}

function linkedData(asset: AssetRow, link: string | null, consoleUrl: string | null) {
  return {
    '@context': { '@vocab': 'https://schema.org/' },
    '@id': link,
    '@type': 'IndividualProduct',
    identifier: asset.external_key,
    name: asset.name,
    ...(asset.description === null ? {} : { description: asset.description }),
    ...(asset.location_external_key === null
      ? {}
      : { location: { '@type': 'Place', identifier: asset.location_external_key } }),
    sameAs: { '@id': `/api/v1/assets/${asset.id}` },
    ...(consoleUrl === null ? {} : { url: { '@id': `${consoleUrl}/#/asset/${asset.id}` } }),
  };
}

const LINKED_DATA: Success<ReturnType<typeof linkedData>> = {
  status: 200,
  description: 'The asset',
  schema: null,
  headers: {},
  present: (body) => ({ body, headers: { 'Content-Type': 'application/ld+json' } }),
};
