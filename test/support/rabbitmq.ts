import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { certificateFile } from './certificates.ts';
import { freePort } from './free-port.ts';
import { PROGRAM_ENVIRONMENT } from './programs.ts';

/** Another system than this one to take RabbitMQ from, such as a chroot of Debian 13, which has version 4. */
const ROOT = process.env['RABBITMQ_ROOT'] ?? '';
const SERVER = '/usr/lib/rabbitmq/bin/rabbitmq-server';

/**
 * A cluster of RabbitMQ on this machine, of nodes that can be killed. Its logins may do what the runbook says, with their
 * names as passwords: ingestion's `tagtrail`, and readers. Nodes that are started again load the project's definitions.
 */
export class RabbitCluster {
  readonly nodes: RabbitNode[] = [];
  readonly #folder: string;
  #epmd: ChildProcess | null = null;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Resolves when all nodes take connections. */
  static async start(size: number, readers: readonly string[]): Promise<RabbitCluster> {
    const folder = mkdtempSync(join(ROOT, tmpdir(), 'tagtrail-rabbitmq-'));
    const cluster = new RabbitCluster(folder);
    const epmdPort = await freePort();
    const [program = '', ...args] = inSystem(
      '/usr/bin/epmd',
      '-port',
      String(epmdPort),
      '-address',
      '127.0.0.1',
    );
    cluster.#epmd = spawn(program, args, { env: PROGRAM_ENVIRONMENT, stdio: 'ignore' });
    const delivered = definitions();
    const loaded = join(folder, 'definitions.json');
    // Where the runbook uses `rabbitmqctl`, which would take seconds for each login.
    writeFileSync(loaded, JSON.stringify({ ...delivered, ...loginsOf(readers, delivered.vhosts) }));
    const names = Array.from({ length: size }, (_, index) => `tagtrail-${index}@localhost`);
    for (const name of names) {
      cluster.nodes.push(await RabbitNode.prepare({ name, names, folder, epmdPort }));
    }
    await Promise.all(cluster.nodes.map((node) => node.start()));
    writeFileSync(loaded, JSON.stringify(delivered));
    return cluster;
  }

  /** For AMQP_URL. */
  get urls(): string {
    return this.nodes.map(({ amqpPort }) => `amqp://tagtrail:tagtrail@127.0.0.1:${amqpPort}`).join(' ');
  }

  /** Of all processes that its nodes consist of. */
  get pids(): number[] {
    return pidsOf(new Set(this.nodes.map(({ group }) => group)));
  }

  async remove(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    this.#epmd?.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export class RabbitNode {
  readonly amqpPort: number;
  /** AMQP over TLS, with {@link BROKER_TLS}, for clients with a certificate. */
  readonly amqpsPort: number;
  readonly mqttPort: number;
  readonly #environment: NodeJS.ProcessEnv;
  #child: ChildProcess | null = null;

  private constructor(ports: Ports, environment: NodeJS.ProcessEnv) {
    this.amqpPort = ports.amqp;
    this.amqpsPort = ports.amqps;
    this.mqttPort = ports.mqtt;
    this.#environment = environment;
  }

  static async prepare({
    name,
    names,
    folder,
    epmdPort,
  }: {
    name: string;
    names: readonly string[];
    folder: string;
    epmdPort: number;
  }): Promise<RabbitNode> {
    const ports = { amqp: await freePort(), amqps: await freePort(), mqtt: await freePort() };
    const own = join(folder, name);
    mkdirSync(own);
    const seen = own.slice(ROOT.length);
    for (const file of TLS_FILES) {
      copyFileSync(certificateFile(file), join(own, file));
    }
    writeFileSync(join(own, 'plugins'), '[rabbitmq_mqtt].');
    writeFileSync(join(own, '.erlang.cookie'), 'TAGTRAIL');
    chmodSync(join(own, '.erlang.cookie'), 0o600);
    writeFileSync(join(own, 'rabbitmq.conf'), configurationOf(ports, names, seen));
    return new RabbitNode(ports, {
      PATH: PROGRAM_ENVIRONMENT.PATH,
      HOME: seen,
      RABBITMQ_NODENAME: name,
      RABBITMQ_NODE_PORT: String(ports.amqp),
      RABBITMQ_DIST_PORT: String(await freePort()),
      ERL_EPMD_PORT: String(epmdPort),
      RABBITMQ_CONF_ENV_FILE: '/dev/null',
      RABBITMQ_CONFIG_FILE: join(seen, 'rabbitmq.conf'),
      RABBITMQ_ADVANCED_CONFIG_FILE: join(seen, 'none.config'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(seen, 'plugins'),
      RABBITMQ_MNESIA_BASE: join(seen, 'db'),
      RABBITMQ_LOG_BASE: join(seen, 'log'),
      RABBITMQ_PID_FILE: join(seen, 'pid'),
      RABBITMQ_GENERATED_CONFIG_DIR: join(seen, 'config'),
      // Schedulers that wait by turning would take the processor from the others.
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none',
    });
  }

  /** @throws with what it said if it ends before it is ready. */
  async start(): Promise<void> {
    const [program = '', ...args] = inSystem(SERVER);
    // A group of its own: the program is a script, which waits for the server.
    const child = spawn(program, args, {
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    const said: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      if (line.includes('completed with')) {
        child.stdout.resume();
        return;
      }
    }
    throw new Error(`RabbitMQ ended before it was ready:\n${said.join('\n')}`);
  }

  /** Of its processes; null if it does not run. */
  get group(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Lets it write what it has, and ends it. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child !== null) {
      const exited = once(child, 'exit');
      for (const pid of pidsOf(new Set([this.group]))) {
        if (nameOf(pid).startsWith('beam')) {
          process.kill(pid, 'SIGTERM');
        }
      }
      await exited;
      this.#child = null;
    }
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      process.kill(-child.pid, 'SIGKILL');
      await exited;
    }
  }
}

/** Of the processes of groups. */
function pidsOf(groups: ReadonlySet<number | null>): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => groups.has(groupOf(pid)));
}

