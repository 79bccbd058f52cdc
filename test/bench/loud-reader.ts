import { cpus } from 'node:os';
import { connected, connectReader } from '../support/ingest.ts';
import { quantile, show, spreadOf } from '../support/statistics.ts';
import { openDatabaseServer } from './database-server.ts';
import { Standalone } from './strangers/standalone.ts';
import { TAG, withReaders } from './with-readers.ts';

/**
 * What a reader's publish takes before, while and after another one sends junk of a mebibyte on four connections:
 * `node test/bench/loud-reader.ts 5`, so many rounds.
 */
const rounds = Number(process.argv[2] ?? 5);
/** In which one publish follows the other, ms; the attack begins with `during`. */
const LASTS = { before: 2_000, during: 6_000, after: 2_000 };
const CONNECTIONS = 4;
type Phase = keyof typeof LASTS;

const server = await openDatabaseServer();
try {
  const program = await Standalone.start(await withReaders(server.url, ['loud', 'quiet']));
  const quiet = connectReader(program.mqttPort, 'quiet');
  await connected(quiet);
  const publish = async (phase: Phase) => {
    const took: number[] = [];
    for (const began = performance.now(); performance.now() - began < LASTS[phase]; ) {
      const since = performance.now();
      await quiet.publishAsync('quiet', JSON.stringify({ value: TAG, rssi: -took.length / 10 }), { qos: 1 });
      took.push(performance.now() - since);
    }
    return took.sort((a, b) => a - b);
  };
  const junk = Buffer.alloc(1024 * 1024, '[1,');
  let isLoud = false;
  const sendJunk = async (place: number): Promise<number> => {
    const loud = connectReader(program.mqttPort, 'loud', { clientId: `loud-${place}` });
    await connected(loud);
    let acknowledged = 0;
    while (isLoud) {
      await loud.publishAsync('loud', junk, { qos: 1 });
      acknowledged += 1;
    }
    await loud.endAsync();
    return acknowledged;
  };
  await publish('before');
  const all: Record<Phase, number[][]> = { before: [], during: [], after: [] };
  const acknowledged: number[] = [];
  for (let round = 0; round < rounds; round++) {
    all.before.push(await publish('before'));
    isLoud = true;
    const sending = Promise.all(Array.from({ length: CONNECTIONS }, (_, place) => sendJunk(place)));
    all.during.push(await publish('during'));
    isLoud = false;
    acknowledged.push((await sending).reduce((sum, each) => sum + each));
    all.after.push(await publish('after'));
  }
  await quiet.endAsync(true);
  await program.stop();

  console.log(
    `Node.js ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}; ${rounds} rounds`,
  );
  console.log(`Of the loud one ${show(spreadOf(acknowledged), 0)} messages were acknowledged in a round.\n`);
  console.log('| ms of a publish of another reader | median | p99 | longest |');
  console.log('|---|---|---|---|');
  for (const [phase, runs] of Object.entries(all)) {
    const at = (share: number) => show(spreadOf(runs.map((took) => quantile(took, share))), 1);
    console.log(`| ${phase} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`);
  }
} finally {
  await server.close();
}
