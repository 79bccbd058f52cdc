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

/** Sends a request but for the last byte of its body, and that once `meanwhile` is done. */
export async function sendInterrupted(
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body: string },
  meanwhile: () => Promise<unknown>,
): Promise<{ status: number; text: string }> {
  const length = String(Buffer.byteLength(body));
  const asked = request(url, { method, headers: { ...headers, 'content-length': length }, agent: false });
  // It may be answered before its last byte is sent.
  const answered = once(asked, 'response');
  await new Promise((resolve) => asked.write(body.slice(0, -1), resolve));
  await meanwhile();
  asked.end(body.slice(-1));
  const [response] = await answered;
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) {
    text += chunk;
  }
  return { status: response.statusCode, text };
}