/** The program of a process; empty if it has ended. */
function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8');
  } catch {
    return '';
  }
}

/** The group of a process, the third field after its name; null if it has ended. */
function groupOf(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[2]);
  } catch {
    return null;
  }
}

/** A command, where RabbitMQ is. */
function inSystem(...command: string[]): string[] {
  return ROOT === '' ? command : ['chroot', ROOT, ...command];
}

interface Ports {
  amqp: number;
  amqps: number;
  mqtt: number;
}

const TLS_FILES = ['ca.crt', 'broker.crt', 'broker.key'] as const;

const DEPLOY = fileURLToPath(new URL('../../deploy', import.meta.url));

/** That of the project, but for this machine. */
function configurationOf(ports: Ports, names: readonly string[], own: string): string {
  const [ca, certificate, key] = TLS_FILES;
  const delivered = readFileSync(`${DEPLOY}/rabbitmq/rabbitmq.conf`, 'utf8');
  return [
    ...delivered
      .split('\n')
      .filter((line) => !/^load_definitions/.test(line))
      .filter((line) => hasInterceptors() || !line.startsWith('message_interceptors')),
    'cluster_formation.peer_discovery_backend = classic_config',
    ...names.map((name, index) => `cluster_formation.classic_config.nodes.${index + 1} = ${name}`),
    `load_definitions = ${join(own, '..', 'definitions.json')}`,
    `listeners.tcp.1 = 127.0.0.1:${ports.amqp}`,
    `listeners.ssl.1 = 127.0.0.1:${ports.amqps}`,
    `ssl_options.cacertfile = ${join(own, ca)}`,
    `ssl_options.certfile = ${join(own, certificate)}`,
    `ssl_options.keyfile = ${join(own, key)}`,
    'ssl_options.verify = verify_peer',
    'ssl_options.fail_if_no_peer_cert = true',
    `mqtt.listeners.tcp.1 = 127.0.0.1:${ports.mqtt}`,
    'log.console = false',
    '',
  ].join('\n');
}

/** Debian 12's RabbitMQ, which this machine has, is 3.10. */
function hasInterceptors(): boolean {
  return ROOT !== '';
}

/** Those of the project. */
function definitions(): { vhosts: readonly object[]; policies: readonly object[] } {
  const delivered = JSON.parse(readFileSync(`${DEPLOY}/rabbitmq/definitions.json`, 'utf8'));
  return { ...delivered, policies: hasInterceptors() ? delivered.policies : [] };
}

/** With the rights that commands of the runbook give to `tagtrail`, and to a reader as an example for all. */
function loginsOf(readers: readonly string[], vhosts: readonly object[]) {
  const runbook = readFileSync(`${DEPLOY}/install.md`, 'utf8');
  const commands = [...runbook.matchAll(/^rabbitmqctl (set_\w*permissions) (.+)$/gm)];
  const rightsBy = (command: string) =>
    commands.flatMap(([, name, words = '']) => (name === command ? [wordsOf(words)] : []));
  const forEach = ([login = '', ...rights]: readonly string[]) =>
    login === EXAMPLE.login
      ? readers.map((reader) => [reader, ...rights.map((right) => right.replace(EXAMPLE.topic, reader))])
      : [[login, ...rights]];
  return {
    vhosts: [...vhosts, { name: ENCODED_VHOST }],
    users: ['tagtrail', ...readers].map((name) => ({ name, password: name, tags: [] })),
    permissions: [
      ...rightsBy('set_permissions')
        .flatMap(forEach)
        .map(([user, configure, write, read]) => ({ user, vhost: '/', configure, write, read })),
      { user: 'tagtrail', vhost: ENCODED_VHOST, configure: '.*', write: '.*', read: '.*' },
    ],
    topic_permissions: rightsBy('set_topic_permissions')
      .flatMap(forEach)
      .map(([user, exchange, write, read]) => ({ user, vhost: '/', exchange, write, read })),
  };
}

/** Of a command in a shell, those in quotes without them. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

/** A reader of the runbook, with its topic in a regular expression. */
const EXAMPLE = { login: 'dock-1', topic: 'site\\.dock-1' };

/** Another virtual host, whose name looks as if it were percent-encoded. */
export const ENCODED_VHOST = 'site%41';
