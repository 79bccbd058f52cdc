import { show, spreadOf } from '../support/statistics.ts';
import type { AlertRun } from './alert-run.ts';
import { type Findings, NO_FAULTS } from './findings.ts';
import type { LongRun } from './long-run.ts';
import type { OutageRun } from './outage-run.ts';

/** Whether nothing is missing, doubled or wrong. */
export function isClean({ faults }: Findings): boolean {
  return Object.keys(NO_FAULTS).every((kind) => faults[kind as keyof typeof faults] === 0);
}

export function showLongRun(run: LongRun): string {
  const { published } = run.findings;
  return [
    '',
    `Through ${THROUGH[run.source]}, ${run.seconds.toFixed(0)} s`,
    `  published             ${published.reads} reads in ${published.messages} messages`,
    `  handed to ingestion   ${published.handedOver} messages, of which it acknowledged ${published.acknowledged}; ${published.swallowed} came with DUP only, swallowed before by a network`,
    `  faults                ${run.kills} kills of ingestion, ${run.sealerKills} of the sealer, ${run.apiKills} of the API, ${run.receiverKills} of the receiver, ${run.restarts} database restarts, ${run.cuts} network cuts, ${run.brokerKills} kills of the broker`,
    `  lost by the broker    ${published.republished} messages that it had acknowledged; readers published them again`,
    `  readers disconnected  ${run.readerDisconnects} times`,
    `  first commit, ms      after a kill ${spread(run.afterKill)}; after the database is back ${spread(run.afterRestart)}`,
    ...showFindings(run.findings),
  ].join('\n');
}

export function showOutageRun(run: OutageRun, seconds: number): string {
  return [
    '',
    `${seconds} s without database, through ${THROUGH[run.source]}, at ${(run.rate * 50).toFixed(0)} reads/s`,
    `  acknowledged meanwhile  ${run.acknowledged}`,
    `  readers disconnected    ${run.readerDisconnects} times`,
    `  memory grew by          ${run.grewBy.toFixed(0)} MiB at the most`,
    `  first commit            after ${run.firstCommit.toFixed(0)} ms`,
    `  drained at              ${run.drainedAt.toFixed(2)} of the rate`,
    ...showStored(run.findings),
  ].join('\n');
}

export function showAlertRun({ kills, alerts, faults }: AlertRun): string {
  return [
    '',
    `${kills} kills of processes that derive alerts`,
    `  alerts                ${alerts}, of which wrong or told wrongly ${faults.length}`,
    ...faults.map((fault) => `    ${fault}`),
  ].join('\n');
}

/** Of a run with a consumer of the feed and webhooks. */
export function showFindings(findings: Findings): string[] {
  return [...showStored(findings), ...showFeed(findings)];
}

export function showStored({ faults, toldTwice }: Findings): string[] {
  return [
    `  missing ${faults.missing}, stored twice ${faults.doubled}, altered ${faults.altered}, wrong transitions ${faults.wrongTransitions}, wrong positions ${faults.wrongPositions}`,
    `  wrong rejections ${faults.wrongRejections}, wrong counters ${faults.wrongCounters}`,
    `  reads without times that came again without DUP, and count again  ${toldTwice}`,
  ];
}

function showFeed({ faults, events, requests }: Findings): string[] {
  return [
    `  feed: ${events} events, untold ${faults.untold}, told again ${faults.toldAgain}, skipped ${faults.skipped}, inverted ${faults.inverted}, wrong rows by it ${faults.wrongFolds}, assets reported elsewhere ${faults.wrongReports}`,
    requests === null
      ? '  webhooks: none'
      : `  webhooks: ${requests} requests, events untold ${faults.unsent}, went back ${faults.wentBack}, not wanted ${faults.unwanted}`,
  ];
}

function spread(figures: number[]): string {
  return figures.length === 0 ? 'none' : show(spreadOf(figures), 0);
}

const THROUGH = {
  embedded: 'the embedded broker',
  mosquitto: 'mosquitto, two ingest processes',
  push: 'HTTP push',
} as const;
