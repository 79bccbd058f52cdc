import { table } from '../../../base/table.ts';
import { linkAddress } from '../../../domain/administration/users/links/link-address.ts';
import type { AssetLocationAnswer } from '../../../simulation/api-client.ts';
import type { Demo } from './demo.ts';
import type { ShownMove } from './moves.ts';
import { STOPS } from './site.ts';

export function invitation(
  { standalone: { apiUrl, mqttUrl, consoleUrl }, site: { apiKey, signInToken, readers } }: Demo,
  asset: { id: number; external_key: string },
): string[] {
  const curl = (path: string) =>
    `  echo 'Authorization: Bearer ${apiKey}' | curl -H @- '${apiUrl}/api/v1${path}'`;
  return [
    'See it in the console: open this link, which is good once and for an hour, and click “Go in”:',
    `  ${linkAddress(consoleUrl, signInToken)}`,
    '',
    `A warehouse with ${readers.length} readers publishing to ${mqttUrl}. Ctrl-C ends it and throws everything away.`,
    '',
    'Where everything is, newest first:',
    curl('/reports/asset-locations?limit=200'),
    `Where ${asset.external_key} has been:`,
    curl(`/assets/${asset.id}/history`),
    'What is at dock door 1:',
    curl('/assets?location_external_key=DOCK-1'),
    '',
  ];
}

export function locationsText(report: readonly AssetLocationAnswer[]): string[] {
  const rows = STOPS.map(({ key, name }) => {
    const here = report.filter((row) => row.location_external_key === key);
    const assets = here.map((row) => row.asset_external_key).sort();
    return [key, name, String(assets.length), assets.join(' ')];
  });
  return table(['location', 'name', 'assets', ''], rows);
}

export function moveText({ asset, from, to, at }: ShownMove): string {
  const way = from === null ? `is at ${to}` : `${from} -> ${to}`;
  return `${at.slice(11, 19)}  ${asset.padEnd(11)}  ${way}`;
}
