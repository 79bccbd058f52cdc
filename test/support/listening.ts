import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENS = '0A';

/** As /proc has 127.0.0.1 and ::1. */
const LOOPBACK = ['0100007F', '00000000000000000000000001000000'];

/** The TCP ports at which a process, which is of this user, listens, and whether this machine only can reach them. Of Linux. */
export function portsOf(pid: number): { port: number; isLoopback: boolean }[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode = '']) => state === LISTENS && sockets.has(inode))
      .map(([, local = '']) => {
        const [address = '', port = ''] = local.split(':');
        return { port: Number.parseInt(port, 16), isLoopback: LOOPBACK.includes(address) };
      }),
  );
}
