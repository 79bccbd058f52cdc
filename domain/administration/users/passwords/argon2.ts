import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { FairSemaphore } from '../../../../base/fair-semaphore.ts';

/** OWASP's recommendation for argon2id; memory in KiB. About 40 ms of a processor. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>` */
const STORED = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

interface Parameters {
  memory: number;
  passes: number;
  parallelism: number;
}

/**
 * At most two computations at a time, so that signing in leaves processors and thread pool to signed-in users, and
 * takes 38 MiB at most. One per caller, so that somebody who tries many passwords delays only themselves.
 */
const turns = new FairSemaphore<string>({
  total: 2,
  perKey: 1,
  perKeyWithRoom: 1,
  waitingPerKey: 10,
  patience: 10_000,
});

const derive = promisify(argon2);

/** @param caller the key of its turn: an address, for example. */
export async function hashPassword(password: string, caller: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derived(password, { salt, length: HASH_BYTES, ...COST }, caller);
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(salt)}$${unpadded(hash)}`;
}

/**
 * @param stored null if there is none: the check takes as long, so that it does not reveal whether an account exists.
 * @throws AppError `timed_out` if too many of the caller's checks wait already.
 */
export async function isPassword(password: string, stored: string | null, caller: string): Promise<boolean> {
  const { parameters, salt, hash } = parsed(stored ?? NOBODYS);
  const given = await derived(password, { salt, length: hash.length, ...parameters }, caller);
  return timingSafeEqual(given, hash) && stored !== null;
}

function derived(
  password: string,
  { salt, length, memory, passes, parallelism }: Parameters & { salt: Buffer; length: number },
  caller: string,
): Promise<Buffer> {
  const message = password.normalize('NFKC');
  return turns.run(caller, () =>
    derive('argon2id', { message, nonce: salt, parallelism, tagLength: length, memory, passes }),
  );
}

function parsed(stored: string): { parameters: Parameters; salt: Buffer; hash: Buffer } {
  const [, memory, passes, parallelism, salt = '', hash = ''] = STORED.exec(stored) ?? [];
  if (memory === undefined) {
    throw new Error('a stored password is no argon2id hash');
  }
  return {
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/={1,2}$/, '');
}

const NOBODYS = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(randomBytes(SALT_BYTES))}$${unpadded(randomBytes(HASH_BYTES))}`;
