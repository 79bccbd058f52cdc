import { keepCompiled, startCompiled } from '../../platform/runtime/compile-cache.ts';

startCompiled();
const { runGateway } = await import('./start.ts');
await runGateway();
keepCompiled();
