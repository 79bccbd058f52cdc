import { AppError } from '../../../base/errors.ts';
import { wireTime } from '../../../base/timestamps.ts';
import { requireEmbedded } from '../../../db/timescale/embedded/server.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { MOST_SETTLE_SECONDS } from '../../../domain/moves/settle-seconds.ts';
import { type AttemptRow, KEPT_ATTEMPTS, listAttempts } from '../../../domain/webhooks/attempts.ts';
import { createWebhook, type WebhookSettings } from '../../../domain/webhooks/create-webhook.ts';
import { deleteWebhook } from '../../../domain/webhooks/delete-webhook.ts';
import { EVENT_TYPES } from '../../../domain/webhooks/event-types.ts';
import { type ListedWebhook, listWebhooks, shownProgress } from '../../../domain/webhooks/list-webhooks.ts';
import { replayWebhook } from '../../../domain/webhooks/replay-webhook.ts';
import type { SecretsKeys } from '../../../domain/webhooks/secrets/secrets-key.ts';
import { openAgents } from '../../../domain/webhooks/sending/agents.ts';
import { type Attempt, shownAttempt } from '../../../domain/webhooks/sending/deliver.ts';
import { setWebhook, type WebhookChange } from '../../../domain/webhooks/set-webhook.ts';
import {
  requireWebhook,
  STATES,
  type State,
  type StoredWebhook,
  sayState,
  shownWebhook,
} from '../../../domain/webhooks/stored-webhook.ts';
import { createResolve } from '../../../domain/webhooks/targets/checked-lookup.ts';
import { testWebhook } from '../../../domain/webhooks/test-webhook.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { API_SETTINGS } from '../../api/config.ts';
import { ownSecretsKey, readOwnSecretsKey } from '../../standalone/secrets-key.ts';
import { addCommand, type Command, examples, id, oneOf, wholeNumber } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { listTable } from '../command-line/list-table.ts';
import { FAILED } from '../command-line/report-error.ts';
import { DATABASE_SETTINGS, withConnections } from '../connections/database.ts';
import { running } from '../running/running.ts';

export function addWebhook(program: Command): void {
  addWebhookCreate(program);
  addWebhookSet(program);
  addWebhookDelete(program);
  addWebhookList(program);
  addWebhookTest(program);
  addWebhookAttempts(program);
  addWebhookReplay(program);
}

interface CreateOptions {
  org: number;
  url: string;
  types?: string[];
  location?: string;
  name?: string;
  settleSeconds?: number;
  after?: number;
}

function addWebhookCreate(program: Command): void {
  addCommand(program, 'webhook', 'create')
    .description('Send every move to a URL, by POST. The signing secret is shown only now.')
    .requiredOption('--org <id>', 'the organization whose moves are sent', id)
    .requiredOption('--url <url>', 'the URL; https, or http within WEBHOOK_NETWORKS')
    .option('--types <a,b>', `only these types: ${EVENT_TYPES.join(', ')}`, typesOf)
    .option('--location <key>', 'only events about this location or one below it')
    .option('--name <name>', "its name; default: the URL's host")
    .option('--settle-seconds <seconds>', SETTLE, settleSeconds, 0)
    .option('--after <position>', 'begin after this position of the feed; default: at its head', position)
    .addHelpText(
      ...examples('webhook create --org 1 --url https://erp.example.com/hooks/moves --location HALL-1'),
    )
    .prints(async (options: CreateOptions) => {
      const { org: orgId, url, types, location: locationExternalKey, name, settleSeconds, after } = options;
      const settings = webhookSettings();
      const { webhook, secret } = await withConnections(({ db, actor }) =>
        createWebhook(db, actor, settings, {
          ...{ orgId, url, types, locationExternalKey, name, settleSeconds, after },
        }),
      );
      return {
        json: { ...webhookRow(webhook), secret },
        text: `${sayWebhook(webhook)}\nSecret  ${secret}  (shown only now)`,
      };
    });
}

interface SetOptions {
  webhook: number;
  state?: State;
  url?: string;
  types?: string[];
  location?: string;
  name?: string;
  settleSeconds?: number;
  rotateSecret?: true;
  dropOldSecret?: true;
}

