import { readFileSync } from 'node:fs';
import { asStandbys, readDatabaseUrl } from '../../db/timescale/connections/database-url.ts';
import type { Setting } from './settings.ts';

export function textSetting(purpose: string, initial: string): Setting<string> {
  return { purpose, initial, absent: undefined, remedy: 'some text', read: (text) => text };
}

/** A file, read with the setting; null if unset. */
export function optionalFile(purpose: string): Setting<Buffer | null> {
  return {
    purpose,
    initial: null,
    absent: null,
    remedy: 'the path of a file that this process can read',
    read: (path) => {
      try {
        return readFileSync(path);
      } catch {
        return undefined;
      }
    },
  };
}

/** The path of a file that is read again when it changes; null if unset. */
export function optionalPath(purpose: string): Setting<string | null> {
  return { purpose, initial: null, absent: null, remedy: 'the path of a file', read: (path) => path };
}

/** A TCP port; 0 picks a free one. */
export function portSetting(purpose: string, initial: number): Setting<number> {
  return integerSetting(purpose, { initial, min: 0, max: 65_535 });
}

export function integerSetting(
  purpose: string,
  range: { initial: number; min: number; max: number },
): Setting<number> {
  const { initial, min, max } = range;
  return {
    purpose,
    initial: String(initial),
    absent: undefined,
    range: { min, max },
    remedy: `a whole number from ${min} to ${max}`,
    read: (text) => {
      const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return number >= min && number <= max ? number : undefined;
    },
  };
}

/** A whole number, or null. */
export function optionalInteger(
  purpose: string,
  range: { min: number; max: number },
): Setting<number | null> {
  return { ...integerSetting(purpose, { initial: range.min, ...range }), initial: null, absent: null };
}

export function choiceSetting<T extends string>(
  purpose: string,
  words: readonly T[],
  initial: NoInfer<T>,
): Setting<T> {
  return {
    purpose,
    initial,
    absent: undefined,
    remedy: `one of ${words.join(', ')}`,
    read: (text) => words.find((word) => word === text),
  };
}

export function requiredUrl(purpose: string, protocols: readonly string[], example: string): Setting<string> {
  return {
    purpose,
    initial: null,
    absent: undefined,
    remedy: `an address such as ${example}`,
    isSecret: true,
    read: (text) => (isUrl(text, protocols) ? text : undefined),
  };
}

export function optionalUrl(
  purpose: string,
  protocols: readonly string[],
  example: string,
): Setting<string | null> {
  return { ...requiredUrl(purpose, protocols, example), absent: null };
}

/** A PostgreSQL server, or several that include the primary. */
export function databaseUrl(purpose: string): Setting<string> {
  return {
    purpose,
    initial: null,
    absent: undefined,
    remedy:
      'an address such as postgres://user:password@host:5432/tagtrail, or of several servers: ' +
      'postgres://user:password@host1:5432,host2:5432/tagtrail?target_session_attrs=read-write',
    isSecret: true,
    read: (text) => (isDatabaseUrl(text) ? text : undefined),
  };
}

export function optionalDatabaseUrl(purpose: string): Setting<string | null> {
  return { ...databaseUrl(purpose), absent: null };
}

/** A standby, or several equivalent ones; null if unset. */
export function optionalReplicaUrl(purpose: string): Setting<string | null> {
  return {
    purpose,
    initial: null,
    absent: null,
    remedy:
      'an address such as postgres://user:password@host:5432/tagtrail, or of several servers: ' +
      'postgres://user:password@host1:5432,host2:5432/tagtrail?target_session_attrs=standby',
    isSecret: true,
    read: (text) => {
      const url = asStandbys(text);
      const read = readDatabaseUrl(url);
      return read?.wanted === 'standby' && isUrl(read.first, ['postgres:', 'postgresql:']) ? url : undefined;
    },
  };
}

function isDatabaseUrl(text: string): boolean {
  const read = readDatabaseUrl(text);
  return read !== null && read.wanted !== 'standby' && isUrl(read.first, ['postgres:', 'postgresql:']);
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}
