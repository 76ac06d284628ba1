import { waitFor } from '../../shared/wait.ts'
import { isVplaneError } from '../../shared/errors.ts'
import type { PlaneApi } from '../api/plane-api.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { fieldAt, arrayAt, textsAt } from '../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../shared/kube/collections.ts'

const CIDRS = collectionPath('servicecidrs')
/** kube-apiserver creates it from its configured range, and never changes it. */
const OWN_CIDR = 'kubernetes'
/** The range of the host. A ServiceCIDR cannot change, so another range is another object. */
const HOST_CIDR = 'vplane-host'
/** kube-apiserver creates it with the first address of its range, and never changes that. */
const OWN_SERVICE = objectPath('services', { name: 'kubernetes', namespace: 'default' })

/** How long kube-apiserver may take to notice a new range by a watch, in milliseconds. */
const TIMEOUT_MS = 30_000

export interface ServiceRanges {
  host: string
  /** The plane's block of the host's range, whose first address is that of the plane's API. */
  own: string
}

type RangesApi = Pick<PlaneApi, 'apply' | 'delete' | 'get' | 'patch'>

/**
 * Allows all cluster IPs of the host for Services of a plane, so that a Service has the same address on both sides. A
 * plane with data from another host gets the ranges of this host, and its Service `kubernetes` gets the current address
 * of its API; the syncer updates the other Services.
 * @throws {VplaneError} `TIMED_OUT` when the Service cannot get the address, and errors of the API.
 */
export async function ensureServiceRanges(
  api: RangesApi,
  { host, own }: ServiceRanges,
  signal: AbortSignal,
): Promise<void> {
  const [list, service] = await Promise.all([
    api.get(CIDRS, { signal }),
    api.get(OWN_SERVICE, { signal }),
  ])
  const known = arrayAt(list, 'items').map(toKnown)
  await ensureHostRange(api, { host, known, signal })
  if (service !== undefined) {
    await moveTo(api, { address: firstOf(own), service, signal })
  }
  const former = known.filter(
    ({ isLeaving, name, range }) =>
      !isLeaving &&
      ((name === OWN_CIDR && range !== own) || (name.startsWith(HOST_CIDR) && range !== host)),
  )
  // Each of them remains until no Service has an address in it.
  await Promise.all(former.map(({ name }) => api.delete(`${CIDRS}/${name}`, { signal })))
}

interface KnownRange {
  name: string
  range: string
  isLeaving: boolean
}

function toKnown(item: unknown): KnownRange {
  const metadata = fieldAt(item, 'metadata')
  const [range = ''] = textsAt(item, 'spec', 'cidrs')
  return {
    name: String(fieldAt(metadata, 'name')),
    range,
    isLeaving: fieldAt(metadata, 'deletionTimestamp') !== undefined,
  }
}

async function ensureHostRange(
  api: RangesApi,
  { host, known, signal }: { host: string; known: readonly KnownRange[]; signal: AbortSignal },
): Promise<void> {
  const isFree = (name: string) =>
    known.every((one) => one.name !== name || (one.range === host && !one.isLeaving))
  const name = isFree(HOST_CIDR) ? HOST_CIDR : `${HOST_CIDR}-${host.replace('/', '-')}`
  const object: KubeObject = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name },
    spec: { cidrs: [host] },
  }
  await api.apply(`${CIDRS}/${name}`, object, { signal })
}

/** An address can only change if the Service has none for a moment; the object, its ports and its UID stay. */
async function moveTo(
  api: RangesApi,
  { address, service, signal }: { address: string; service: KubeObject; signal: AbortSignal },
): Promise<void> {
  if (fieldAt(service['spec'], 'clusterIP') === address) {
    return
  }
  const none = {
    type: 'ExternalName',
    externalName: 'moving.invalid',
    clusterIP: null,
    clusterIPs: null,
  }
  await api.patch(OWN_SERVICE, { spec: none }, { type: 'merge', signal })
  const moved = { type: 'ClusterIP', externalName: null, clusterIP: address, clusterIPs: [address] }
  const isMoved = async (deadline: AbortSignal) => {
    try {
      await api.patch(OWN_SERVICE, { spec: moved }, { type: 'merge', signal: deadline })
      return true
    } catch (error) {
      // kube-apiserver may not have noticed the new range yet.
      if (isVplaneError(error, 'FAILED')) {
        return false
      }
      throw error
    }
  }
  const what = `the Service "kubernetes" to get the address ${address}`
  await waitFor(isMoved, { what, timeoutMs: TIMEOUT_MS, intervalMs: 100, signal })
}

function firstOf(range: string): string {
  const [base = ''] = range.split('/')
  return base.replace(/\d+$/, (last) => String(Number(last) + 1))
}
