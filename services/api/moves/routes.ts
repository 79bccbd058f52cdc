import { answered } from '../../../platform/http/success.ts';
import { route } from '../serving/context.ts';
import { answerMoves } from './answer-moves.ts';
import { FEED, MOVES } from './schema.ts';

const list = route({
  method: 'GET',
  path: '/api/v1/moves',
  operationId: 'listMoves',
  summary: 'Follow moves and corrections',
  description:
    'Every change of every history and of every alert, once recorded never lost, in one order: read from a position on, and wait for more. A request costs one token, however long it waits.',
  scope: 'tracking:read',
  query: MOVES,
  params: {},
  success: answered(FEED, 'What comes after the position'),
  problems: { feed_expired: 'Events after this position are not kept any more' },
  handle: ({ context: { db, moveReading }, query, signal, confirm }) =>
    answerMoves({ db, ...moveReading, signal, confirm }, query),
});

export const moveRoutes = [list];
