import type { Micros } from '../../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../../base/timestamps.ts';
import { escaped, htmlOf, type Letter, subjectOf } from './letter.ts';
import type { ToldAlerts, TouchedAlert } from './told-alerts.ts';

/** The organization whose alerts a letter reports, and the address where people look at them. */
export interface LetterHead {
  orgId: number;
  organization: string;
  /** Null: without links. */
  consoleUrl: string | null;
}

/** The letter about alerts, at least one. */
export function alertLetter(head: LetterHead, told: ToldAlerts): Letter {
  const { listed, omitted } = told;
  const more = omitted === 0 ? [] : [`And ${omitted} more.`];
  const why = `You get this because rules of ${oneLine(head.organization)} name you. An administrator changes them in the console, under Rules.`;
  const links = linksOf(head);
  return {
    subject: subjectOf(`${head.organization}: ${titleOf(told)}`),
    text: [
      ...listed.map((alert) => textOf(alert, links)),
      ...more,
      ...(links === null ? [] : [`All alerts: ${links.all}`]),
      `-- \n${why}`,
    ].join('\n\n'),
    html: htmlOf(
      [
        '<ul style="padding-left: 1.2em">',
        ...listed.map((alert) => itemOf(alert, links)),
        '</ul>',
        ...more.map((text) => `<p>${text}</p>`),
        ...(links === null ? [] : [`<p><a href="${escaped(links.all)}">All alerts</a></p>`]),
        `<p style="font-size: 13px; opacity: 0.75">${escaped(why)}</p>`,
      ].join('\n'),
    ),
  };
}

/** The subject of the first, and the number of others. */
function titleOf({ listed, omitted }: ToldAlerts): string {
  const [first, ...others] = listed;
  const rest = others.length + omitted;
  return `${first === undefined ? '' : lineOf(first)}${rest === 0 ? '' : `, and ${rest} more`}`;
}

interface Links {
  all: string;
  of: (alert: TouchedAlert) => string;
}

function linksOf({ consoleUrl, orgId }: LetterHead): Links | null {
  return consoleUrl === null
    ? null
    : {
        all: `${consoleUrl}/#/alerts?org=${orgId}`,
        of: ({ id }) => `${consoleUrl}/#/alerts?open=${id}&org=${orgId}`,
      };
}

function textOf(alert: TouchedAlert, links: Links | null): string {
  return [
    ...[oneLine(lineOf(alert)), `Rule: ${oneLine(alert.ruleName)}`],
    ...(links === null ? [] : [links.of(alert)]),
  ].join('\n');
}

function itemOf(alert: TouchedAlert, links: Links | null): string {
  const line = escaped(lineOf(alert));
  const what = links === null ? line : `<a href="${escaped(links.of(alert))}">${line}</a>`;
  return `<li style="margin-bottom: 0.6em">${what}<br><span style="opacity: 0.75">Rule: ${escaped(alert.ruleName)}</span></li>`;
}

/** Keeps a name from looking like a line of the letter. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

/** The condition, present or past: "Pallet 17 is at Ramp, where it must not be". */
function whatOf(alert: TouchedAlert): string {
  const { kind, subject, location, isMissing } = alert;
  const isOver = alert.state === 'closed' || alert.state === 'withdrawn';
  const is = isOver ? 'was' : 'is';
  const where = location ?? 'a location';
  switch (kind) {
    case 'overdue':
      return `${subject} ${is} ${isMissing ? 'missing' : 'overdue'}${location === null ? '' : `, last seen at ${location}`}`;
    case 'dwell':
      return `${subject} ${isOver ? 'was' : 'has been'} at ${where} for too long`;
    case 'not_allowed':
      return `${subject} ${is} at ${where}, where it must not be`;
    case 'must_be':
      return `${subject} ${is} away from where it must be${location === null ? '' : `, at ${location}`}`;
    case 'reading':
    case 'battery_low':
      return `${measuredBy(alert)}${location === null ? '' : `, at ${location}`}`;
    case 'reader':
      return `Reader ${subject} ${isOver ? 'was not' : 'is not'} heard`;
  }
}

const MEASURES: Readonly<Record<string, readonly [what: string, unit: string]>> = {
  temperature_c: ['temperature', ' °C'],
  humidity_percent: ['humidity', ' %'],
  battery_percent: ['battery', ' %'],
  battery_volts: ['battery', ' V'],
};

/** "CHILLED-2: temperature above 8 °C (8.4 °C)". */
function measuredBy({ kind, subject, reading }: TouchedAlert): string {
  const [what, unit] = MEASURES[reading?.kind ?? ''] ?? [kind, ''];
  if (reading === null) {
    return `${subject}: ${what}`;
  }
  const bound = reading.above === null ? `below ${reading.below}` : `above ${reading.above}`;
  return `${subject}: ${what} ${bound}${unit} (${reading.value}${unit})`;
}

/** One line of a letter, without the rule. */
export function lineOf(alert: TouchedAlert): string {
  const { state, level, openedAt, closedAt } = alert;
  const what = whatOf(alert);
  if (state === 'withdrawn') {
    return `Withdrawn, it was not so: ${what}`;
  }
  if (state === 'closed' && closedAt !== null) {
    return `Over: ${what}, from ${minute(openedAt)} to ${minute(closedAt)}`;
  }
  return `${level === 'warning' ? 'Warning: ' : ''}${what}, since ${minute(openedAt)}`;
}

/** In UTC: the reader's zone is unknown. */
function minute(at: Micros): string {
  return `${wireTimeOfMicros(at).slice(0, 16).replace('T', ' ')} UTC`;
}
