import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { connectAsync } from 'mqtt';
import pg from 'pg';
import {
  type Answered,
  type Ask,
  type Attack,
  type Begun,
  type Busy,
  fillIn,
  type Login,
  type Outcome,
} from './attack.ts';
import { deedsOf } from './deeds.ts';

/**
 * Somebody who does the worst, in a process of its own: gets an {@link Attack}, and tells after the next message what
 * was {@link Answered}. Callers have machines of their own, so this one takes of the processors what others leave.
 */
setPriority(10);
process.once('message', (attack: Attack) => {
  const answered: Answered = {};
  process.once('message', () => process.send?.(answered, () => process.exit()));
  for (let each: Attack | undefined = attack; each !== undefined; each = each.beside) {
    beginAttack(each, (status) => {
      answered[status] = (answered[status] ?? 0) + 1;
    });
  }
});
process.once('disconnect', () => process.exit());
process.send?.('ready');

function beginAttack(attack: Attack, onAnswer: (status: string) => void): void {
  if ('programs' in attack) {
    keepBusy(attack.programs);
    return;
  }
  if ('statement' in attack) {
    void begin(attack);
    return;
  }
  for (let place = 0; place < attack.connections; place++) {
    void send(attack, place, onAnswer);
  }
}

async function send(
  attack: Exclude<Attack, Busy | Begun>,
  place: number,
  onAnswer: (status: string) => void,
): Promise<never> {
  const sendOne =
    'asks' in attack
      ? requests(attack.asks)
      : 'deed' in attack
        ? deedsOf(attack.deed)
        : await messages(attack.login, attack.payloads, place);
  for (let turn = attack.firstTurn + place; ; turn += attack.connections) {
    const { status, retryAfter } = await sendOne(turn);
    onAnswer(status);
    if (status === '429' && attack.isPatient) {
      await pause(retryAfter * 1_000);
    }
  }
}

/** With the priority that the server has, where that may be asked for; until this process ends. */
function keepBusy(programs: number): void {
  for (let count = 0; count < programs; count++) {
    const program = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    process.once('exit', () => program.kill('SIGKILL'));
    try {
      setPriority(program.pid ?? 0, 0);
    } catch {}
  }
}

async function begin({ databaseUrl, statement }: Begun): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(statement);
  await client.end();
}

function requests(asks: readonly Ask[]): (turn: number) => Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const texts = asks.map(({ body, isFresh }) => (isFresh ? Buffer.from(body ?? []).toString() : null));
  return (turn) =>
    new Promise((resolve) => {
      const { method, url, headers, body } = asks[turn % asks.length] as Ask;
      const text = texts[turn % asks.length] ?? null;
      const bytes = text === null ? body : Buffer.from(fillIn(text, turn));
      const length = bytes === null ? {} : { 'content-length': String(bytes.length) };
      const failed = ({ message }: Error) => resolve({ status: message, retryAfter: 0 });
      const asked = request(url, { method, agent, headers: { ...headers, ...length } });
      asked.on('error', failed);
      asked.on('response', (response) => {
        const retryAfter = Number(response.headers['retry-after'] ?? 0);
        response.on('end', () => resolve({ status: String(response.statusCode), retryAfter }));
        response.on('error', failed);
        response.resume();
      });
      asked.end(bytes);
    });
}

async function messages({ url, topic, ...login }: Login, payloads: readonly Uint8Array[], place: number) {
  const client = await connectAsync(url, { ...login, clientId: `worst-${place}`, keepalive: 600 });
  return async (turn: number): Promise<Outcome> => {
    await client.publishAsync(topic, Buffer.from(payloads[turn % payloads.length] ?? []), { qos: 1 });
    return { status: 'acknowledged', retryAfter: 0 };
  };
}