function addWebhookSet(program: Command): void {
  addCommand(program, 'webhook', 'set')
    .description('Change a webhook; it takes effect within seconds. Omitted options keep their values.')
    .requiredOption('--webhook <id>', 'which webhook', id)
    .option('--state <state>', 'on: resumes where it was; off, paused: sends nothing', oneOf(...STATES))
    .option('--url <url>', 'the URL; https, or http within WEBHOOK_NETWORKS')
    .option('--types <a,b>', `only these types: ${EVENT_TYPES.join(', ')}; all for every type`, typesOf)
    .option('--location <key>', 'only events about this location or one below it; none for everywhere')
    .option('--name <name>', 'its name')
    .option('--settle-seconds <seconds>', SETTLE, settleSeconds)
    .option('--rotate-secret', 'make a second secret, shown only now; both sign until the old one is dropped')
    .option('--drop-old-secret', 'end all secrets but the newest')
    .addHelpText(
      ...examples(
        'webhook set --webhook 1 --state on',
        'webhook set --webhook 1 --rotate-secret',
        'webhook set --webhook 1 --drop-old-secret',
      ),
    )
    .prints(async (options: SetOptions) => {
      const change = changeOf(options);
      if (Object.keys(change).length === 0) {
        throw new AppError(
          'invalid_input',
          'Nothing to change: give --state, --url, --types, --location, --name, --settle-seconds, --rotate-secret or --drop-old-secret',
        );
      }
      const settings = webhookSettings();
      const { webhook, secret } = await withConnections(({ db, actor }) =>
        setWebhook(db, actor, settings, { orgId: null, id: options.webhook }, change),
      );
      return {
        json: { ...webhookRow(webhook), ...(secret === null ? {} : { secret }) },
        text: sayWebhook(webhook) + (secret === null ? '' : `\nSecret  ${secret}  (shown only now)`),
      };
    });
}

function changeOf(options: SetOptions): WebhookChange {
  const { state, url, types, location, name, settleSeconds: settle, rotateSecret, dropOldSecret } = options;
  return {
    ...(state === undefined ? {} : { state }),
    ...(url === undefined ? {} : { url }),
    ...(types === undefined ? {} : { types: types.join() === 'all' ? null : types }),
    ...(location === undefined ? {} : { locationExternalKey: location === 'none' ? null : location }),
    ...(name === undefined ? {} : { name }),
    ...(settle === undefined ? {} : { settleSeconds: settle }),
    ...(rotateSecret === true ? { rotatesSecret: true } : {}),
    ...(dropOldSecret === true ? { dropsOldSecret: true } : {}),
  };
}

function addWebhookDelete(program: Command): void {
  addCommand(program, 'webhook', 'delete')
    .description('Delete a webhook with its secrets and attempts.')
    .requiredOption('--webhook <id>', 'which webhook', id)
    .addHelpText(...examples('webhook delete --webhook 1'))
    .prints(async (options: { webhook: number }) => {
      const webhook = await withConnections(({ db, actor }) =>
        deleteWebhook(db, actor, { orgId: null, id: options.webhook }),
      );
      const { id: webhookId, name, url } = webhook;
      return {
        json: { id: webhookId, name, url, deleted_at: wireTime(webhook.deletedAt) },
        text: forTerminal(`Webhook ${webhookId} (${name}) is deleted.`),
      };
    });
}

function addWebhookList(program: Command): void {
  addCommand(program, 'webhook', 'list')
    .description('List the webhooks of an organization, and up to which position each has delivered.')
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText(...examples('webhook list --org 1'))
    .prints(async (options: { org: number }) => {
      const webhooks = await withConnections(async ({ db }) => {
        await requireLiveOrganization(db, options.org);
        return listWebhooks(db, options.org);
      });
      return {
        json: webhooks.map(listedWebhookRow),
        text: webhooks.length === 0 ? 'No webhooks.' : asTable(webhooks),
      };
    });
}

function asTable(webhooks: readonly ListedWebhook[]): string {
  return listTable(
    [
      'id',
      'name',
      'state',
      'position',
      'of',
      'last answer',
      'next attempt',
      'url',
      'types',
      'location',
      'settle',
      'secrets',
    ],
    webhooks.map((webhook) => {
      const row = listedWebhookRow(webhook);
      return [
        String(row.id),
        row.name,
        sayState(webhook),
        String(row.position),
        String(row.head),
        row.last_attempt === null ? '-' : String(row.last_attempt.status ?? row.last_attempt.error),
        row.next_attempt_at ?? '-',
        row.url,
        row.types?.join(',') ?? '-',
        row.location_external_key ?? '-',
        row.settle_seconds === 0 ? '-' : `${row.settle_seconds} s`,
        row.secrets_since.length > 1 ? String(row.secrets_since.length) : '-',
      ];
    }),
  ).join('\n');
}

function addWebhookTest(program: Command): void {
  addCommand(program, 'webhook', 'test')
    .description(
      "Send a test event from here, and show the receiver's answer. Exits with 1 unless that was 2xx.",
    )
    .requiredOption('--webhook <id>', 'the webhook, whatever its state', id)
    .addHelpText(...examples('webhook test --webhook 1'))
    .prints(async (options: { webhook: number }) => {
      const { keys, networks } = webhookSettings();
      const agents = openAgents({ networks, resolve: createResolve() });
      try {
        const attempt = await withConnections(({ db }) =>
          testWebhook(db, { keys, agents }, { orgId: null, id: options.webhook }),
        );
        running().status = attempt.outcome === 'delivered' ? 0 : FAILED;
        return { json: shownAttempt(attempt), text: textOf(attempt) };
      } finally {
        agents.end();
      }
    });
}

