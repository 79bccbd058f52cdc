import { table } from '../../../base/table.ts';
import type { WrongRows } from '../../../domain/messages/mend-clock.ts';
import type { WrongExample } from '../../../domain/tracking/wrong-clock/count-wrong.ts';
import { shownTime } from '../command-line/instants.ts';

export interface WrongOfOrganization {
  orgId: number;
  rows: WrongRows;
  examples: readonly WrongExample[];
}

export function wrongRowsAsJson({ orgId, rows, examples }: WrongOfOrganization) {
  const { scans, receivedMessages, rejectedMessages, submissions, sweeps, retractions, readers } = rows;
  return {
    org_id: orgId,
    assets: scans.assets,
    scans_observed_earlier: scans.moved,
    scans_of_fast_devices: scans.of_fast_devices,
    scans_received_earlier: scans.stayed,
    received_messages: receivedMessages,
    rejected_messages: rejectedMessages,
    scans_of_right_clock: scans.right,
    scans_of_handhelds: scans.of_handhelds,
    scans_of_handhelds_left: scans.handhelds_left,
    ...{ submissions, sweeps, retractions, readers },
    examples: examples.map(({ asset, reader, observed_at: at, becomes }) => {
      return { asset, reader, observed_at: shownTime(at), becomes: shownTime(becomes) };
    }),
  };
}

/** By organization and table, with examples. */
export function wrongRowsAsLines(all: readonly WrongOfOrganization[]): string[] {
  const counts = all.flatMap(({ orgId, rows: { scans, ...rows } }) =>
    (
      [
        ['scan_events', scans.moved, 'observed and received earlier'],
        [
          'scan_events',
          scans.of_fast_devices,
          "observed and received earlier, as their devices' clocks were ahead, too",
        ],
        ['scan_events', scans.stayed, 'received earlier'],
        [
          'scan_events',
          scans.right,
          "left: by their devices' times a right clock received them; --all mends them too",
        ],
        ['scan_events', scans.of_handhelds, 'of handhelds: observed and received earlier'],
        ['scan_events', scans.handhelds_left, 'left: of handhelds; --all mends them too'],
        ['positions', scans.assets, 'computed anew with their histories'],
        ['received_messages', rows.receivedMessages, 'received earlier'],
        ['rejected_messages', rows.rejectedMessages, 'received earlier'],
        ['submissions', rows.submissions, 'received earlier'],
        ['sweeps', rows.sweeps, 'begun, ended and received earlier'],
        ['retractions', rows.retractions, 'received earlier'],
        ['reader_counters', rows.readers, 'heard and connected earlier, with their silences'],
      ] as const
    )
      .filter(([, count]) => count > 0)
      .map(([name, count, what]) => [String(orgId), name, String(count), what]),
  );
  const examples = all.flatMap((each) =>
    each.examples.map((example) => [String(each.orgId), ...cells(example)]),
  );
  return [
    ...tableOf(['organization', 'table', 'rows', 'what becomes of them'], counts),
    ...tableOf(['organization', 'asset', 'reader', 'observed', 'becomes'], examples),
  ];
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [...table(head, rows), ''];
}

function cells({ asset, reader, observed_at: at, becomes }: WrongExample): string[] {
  return [asset, reader, shownTime(at), shownTime(becomes)];
}
