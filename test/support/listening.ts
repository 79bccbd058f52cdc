import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENS = '0A';

/** As /proc has 127.0.0.1 and ::1, the first also as IPv6 has it. */
const LOOPBACK = /^(?:0100007F|0{24}01000000|0{16}FFFF00000100007F)$/;

export interface Socket {
  kind: 'tcp' | 'tcp6' | 'udp' | 'udp6';
  isListening: boolean;
  port: number;
  /** Whether this machine only can reach it, or of a connection, is at its other end. */
  isLoopback: boolean;
}

/** The sockets of a process, which is of this user. Of Linux. */
export function socketsOf(pid: number): Socket[] {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  return (['tcp', 'tcp6', 'udp', 'udp6'] as const).flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , , , , , , , inode = '']) => own.has(inode))
      .map(([, local = '', remote = '', state]) => {
        const isListening = state === LISTENS;
        const [address = ''] = (isListening ? local : remote).split(':');
        const port = Number.parseInt(local.split(':')[1] ?? '', 16);
        return { kind, isListening, port, isLoopback: LOOPBACK.test(address) };
      }),
  );
}
