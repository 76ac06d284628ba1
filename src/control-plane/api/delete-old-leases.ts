import type { PlaneApi } from './plane-api.ts'
import { fieldAt, arrayAt } from '../../shared/json-fields.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

const LEASES = collectionPath('leases', 'kube-system')

/** Label of the Leases that represent kube-apiserver instances, which delete them themselves. */
const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity'

/**
 * Deletes the Leases of leader elections that were last renewed before a time: all but those of kube-apiserver
 * instances, or those with `names`. Their holders stopped with the plane, and the next leader would wait until they
 * expire, mostly 15 s.
 */
export async function deleteOldLeases(
  api: Pick<PlaneApi, 'get' | 'delete'>,
  options: { before: Date; names?: readonly string[] | undefined; signal: AbortSignal },
): Promise<void> {
  const { before, names, signal } = options
  const list = await api.get(LEASES, { signal })
  const old = arrayAt(list, 'items').filter(
    (lease) => isOld(lease, before) && (names === undefined || names.includes(nameOf(lease))),
  )
  await Promise.all(old.map((lease) => api.delete(`${LEASES}/${nameOf(lease)}`, { signal })))
}

function nameOf(lease: unknown): string {
  return String(fieldAt(lease, 'metadata', 'name'))
}

function isOld(lease: unknown, before: Date): boolean {
  const renewedAt = Date.parse(String(fieldAt(lease, 'spec', 'renewTime')))
  return (
    fieldAt(lease, 'metadata', 'labels', IDENTITY_LABEL) === undefined &&
    renewedAt < before.getTime()
  )
}
