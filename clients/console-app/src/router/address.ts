/** The part behind the `#`: `#/assets/17?tab=tags` is path `['assets', '17']` and query `tab=tags`. */
export interface Address {
  path: readonly string[];
  /** Without `org`. */
  query: URLSearchParams;
  /** The `org` of the query: whose ids and filters the rest is about. Null if it does not say. */
  organization: number | null;
}

const ORGANIZATION = 'org';

export type QueryValue = string | number | boolean | null | undefined | readonly (string | number)[];

export type QueryValues = Readonly<Record<string, QueryValue>>;

export function parseAddress(hash: string): Address {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const parts = path.split('/').filter((part) => part !== '');
  const values = new URLSearchParams(query);
  const organization = values.get(ORGANIZATION) ?? '';
  values.delete(ORGANIZATION);
  return {
    path: parts.map(decoded),
    query: values,
    organization: /^\d{1,10}$/.test(organization) ? Number(organization) : null,
  };
}

/** The same address in an organization. */
export function withOrganization(hash: string, organization: number): string {
  const [path = '', query = ''] = hash.split(/\?(.*)/s);
  return `${path === '' ? '#/' : path}${queryText(withValues(new URLSearchParams(query), { [ORGANIZATION]: organization }))}`;
}

/** The address that `parseAddress` reads as these. Null and empty values are left out. */
export function href(...parts: (string | number | QueryValues)[]): string {
  const path = parts.filter((part) => typeof part !== 'object');
  const values = parts.find((part) => typeof part === 'object') ?? {};
  const query = queryText(withValues(new URLSearchParams(), values));
  return `#/${path.map((part) => encodeURIComponent(part)).join('/')}${query}`;
}

export function withValues(query: URLSearchParams, values: QueryValues): URLSearchParams {
  const changed = new URLSearchParams(query);
  for (const [name, value] of Object.entries(values)) {
    changed.delete(name);
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== null && each !== undefined && each !== '' && each !== false) {
        changed.append(name, String(each));
      }
    }
  }
  return changed;
}

export function queryText(query: URLSearchParams): string {
  return query.size === 0 ? '' : `?${query}`;
}

/** A typed address may be badly encoded. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
