import {
  type MailServer,
  parseMailServer,
  parseSender,
  type Sender,
} from '../../domain/alerts/mail/sending/mail-server.ts';
import { MOST_SETTLE_SECONDS } from '../../domain/moves/settle-seconds.ts';
import {
  CONSOLE_URL,
  DATABASE_URL,
  HOST,
  LISTEN_DATABASE_URL,
  LOG_LEVEL,
  MIGRATE_DATABASE_URL,
  RETENTION_SETTINGS,
  retentionCoversLateness,
  TIME_SETTINGS,
  type WithBothWays,
  withBothWays,
} from '../../platform/runtime/common-settings.ts';
import { integerSetting, portSetting } from '../../platform/runtime/setting-kinds.ts';
import { type Configuration, readSettings, type Setting } from '../../platform/runtime/settings.ts';
import { faultOfTls, TLS_SETTINGS } from '../../platform/runtime/tls-settings.ts';
import { API_SETTINGS } from '../api/config.ts';

const SMTP_URL: Setting<MailServer | null> = {
  purpose: 'the server that e-mail of alerts is sent by; without it none is sent',
  initial: null,
  absent: null,
  remedy: 'an address such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com',
  isSecret: true,
  read: parseMailServer,
};

const MAIL_FROM: Setting<Sender | null> = {
  purpose: 'whom e-mail of alerts is from',
  initial: null,
  absent: null,
  remedy: 'an address such as alerts@example.com or "Tracking <alerts@example.com>"',
  read: parseSender,
};

const MAIL_SETTLE_SECONDS = integerSetting(
  'for how many seconds an alert is waited for, which is not sent if it is withdrawn by then',
  { initial: 0, min: 0, max: MOST_SETTLE_SECONDS },
);

/** Also used where the worker shares a process with other services. */
export const MAIL_SETTINGS = { SMTP_URL, MAIL_FROM, MAIL_SETTLE_SECONDS };

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

/** @returns a fault, or null. */
export function faultOfMail(config: {
  SMTP_URL: MailServer | null;
  MAIL_FROM: Sender | null;
}): string | null {
  return config.SMTP_URL !== null && config.MAIL_FROM === null
    ? `MAIL_FROM is not set, and SMTP_URL is; set MAIL_FROM to ${MAIL_FROM.remedy}`
    : null;
}
