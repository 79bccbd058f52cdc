import type { Logger } from 'pino';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { measureFigure } from './figures.ts';
import type { Lifecycle } from './lifecycle.ts';
import { repeat } from './repeat.ts';
import { ServerTls, warnOfExpired } from './server-tls.ts';
import { readTlsFiles, type TlsFiles } from './tls-files.ts';

/** Milliseconds between looks at the files. Watching misses files that are swapped by a link, as in Kubernetes. */
const LOOK_MS = 5_000;

/**
 * Exports figures of this process, and starts TLS for its ports.
 *
 * @param shared the process's TLS, if another of its services has started it.
 */
export async function startMeasured(
  files: TlsFiles,
  registry: Registry,
  running: { log: Logger; lifecycle: Lifecycle },
  shared: ServerTls | null = null,
): Promise<ServerTls | null> {
  measureProcess(registry);
  const tls = shared ?? (await startTls(files, running));
  measureCertificate(registry, tls);
  return tls;
}

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

/** Milliseconds. The library's default of ten takes a third of an idle process's time. */
const PRECISION = 100;

/** Exports processor time, memory, garbage collection and delays of the event loop. */
function measureProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: PRECISION });
}

function measureCertificate(registry: Registry, tls: ServerTls | null): void {
  if (tls !== null) {
    measureFigure(
      registry,
      'tagtrail_tls_certificate_expiry_timestamp_seconds',
      'When the certificate of TLS_CERT_FILE expires',
      () => tls.expiresAt / 1_000,
    );
  }
}
