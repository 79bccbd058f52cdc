import { once } from 'node:events';
import { get as getPlain, type IncomingMessage } from 'node:http';
import { get as getOverTls } from 'node:https';
import { text } from 'node:stream/consumers';
import { type Finding, fault, ok } from '../../../domain/health/finding.ts';

export interface Listener {
  name: string;
  host: string;
  port: number;
  isOverTls: boolean;
}

/** Milliseconds; each check behind `/readyz` takes two seconds at most. */
const PATIENCE = 5_000;

/**
 * Asks the processes on this machine for their readiness. A port without a listener is skipped, because the process may
 * run elsewhere; one that listens and is not ready is a fault.
 */
export async function examineAnswers(listeners: readonly Listener[]): Promise<Finding[]> {
  const found = await Promise.all(listeners.map(examineAnswer));
  return found.filter((finding) => finding !== null);
}

async function examineAnswer({ name, host, port, isOverTls }: Listener): Promise<Finding | null> {
  const url = `${isOverTls ? 'https' : 'http'}://${reachable(host)}:${port}/readyz`;
  try {
    const said: unknown = JSON.parse(await textAt(url));
    return isReadiness(said) ? findingOf(name, url, said) : null;
  } catch (error) {
    return isOfTime(error)
      ? fault(name, `${url} accepts requests and answers none`, 'Restart the process; its log may say why')
      : null;
  }
}

/** No secret is sent here, so a certificate for another host does no harm. */
async function textAt(url: string): Promise<string> {
  const get = url.startsWith('https:') ? getOverTls : getPlain;
  const request = get(url, {
    signal: AbortSignal.timeout(PATIENCE),
    rejectUnauthorized: false,
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return text(response);
}

function isOfTime(error: unknown): boolean {
  return error instanceof Error && (error.cause as Error | undefined)?.name === 'TimeoutError';
}

interface Readiness {
  status: string;
  checks: Record<string, string>;
}

/** Anything may listen there. */
function isReadiness(said: unknown): said is Readiness {
  return typeof said === 'object' && said !== null && 'status' in said && 'checks' in said;
}

function findingOf(name: string, url: string, { status, checks }: Readiness): Finding {
  const wrong = Object.entries(checks).flatMap(([check, said]) =>
    said === 'ok' ? [] : [`${check}: ${said}`],
  );
  if (status === 'ready' && wrong.length === 0) {
    return ok(name, `Ready, at ${url}`);
  }
  return fault(
    name,
    `It runs and is ${status}${wrong.length === 0 ? '' : `: ${wrong.join('; ')}`}`,
    'Mend what it names; if that is all right by now, restart the process',
  );
}

function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') {
    return host === '::' ? '[::1]' : '127.0.0.1';
  }
  return host.includes(':') ? `[${host}]` : host;
}
