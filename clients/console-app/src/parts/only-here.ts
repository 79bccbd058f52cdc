/** Browsers' names for the machine they run on; addresses of brokers too, which not every browser takes apart. */
const HERE = /^\w+:\/\/(localhost|127\.[\d.]+|\[::1\])([:/]|$)/;

/** Whether no other machine can reach the address. */
export function isOnlyHere(url: string): boolean {
  return HERE.test(url);
}
