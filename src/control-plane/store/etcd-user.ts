import type { SharedEtcdSpec } from './store.ts'

/** Letters of the plane's name in that of its user. */
const NAME_LENGTH = 16

/** The user of a plane in a shared etcd, whose role has the same name, and its keys. */
export interface EtcdUser {
  /** All keys of the plane are below. */
  prefix: string
  /** @default the owner has made it */
  user?: string
}

/** The user and the prefix of a plane, with a text that no other plane has; or those that the owner has made. */
export function newEtcdUser(name: string, unique: string, { client }: SharedEtcdSpec): EtcdUser {
  if (client !== undefined) {
    return { prefix: client.prefix }
  }
  const own = `${name.slice(0, NAME_LENGTH)}-${unique}`
  return { prefix: `/vplane/${own}`, user: `vplane-${own}` }
}
