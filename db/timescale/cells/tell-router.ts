import type pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { ORGANIZATION_LOCKS } from '../connections/advisory-locks.ts';
import { connect, requireOnly } from './cells.ts';
import { type Route, routeOf } from './route.ts';
import { findMove } from './stored-moves.ts';

/**
 * Tells a router of an organization that is in this cell.
 *
 * @throws AppError `not_found`, or `conflict` if the cell has no number, or the organization moves away or has moved.
 */
export async function tellRouter(
  url: string,
  orgId: number,
  tell: (route: Route) => Promise<void>,
): Promise<void> {
  const here = await connect(url);
  try {
    // Otherwise the router might get this after a switch.
    await requireOnly(here, ORGANIZATION_LOCKS.leavingCell, orgId);
    await requireInUse(here, orgId);
    const route = await routeOf(here, orgId);
    if (route.cell === null) {
      throw new AppError(
        'conflict',
        'This cell has no number, so no organization has moved here: cell number',
      );
    }
    await tell(route);
  } finally {
    await here.end();
  }
}

async function requireInUse(here: pg.Client, orgId: number): Promise<void> {
  const { rowCount } = await here.query('select from organizations where id = $1 and deleted_at is null', [
    orgId,
  ]);
  if (rowCount === 1) {
    return;
  }
  const move = await findMove(here, orgId);
  if (move?.state === 'moved' || move?.state === 'left') {
    throw new AppError(
      'conflict',
      `Organization ${orgId} has moved to ${move.other_cell}; run this with the settings of that cell`,
    );
  }
  throw new AppError('not_found', `Organization ${orgId} not found`);
}
