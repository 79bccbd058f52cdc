import { cpus } from 'node:os';
import { HOSTILE_KINDS } from '../support/hostile-sockets.ts';
import { show, spreadOf } from '../support/statistics.ts';
import { openDatabaseServer } from './database-server.ts';
import { interleaved } from './interleaved.ts';
import { keptOut } from './strangers/kept-out.ts';
import { peakMemory } from './strangers/peak-memory.ts';
import { Standalone } from './strangers/standalone.ts';
import { withReaders } from './with-readers.ts';

/** What `npm start` does while sockets do not sign in: `node test/bench/strangers.ts 5`, so many rounds. */
const SOCKETS = 10_000;
const rounds = Number(process.argv[2] ?? 5);

const server = await openDatabaseServer();
try {
  const databaseUrl = await withReaders(server.url, ['portal']);
  console.log(
    `Node.js ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}; ${rounds} rounds\n`,
  );

  const { memory } = await interleaved(rounds, { memory: () => peakMemory(databaseUrl) });
  const mib = (of: 'before' | 'after') => show(spreadOf(memory.map((each) => each[of])), 0);
  console.log(`Peak memory, MiB: ${mib('before')}; with 40 sockets that send 16 MiB each: ${mib('after')}\n`);

  const program = await Standalone.start(databaseUrl);
  const kinds = [null, ...HOSTILE_KINDS];
  const results = await interleaved(
    rounds,
    Object.fromEntries(
      kinds.map((kind) => [kind ?? 'nobody', () => keptOut(program.mqttPort, kind, SOCKETS)]),
    ),
  );
  await program.stop();
  console.log(
    `${SOCKETS} sockets of the reader's own address, one for each that is closed; ms until a reader that`,
  );
  console.log('connects anew has a message acknowledged\n');
  console.log('| what they do | median | the longest of a round | opened in a round | open at its end |');
  console.log('|---|---|---|---|---|');
  for (const [kind, runs] of Object.entries(results)) {
    const of = (pick: (run: (typeof runs)[number]) => number) => show(spreadOf(runs.map(pick)), 0);
    const took = `${of(({ median }) => median)} | ${of(({ longest }) => longest)}`;
    console.log(`| ${kind} | ${took} | ${of(({ opened }) => opened)} | ${of(({ open }) => open)} |`);
  }
} finally {
  await server.close();
}
