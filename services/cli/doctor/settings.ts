import { AppError } from '../../../base/errors.ts';
import { type Finding, fault, ok } from '../../../domain/health/finding.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { INGEST_SETTINGS } from '../../mqtt-ingest/config.ts';
import { readStandaloneConfig, STANDALONE_SETTINGS, type StandaloneConfig } from '../../standalone/config.ts';
import { WORKER_SETTINGS } from '../../worker/config.ts';

export type DoctorConfig = StandaloneConfig & { INGEST_PORT: number; WORKER_PORT: number };

/** Null if settings are unusable: then nothing else can be checked. */
export function examineSettings(environment: NodeJS.ProcessEnv): {
  config: DoctorConfig | null;
  findings: Finding[];
} {
  try {
    const { INGEST_PORT } = INGEST_SETTINGS;
    const { WORKER_PORT } = WORKER_SETTINGS;
    const config = {
      ...readStandaloneConfig(environment),
      ...readSettings({ INGEST_PORT, WORKER_PORT }, environment),
    };
    const given = Object.keys(STANDALONE_SETTINGS).filter((name) => (environment[name] ?? '') !== '');
    const set = given.length === 0 ? 'all at their defaults' : `${given.join(', ')} set`;
    return { config, findings: [ok('settings', `Usable, ${set}`)] };
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    // Each line has the fault and, after the first semicolon, the remedy.
    const findings = error.message.split('\n').map((line) => {
      const [what = '', ...todo] = line.split('; ');
      return fault('settings', what, todo.join('; '));
    });
    return { config: null, findings };
  }
}
