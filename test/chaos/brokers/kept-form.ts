import { parseArgs } from 'node:util';
import { show, spreadOf } from '../../support/statistics.ts';
import type { LongForm } from '../long-form.ts';
import { wholeNumber } from '../options.ts';
import { showProgress } from '../show-progress.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { prepareHivemq } from './hivemq.ts';
import { countAfterHeld, countLost, type KillableNodes, type Moment } from './kept-messages.ts';
import { prepareRmqtt, readRmqttStorage } from './rmqtt.ts';

/** Counts, and judges nothing: it is about brokers, with nothing of ingestion. */
export const KEPT: LongForm = {
  summary: 'what HiveMQ or RMQTT hands to plain clients of what it had acknowledged, when a node is killed',
  options: '[--broker hivemq|rmqtt] [--runs 5] [--storage none|sessions|messages]',
  run: async (args, _, signal) => {
    const { values } = parseArgs({
      args,
      options: {
        broker: { type: 'string', default: 'hivemq' },
        runs: { type: 'string', default: '5' },
        storage: { type: 'string', default: 'none' },
      },
    });
    const runs = wholeNumber('runs', values.runs);
    const broker = await prepare(values.broker, values.storage);
    try {
      await unlessAborted(signal, () => runAll(broker, runs));
    } finally {
      await broker.remove();
    }
    return true;
  },
};

type PreparedNodes = KillableNodes & { remove(): Promise<void> };

async function prepare(broker: string, storage: string): Promise<PreparedNodes> {
  if (broker === 'rmqtt') {
    const cluster = await prepareRmqtt(readRmqttStorage(storage));
    return { nodes: cluster.nodes, start: () => cluster.start(), remove: () => cluster.remove() };
  }
  if (broker !== 'hivemq') {
    throw new TypeError(`--broker ${broker} is not one of hivemq, rmqtt`);
  }
  const node = await prepareHivemq();
  const start = async () => {
    if (!node.isRunning) {
      await node.start();
    }
  };
  return { nodes: [node], start, remove: () => node.remove() };
}

interface Losing {
  title: string;
  messages: number;
  isShared: boolean;
  moment: Moment;
}

const LOSING: readonly Losing[] = [
  { title: 'ordinary', messages: 6_000, isShared: false, moment: 'while publishing' },
  { title: 'shared', messages: 2_000, isShared: true, moment: 'while publishing' },
  { title: 'ordinary', messages: 1_000, isShared: false, moment: 'before publishing' },
  { title: 'shared', messages: 1_000, isShared: true, moment: 'before publishing' },
  { title: 'ordinary', messages: 2_000, isShared: false, moment: 'once handed over' },
];

async function runAll(broker: KillableNodes, runs: number): Promise<void> {
  await broker.start();
  const losing = LOSING.filter(({ moment }) => broker.nodes.length > 1 || moment !== 'before publishing');
  const lost = losing.map((): number[] => []);
  const held = new Map<string, Map<string, number[]>>();
  for (let run = 0; run < runs; run++) {
    showProgress(`run ${run + 1} of ${runs}`);
    for (const [index, { title, ...how }] of losing.entries()) {
      lost[index]?.push(await countLost(broker, { ...how, name: `lost-${run}-${index}` }));
    }
    for (const isShared of [false, true]) {
      const counts = await countAfterHeld(broker, { name: `held-${run}-${isShared}`, isShared });
      const title = isShared ? 'shared' : 'ordinary';
      const figures = held.get(title) ?? new Map<string, number[]>();
      held.set(title, figures);
      for (const [name, count] of Object.entries(counts)) {
        figures.set(name, [...(figures.get(name) ?? []), count]);
      }
    }
  }
  showProgress('');
  console.log(`Never came, medians of ${runs} runs (lowest to highest):`);
  for (const [index, { title, messages, moment }] of losing.entries()) {
    console.log(`  ${title}, killed ${moment}, of ${messages}: ${show(spreadOf(lost[index] ?? []), 0)}`);
  }
  console.log(
    'Came, of ten of which one was under way when the node was killed, and of five published afterwards:',
  );
  for (const [title, figures] of held) {
    const came = [...figures].map(([name, counts]) => `${name} ${show(spreadOf(counts), 0)}`);
    console.log(`  ${title}: ${came.join(', ')}`);
  }
}
