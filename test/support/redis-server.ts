import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from '@redis/client';
import { freePort } from './free-port.ts';
import { PROGRAM_ENVIRONMENT, useProgram } from './programs.ts';

/** A real server that keeps nothing on disk; running at the beginning of each test, and gone after the last. */
export interface RedisServer {
  url: string;
  start(...options: string[]): Promise<void>;
  stop(): Promise<void>;
  /** Leaves its connections open, and answers no more until it is thawed. */
  freeze(): void;
  thaw(): void;
  command(...words: string[]): Promise<unknown>;
}

/** Where there is no redis-server, the suite is skipped; not where TEST_REQUIRE_ALL is set. */
export function useRedis(): RedisServer {
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-redis-'));
  let port: number;
  let child: ChildProcess | null = null;
  const server: RedisServer = {
    url: '',
    start: async (...options) => {
      if (child !== null) {
        return;
      }
      const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
      child = spawn('redis-server', [...settings, '--save', '', '--appendonly', 'no', ...options], {
        env: PROGRAM_ENVIRONMENT,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
        if (line.includes('Ready to accept connections')) {
          child.stdout?.resume();
          return;
        }
      }
      throw new Error('redis-server ended before it was ready');
    },
    stop: async () => {
      const running = child;
      child = null;
      if (running !== null) {
        running.kill('SIGKILL');
        await once(running, 'exit');
      }
    },
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    command: async (...words) => {
      const client = await createClient({ url: server.url }).connect();
      try {
        return await client.sendCommand(words);
      } finally {
        client.destroy();
      }
    },
  };
  useProgram('redis-server');
  before(async () => {
    port = await freePort();
    server.url = `redis://127.0.0.1:${port}`;
  });
  beforeEach(() => server.start());
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return server;
}
