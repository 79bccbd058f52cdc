import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { type Connections, connectReaders } from '../../../simulation/connections.ts';
import { readStandaloneConfig, type StandaloneConfig } from '../config.ts';
import { type Standalone, startStandalone } from '../standalone.ts';
import { type InstalledSite, setUpSite } from './set-up.ts';

/** The whole of tagtrail in a temporary folder, with the site set up and its readers connected. */
export interface Demo {
  standalone: Standalone;
  site: InstalledSite;
  connections: Connections;
  print(line: string): void;
}

/**
 * Settings of a demo: free ports by default, rate limits above its own needs, a quiet log, and never a server of
 * somebody's own.
 *
 * @throws AppError `misconfigured` with every fault.
 */
export function readDemoConfig(environment: NodeJS.ProcessEnv): StandaloneConfig {
  return readStandaloneConfig({
    ...environment,
    API_PORT: environment['API_PORT'] || '0',
    HANDHELD_PORT: environment['HANDHELD_PORT'] || '0',
    CONSOLE_PORT: environment['CONSOLE_PORT'] || '0',
    MQTT_PORT: environment['MQTT_PORT'] || '0',
    READERS_PORT: environment['READERS_PORT'] || '0',
    RATE_LIMIT_PER_MINUTE: environment['RATE_LIMIT_PER_MINUTE'] || '60000',
    RATE_LIMIT_BURST: environment['RATE_LIMIT_BURST'] || '60000',
    LOG_LEVEL: environment['LOG_LEVEL'] || 'error',
    DATABASE_URL: '',
    REDIS_URL: '',
    MQTT_URL: '',
  });
}

/** @throws AppError naming the setting at fault. */
export async function startDemo(
  config: StandaloneConfig,
  log: Logger,
  lifecycle: Lifecycle,
  print: (line: string) => void,
): Promise<Demo> {
  const folder = await lifecycle.start('folder', makeFolder, (made) =>
    rm(made, { recursive: true, force: true }),
  );
  const standalone = await startStandalone({ ...config, TAGTRAIL_DATA: folder }, log, lifecycle, false);
  const site = await setUpSite(standalone);
  const connections = await lifecycle.start(
    'readers',
    () => connectReaders(standalone.mqttUrl, site.readers),
    (connected) => connected.close(),
  );
  return { standalone, site, connections, print };
}

/** The database server may run as another user, who needs access to its folder in this one. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tagtrail-demo-'));
  await chmod(folder, 0o711);
  return folder;
}
