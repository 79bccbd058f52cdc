import { computed, signal } from '@preact/signals';
import { ApiError } from '../api/api-error.ts';
import { organizationId } from '../api/organization.ts';
import { onSignedOut, post, read, remove } from '../api/send.ts';
import type { Data } from '../api/types.ts';
import { asApiError } from '../api/use-read.ts';
import { address } from '../router/router.ts';

export type Session = Data<'GET /session'>;

export type Membership = Session['memberships'][number];

/** Undefined until the server has said; null if nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** Why the session could not be determined. */
export const sessionProblem = signal<ApiError | null>(null);

export const membership = computed<Membership | null>(() => {
  const all = session.value?.memberships ?? [];
  return all.find(({ organization }) => organization.id === organizationId.value) ?? null;
});

/** Whether the user has the rights of `role`. The server refuses whatever a screen hides. */
export function may(role: Role): boolean {
  return membership.value !== null && isAtLeast(membership.value.role, role);
}

export async function askWhoIsSignedIn(): Promise<void> {
  sessionProblem.value = null;
  try {
    begin((await read<{ data: Session }>('/session')).data);
  } catch (error) {
    const problem = asApiError(error);
    if (problem.status === 401) {
      session.value = null;
    } else {
      sessionProblem.value = problem;
    }
  }
}

/** @throws ApiError `no_cookies` if the browser keeps none: nobody would stay signed in. */
export function requireCookies(): void {
  // biome-ignore lint/suspicious/noDocumentCookie: whether it is kept is asked of all browsers so
  document.cookie = `${PROBE}; SameSite=Strict`;
  const isKept = document.cookie.includes(PROBE);
  // biome-ignore lint/suspicious/noDocumentCookie: as above
  document.cookie = `${PROBE}; Max-Age=0; SameSite=Strict`;
  if (!isKept) {
    throw new ApiError(0, 'no_cookies', 'the browser keeps no cookies');
  }
}

const PROBE = 'tagtrail_probe=1';

/** @throws ApiError */
export async function signIn(email: string, password: string): Promise<void> {
  requireCookies();
  await post<{ data: Session }>('/session', { email, password });
  try {
    begin((await read<{ data: Session }>('/session')).data);
  } catch (error) {
    throw error instanceof ApiError && error.status === 401
      ? new ApiError(0, 'no_cookies', error.message)
      : error;
  }
}

export async function signOut(): Promise<void> {
  await remove('/session');
  session.value = null;
}

/**
 * Somebody has come in, by a password or by a link.
 *
 * @param wanted the organization that the address is about, or the link was.
 */
export function begin(begun: Session, wanted = address.value.organization): void {
  const kept = Number(localStorage.getItem(KEPT));
  const ids = begun.memberships.map(({ organization }) => organization.id);
  const known = [wanted, kept].find((id) => id !== null && ids.includes(id));
  organizationId.value = known ?? ids[0] ?? null;
  session.value = begun;
}

/** The organization on screen; the next visit begins with it. */
export function showOrganization(id: number): void {
  localStorage.setItem(KEPT, String(id));
  organizationId.value = id;
}

/** It is called so from now on. */
export function noteOrganizationName(id: number, name: string): void {
  const { value: present } = session;
  if (present != null) {
    const memberships = present.memberships.map((each) =>
      each.organization.id === id ? { ...each, organization: { id, name } } : each,
    );
    session.value = { ...present, memberships };
  }
}

const KEPT = 'tagtrail.organization';

onSignedOut(() => {
  session.value = null;
});

export const ROLES = ['viewer', 'operator', 'admin'] as const;

export type Role = (typeof ROLES)[number];

function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}
