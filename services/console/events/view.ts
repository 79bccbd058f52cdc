import type { AlertEvent } from '../../../domain/moves/alert-event.ts';
import { eventOf, isAlert, type MoveEvent, type MoveRow } from '../../../domain/moves/event.ts';

/** An event of the feed, with what a screen needs beside: where the asset was before, and what it is called. */
export interface MoveSeen extends Omit<MoveEvent, 'data'> {
  data: Pick<MoveEvent['data'], 'position' | 'current' | 'part'> & {
    asset: { id: number; external_key: string; name: string };
    previous_location_id: number | null;
  };
}

export type EventSeen = MoveSeen | AlertEvent;

/** Without the rows of the history, which may be a thousand: who shows a history reads it again. */
export function eventSeen(row: MoveRow): EventSeen {
  const told = eventOf(row);
  if (isAlert(told)) {
    return told;
  }
  const { data, ...event } = told;
  const { position, asset, current, part } = data;
  return {
    ...event,
    data: {
      ...{ position, asset: { ...asset, name: row.asset_name ?? '' }, current },
      previous_location_id: row.previous_location_id,
      ...(part === undefined ? {} : { part }),
    },
  };
}
