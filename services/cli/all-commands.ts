import type { Command } from './command-line/command-line.ts';

type Add = (program: Command) => void;

/** Each noun, in the order of the help. */
const COMMANDS = new Map<string, () => Promise<Add>>(
  Object.entries({
    migrate: async () => (await import('./commands/migrate.ts')).addMigrate,
    org: async () => (await import('./commands/org.ts')).addOrg,
    key: async () => (await import('./commands/key.ts')).addKey,
    user: async () => (await import('./commands/user.ts')).addUser,
    'mqtt-consumer': async () => (await import('./commands/mqtt-consumer.ts')).addMqttConsumer,
    reader: async () => (await import('./commands/reader.ts')).addReader,
    antenna: async () => (await import('./commands/antenna.ts')).addAntenna,
    location: async () => (await import('./commands/location.ts')).addLocation,
    format: async () => (await import('./commands/format.ts')).addFormat,
    handheld: async () => (await import('./commands/handheld.ts')).addHandheld,
    'unknown-tags': async () => (await import('./commands/unknown-tags.ts')).addUnknownTags,
    rejected: async () => (await import('./commands/rejected.ts')).addRejected,
    locate: async () => (await import('./commands/locate.ts')).addLocate,
    history: async () => (await import('./commands/history.ts')).addHistory,
    clock: async () => (await import('./commands/clock.ts')).addClock,
    changes: async () => (await import('./commands/changes.ts')).addChanges,
    alert: async () => (await import('./commands/alert.ts')).addAlert,
    rule: async () => (await import('./commands/rule.ts')).addRule,
    webhook: async () => (await import('./commands/webhook.ts')).addWebhook,
    mail: async () => (await import('./commands/mail.ts')).addMail,
    label: async () => (await import('./commands/label.ts')).addLabel,
    printer: async () => (await import('./commands/printer.ts')).addPrinters,
    import: async () => (await import('./commands/import.ts')).addImports,
    export: async () => (await import('./commands/export.ts')).addExports,
    why: async () => (await import('./commands/why.ts')).addWhy,
    simulate: async () => (await import('./commands/simulate.ts')).addSimulate,
    mcp: async () => (await import('./commands/mcp.ts')).addMcp,
    doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
    cell: async () => (await import('./commands/cell.ts')).addCell,
    database: async () => (await import('./commands/database.ts')).addDatabase,
  }),
);

/**
 * Adds the noun that is called, and no other, so that no other has to be loaded: `org list` then takes 0.2 s of CPU to
 * start instead of 0.5. All are added if none is named, as for the help and its suggestions.
 */
export async function addCommands(program: Command, [noun = '']: readonly string[]): Promise<void> {
  const called = COMMANDS.get(noun);
  const loads = called === undefined ? [...COMMANDS.values()] : [called];
  const loaded = await Promise.all(loads.map((load) => load()));
  for (const add of loaded) {
    add(program);
  }
}
