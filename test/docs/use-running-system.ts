import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { runCommand } from '../support/command-line.ts';
import { type Program, run } from '../support/process.ts';
import { ROOT } from './command-blocks.ts';

export interface RunningSystem {
  /** A folder that looks like a clone, and can be written to. */
  clone: string;
  environment: NodeJS.ProcessEnv;
  /** What `npm start` showed. */
  shown: string;
  /** The commands as they have to be here, where the usual ports may be taken. */
  here(commands: string): string;
}

/** By the names under which `npm start` shows them. */
const PORTS = [
  { name: 'API', setting: 'API_PORT', usual: 8080 },
  { name: 'Handhelds', setting: 'HANDHELD_PORT', usual: 8081 },
  { name: 'Console', setting: 'CONSOLE_PORT', usual: 8083 },
  { name: 'HTTP push', setting: 'READERS_PORT', usual: 8085 },
  { name: 'MQTT', setting: 'MQTT_PORT', usual: 1883 },
];

/** `npm start` on a folder and free ports of its own, as a newcomer has it running in another terminal. */
export function useRunningSystem(): RunningSystem {
  const system = {} as RunningSystem;
  const folderBefore = process.cwd();
  let folder: string | undefined;
  let program: Program;
  let commands: Server;

  before(async () => {
    const made = mkdtempSync(join(tmpdir(), 'tagtrail-docs-'));
    folder = made;
    chmodSync(made, 0o711);
    const environment = {
      TAGTRAIL_DATA: join(made, 'data'),
      ...Object.fromEntries(PORTS.map(({ setting }) => [setting, '0'])),
      MQTT_MOVES_PREFIX: 'tagtrail',
    };
    program = run('services/standalone/main.ts', [], environment);
    await program.printed('Try it');
    system.shown = program.stdout();
    const ports = PORTS.map(({ name, ...port }) => {
      const [, taken = ''] = new RegExp(`^  ${name} .*:(\\d+)`, 'm').exec(system.shown) ?? [];
      return { ...port, taken };
    });
    system.clone = cloneIn(made);
    system.environment = {
      ...environment,
      ...Object.fromEntries(ports.map(({ setting, taken }) => [setting, taken])),
      HOME: made,
      CURL_HOME: curlHomeIn(made),
      PATH: `${commandsIn(made)}:${process.env['PATH']}`,
    };
    // The commands are given names of files, which are in the reader's folder.
    process.chdir(system.clone);
    commands = await serveCommands(join(made, 'commands'), system.environment);
    system.here = (commands) =>
      ports.reduce(
        (typed, { usual, taken }) =>
          typed
            .replaceAll(`127.0.0.1:${usual}`, `127.0.0.1:${taken}`)
            .replaceAll(`-p ${usual}`, `-p ${taken}`),
        commands,
      );
  });
  after(async () => {
    process.chdir(folderBefore);
    commands?.close();
    program?.child.kill('SIGINT');
    await program?.ended;
    if (folder !== undefined) {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  return system;
}

/** Everything is there; what is written stays here. */
function cloneIn(folder: string): string {
  const clone = join(folder, 'clone');
  mkdirSync(clone);
  for (const name of readdirSync(ROOT).filter((entry) => !['.git', '.cache', 'data'].includes(entry))) {
    symlinkSync(join(ROOT, name), join(clone, name));
  }
  return clone;
}

/** A configuration with which `curl` fails when the API refuses. */
function curlHomeIn(folder: string): string {
  const home = join(folder, 'curl');
  mkdirSync(home);
  writeFileSync(join(home, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n');
  return home;
}

/**
 * `npx` without the second that npm takes to find out what is meant, and `tagtrail` run by this process, which has it loaded:
 * that saves half a second for each of 150 commands.
 */
function commandsIn(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const npx = `#!/bin/bash
[ "$1 $2" = '--no --' ] && shift 2
command=$1
shift
[ "$command" = tagtrail ] || exec '${ROOT}node_modules/.bin/'"$command" "$@"
stdin=/dev/null
[[ " $* " != *' - '* ]] || stdin=/dev/stdin
exec curl -q --silent --show-error --fail-with-body --unix-socket '${join(folder, 'commands')}' \\
  -H "Typed: $(printf '%s\\0' "$@" | base64 -w 0)" -H "Key: $TAGTRAIL_API_KEY" --data-binary @$stdin http://tagtrail/
`;
  writeFileSync(join(bin, 'npx'), npx, { mode: 0o755 });
  symlinkSync(process.execPath, join(bin, 'node'));
  return bin;
}

/** Runs what `npx` hands over, and answers what it says; with an error if it fails. */
async function serveCommands(path: string, environment: NodeJS.ProcessEnv): Promise<Server> {
  const server = createServer(async (request, response) => {
    const typed = Buffer.from(String(request.headers['typed']), 'base64').toString().split('\0').slice(0, -1);
    const key = request.headers['key'];
    const given = key === undefined || key === '' ? {} : { TAGTRAIL_API_KEY: String(key) };
    const said = await runCommand(typed, { ...environment, ...given }, await buffer(request));
    response.statusCode = said.status === 0 ? 200 : 500;
    response.end(said.stdout + said.stderr);
  });
  await once(server.listen(path), 'listening');
  return server;
}
