import type { Server, ServerResponse } from 'node:http';

/**
 * From when `leaving` aborts, has every answer end its connection, also answers under way whose headers were not sent.
 * So nobody is about to send on a connection when the server closes it, which is how requests fail.
 */
export function endConnections(server: Server, leaving: AbortSignal): void {
  const underWay = new Set<ServerResponse>();
  server.prependListener('request', (_request, response: ServerResponse) => {
    if (leaving.aborted) {
      response.setHeader('Connection', 'close');
    } else {
      underWay.add(response);
      response.once('close', () => underWay.delete(response));
    }
  });
  leaving.addEventListener('abort', () => {
    for (const response of underWay) {
      if (!response.headersSent) {
        response.setHeader('Connection', 'close');
      }
    }
    underWay.clear();
  });
}
