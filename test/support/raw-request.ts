import { once } from 'node:events';
import { request } from 'node:http';

/** Sends a request and passes over the body of its answer, so that next to nothing is done on this side. */
export async function sendRaw(
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: Buffer },
): Promise<{ status: number; bytes: number }> {
  const asked = request(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-length': String(body.length) }) },
    agent: false,
  });
  asked.end(body);
  const [response] = await once(asked, 'response');
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
  }
  return { status: response.statusCode, bytes };
}
