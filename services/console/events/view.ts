import { eventOf, type MoveEvent, type MoveRow } from '../../../domain/moves/event.ts';

/** An event of the feed, with what a screen needs beside: where the asset was before, and what it is called. */
export interface MoveSeen extends Omit<MoveEvent, 'data'> {
  data: Pick<MoveEvent['data'], 'position' | 'current' | 'part'> & {
    asset: { id: number; external_key: string; name: string };
    previous_location_id: number | null;
  };
}

/** Without the rows of the history, which may be a thousand: who shows a history reads it again. */
export function moveSeen(row: MoveRow): MoveSeen {
  const { data, ...event } = eventOf(row);
  const { position, asset, current, part } = data;
  return {
    ...event,
    data: {
      ...{ position, asset: { ...asset, name: row.asset_name }, current },
      previous_location_id: row.previous_location_id,
      ...(part === undefined ? {} : { part }),
    },
  };
}
