import { keepCompiled, startCompiled } from '../../platform/runtime/compile-cache.ts';

startCompiled();
const { runConsole } = await import('./start.ts');
await runConsole();
keepCompiled();
