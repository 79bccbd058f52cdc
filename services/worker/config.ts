import {
  DATABASE_URL,
  HOST,
  LISTEN_DATABASE_URL,
  LOG_LEVEL,
  MIGRATE_DATABASE_URL,
  type WithBothWays,
  withBothWays,
} from '../../platform/runtime/common-settings.ts';
import { CONSOLE_URL } from '../../platform/runtime/console-url.ts';
import { portSetting } from '../../platform/runtime/setting-kinds.ts';
import { type Configuration, readSettings } from '../../platform/runtime/settings.ts';
import {
  RETENTION_SETTINGS,
  retentionCoversLateness,
  TIME_SETTINGS,
} from '../../platform/runtime/time-settings.ts';
import { faultOfTls, TLS_SETTINGS } from '../../platform/runtime/tls-settings.ts';
import { API_SETTINGS } from '../api/config.ts';
import { faultOfMail, MAIL_SETTINGS } from './mail-settings.ts';

// Also used where the worker shares a process with other services.
export { faultOfMail, MAIL_SETTINGS } from './mail-settings.ts';

const { SECRETS_KEY, WEBHOOK_NETWORKS } = API_SETTINGS;

/** The settings of jobs. */
export const JOB_SETTINGS = {
  ...TIME_SETTINGS,
  ...RETENTION_SETTINGS,
  ...{ SECRETS_KEY, WEBHOOK_NETWORKS },
  ...MAIL_SETTINGS,
  CONSOLE_URL,
};

export const WORKER_SETTINGS = {
  DATABASE_URL,
  LISTEN_DATABASE_URL,
  MIGRATE_DATABASE_URL,
  ...JOB_SETTINGS,
  HOST,
  WORKER_PORT: portSetting('the port of /healthz, /readyz and /metrics', 8084),
  ...TLS_SETTINGS,
  LOG_LEVEL,
};

export type JobConfig = Configuration<typeof JOB_SETTINGS> & {
  DATABASE_URL: string;
  MIGRATE_DATABASE_URL: string | null;
};

export type WorkerConfig = WithBothWays<Configuration<typeof WORKER_SETTINGS>>;

/** @throws AppError `misconfigured` with every fault. */
export function readWorkerConfig(environment: NodeJS.ProcessEnv): WorkerConfig {
  return withBothWays(
    readSettings(WORKER_SETTINGS, environment, [retentionCoversLateness, faultOfMail, faultOfTls]),
  );
}
