import { DIVIDED } from '../../../db/timescale/connections/choose-primary.ts';
import { NONE_WANTED } from '../../../db/timescale/connections/servers.ts';

/** The remedy if a database cannot be connected to. @param setting or flag that its address is from. */
export function remedyOfConnection(error: unknown, setting: string): string {
  return REMEDIES[codeOf(error)]?.(setting) ?? `Correct ${setting}`;
}

const REMEDIES: Readonly<Record<string, (setting: string) => string>> = {
  ECONNREFUSED: (setting) => `Start PostgreSQL, or correct the host and port in ${setting}`,
  ENOTFOUND: (setting) => `Correct the host in ${setting}`,
  EAI_AGAIN: (setting) => `Correct the host in ${setting}, or mend name resolution`,
  ETIMEDOUT: (setting) => `Correct the host in ${setting}, or let the firewall pass its port`,
  '28P01': (setting) => `Correct the user and password in ${setting}`,
  '28000': (setting) => `Let this user in by pg_hba.conf, or correct the user in ${setting}`,
  '3D000': (setting) => `Create the database, or correct its name in ${setting}`,
  '08P01': () => 'Let LISTEN_DATABASE_URL lead to PostgreSQL itself, not to a connection pooler',
  '53300': () => 'Raise max_connections, or end connections that are not needed',
  '57P03': () => 'Wait until PostgreSQL has started',
  [NONE_WANTED]: (setting) => `Start the primary, or promote one of its standbys; or correct ${setting}`,
  [DIVIDED]: (setting) =>
    `Name only a primary and its standbys in ${setting}; of two that were one, stop the one that is not to be used, and make it a standby (pg_rewind)`,
};

function codeOf(error: unknown): string {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  return String((cause as { code?: unknown } | null)?.code ?? '');
}
