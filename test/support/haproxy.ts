import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { accepts } from './accepts.ts';
import { freePort } from './free-port.ts';
import { PROGRAM_ENVIRONMENT } from './programs.ts';
import { until } from './subscribed-ingest.ts';

/** Ports on 127.0.0.1 of what a cell serves; what is not there has none. */
export interface CellPorts {
  api: number;
  scan: number;
  console?: number;
  mqtt: number;
}

/** A real HAProxy with the configuration of `deploy`. */
export interface Haproxy {
  httpPort: number;
  mqttPort: number;
  /** The command that leads credentials elsewhere, for `cell move --route`. */
  route: string;
  /** Its configuration, checked. @returns what is wrong with it. */
  check(): Promise<string>;
  /** Stops it as it is stopped for an upgrade, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Characters of what it said last. */
const MOST_SAID = 4_000;

const DEPLOYED = fileURLToPath(new URL('../../deploy/haproxy', import.meta.url));

/**
 * Starts it in front of cells 1 and 2, until it is stopped.
 *
 * @param apiHost the name of the API, which requests have to be sent to.
 */
export async function startHaproxy(
  cells: readonly [CellPorts, CellPorts],
  apiHost = 'tagtrail.example.com',
): Promise<Haproxy> {
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-haproxy-'));
  const inFolder = (name: string) => join(folder, name);
  const [file, map, socket] = [inFolder('haproxy.cfg'), inFolder('moved.map'), inFolder('admin.sock')];
  const [httpPort, mqttPort] = [await freePort(), await freePort()];
  writeFileSync(map, readFileSync(join(DEPLOYED, 'moved.map')));
  writeFileSync(
    file,
    configurationOf({ cells, map, socket, httpPort, mqttPort }).replace(
      ' tagtrail.example.com',
      ` ${apiHost}`,
    ),
  );
  const accepting = async () => (await Promise.all([httpPort, mqttPort].map(accepts))).every(Boolean);
  let running = await start(file, accepting);
  return {
    httpPort,
    mqttPort,
    route: `MAP=${map} SOCKET=${socket} sh ${join(DEPLOYED, 'moved.sh')}`,
    check: async () => {
      const checking = spawn('haproxy', ['-c', '-f', file], { env: PROGRAM_ENVIRONMENT });
      let said = '';
      checking.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      const [status] = await once(checking, 'close');
      return status === 0 ? said.replace(/^\[NOTICE\].*\n/gm, '') : `${said}status ${status}`;
    },
    restart: async () => {
      await running.stop();
      running = await start(file, accepting);
    },
    stop: async () => {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function start(
  file: string,
  accepting: () => Promise<boolean>,
): Promise<{ stop: () => Promise<void> }> {
  const child = spawn('haproxy', ['-W', '-f', file], {
    env: PROGRAM_ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-MOST_SAID);
  });
  const ended = once(child, 'exit');
  let isStopping = false;
  child.once('exit', (status, signal) => {
    if (!isStopping) {
      console.error(`HAProxy ended with ${status ?? signal}: ${said}`);
    }
  });
  await until(async () => {
    if (child.exitCode !== null) {
      throw new Error(`HAProxy ended with ${child.exitCode}`);
    }
    return accepting();
  });
  return {
    stop: async () => {
      isStopping = true;
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function configurationOf({
  cells,
  map,
  socket,
  httpPort,
  mqttPort,
}: {
  cells: readonly [CellPorts, CellPorts];
  map: string;
  socket: string;
  httpPort: number;
  mqttPort: number;
}): string {
  const services = ['api', 'scan', 'console', 'mqtt'] as const;
  return (
    services
      .flatMap((service) => cells.map((cell, index) => ({ service, number: index + 1, port: cell[service] })))
      .reduce(
        (text, { service, number, port }) =>
          text.replace(
            new RegExp(`(backend ${service}-${number}\\n[^]*?) cell-${number}:\\d+`),
            // A port that nothing listens on.
            (_, before: string) => `${before} 127.0.0.1:${port ?? 1}`,
          ),
        readFileSync(join(DEPLOYED, 'haproxy.cfg'), 'utf8'),
      )
      .replaceAll('/etc/haproxy/moved.map', map)
      .replace('/run/haproxy/admin.sock', socket)
      // As many as an ordinary user may have files open.
      .replace('maxconn 20000', 'maxconn 500')
      .replace('bind :8080', `bind 127.0.0.1:${httpPort}`)
      .replace('bind :1883', `bind 127.0.0.1:${mqttPort}`)
  );
}
