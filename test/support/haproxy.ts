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
  /** After it has led somebody elsewhere: until it takes the next reload, which is lost before. */
  isReloaded(): Promise<void>;
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
  const [file, map] = [join(folder, 'haproxy.cfg'), join(folder, 'moved.map')];
  const [httpPort, mqttPort] = [await freePort(), await freePort()];
  writeFileSync(map, readFileSync(join(DEPLOYED, 'moved.map')));
  writeFileSync(
    file,
    configurationOf({ cells, map, httpPort, mqttPort }).replace(' tagtrail.example.com', ` ${apiHost}`),
  );
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
    return (await Promise.all([httpPort, mqttPort].map(accepts))).every(Boolean);
  });
  return {
    httpPort,
    mqttPort,
    route: `MAP=${map} RELOAD='kill -USR2 ${child.pid}' sh ${join(DEPLOYED, 'moved.sh')}`,
    check: async () => {
      const checking = spawn('haproxy', ['-c', '-f', file], { env: PROGRAM_ENVIRONMENT });
      let said = '';
      checking.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      const [status] = await once(checking, 'close');
      return status === 0 ? said.replace(/^\[NOTICE\].*\n/gm, '') : `${said}status ${status}`;
    },
    // The old worker is gone once the master, which cannot be told anything before, has noticed that.
    isReloaded: () => until(() => childrenOf(child.pid).length === 1),
    stop: async () => {
      isStopping = true;
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configurationOf({
  cells,
  map,
  httpPort,
  mqttPort,
}: {
  cells: readonly [CellPorts, CellPorts];
  map: string;
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
      // As many as an ordinary user may have files open.
      .replace('maxconn 20000', 'maxconn 500')
      .replace('bind :8080', `bind 127.0.0.1:${httpPort}`)
      .replace('bind :1883', `bind 127.0.0.1:${mqttPort}`)
  );
}

function childrenOf(pid = 0): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
}
