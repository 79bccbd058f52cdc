import type { JsonSchema } from '../../../base/checks/fields.ts';

/** A request to an operation of the API that reads. */
export interface Ask {
  operationId: string;
  query?: Readonly<Record<string, string>>;
  params?: Readonly<Record<string, string>>;
}

type Arguments = Readonly<Record<string, string>>;

export interface Tool {
  description: string;
  /** By name: what it is, and whether it may be left out. */
  input: Readonly<Record<string, { description: string; isOptional?: true }>>;
  /**
   * By the names of the answers.
   *
   * @param named the asset or the location, if any.
   */
  asks(given: Arguments, named: Named | null): Readonly<Record<string, Ask>>;
  /** The console's screen that shows the answer, and its parameters if any. */
  screen(given: Arguments, named: Named | null): string;
}

export interface Named {
  id: number;
}

/** Rows of an answer. */
const MOST_ROWS = '50';

const ASSET = { description: 'External key of the asset; `find` finds it.' };
const PLACE = { description: 'External key of a location; those below it count too.' };
const AT = { description: 'RFC 3339 time.' };

const presence = (query: Arguments): Ask => ({
  operationId: 'reportPresence',
  query: { limit: MOST_ROWS, ...query },
});
const placed = ({ location }: Arguments): Record<string, string> =>
  location === undefined ? {} : { location_external_key: location, include_descendants: 'true' };
const whereAt = ({ asset = '', at = '', known_at: known }: Arguments): Ask => ({
  operationId: 'reportPositionsAt',
  query: { asset_external_key: asset, at, ...(known === undefined ? {} : { known_at: known }) },
});
const byState = (states: readonly string[], ask: (state: string) => Ask) =>
  Object.fromEntries(states.map((state) => [state, ask(state)]));
const ofAsset = (_: Arguments, asset: Named | null) => `asset/${asset?.id}`;

export const TOOLS: Readonly<Record<string, Tool>> = {
  find: {
    description: 'Finds assets by a part of their name, external key, description or tag.',
    input: { text: { description: 'The part.' } },
    asks: ({ text = '' }) => ({ assets: { operationId: 'listAssets', query: { q: text, limit: '20' } } }),
    screen: ({ text = '' }) => `find?${new URLSearchParams({ q: text })}`,
  },
  where_is: {
    description:
      'Where an asset is: `stay` with its arrival in `since`, and `presence`: when it was last seen there, and whether it is still believed to be.',
    input: { asset: ASSET },
    asks: ({ asset = '' }) => ({
      stay: whereAt({ asset, at: new Date().toISOString() }),
      presence: presence({ asset_external_key: asset }),
    }),
    screen: ofAsset,
  },
  why: {
    description:
      'Why it is said to be there, or to have been there at a time: the scan that decided it and by which rule, the other reads around it, and earlier answers; or between which locations it is undecided.',
    input: { asset: ASSET, at: { ...AT, isOptional: true } },
    asks: ({ at }, asset) => ({
      explanation: {
        operationId: 'explainAsset',
        params: { asset_id: String(asset?.id) },
        ...(at !== undefined && { query: { at } }),
      },
    }),
    screen: ofAsset,
  },
  where_was: {
    description: 'Where an asset was at a time, as far as is known now.',
    input: { asset: ASSET, at: AT },
    asks: (given) => ({ stay: whereAt(given) }),
    screen: ofAsset,
  },
  what_was_known: {
    description: 'Where an asset was at a time, by what was known at another: late scans correct the past.',
    input: { asset: ASSET, at: AT, known_at: { description: 'RFC 3339 time of the knowledge.' } },
    asks: (given) => ({ stay: whereAt(given) }),
    screen: ofAsset,
  },
  what_is_here: {
    description: 'The assets last seen at a location, and whether they are still believed to be there.',
    input: { location: PLACE },
    asks: (given) => ({ presence: presence(placed(given)) }),
    screen: () => 'now',
  },
  what_is_missing: {
    description:
      'Assets that are missing, overdue or not known to be there, and why: `because` names the rule, the sweep, or the reader that did not listen.',
    input: { location: { ...PLACE, isOptional: true } },
    asks: (given) =>
      byState(['missing', 'overdue', 'unknown'], (state) => presence({ ...placed(given), state })),
    screen: () => 'now',
  },
  alerts: {
    description: 'Alerts that are open or acknowledged, of assets, and of readers that are silent or gone.',
    input: {},
    asks: () =>
      byState(['open', 'acknowledged'], (state) => ({
        operationId: 'listAlerts',
        query: { state, limit: MOST_ROWS },
      })),
    screen: () => 'alerts',
  },
  readers: {
    description:
      'The health of readers: which cannot be heard, have a wrong clock, are throttled, or have antennas at no location, and how to mend it.',
    input: {
      name: { description: 'A part of the name or topic of some; all without it.', isOptional: true },
    },
    asks: ({ name }) => ({
      health: { operationId: 'examineReaders', ...(name !== undefined && { query: { q: name } }) },
    }),
    screen: () => 'readers',
  },
};

export function inputSchema({ input }: Tool): JsonSchema {
  const names = Object.keys(input);
  return {
    type: 'object',
    properties: Object.fromEntries(
      names.map((name) => [name, { type: 'string', maxLength: 255, description: input[name]?.description }]),
    ),
    required: names.filter((name) => input[name]?.isOptional !== true),
    additionalProperties: false,
  };
}
