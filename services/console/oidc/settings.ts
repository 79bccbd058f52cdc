import { isRole, ROLES, type Role } from '../../../domain/administration/users/roles.ts';
import { choiceSetting, textSetting } from '../../../platform/runtime/setting-kinds.ts';
import type { Setting } from '../../../platform/runtime/settings.ts';

/** The meaning of a value of the role claim. */
export interface MappedRole {
  value: string;
  orgId: number;
  role: Role;
}

function optionalText(purpose: string, remedy: string, isSecret = false): Setting<string | null> {
  return { purpose, initial: null, absent: null, remedy, isSecret, read: (text) => text };
}

const OIDC_ISSUER: Setting<string | null> = {
  purpose: 'the OpenID Connect provider by which people sign in to the console',
  initial: null,
  absent: null,
  remedy: 'its address with https, such as https://login.example.com/realms/staff',
  read: (text) => (URL.canParse(text) && isSafe(new URL(text)) ? text : undefined),
};

/** Secrets are sent there; in the clear to this machine only. */
function isSafe({ protocol, hostname, search, hash }: URL): boolean {
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return (protocol === 'https:' || (protocol === 'http:' && isHere)) && search === '' && hash === '';
}

const OIDC_ROLES: Setting<readonly MappedRole[]> = {
  purpose: 'values of OIDC_ROLE_CLAIM with the organization and role that they give',
  initial: null,
  absent: [],
  remedy: `value=organization:role, with semicolons between, such as warehouse-leads=1:admin;warehouse=1:viewer; roles are ${ROLES.join(', ')}`,
  read: (text) => {
    const mapped = text
      .split(';')
      .filter((each) => each.trim() !== '')
      .map(readMapped);
    return mapped.includes(undefined) ? undefined : mapped.filter((each) => each !== undefined);
  },
};

/** Values may be distinguished names, which have `=` and `:` themselves. */
function readMapped(text: string): MappedRole | undefined {
  const [, value, org, role = ''] = /^(.+)=([1-9]\d{0,9}):(\w+)$/.exec(text.trim()) ?? [];
  const orgId = Number(org);
  return value !== undefined && orgId <= 2_147_483_647 && isRole(role) ? { value, orgId, role } : undefined;
}

/** Words as OpenID Connect has them: with spaces between. */
function valuesSetting(purpose: string, example: string): Setting<readonly string[]> {
  return {
    purpose,
    initial: null,
    absent: [],
    remedy: `values with spaces between, such as ${example}`,
    read: (text) => {
      const values = text.split(' ').filter((value) => value !== '');
      return values.length > 0 && values.every((value) => /^[!-~]{1,255}$/.test(value)) ? values : undefined;
    },
  };
}

export const OIDC_SETTINGS = {
  OIDC_ISSUER,
  OIDC_CLIENT_ID: optionalText(
    'the name of the console at OIDC_ISSUER',
    'the client id that the provider gave',
  ),
  OIDC_CLIENT_SECRET: optionalText(
    'the secret of OIDC_CLIENT_ID',
    'the client secret that the provider gave',
    true,
  ),
  OIDC_SCOPES: valuesSetting(
    'what is asked of OIDC_ISSUER beside openid, email and profile: some providers send OIDC_ROLE_CLAIM for a scope only',
    'groups',
  ),
  OIDC_ROLE_CLAIM: textSetting('the claim, a text or a list of texts, that OIDC_ROLES is about', 'groups'),
  OIDC_ROLES,
  OIDC_ACR_VALUES: valuesSetting(
    'how people must sign in at OIDC_ISSUER: asked for, and the ID token must say one of them (acr)',
    'gold',
  ),
  OIDC_AMR_VALUES: valuesSetting(
    'methods of signing in at OIDC_ISSUER; the ID token must confirm one (amr)',
    'mfa hwk',
  ),
  CONSOLE_PASSWORDS: choiceSetting(
    'whether people can sign in to the console by password; off only beside OIDC_ISSUER',
    ['on', 'off'],
    'on',
  ),
};

/** A rule between settings. */
export function faultOfOidc(config: {
  OIDC_ISSUER: string | null;
  OIDC_CLIENT_ID: string | null;
  OIDC_CLIENT_SECRET: string | null;
  OIDC_ACR_VALUES: readonly string[];
  OIDC_AMR_VALUES: readonly string[];
  CONSOLE_URL: string | null;
  CONSOLE_PASSWORDS: string;
}): string | null {
  const demanding = (['OIDC_ACR_VALUES', 'OIDC_AMR_VALUES'] as const).filter(
    (name) => config[name].length > 0,
  );
  if (demanding.length > 0 && (config.OIDC_ISSUER === null || config.CONSOLE_PASSWORDS === 'on')) {
    return `${demanding.join(' and ')} can be had of OIDC_ISSUER only, and a password goes around it; set OIDC_ISSUER, and CONSOLE_PASSWORDS to off`;
  }
  if (config.OIDC_ISSUER === null) {
    return config.CONSOLE_PASSWORDS === 'off'
      ? 'CONSOLE_PASSWORDS is off and OIDC_ISSUER is not set, so nobody could sign in; set OIDC_ISSUER, or CONSOLE_PASSWORDS to on'
      : null;
  }
  const missing = (['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'CONSOLE_URL'] as const).filter(
    (name) => config[name] === null,
  );
  return missing.length === 0 ? null : `OIDC_ISSUER is set, and needs ${missing.join(' and ')}; set them too`;
}
