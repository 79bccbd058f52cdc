// `mqtt` of mqtt.js, with the password in MQTT_PASSWORD: every user of a machine can read what programs are given as
// arguments, and only their own user their environment.
process.argv.push(`--password=${process.env['MQTT_PASSWORD'] ?? ''}`);
// It says what went wrong, and ends with 0 all the same.
for (const name of ['warn', 'error']) {
  const say = console[name];
  console[name] = (...said) => {
    process.exitCode = 1;
    say(...said);
  };
}
await import('mqtt/bin/mqtt');
