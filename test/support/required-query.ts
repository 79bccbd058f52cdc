import type { Query } from '../../platform/http/query.ts';

/** What the parameters that a route cannot do without are given where nothing else matters. */
const VALUES: Readonly<Record<string, string>> = {
  at: '2020-05-04T08:00:00Z',
  from: '2020-05-01T00:00:00Z',
  to: '2020-06-01T00:00:00Z',
};

/** The query that a route is asked with at least, each parameter followed by an ampersand. */
export function requiredQuery({ parameters }: Query): string {
  return Object.entries(parameters)
    .filter(([, { isRequired }]) => isRequired)
    .map(([name]) => `${name}=${VALUES[name]}&`)
    .join('');
}
