import { sendRaw } from '../../support/raw-request.ts';
import { fillIn } from './attack.ts';
import type { Case } from './case.ts';
import type { ServerLoad } from './server-load.ts';

/** How many of each kind are looked at a second time: the first may have found the machine busy, or the code cold. */
const SHORT_LIST = 4;

/** Milliseconds of processor time beside which neither matters. */
const LONG = 1_000;

/** Milliseconds of processor time that a case takes when done once. */
interface Cost {
  each: Case;
  thread: number;
  all: number;
}

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
  let turn = 10_000_000;
  const costOf = async (each: Case): Promise<Cost> => {
    const token = await authorization();
    const before = await server.cpu();
    await sendOnce(each, turn++, token);
    const after = await server.cpu();
    return { each, thread: after.thread - before.thread, all: after.all - before.all };
  };
  const costs: Cost[] = [];
  for (const each of cases) {
    costs.push(await costOf(each));
  }
  const found = new Set<Case>();
  for (const kind of ['thread', 'all'] as const) {
    const again: Cost[] = [];
    for (const first of costs.toSorted((a, b) => b[kind] - a[kind]).slice(0, SHORT_LIST)) {
      const second = first.all > LONG ? first : await costOf(first.each);
      again.push(second[kind] < first[kind] ? second : first);
    }
    const [most] = again.toSorted((a, b) => b[kind] - a[kind]);
    if (most !== undefined) {
      found.add(most.each);
    }
  }
  return [...found];
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
