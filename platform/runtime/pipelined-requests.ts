import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Line {
  underWay: ServerResponse | null;
  waiting: [request: IncomingMessage, response: ServerResponse][];
}

const lines = new WeakMap<Socket, Line>();

export function underWayOn(socket: Socket): ServerResponse | null {
  return lines.get(socket)?.underWay ?? null;
}

/**
 * Handles pipelined requests of one connection one after another and stops reading meanwhile (backpressure). Node.js
 * hands over every request it has read: four connections full of unknown keys delayed another caller's look-up by 4 s.
 * Answers come in order anyway (RFC 9112 section 9.3.2), and waiting requests hold no places that the caller's other
 * connections need.
 */
export function handleInTurn(listener: RequestListener): RequestListener {
  function start(line: Line, request: IncomingMessage, response: ServerResponse): void {
    line.underWay = response;
    response.on('close', leave);
    listener(request, response);
  }

  function leave(this: ServerResponse): void {
    const { socket } = this.req;
    const line = lines.get(socket);
    if (line !== undefined) {
      line.underWay = null;
      next(line, socket);
    }
  }

  function begin(socket: Socket): Line {
    const line = { underWay: null, waiting: [] };
    lines.set(socket, line);
    return line;
  }

  function next(line: Line, socket: Socket): void {
    if (socket.destroyed || socket.writableEnded) {
      line.waiting = [];
      return;
    }
    const first = line.waiting.shift();
    if (first === undefined) {
      return;
    }
    start(line, ...first);
    if (line.waiting.length === 0) {
      socket.resume();
    }
  }

  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? begin(socket);
    if (socket.writableEnded) {
      // The answer to an earlier request ended the connection: later ones are neither handled nor answered.
      return;
    }
    if (line.underWay === null) {
      start(line, request, response);
      return;
    }
    endReadably(socket, line);
    line.waiting.push([request, response]);
    if (line.waiting.length === 1) {
      stayPaused(socket, line);
    }
  };
}

/**
 * Lets a pipelining client read the answers up to the one that ends the connection. Closing a connection with
 * unread requests resets it, and of 3,000 answers before the last 220 came through. So this side is closed,
 * reading stops, and for a while the sender may read the rest.
 */
function endReadably(socket: Socket, line: Line): void {
  if (readable.has(socket)) {
    return;
  }
  readable.add(socket);
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (line.waiting.length === 0) {
      destroySoon();
      return;
    }
    line.waiting = [];
    socket.pause();
    socket.resume = () => socket;
    socket.end();
    const timer = setTimeout(() => socket.destroy(), TO_READ).unref();
    socket.once('close', () => clearTimeout(timer));
  };
}

const readable = new WeakSet<Socket>();

/** Milliseconds. */
const TO_READ = 5_000;

/** Keeps a connection paused while its requests wait: Node.js resumes it whenever a body has been read. */
function stayPaused(socket: Socket, line: Line): void {
  if (!Object.hasOwn(socket, 'resume')) {
    const resume = socket.resume.bind(socket);
    socket.resume = () => (line.waiting.length > 0 ? socket : resume());
  }
  socket.pause();
}