function textOf({ outcome, status, error, milliseconds, answer }: Attempt): string {
  const said = status === null ? error : `Answered ${status} after ${milliseconds} ms`;
  return [
    `${outcome === 'delivered' ? 'Delivered' : 'Not delivered'}: ${said}`,
    ...(answer === null || answer === '' ? [] : [answer]),
  ].join('\n');
}

function addWebhookAttempts(program: Command): void {
  addCommand(program, 'webhook', 'attempts')
    .description(`List requests and their answers, newest first. The last ${KEPT_ATTEMPTS} are kept.`)
    .requiredOption('--webhook <id>', 'which webhook', id)
    .option('--limit <number>', 'how many at most', wholeNumber(1, KEPT_ATTEMPTS), 50)
    .addHelpText(...examples('webhook attempts --webhook 1 --limit 10'))
    .prints(async (options: { webhook: number; limit: number }) => {
      const attempts = await withConnections(async ({ db }) => {
        const { orgId, id: webhookId } = await requireWebhook(db, { orgId: null, id: options.webhook });
        return listAttempts(db, { orgId, webhookId }, { limit: options.limit });
      });
      const rows = attempts.map((attempt) => ({ ...attempt, at: wireTime(attempt.at) }));
      return { json: rows, text: rows.length === 0 ? 'No attempts.' : attemptsTable(rows) };
    });
}

function attemptsTable(rows: readonly AttemptRow[]): string {
  return listTable(
    ['at', 'event', 'attempt', 'status', 'ms', 'error', 'answer'],
    rows.map((row) => [
      row.at,
      row.event_id,
      String(row.attempt),
      String(row.status ?? '-'),
      String(row.milliseconds),
      row.error ?? '-',
      forTerminal(row.answer ?? '', 120),
    ]),
  ).join('\n');
}

function addWebhookReplay(program: Command): void {
  addCommand(program, 'webhook', 'replay')
    .description(
      'Send everything after a position again, or continue after a later one. Switches the webhook on.',
    )
    .requiredOption('--webhook <id>', 'which webhook', id)
    .requiredOption('--after <position>', 'the position in the feed; 0 for everything that is kept', position)
    .addHelpText(...examples('webhook replay --webhook 1 --after 48123'))
    .prints(async (options: { webhook: number; after: number }) => {
      const { webhook, after } = await withConnections(({ db, actor }) =>
        replayWebhook(db, actor, { orgId: null, id: options.webhook }, options.after),
      );
      return {
        json: { ...webhookRow(webhook), after },
        text: `${sayWebhook(webhook)}, from position ${after + 1} on`,
      };
    });
}

/** Names of event types, with commas between. */
function typesOf(text: string): string[] {
  return text
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');
}

const position = wholeNumber(0, Number.MAX_SAFE_INTEGER);

const SETTLE = `hold an asset's events for so many seconds and send their net change; 0 to ${MOST_SETTLE_SECONDS}`;

const settleSeconds = wholeNumber(0, MOST_SETTLE_SECONDS);

/** A webhook in the output for programs. */
function webhookRow(webhook: StoredWebhook) {
  const { id: webhookId, ...shown } = shownWebhook(webhook);
  return { id: webhookId, org_id: webhook.orgId, ...shown };
}

function listedWebhookRow(webhook: ListedWebhook) {
  return { ...webhookRow(webhook), ...shownProgress(webhook) };
}

function sayWebhook(webhook: StoredWebhook): string {
  const { id, name, url, types, locationExternalKey, settleSeconds: settle } = webhook;
  return `Webhook ${id} (${forTerminal(name)}): ${sayState(webhook)}, ${url}, ${
    types === null ? 'every type' : types.join(', ')
  }, ${locationExternalKey === null ? 'everywhere' : `at or below ${locationExternalKey}`}${settle === 0 ? '' : `, net changes after ${settle} s`}`;
}

const { SECRETS_KEY, WEBHOOK_NETWORKS } = API_SETTINGS;

/** @throws AppError `misconfigured` naming SECRETS_KEY. */
function webhookSettings(): WebhookSettings {
  const config = readSettings({ ...DATABASE_SETTINGS, SECRETS_KEY, WEBHOOK_NETWORKS }, running().env);
  return {
    networks: config.WEBHOOK_NETWORKS,
    keys: config.SECRETS_KEY ?? keysOf(config.DATABASE_URL !== null, config.TAGTRAIL_DATA),
  };
}

/** The embedded database has its key beside it; another may be used by processes that need to be given the same. */
function keysOf(isElsewhere: boolean, data: string): SecretsKeys {
  if (!isElsewhere) {
    requireEmbedded(data);
    return ownSecretsKey(data);
  }
  const keys = readOwnSecretsKey(data);
  if (keys === null) {
    throw new AppError(
      'misconfigured',
      `SECRETS_KEY is not set, and webhooks need it; set SECRETS_KEY to ${SECRETS_KEY.remedy}, the same for every process`,
    );
  }
  return keys;
}
