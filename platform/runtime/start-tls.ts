import type { Logger } from 'pino';
import type { Lifecycle } from './lifecycle.ts';
import { repeat } from './repeat.ts';
import { ServerTls, warnOfExpired } from './server-tls.ts';
import { readTlsFiles, type TlsFiles } from './tls-files.ts';

/** Milliseconds between looks at the files. Watching misses files that are swapped by a link, as in Kubernetes. */
const LOOK_MS = 5_000;

/**
 * Keeps the certificate of this process's ports as its files say; null if they speak no TLS.
 *
 * @throws AppError `misconfigured` if the files cannot be used.
 */
export async function startTls(
  files: TlsFiles,
  { log, lifecycle, lookEvery = LOOK_MS }: { log: Logger; lifecycle: Lifecycle; lookEvery?: number },
): Promise<ServerTls | null> {
  const material = readTlsFiles(files);
  if (material === null) {
    return null;
  }
  const tls = new ServerTls(material, log);
  warnOfExpired(log, material);
  await lifecycle.start(
    'certificate',
    () =>
      repeat(
        lookEvery,
        async () => tls.reload(() => readTlsFiles(files)),
        () => {},
      ),
    (started) => started.stop(),
  );
  return tls;
}
