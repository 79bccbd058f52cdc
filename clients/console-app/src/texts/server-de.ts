/**
 * What the server says, by its English sentence. `{}` is a part that differs, in German `{1}`, `{2}`; `{1,}` may be a
 * number with decimals. A part may be a sentence of its own.
 */
const GERMAN: Readonly<Record<string, string>> = {
  // Faults of cells. In front of them stands the name of the field.
  'is required': 'fehlt',
  'must match {}': 'darf nur Buchstaben, Ziffern und Bindestriche haben',
  'must be true or false': 'muss true oder false sein',
  'must be a JSON object': 'muss ein JSON-Objekt sein',
  'must be an RFC 3339 timestamp': 'muss eine Zeit wie 2026-05-04T08:00:00Z sein',
  'must be one of: {}': 'muss eines von diesen sein: {1}',
  'must be at least {}': 'muss mindestens {1,} haben',
  'must be at most {}': 'darf höchstens {1,} haben',
  'must have at most {} items': 'darf höchstens {1} Einträge haben',
  '{} characters': '{1} Zeichen',
  '1 character': '1 Zeichen',
  'must not contain control characters': 'darf keine Steuerzeichen haben',
  'must not contain the character U+0000': 'darf das Zeichen U+0000 nicht haben',
  'must be a list such as {}': 'muss eine Liste sein wie {1}',
  'names the tag {} more than once': 'nennt das Etikett {1} mehrmals',
  'has the tag {}, which {}': 'hat das Etikett {1}, {2}',
  'is attached elsewhere': 'das woanders angebracht ist',
  '{} has too': 'das auch {1} hat',
  'line {}': 'Zeile {1}',
  'line {}: {}': 'Zeile {1}: {2}',
  'would have more than {} tags, the maximum; detach some first':
    'darf höchstens {1} Etiketten haben; nehmen Sie zuerst einige ab',
  '{} is on line {} already': '{1} steht schon in Zeile {2}',
  "{}; write {}, or '{} if a new one is meant":
    "{1}; schreiben Sie {2}, oder '{3}, wenn ein neuer gemeint ist",
  '{} would be new beside {}, which a spreadsheet may have turned into it':
    '{1} wäre neu neben {2}, woraus eine Tabellenkalkulation das gemacht haben kann',
  '{}; make the column text there, and enter the identifier once more':
    '{1}; machen Sie die Spalte dort zu Text, und geben Sie die Kennung noch einmal ein',
  'has {}: a spreadsheet has turned an identifier into a number and rounded it':
    'hat {1}: Eine Tabellenkalkulation hat eine Kennung zur Zahl gemacht und gerundet',
  '{} is the location itself': '{1} ist der Ort selbst',
  '{} would create a cycle: {}': '{1} läge in sich selbst: {2}',
  'Printer {} at {} does not answer; see that it is on, connected, and prints raw data over TCP ({})':
    'Der Drucker {1} ({2}) antwortet nicht. Ist er an, verbunden und auf Rohdruck über TCP gestellt? ({3})',
  'Printer {} at {} did not take all labels. The assets keep their numbers: see to paper and ribbon, and print again what is missing ({})':
    'Der Drucker {1} ({2}) hat nicht alle Aufkleber genommen. Die Objekte behalten ihre Nummern: Sehen Sie nach Papier und Farbband, und drucken Sie noch einmal, was fehlt ({3})',
  'Printer {}: {} is in no network of PRINTER_NETWORKS; ask the operator to name it there':
    'Drucker {1}: {2} ist in keinem Netz von PRINTER_NETWORKS; der Betreiber kann es dort eintragen',
  'Printer {} not found': 'Den Drucker {1} gibt es nicht',
  'Not printed: other jobs of the organization wait for their printers, four at a time; print again in a moment':
    'Nicht gedruckt: Andere Aufträge der Organisation warten noch auf ihre Drucker, vier auf einmal; drucken Sie gleich noch einmal',
  'A label of {} × {} mm has no room for both codes: ask for one of them, or use a larger label':
    'Auf {1} × {2} mm passen nicht beide Codes: Wählen Sie einen, oder nehmen Sie größere Aufkleber',
  'A label of {} × {} mm has no room for the code: use a larger label':
    'Auf {1} × {2} mm passt der Code nicht: Nehmen Sie größere Aufkleber',
  '{} not found': '{1} gibt es nicht',
  'unknown column "{}"; known columns: {}': 'Die Spalte „{1}“ gibt es nicht; es gibt {2}',
  'must be the name of one column only': 'darf nur eine Spalte heißen',
  'the column name is required': 'Die Spalte name fehlt',
  'the file is a workbook of a spreadsheet program (such as .xlsx), not CSV; open it there, save it as "CSV UTF-8" and try again':
    'Die Datei ist eine Arbeitsmappe (etwa .xlsx), nicht CSV; öffnen Sie sie in der Tabellenkalkulation, speichern Sie sie als „CSV UTF-8“ und versuchen Sie es erneut',
  'the file is UTF-16 (Excel calls it "Unicode Text"); save it as "CSV UTF-8" and try again':
    'Die Datei ist UTF-16 („Unicode-Text“ in Excel); speichern Sie sie als „CSV UTF-8“ und versuchen Sie es erneut',
  'on this line, or one soon after it, the file is not UTF-8 (it may be Windows-1252, as Excel\'s plain "CSV" is); save it as "CSV UTF-8" and try again':
    'In dieser Zeile oder bald danach ist die Datei nicht UTF-8 (vielleicht Windows-1252 wie das einfache „CSV“ von Excel); speichern Sie sie als „CSV UTF-8“ und versuchen Sie es erneut',
  'is empty; its first line must name the columns': 'ist leer; die erste Zeile muss die Spalten nennen',
  'the row has content in column {}, which has no name in the header ({} columns)':
    'Die Zeile hat etwas in Spalte {1}, die im Kopf ({2} Spalten) keinen Namen hat',
  'the row has more than {} characters': 'Die Zeile hat mehr als {1} Zeichen',
  'the row has more than {} cells': 'Die Zeile hat mehr als {1} Zellen',
  'file must have at most {} rows': 'Die Datei darf höchstens {1} Zeilen haben',
  'a quotation mark is opened that is not closed': 'Ein Anführungszeichen wird nicht geschlossen',
  'text follows a closing quotation mark: double the quotation marks inside a cell':
    'Nach einem schließenden Anführungszeichen folgt Text: Verdoppeln Sie Anführungszeichen in einer Zelle',
  'a quotation mark inside a cell: put the cell in quotation marks, and double those in it':
    'Ein Anführungszeichen in einer Zelle: Setzen Sie die Zelle in Anführungszeichen, und verdoppeln Sie die darin',

  // Why a message was rejected.
  'no reader has this topic': 'Kein Leser hat dieses Topic',
  "the topic is not the publisher's, which is {}": 'Das Topic ist nicht das des Absenders, nämlich {1}',
  'it could not be recorded: {}': 'Sie ließ sich nicht aufzeichnen: {1}',
  'its reader was deleted': 'Ihr Leser wurde gelöscht',
  'its format took more than {} to read it': 'Sie zu lesen kostete ihr Format mehr als {1}',
  'messages of this topic are ignored': 'Nachrichten dieses Topics werden übergangen',
  'the text {} is ignored': 'Der Text {1} wird übergangen',
  'payload is empty': 'Der Inhalt ist leer',
  'payload is not JSON: {}': 'Der Inhalt ist kein JSON: {1}',
  'payload is JSON, but neither an object nor an array': 'Der Inhalt ist JSON, aber weder Objekt noch Array',
  'payload is not CBOR: {}': 'Der Inhalt ist kein CBOR: {1}',
  'payload is CBOR, but neither a map nor an array': 'Der Inhalt ist CBOR, aber weder Map noch Array',
  'payload is not MessagePack: {}': 'Der Inhalt ist kein MessagePack: {1}',
  'payload is MessagePack, but neither a map nor an array':
    'Der Inhalt ist MessagePack, aber weder Map noch Array',
  'payload is not protobuf: {}': 'Der Inhalt ist kein Protobuf: {1}',
  'bytes are left over at the end': 'Am Ende bleiben Bytes übrig',
  'payload is nested deeper than {} levels': 'Der Inhalt ist tiefer als {1} Ebenen verschachtelt',
  'payload has more than {} documents': 'Der Inhalt hat mehr als {1} Dokumente',
  'payload has more than {} lines': 'Der Inhalt hat mehr als {1} Zeilen',
  'payload has more than {} items': 'Der Inhalt hat mehr als {1} Einträge',
  'nothing at {}': 'Nichts unter {1}',
  'the format has no value for the identity {}': 'Das Format hat keinen Wert für die Kennung {1}',
  'tag type {} is none of: {}': 'Die Art des Etiketts {1} ist keine von {2}',
  'no tag type ({})': 'Keine Art des Etiketts ({1})',
  'value {} ({}) is not of the kind that the format expects':
    'Der Wert {1} ({2}) ist nicht, was das Format erwartet',
  'value {} ({}) is not a text': 'Der Wert {1} ({2}) ist kein Text',
  'value {} ({}) {}': 'Der Wert {1} ({2}) {3}',
  'no value ({})': 'Kein Wert ({1})',
  'is empty': 'ist leer',
  'is longer than {} characters': 'ist länger als {1} Zeichen',
  'holds a control character': 'enthält ein Steuerzeichen',
  'holds characters that are not valid Unicode': 'enthält Zeichen, die kein Unicode sind',
  'is not usable': 'ist nicht brauchbar',
  'too late: observed {} days before it was {}, the bound is {} days':
    'Zu spät: beobachtet {1,} Tage, bevor es {2} wurde; die Grenze ist {3,} Tage',
  received: 'empfangen',
  recorded: 'aufgezeichnet',

  // What Settings, Health finds.
  'There are none': 'Es gibt keine',
  '{} (reader {})': '{1} (Leser {2})',
  '{} (reader {}), {}': '{1} (Leser {2}), {3}',
  '{} (reader {}) since {}': '{1} (Leser {2}) seit {3}',
  '{}, none of them silent': '{1}, keiner davon stumm',
  '{} has no format yet: all its messages {} rejected':
    '{1} hat noch kein Format: Alle seine Nachrichten werden abgelehnt',
  '{} has the format {}, which does not exist: all its messages {} rejected':
    '{1} hat das Format {2}, das es nicht gibt: Alle seine Nachrichten werden abgelehnt',
  '{} more readers have no format, or one that does not exist: all their messages {} rejected':
    '{1} weitere Leser haben kein Format oder eines, das es nicht gibt: Alle ihre Nachrichten werden abgelehnt',
  'Cannot be heard: {}': 'Nicht zu hören: {1}',
  'Never heard from: {}': 'Nie gehört: {1}',
  '{} has a clock that is {}: its reads {}': 'Die Uhr von {1} geht {2}: Seine Lesungen {3}',
  'are dated into the past and seldom move assets': 'liegen in der Vergangenheit und bewegen selten etwas',
  'are dated on receipt': 'gelten ab dem Eingang',
  '{} may have a wrong clock: so far it is {}': 'Die Uhr von {1} geht vielleicht falsch: bisher {2}',
  '{} s behind, or it holds its reads back for that long':
    '{1} s nach, oder er hält Lesungen so lange zurück',
  '{} s ahead': '{1} s vor',
  '{} has a clock that is not set: its reads are dated on receipt':
    'Die Uhr von {1} ist nicht gestellt: Seine Lesungen gelten ab dem Eingang',
  '{} had a time that could not be read: {}; its reads are dated on receipt':
    '{1} hatte eine unlesbare Zeit: {2}; seine Lesungen gelten ab dem Eingang',
  '{} had a measured value that is impossible: {}; such values are left out':
    '{1} hatte einen unmöglichen Messwert: {2}; solche Werte bleiben weg',
  '{} has antennas that are at no location ({}): their reads move nothing':
    '{1} hat Antennen ohne Ort ({2}): Ihre Lesungen bewegen nichts',
  '{} names antennas that nobody has registered ({}): their reads move nothing':
    '{1} nennt Antennen, die nicht in der Liste stehen ({2}): Ihre Lesungen bewegen nichts',
  '{} had {} messages ignored that hold something like a tag: should these have been reads?':
    'Von {1} wurden {2} Nachrichten übergangen, in denen etwas wie ein Etikett steht: Hätten es Lesungen sein sollen?',
  'The topic {} of {} (reader {}) overlaps with {}: it could overwrite them':
    'Das Topic {1} von {2} (Leser {3}) überschneidet sich mit {4}: Es könnte sie überschreiben',
  'None in a week, except replayed ones': 'Keine in einer Woche, außer nachgeholten',
  '{} in a week': '{1} in einer Woche',
  '{} in a week{}': '{1} in einer Woche{2}',
  ', {} of them on topics that no reader has': ', davon {1} an Topics, die kein Leser hat',
  'Webhook {} ({}) is {}; its events wait in the feed':
    'Webhook {1} ({2}) ist {3}; seine Ereignisse warten im Feed',
  'paused: {}': 'angehalten: {1}',
  'off: {}': 'aus: {1}',
  'the receiver answered 410': 'Der Empfänger hat mit 410 geantwortet',
  'the last attempt failed': 'der letzte Versuch ist gescheitert',
  'the next events are no longer kept': 'das Nächste wird nicht mehr aufbewahrt',
  'Webhook {} ({}) is not delivered: its secret was encrypted with a SECRETS_KEY that the service lacks':
    'Webhook {1} ({2}) wird nicht zugestellt: Sein Geheimnis ist mit einem SECRETS_KEY verschlüsselt, der dem Dienst fehlt',
  '{} are on, but no process delivers them': '{1} sind an, aber kein Prozess stellt sie zu',
  'An event has waited for {} minutes to be delivered by webhook {} ({})':
    'Ein Ereignis wartet seit {1} Minuten auf die Zustellung durch Webhook {2} ({3})',
  'None is on': 'Keiner ist an',
  '{}, each up to date within ten minutes': '{1}, jeder höchstens zehn Minuten im Rückstand',
  'Rules name recipients of alerts, but no process sends e-mail':
    'Regeln nennen Empfänger von Alarmen, aber kein Prozess sendet E-Mail',
  'Organization {} ({}): assets seem to go to and fro between {} and {}, as both hear them: {} of {} moves within a day were back within 30 seconds; {} recorded moves would have been {} by strength':
    'Objekte scheinen zwischen {3} und {4} hin und her zu gehen, weil beide sie hören: {5} von {6} Bewegungen eines Tages waren binnen 30 Sekunden zurück; aus {7} aufgezeichneten Bewegungen wären nach Stärke {8} geworden',
  'Organization {} ({}): assets seem to go to and fro between {} and {}, as both hear them: {} of {} moves within a day were back within 30 seconds':
    'Objekte scheinen zwischen {3} und {4} hin und her zu gehen, weil beide sie hören: {5} von {6} Bewegungen eines Tages waren binnen 30 Sekunden zurück',
  'Organization {} ({}): the plan "{}" is not used to decide by position: {}':
    'Der Plan „{3}“ wird nicht benutzt, um nach Position zu entscheiden: {4}',
  'its places span more than 200 m x 200 m': 'Seine Orte reichen über mehr als 200 m x 200 m',
  'its outlines have too many corners or overlaps for their size':
    'Seine Umrisse haben für ihre Größe zu viele Ecken oder Überschneidungen',
  'Organization {} ({}): {} is set to be decided by position and lacks {}, so strength decides':
    'Bei {3} soll die Position entscheiden, doch dafür fehlt {4}: Es entscheidet die Stärke',
  'Organization {} ({}): it is set to be decided by position and lacks {}, so strength decides':
    'In der ganzen Organisation soll die Position entscheiden, doch dafür fehlt {3}: Es entscheidet die Stärke',
  'a plan': 'ein Plan',
  'a scale on its plan': 'ein Maßstab auf dem Plan',
  'places on its plan': 'jeder Ort auf dem Plan',
  'antennas on its plan': 'jede Antenne auf dem Plan',
  'Tags of organization {} name one thing in several notations: {}; reads in another one are ambiguous':
    'Etiketten nennen ein Ding in mehreren Schreibweisen: {2}; Lesungen in einer weiteren sind mehrdeutig',
  'No rule names anybody': 'Keine Regel nennt jemanden',
  'Rules name {}; nothing was refused': 'Regeln nennen {1}; nichts wurde abgewiesen',
  'The e-mail to {} was refused for good: {}': 'Die E-Mail an {1} wurde endgültig abgewiesen: {2}',
  'E-mail to {} could not be sent, {}: {}': 'E-Mail an {1} ließ sich nicht senden, {2}: {3}',
  once: 'einmal',
  '{} times': '{1}-mal',
  'None was refused in the last day': 'Keine wurde am letzten Tag abgewiesen',
  '{} other names were refused in the last day, less often than these':
    '{1} weitere Namen wurden am letzten Tag abgewiesen, seltener als diese',
  '{} ({} in the last hour, {} in the last day, the last at {})':
    '{1} ({2} in der letzten Stunde, {3} am letzten Tag, zuletzt {4})',
  "Two devices use the login of reader {}, and end each other's connections":
    'Zwei Geräte benutzen die Zugangsdaten von Leser {1} und beenden einander die Verbindung',
  'Reader {} was refused: {}': 'Leser {1} wurde abgewiesen: {2}',
  'it speaks MQTT 5, which the embedded broker does not': 'Er spricht MQTT 5, der eingebaute Broker nicht',
  'the password or certificate was wrong': 'Passwort oder Zertifikat war falsch',
  'The API key {} (tt_{}..., organization {}) was refused: {}':
    'Der API-Schlüssel {1} (tt_{2}..., Organisation {3}) wurde abgewiesen: {4}',
  'Handheld {} (handheld {}, organization {}) was refused: {}':
    'Handgerät {1} (Nummer {2}, Organisation {3}) wurde abgewiesen: {4}',
  '{} was refused at the console: {}': '{1} wurde an der Konsole abgewiesen: {2}',
  'the password was wrong': 'Das Passwort war falsch',
  'its secret was wrong': 'Das Geheimnis war falsch',
  'it is revoked': 'widerrufen',
  'it has expired': 'abgelaufen',
  'its organization was deleted': 'Die Organisation wurde gelöscht',
  'the account is disabled': 'Das Konto ist gesperrt',

  'Organization {} ({}): its alerts cannot be derived ({}) and are {} minutes old; other organizations are not affected':
    'Ihre Alarme lassen sich nicht ableiten ({3}) und sind {4} Minuten alt; andere Organisationen betrifft das nicht',
  'Organization {} ({}): alerts of these are not derived, as they moved, or connected, too often within a month: {}':
    'Diese haben sich in einem Monat zu oft bewegt oder verbunden und haben keine Alarme mehr: {3}',
  'Organization {} ({}) raised the maximum of alerts within an hour; further alerts of these rules follow from {} on: {}':
    'In einer Stunde gab es so viele Alarme, wie es geben darf; weitere dieser Regeln folgen ab {3}: {4}',
  'Organization {} ({}): for {} minutes silences of its readers could not be derived ({}); other organizations are not affected':
    'Seit {3} Minuten lässt sich nicht sagen, welche Leser stumm sind ({4}); andere Organisationen betrifft das nicht',
  'Organization {} ({}): event {} cannot be sealed ({}), so {} wait and reach nobody; other organizations are not affected':
    'Ereignis {3} lässt sich nicht abschließen ({4}): {5} warten und erreichen niemanden; andere Organisationen betrifft das nicht',
  'No process derives them': 'Kein Prozess leitet sie ab',
  'They are {} seconds behind': 'Sie sind {1} Sekunden zurück',
  '{} are not over': '{1} dauern an',
  'No rules': 'Keine Regeln',
  'A worker does the work in the background': 'Ein Worker tut die Arbeit im Hintergrund',
  '{} events wait to be sealed, the first for {} s: they are recorded, but reach nobody':
    '{1} Ereignisse warten, das erste seit {2} s: Sie sind aufgezeichnet, erreichen aber niemanden',

  'PostgreSQL {}': 'PostgreSQL {1}',
  'PostgreSQL {} is too old': 'PostgreSQL {1} ist zu alt',
  'This server is for throw-away data: it was started to be fast, and does not survive a crash':
    'Dieser Server ist für Wegwerfdaten: Er ist schnell und übersteht keinen Absturz',
  '{} is off: a crash can lose scans that readers were told are safe':
    '{1} ist aus: Ein Absturz kann Lesungen verlieren, die Lesern bestätigt sind',
  'The database is a standby and takes no changes':
    'Die Datenbank ist ein Standby und nimmt keine Änderungen an',
  'The database takes no changes: default_transaction_read_only is on, for the server, the database or the user':
    'Die Datenbank nimmt keine Änderungen an: default_transaction_read_only ist an, für Server, Datenbank oder Benutzer',
  '{} of {} in use, {} left to processes': '{1} von {2} benutzt, {3} für Prozesse übrig',
  '{}; until that is mended, ingestion and the handheld gateway record nothing':
    '{1}; bis das behoben ist, zeichnen Aufnahme und Handgeräte nichts auf',
  '{} of those for {} are used, of others less': '{1} derer für {2} sind verbraucht, von anderen weniger',
  'None are left for {}: no such row can be created':
    'Für {1} sind keine übrig: Es lässt sich nichts mehr anlegen',
  'Of ids up to 2147483647, {}': 'Von Ids bis 2147483647: {1}',
  '{} are used for {}': '{1} verbraucht für {2}',
  'A clock was ahead: {}': 'Eine Uhr ging vor: {1}',
  'Committed data survives a crash': 'Was bestätigt ist, übersteht einen Absturz',
  '{} of {} in use': '{1} von {2} benutzt',
  "This machine's clock is {} s {} the database's":
    'Die Uhr dieses Rechners weicht um {1,} s von der der Datenbank ab',
  'There is no TimescaleDB here: everything works, but old scans are deleted row by row':
    'Hier ist kein TimescaleDB: Alles geht, aber alte Lesungen werden Zeile für Zeile gelöscht',
  'Fine for trials and small sites. Large ones need a database with TimescaleDB: see deploy/grow.md':
    'Gut für Versuche und kleine Betriebe. Große brauchen eine Datenbank mit TimescaleDB: siehe deploy/grow.md',
  'TimescaleDB {}, {}': 'TimescaleDB {1}, {2}',
  'Moves can be read there at once': 'Bewegungen sind dort sofort zu lesen',
  'No record is dated later than now': 'Nichts ist später datiert als jetzt',
  'None yet': 'Noch keine',
  '{}, none lost in a week': '{1}, keine in einer Woche verloren',

  // Refusals of what people do.
  'another plan of this location has a scale: {}; a location can have one. Remove the scale there first':
    'Ein anderer Plan dieses Ortes hat einen Maßstab: {1}; ein Ort kann einen haben. Nehmen Sie dort zuerst den Maßstab weg',
  'the plan was changed by somebody else meanwhile (it is version {}, not {}); read it again':
    'Jemand hat den Plan inzwischen geändert (er ist in Fassung {1}, nicht {2}); lesen Sie ihn noch einmal',
  'the rule was changed by somebody else meanwhile (it is version {}, not {}); read it again':
    'Jemand hat die Regel inzwischen geändert (sie ist in Fassung {1}, nicht {2}); lesen Sie sie noch einmal',
  '{} already exists': '{1} gibt es schon',
  'asset with external_key {}': 'Ein Objekt mit dem Schlüssel {1}',
  'location with external_key {}': 'Einen Ort mit dem Schlüssel {1}',
  'tag {}': 'Das Etikett {1}',
  '{} is a member of organization {} already': '{1} gehört der Organisation schon an',
  'There is a user {} already': 'Einen Benutzer {1} gibt es schon',
  '{} is disabled; enable the user first': '{1} ist gesperrt; entsperren Sie zuerst',
  'The password was changed meanwhile; nothing was changed':
    'Das Passwort wurde inzwischen geändert; nichts ist geschehen',
  'The name {} is taken; give the format another "name"':
    'Der Name {1} ist vergeben; geben Sie dem Format einen anderen „name“',
  'Readers use it ({}); give them another format first':
    'Leser benutzen es ({1}); geben Sie ihnen zuerst ein anderes Format',
  'location has descendant locations; reassign or remove them before deleting (cascade is not supported)':
    'In ihm liegen Orte; verlegen Sie sie oder geben Sie sie zuerst auf',
  'location has assets placed at it; move or remove them before deleting (cascade is not supported)':
    'An ihm sind Objekte; bewegen Sie sie oder mustern Sie sie zuerst aus',
  'another import of this organization is under way; try again when it has ended':
    'Ein anderer Import läuft gerade; versuchen Sie es danach erneut',
  'Somebody is working on this file; wait until that has ended':
    'Jemand arbeitet gerade mit dieser Datei; warten Sie, bis das vorbei ist',
  'This file is imported already': 'Diese Datei ist schon importiert',
  'Somebody else has applied or discarded the file': 'Jemand anderes hat die Datei übernommen oder verworfen',
  'The data has changed meanwhile, so the file would make other changes than shown. Nothing was imported; check the new differences':
    'Die Daten haben sich inzwischen geändert, und die Datei würde anderes ändern als gezeigt. Nichts wurde importiert; sehen Sie sich die neuen Unterschiede an',
  'The setting has begun, and stays; set another one from now on':
    'Die Einstellung gilt schon und bleibt; setzen Sie eine andere ab jetzt',
};

export interface ServerSentence {
  /** The English texts around its parts, and their UTF-16 units. */
  around: readonly string[];
  fixed: number;
  words: string;
}

/** Those of most text first. */
export const SERVER_DE: readonly ServerSentence[] = Object.entries(GERMAN)
  .map(([english, words]) => {
    const around = english.split('{}');
    return { around, fixed: around.join('').length, words };
  })
  .toSorted((one, other) => other.fixed - one.fixed);
