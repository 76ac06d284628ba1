/** All keys of a plane in a shared etcd: those below its prefix. `0` is the next character after `/`. */
export function prefixRange(prefix: string): { from: Buffer; to: Buffer } {
  return { from: Buffer.from(`${prefix}/`), to: Buffer.from(`${prefix}0`) }
}
