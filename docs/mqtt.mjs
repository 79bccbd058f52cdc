// `mqtt` of mqtt.js, with the password in MQTT_PASSWORD: every user of a machine can read what programs are given as
// arguments, and only their own user their environment.
process.argv.push(`--password=${process.env['MQTT_PASSWORD'] ?? ''}`);
await import('mqtt/bin/mqtt');
