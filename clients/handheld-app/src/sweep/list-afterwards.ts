import type { Answer, Unanswered } from '../gateway/answers.ts';
import type { GatewayClient } from '../gateway/client.ts';
import type { Place } from '../gateway/place.ts';
import type { Sweep } from './sweep.ts';

/** What should be at the place of a finished sweep that had no list; or why nobody says so now. */
export async function listAfterwards(
  gateway: GatewayClient,
  token: string,
  place: Place,
): Promise<Required<Pick<Sweep, 'expected' | 'list'>> | Unanswered> {
  const answer = await gateway.assetsAt(token, place.id);
  switch (answer.kind) {
    case 'ok':
      return { expected: answer.data, list: 'later' };
    case 'unauthorized':
    case 'unreachable':
      return answer;
    default:
      return { expected: null, list: isGone(answer) ? 'gone' : 'earlier' };
  }
}

export function isGone(answer: Answer<unknown> | null): boolean {
  return answer?.kind === 'refused' && answer.status === 404;
}
