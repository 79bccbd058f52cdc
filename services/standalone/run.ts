import { createLog } from '../../platform/runtime/log.ts';
import { runProcess } from '../../platform/runtime/run-process.ts';
import { readStandaloneConfig } from './config.ts';
import { startStandalone } from './standalone.ts';
import { credentialsText, welcomeText } from './welcome.ts';

await runProcess(() => {
  const config = readStandaloneConfig(process.env);
  const log = createLog('standalone', config.LOG_LEVEL);
  return {
    log,
    notice: config.SHUTDOWN_DELAY_MS,
    boot: async (lifecycle) => {
      let isUp = false;
      await lifecycle.start(
        'farewell',
        () => {},
        () => isUp && process.stdout.write('\nStopped in order.\n'),
      );
      const standalone = await startStandalone(config, log, lifecycle);
      const { firstAdministratorToken, firstCredentials } = await import('./first-start.ts');
      const credentials = await firstCredentials(standalone.databaseUrl);
      const token = await firstAdministratorToken(standalone.databaseUrl);
      process.stdout.write(welcomeText(standalone, config, token));
      if (credentials !== null) {
        process.stdout.write(credentialsText(standalone, config, credentials));
      }
      isUp = true;
    },
  };
});
