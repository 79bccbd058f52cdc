import { resolve } from 'node:path';
import { TAGTRAIL } from '../../base/typed-command.ts';
import { pushPath } from '../../domain/administration/readers/topic.ts';
import { linkAddress } from '../../domain/administration/users/links/make-link.ts';
import type { StandaloneConfig } from './config.ts';
import type { FirstCredentials } from './first-start.ts';
import type { Standalone } from './standalone.ts';

/** @param token of a link for the first administrator; null if there is one. */
export function welcomeText(
  { apiUrl, mqttUrl, pushUrl, handheldUrl, consoleUrl }: Standalone,
  config: StandaloneConfig,
  token: string | null,
): string {
  const console = config.CONSOLE_URL ?? consoleUrl;
  return `
tagtrail is running. Ctrl-C stops it; nothing is lost.
${token === null ? '' : firstLinkText(linkAddress(console, token))}
  Console    ${console}
  API        ${apiUrl}/api/v1
  MQTT       ${mqttUrl}${pushUrl === null ? '' : `\n  HTTP push  ${pushUrl}${pushPath('<reader>')}`}
  Handhelds  ${handheldUrl}
  Database   ${config.DATABASE_URL === null ? `embedded, in ${config.TAGTRAIL_DATA}` : 'as DATABASE_URL says'}
`;
}

function firstLinkText(address: string): string {
  return `
Open this to become its first administrator. It is good once, and for an hour:

  ${address}
`;
}

/** Credentials, shown this once. */
export function credentialsText(
  { apiUrl }: Pick<Standalone, 'apiUrl'>,
  config: Pick<StandaloneConfig, 'DATABASE_URL' | 'TAGTRAIL_DATA'>,
  first: FirstCredentials,
): string {
  // Arguments of programs can be read by every user of the machine; what the shell itself echoes cannot.
  const authorization = `echo 'Authorization: Bearer ${first.apiKey}'`;
  const isElsewhere = config.DATABASE_URL !== null;
  const data = resolve(config.TAGTRAIL_DATA).replaceAll("'", "'\\''");
  const tagtrail =
    isElsewhere || config.TAGTRAIL_DATA === './data' ? TAGTRAIL : `TAGTRAIL_DATA='${data}' ${TAGTRAIL}`;
  return `
Made for you, and shown only now:

  Organization    ${first.organization} (id ${first.orgId})
  API key         ${first.apiKey}
  Handheld token  ${first.handheldToken}

Try it:

  ${authorization} | curl -H @- ${apiUrl}/api/v1/orgs/me
  ${authorization} | curl -H @- -H 'Content-Type: application/json' \\
       -d '{"name":"Dock 1","external_key":"DOCK-1"}' ${apiUrl}/api/v1/locations${isElsewhere ? '\n  # with DATABASE_URL set as it is here' : ''}
  ${tagtrail} reader create --org ${first.orgId} --name portal --topic site/portal --format tagtrail
  ${tagtrail} antenna set --reader ${first.nextReaderId} --port 1 --location DOCK-1
`;
}
