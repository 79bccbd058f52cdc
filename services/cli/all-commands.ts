import type { Command } from 'commander';

type Add = (program: Command) => void;

/** Every command by what is typed, in the order of the help. */
const COMMANDS = new Map<string, () => Promise<Add>>(
  Object.entries({
    migrate: async () => (await import('./commands/migrate.ts')).addMigrate,
    'org create': async () => (await import('./commands/org-create.ts')).addOrgCreate,
    'org list': async () => (await import('./commands/org-list.ts')).addOrgList,
    'org rename': async () => (await import('./commands/org-rename.ts')).addOrgRename,
    'org delete': async () => (await import('./commands/org-delete.ts')).addOrgDelete,
    'org export': async () => (await import('./commands/org-export.ts')).addOrgExport,
    'org import': async () => (await import('./commands/org-import.ts')).addOrgImport,
    'org erase': async () => (await import('./commands/org-erase.ts')).addOrgErase,
    'key create': async () => (await import('./commands/key-create.ts')).addKeyCreate,
    'key list': async () => (await import('./commands/key-list.ts')).addKeyList,
    'key revoke': async () => (await import('./commands/key-revoke.ts')).addKeyRevoke,
    'user create': async () => (await import('./commands/user-create.ts')).addUserCreate,
    'user invite': async () => (await import('./commands/user-invite.ts')).addUserInvite,
    'user list': async () => (await import('./commands/user-list.ts')).addUserList,
    'user role': async () => (await import('./commands/user-role.ts')).addUserRole,
    'user remove': async () => (await import('./commands/user-remove.ts')).addUserRemove,
    'user disable': async () => (await import('./commands/user-disable.ts')).addUserDisable,
    'user enable': async () => (await import('./commands/user-enable.ts')).addUserEnable,
    'user erase': async () => (await import('./commands/user-erase.ts')).addUserErase,
    'user reset': async () => (await import('./commands/user-reset.ts')).addUserReset,
    'mqtt-consumer create': async () =>
      (await import('./commands/mqtt-consumer-create.ts')).addMqttConsumerCreate,
    'mqtt-consumer list': async () => (await import('./commands/mqtt-consumer-list.ts')).addMqttConsumerList,
    'mqtt-consumer delete': async () =>
      (await import('./commands/mqtt-consumer-delete.ts')).addMqttConsumerDelete,
    'reader create': async () => (await import('./commands/reader-create.ts')).addReaderCreate,
    'reader set': async () => (await import('./commands/reader-set.ts')).addReaderSet,
    'reader delete': async () => (await import('./commands/reader-delete.ts')).addReaderDelete,
    'reader list': async () => (await import('./commands/reader-list.ts')).addReaderList,
    'antenna set': async () => (await import('./commands/antenna-set.ts')).addAntennaSet,
    'location watch': async () => (await import('./commands/location-watch.ts')).addLocationWatch,
    'format list': async () => (await import('./commands/format-list.ts')).addFormatList,
    'format show': async () => (await import('./commands/format-show.ts')).addFormatShow,
    'format add': async () => (await import('./commands/format-add.ts')).addFormatAdd,
    'format try': async () => (await import('./commands/format-try.ts')).addFormatTry,
    'handheld create': async () => (await import('./commands/handheld-create.ts')).addHandheldCreate,
    'handheld list': async () => (await import('./commands/handheld-list.ts')).addHandheldList,
    'handheld rename': async () => (await import('./commands/handheld-rename.ts')).addHandheldRename,
    'handheld revoke': async () => (await import('./commands/handheld-revoke.ts')).addHandheldRevoke,
    'unknown-tags list': async () => (await import('./commands/unknown-tags-list.ts')).addUnknownTagsList,
    'unknown-tags attach': async () =>
      (await import('./commands/unknown-tags-attach.ts')).addUnknownTagsAttach,
    'unknown-tags ignore': async () =>
      (await import('./commands/unknown-tags-ignore.ts')).addUnknownTagsIgnore,
    'rejected list': async () => (await import('./commands/rejected-list.ts')).addRejectedList,
    'rejected show': async () => (await import('./commands/rejected-show.ts')).addRejectedShow,
    'rejected replay': async () => (await import('./commands/rejected-replay.ts')).addRejectedReplay,
    'rejected dismiss': async () => (await import('./commands/rejected-dismiss.ts')).addRejectedDismiss,
    'smoothing set': async () => (await import('./commands/smoothing-set.ts')).addSmoothingSet,
    'smoothing show': async () => (await import('./commands/smoothing-show.ts')).addSmoothingShow,
    'smoothing try': async () => (await import('./commands/smoothing-try.ts')).addSmoothingTry,
    'history recompute': async () => (await import('./commands/history-recompute.ts')).addHistoryRecompute,
    'clock mend': async () => (await import('./commands/clock-mend.ts')).addClockMend,
    'changes list': async () => (await import('./commands/changes-list.ts')).addChangesList,
    'alert list': async () => (await import('./commands/alert-list.ts')).addAlertList,
    'alert acknowledge': async () => (await import('./commands/alert-acknowledge.ts')).addAlertAcknowledge,
    'rule add': async () => (await import('./commands/rule-add.ts')).addRuleAdd,
    'rule set': async () => (await import('./commands/rule-set.ts')).addRuleSet,
    'rule remove': async () => (await import('./commands/rule-remove.ts')).addRuleRemove,
    'rule try': async () => (await import('./commands/rule-try.ts')).addRuleTry,
    'rule list': async () => (await import('./commands/rule-list.ts')).addRuleList,
    'webhook create': async () => (await import('./commands/webhook-create.ts')).addWebhookCreate,
    'webhook set': async () => (await import('./commands/webhook-set.ts')).addWebhookSet,
    'webhook delete': async () => (await import('./commands/webhook-delete.ts')).addWebhookDelete,
    'webhook list': async () => (await import('./commands/webhook-list.ts')).addWebhookList,
    'webhook test': async () => (await import('./commands/webhook-test.ts')).addWebhookTest,
    'webhook attempts': async () => (await import('./commands/webhook-attempts.ts')).addWebhookAttempts,
    'webhook replay': async () => (await import('./commands/webhook-replay.ts')).addWebhookReplay,
    'mail test': async () => (await import('./commands/mail-test.ts')).addMailTest,
    'import assets': async () => (await import('./commands/import-assets.ts')).addImportAssets,
    'import locations': async () => (await import('./commands/import-locations.ts')).addImportLocations,
    'export assets': async () => (await import('./commands/export-assets.ts')).addExportAssets,
    'export locations': async () => (await import('./commands/export-locations.ts')).addExportLocations,
    'export stays': async () => (await import('./commands/export-stays.ts')).addExportStays,
    'export positions': async () => (await import('./commands/export-positions.ts')).addExportPositions,
    'export dwell': async () => (await import('./commands/export-dwell.ts')).addExportDwell,
    why: async () => (await import('./commands/why.ts')).addWhy,
    simulate: async () => (await import('./commands/simulate.ts')).addSimulate,
    doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
    'cell number': async () => (await import('./commands/cell-number.ts')).addCellNumber,
    'cell move': async () => (await import('./commands/cell-move.ts')).addCellMove,
    'cell route': async () => (await import('./commands/cell-route.ts')).addCellRoute,
    'cell give-up': async () => (await import('./commands/cell-give-up.ts')).addCellGiveUp,
    'database copy': async () => (await import('./commands/database-copy.ts')).addDatabaseCopy,
    'database backup': async () => (await import('./commands/database-backup.ts')).addDatabaseBackup,
    'database restore': async () => (await import('./commands/database-restore.ts')).addDatabaseRestore,
    'database checksums': async () => (await import('./commands/database-checksums.ts')).addDatabaseChecksums,
  }),
);

/**
 * Adds the command that is called, and no other, so that no other has to be loaded: `org list` then takes 0.2 s of CPU to
 * start instead of 0.5. All are added if none is named, as for the help and its suggestions.
 */
export async function addCommands(
  program: Command,
  [first = '', second = '']: readonly string[],
): Promise<void> {
  const called = COMMANDS.get(first) ?? COMMANDS.get(`${first} ${second}`);
  const loads = called === undefined ? [...COMMANDS.values()] : [called];
  const loaded = await Promise.all(loads.map((load) => load()));
  for (const add of loaded) {
    add(program);
  }
}
