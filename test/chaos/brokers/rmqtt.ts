import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { Cluster } from './cluster.ts';
import { ListeningBroker } from './listening-broker.ts';

const PROGRAM = 'RMQTTD';
const NODES = 3;

/** What is kept outside a node's memory: nothing, its sessions on its disk, or these and all messages in Redis. */
export type RmqttStorage = (typeof STORAGES)[number];

const STORAGES = ['none', 'sessions', 'messages'] as const;

/** @throws TypeError */
export function readRmqttStorage(typed: string): RmqttStorage {
  const storage = STORAGES.find((each) => each === typed);
  if (storage === undefined) {
    throw new TypeError(`--storage ${typed} is not one of ${STORAGES.join(', ')}`);
  }
  return storage;
}

/** Ports of a node. */
interface Ports {
  mqtt: number;
  rpc: number;
  raft: number;
  http: number;
}

/** Nodes of RMQTT that agree by Raft, not started yet: `rmqttd` of the PATH, or what RMQTTD names. */
export async function prepareRmqtt(storage: RmqttStorage): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-rmqtt-'));
  const ports: Ports[] = [];
  for (let node = 0; node < NODES; node++) {
    ports.push({
      mqtt: await freePort(),
      rpc: await freePort(),
      raft: await freePort(),
      http: await freePort(),
    });
  }
  const { [PROGRAM]: program = 'rmqttd' } = process.env;
  const nodes = ports.map((own, index) => {
    const home = join(folder, `node-${index + 1}`);
    mkdirSync(join(home, 'plugins'), { recursive: true });
    writeFileSync(join(home, 'rmqtt.toml'), nodeSettings(index + 1, own, storage));
    for (const [plugin, settings] of Object.entries(pluginSettings(ports, own))) {
      writeFileSync(join(home, 'plugins', `${plugin}.toml`), settings);
    }
    return new ListeningBroker({ program, args: ['--config', 'rmqtt.toml'], folder: home, port: own.mqtt });
  });
  return new Cluster(nodes, folder, async () => {
    const answers = await Promise.all(ports.map(({ http }) => isHealthy(http)));
    return answers.every(Boolean);
  });
}

/** Whether a node sees all nodes running, and one leader. */
async function isHealthy(http: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${http}/api/v1/health/check`);
    const { running, nodes } = (await answer.json()) as { running: boolean; nodes: { leader_id: number }[] };
    const [first] = nodes;
    return (
      running &&
      nodes.length === NODES &&
      nodes.every(({ leader_id }) => leader_id > 0 && leader_id === first?.leader_id)
    );
  } catch {
    return false;
  }
}

function nodeSettings(id: number, { mqtt, rpc }: Ports, storage: RmqttStorage): string {
  const plugins = [
    'rmqtt-cluster-raft',
    'rmqtt-http-api',
    'rmqtt-retainer',
    'rmqtt-shared-subscription',
    ...(storage === 'none' ? [] : ['rmqtt-session-storage']),
    ...(storage === 'messages' ? ['rmqtt-message-storage'] : []),
  ];
  return `node.id = ${id}
node.busy.check_enable = false
rpc.server_addr = "127.0.0.1:${rpc}"
log.to = "console"
log.level = "warn"
plugins.dir = "plugins"
plugins.default_startups = ${JSON.stringify(plugins)}
[listener.tcp.external]
addr = "127.0.0.1:${mqtt}"
allow_anonymous = true
max_inflight = 1000
max_mqueue_len = 1000000
message_expiry_interval = "1h"
session_expiry_interval = "1h"
`;
}

function pluginSettings(ports: readonly Ports[], { http }: Ports): Record<string, string> {
  const listed = (kind: 'rpc' | 'raft') =>
    JSON.stringify(ports.map((own, at) => `${at + 1}@127.0.0.1:${own[kind]}`));
  return {
    'rmqtt-cluster-raft': `node_grpc_addrs = ${listed('rpc')}
raft_peer_addrs = ${listed('raft')}
leader_id = 1
raft.grpc_reuseaddr = true
`,
    'rmqtt-http-api': `http_laddr = "127.0.0.1:${http}"
`,
    'rmqtt-session-storage': `storage.type = "sled"
storage.sled.path = "sessions"
storage.sled.cache_capacity = "64M"
`,
    'rmqtt-acl': `rules = [["allow", "all"]]
`,
  };
}
