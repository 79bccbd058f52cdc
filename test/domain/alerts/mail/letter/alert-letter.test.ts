import { expect } from 'chai';
import fc from 'fast-check';
import { MICROS_PER_SECOND } from '../../../../../base/instant.ts';
import { alertLetter, lineOf } from '../../../../../domain/alerts/mail/letter/alert-letter.ts';
import { type TouchedAlert, toldAlerts } from '../../../../../domain/alerts/mail/letter/told-alerts.ts';

const AT_8 = (Date.UTC(2026, 4, 4, 8) / 1_000) * MICROS_PER_SECOND;
const HEAD = { orgId: 7, organization: 'Nord', consoleUrl: 'https://tracking.example.com' };

function alert(more: Partial<TouchedAlert> = {}): TouchedAlert {
  return {
    ...{ id: '01A', ruleName: 'Tools', kind: 'overdue', subject: 'Drill 4', location: 'Bench' },
    ...{ state: 'open', level: null, isMissing: false, openedAt: AT_8, closedAt: null, isNew: true },
    ...more,
  } as TouchedAlert;
}

const anyAlert = fc.record({
  id: fc.string({ minLength: 1 }),
  ruleName: fc.string({ unit: 'binary' }),
  kind: fc.constantFrom('overdue', 'dwell', 'not_allowed', 'must_be', 'reader', 'reading', 'battery_low'),
  reading: fc.constantFrom(null, { kind: 'temperature_c', above: 8, below: null, value: 8.4 }),
  subject: fc.string({ unit: 'binary' }),
  location: fc.option(fc.string({ unit: 'binary' })),
  state: fc.constantFrom('open', 'acknowledged', 'closed', 'withdrawn'),
  level: fc.constantFrom(null, 'warning', 'alarm'),
  isMissing: fc.boolean(),
  openedAt: fc.integer({ min: 0, max: AT_8 }),
  closedAt: fc.option(fc.integer({ min: AT_8, max: 2 * AT_8 })),
  isNew: fc.boolean(),
}) satisfies fc.Arbitrary<TouchedAlert>;

describe('a letter about alerts', () => {
  it('says what is the case, in words', () => {
    expect(lineOf(alert())).to.equal('Drill 4 is overdue, last seen at Bench, since 2026-05-04 08:00 UTC');
    expect(lineOf(alert({ isMissing: true, location: null }))).to.equal(
      'Drill 4 is missing, since 2026-05-04 08:00 UTC',
    );
    const reading = { kind: 'temperature_c', above: 8, below: null, value: 8.4 };
    expect(lineOf(alert({ kind: 'reading', reading }))).to.equal(
      'Drill 4: temperature above 8 °C (8.4 °C), at Bench, since 2026-05-04 08:00 UTC',
    );
    const battery = { kind: 'battery_percent', above: null, below: 20, value: 19 };
    expect(lineOf(alert({ kind: 'battery_low', reading: battery, location: null }))).to.equal(
      'Drill 4: battery below 20 % (19 %), since 2026-05-04 08:00 UTC',
    );
    expect(lineOf(alert({ kind: 'dwell', level: 'warning' }))).to.equal(
      'Warning: Drill 4 has been at Bench for too long, since 2026-05-04 08:00 UTC',
    );
    expect(
      lineOf(alert({ kind: 'not_allowed', state: 'closed', closedAt: AT_8 + 60 * MICROS_PER_SECOND })),
    ).to.equal(
      'Over: Drill 4 was at Bench, where it must not be, from 2026-05-04 08:00 UTC to 2026-05-04 08:01 UTC',
    );
    expect(lineOf(alert({ kind: 'reader', subject: 'Gate', state: 'withdrawn' }))).to.equal(
      'Withdrawn, it was not so: Reader Gate was not heard',
    );
  });

  it('begins with what is to be acted on, and leads to each in the console', () => {
    const told = toldAlerts([
      alert({ id: '01D', state: 'withdrawn', isNew: false }),
      alert({ id: '01C', state: 'closed', closedAt: AT_8 }),
      alert({ id: '01B', kind: 'dwell', level: 'warning' }),
      alert({ id: '01A', kind: 'dwell', level: 'alarm' }),
    ]);
    expect(told.listed.map(({ id }) => id)).to.deep.equal(['01A', '01B', '01C', '01D']);
    const { subject, text, html } = alertLetter(HEAD, told);
    expect(subject).to.equal(
      'Nord: Drill 4 has been at Bench for too long, since 2026-05-04 08:00 UTC, and 3 more',
    );
    const link = 'https://tracking.example.com/#/alerts?open=01A&org=7';
    expect(text).to.include(link);
    expect(html).to.include(link.replace('&', '&amp;'));
    expect(alertLetter({ ...HEAD, consoleUrl: null }, told).text).not.to.include('http');
  });

  it('says nothing of what nobody was told and was not so, nor that somebody acknowledged', () => {
    expect(
      toldAlerts([alert({ state: 'withdrawn' }), alert({ state: 'acknowledged', isNew: false })]),
    ).to.deep.equal({ listed: [], omitted: 0 });
    expect(toldAlerts([alert({ state: 'acknowledged' })]).listed).to.have.length(1);
  });

  it('lists fifty of however many, the same whatever their order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyAlert, { maxLength: 120, selector: ({ id }) => id }), (alerts) => {
        const told = toldAlerts(alerts);
        expect(told.listed.length).to.be.at.most(50);
        expect(told.listed.length + told.omitted).to.be.at.most(alerts.length);
        expect(toldAlerts([...alerts].reverse())).to.deep.equal(told);
      }),
    );
  });

  it('shows any name as it is: no line, tag or header of its own', () => {
    fc.assert(
      fc.property(anyAlert, (one) => {
        const evil = `${one.subject}<script>alert(1)</script>\r\n\r\nBcc: all@example.com`;
        const told = { listed: [{ ...one, subject: evil }], omitted: 0 };
        const { subject, text, html } = alertLetter(HEAD, told);
        expect(subject).not.to.match(/\p{Cc}/u);
        expect([...subject].length).to.be.at.most(150);
        expect(html).not.to.include('<script');
        // What was there, its rule, its link; all alerts; why.
        expect(text.split('\n')).to.have.length(8);
      }),
    );
  });
});
