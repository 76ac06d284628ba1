import type { Leftover } from '../../control-plane/driver/driver.ts'
import type { EtcdUser } from '../../control-plane/store/etcd-user.ts'

/** The keys and the user that a deletion leaves. */
export function leftKeys({
  endpoints,
  prefix,
  user,
}: EtcdUser & { endpoints: readonly string[] }): Leftover {
  const ofUser = user === undefined ? '' : `, and the user and the role "${user}",`
  const what = `the keys below ${prefix}${ofUser} in the etcd at ${endpoints.join(', ')}`
  return { what, why: 'its data is left', isKept: true }
}
