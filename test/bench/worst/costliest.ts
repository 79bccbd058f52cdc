import { sendRaw } from '../../support/raw-request.ts';
import { fillIn } from './attack.ts';
import type { Case } from './cases.ts';
import type { ServerLoad } from './server-load.ts';

const ATTEMPTS = 2;

/**
 * Of a few the one that takes most processor time of the thread that answers when done once, and the one that takes most
 * of everything with the database; often they are the same.
 */
export async function costliest(
  cases: readonly Case[],
  server: ServerLoad,
  authorization: () => Promise<string>,
): Promise<Case[]> {
  if (cases.length === 1) {
    return [...cases];
  }
  let [thread, all] = [-1, -1];
  let [ofThread, ofAll] = cases;
  let turn = 10_000_000;
  for (const each of cases) {
    const token = await authorization();
    let [least, leastOfAll] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const before = await server.cpu();
      await sendOnce(each, turn++, token);
      const after = await server.cpu();
      least = Math.min(least, after.thread - before.thread);
      leastOfAll = Math.min(leastOfAll, after.all - before.all);
    }
    [thread, ofThread] = least > thread ? [least, each] : [thread, ofThread];
    [all, ofAll] = leastOfAll > all ? [leastOfAll, each] : [all, ofAll];
  }
  return [...new Set([ofThread, ofAll])].filter((each) => each !== undefined);
}

async function sendOnce({ asks: [ask] }: Case, turn: number, authorization: string): Promise<void> {
  if (ask === undefined) {
    return;
  }
  const { method, url, headers, body, isFresh } = ask;
  const bytes = isFresh ? Buffer.from(fillIn(Buffer.from(body ?? []).toString(), turn)) : body;
  await sendRaw(url, {
    method,
    headers: { ...headers, authorization },
    ...(bytes === null ? {} : { body: Buffer.from(bytes) }),
  });
}
