/** A certificate and its key under the two file names that belong to them. */
export function certificateFiles(
  name: string,
  { certificate, key }: { certificate: string; key: string },
): Record<string, string> {
  return { [`${name}.crt`]: certificate, [`${name}.key`]: key }
}
