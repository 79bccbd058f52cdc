import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { signInAt } from '../../../services/mqtt-ingest/source/sign-in.ts';

describe('signing in as a reader', () => {
  const portal = (password: string) =>
    ({
      username: 'reader-1',
      passwordSha256: createHash('sha256').update(password).digest(),
    }) as RegisteredReader;
  let loads = 0;
  let asked: (readonly string[])[] = [];
  beforeEach(() => {
    loads = 0;
    asked = [];
  });

  const registryOf = (known: RegisteredReader, isFresh: boolean, refreshed: () => RegisteredReader) => {
    let reader = known;
    return {
      byUsername: (username: string) => (username === reader.username ? reader : undefined),
      isLeaving: (username: string) => username === 'reader-2',
      isFresh: () => isFresh,
      whenFresh: (_: () => void, onFailure: (error: unknown) => void = () => {}) =>
        onFailure(new Error('the database is away')),
      refresh: async () => {
        loads += 1;
        reader = refreshed();
      },
      passwordsInDatabase: async (usernames: readonly string[]) => {
        asked.push(usernames);
        const stored = refreshed();
        return new Map(usernames.includes(stored.username) ? [[stored.username, stored.passwordSha256]] : []);
      },
    };
  };
  const away = (): never => {
    throw new Error('the database is away');
  };
  const outcome = (signIn: ReturnType<typeof signInAt>, username: string, password: string) =>
    signIn(username, Buffer.from(password)).then(
      (found) => (found === null ? 'refused' : found === 'leaving' ? found : found.username),
      (error: Error) => error.message,
    );

  it('is refused by what is known for certain', async () => {
    const signIn = signInAt(registryOf(portal('old'), true, away));
    expect(await outcome(signIn, 'reader-1', 'old')).to.equal('reader-1');
    expect(await outcome(signIn, 'reader-1', 'wrong')).to.equal('refused');
  });

  it('is not refused while the database is away: the password may be a new one', async () => {
    const registry = registryOf(portal('old'), false, away);
    expect(await outcome(signInAt(registry), 'reader-1', 'old')).to.equal('reader-1');
    expect(await outcome(signInAt(registry), 'reader-1', 'new')).to.equal('the database is away');
    expect(await outcome(signInAt(registry), 'reader-9', 'new')).to.equal('the database is away');
  });

  it('is by a new password as soon as the database knows', async () => {
    const registry = registryOf(portal('old'), false, () => portal('new'));
    expect(await outcome(signInAt(registry), 'reader-1', 'new')).to.equal('reader-1');
    expect(await outcome(signInAt(registry), 'reader-1', 'old')).to.equal('refused');
  });

  it('loads nothing where it fails, and asks once for all names that strangers make up meanwhile', async () => {
    const signIn = signInAt(registryOf(portal('old'), false, () => portal('new')));
    const names = Array.from({ length: 50 }, (_, at) => `stranger-${at}`);
    const outcomes = [...names, 'reader-1', 'x'.repeat(60_000), 'a\0b'].map((name) =>
      outcome(signIn, name, 'wrong'),
    );
    expect(new Set(await Promise.all(outcomes))).to.deep.equal(new Set(['refused']));
    expect(asked).to.deep.equal([[...names, 'reader-1']]);
    expect(loads).to.equal(0);
  });

  it('is not judged at a cell that the organization leaves: the other may have given it a new password', async () => {
    const signIn = signInAt(registryOf(portal('old'), true, away));
    expect(await outcome(signIn, 'reader-2', 'whatever')).to.equal('leaving');
  });
});
