import type { PlaneApi } from './plane-api.ts'
import { fieldAt, arrayAt } from '../../shared/json-fields.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

const LEASES = collectionPath('leases', 'kube-system')

/** On the Leases by which kube-apiservers say that they are there: they remove them themselves. */
const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity'

/**
 * Deletes the Leases of leaders that were renewed last before some moment: their holders are of another life of the plane,
 * and whoever is to lead next would wait until they run out, 15 s mostly.
 *
 * @param options.names those that are meant. @default all, but those by which kube-apiservers say that they are there
 */
export async function deleteOldLeases(
  api: Pick<PlaneApi, 'get' | 'delete'>,
  {
    before,
    names,
    signal,
  }: { before: Date; names?: readonly string[] | undefined; signal: AbortSignal },
): Promise<void> {
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
