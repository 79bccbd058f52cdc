import { type Program, run } from '../support/process.ts';
import { SECRETS_KEY } from '../support/webhooks.ts';
import { ReceiverProgram } from './receiver-program.ts';

/** Processes that deliver webhooks, and one that receives them, until the suite ends. */
export function useDelivering(database: { readonly url: string }) {
  const programs: Program[] = [];
  let receiver: ReceiverProgram;

  before(async () => {
    receiver = await ReceiverProgram.prepare();
    await receiver.start();
  });

  after(async () => {
    for (const { child } of programs) {
      child.kill('SIGKILL');
    }
    await Promise.all([receiver.remove(), ...programs.map(({ ended }) => ended)]);
  });

  return {
    get receiver(): ReceiverProgram {
      return receiver;
    },
    async start(): Promise<Program> {
      const program = run('test/chaos/deliverer-process.ts', [], { DATABASE_URL: database.url, SECRETS_KEY });
      programs.push(program);
      await program.printed('delivering');
      return program;
    },
  };
}
