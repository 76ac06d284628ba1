import { waitFor } from '../../shared/wait.ts'
import { VplaneError } from '../../shared/errors.ts'
import type { PlaneApi } from '../api/plane-api.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { fieldAt, arrayAt, textsAt } from '../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../shared/kube/collections.ts'

const CIDRS = collectionPath('servicecidrs')
/** kube-apiserver makes it, of the range that it is started with, and changes it no more. */
const OWN_CIDR = 'kubernetes'
/** The range of the host. Another range is another object: none of them ever changes. */
const HOST_CIDR = 'vplane-host'
/** kube-apiserver makes it, at the first address of its range, and changes that no more. */
const OWN_SERVICE = objectPath('services', { name: 'kubernetes', namespace: 'default' })

/** How long a new range may take to count, in milliseconds: kube-apiserver learns of it by a watch. */
const TIMEOUT_MS = 30_000

export interface ServiceRanges {
  /** Of the host's cluster IPs. */
  host: string
  /** Of the plane itself: a block of the host's range, whose first address is that of the plane's API. */
  own: string
}

/** What of the ranges is kept by the requests of an API. */
type RangesApi = Pick<PlaneApi, 'apply' | 'delete' | 'get' | 'patch'>

/**
 * Lets Services of a plane have all cluster IPs of its host, so that they are the same on both sides. A plane whose data is
 * from another host gets the ranges of this one, and its Service `kubernetes` the address where its API is now; the syncer
 * sees to the other Services.
 *
 * @throws {VplaneError} `TIMED_OUT` when the Service cannot have the address, and what the API says.
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
  await offer(api, { host, known, signal })
  if (service !== undefined) {
    await moveTo(api, { address: firstOf(own), service, signal })
  }
  const former = known.filter(
    ({ isLeaving, name, range }) =>
      !isLeaving &&
      ((name === OWN_CIDR && range !== own) || (name.startsWith(HOST_CIDR) && range !== host)),
  )
  // They stay until no Service has an address of them any more.
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

async function offer(
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

/** An address cannot be changed but by being none for a moment; the object, its ports and its UID stay. */
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
  const there = { type: 'ClusterIP', externalName: null, clusterIP: address, clusterIPs: [address] }
  await waitFor(
    async (deadline) => {
      try {
        await api.patch(OWN_SERVICE, { spec: there }, { type: 'merge', signal: deadline })
        return true
      } catch (error) {
        // The new range may not count yet.
        if (error instanceof VplaneError && error.code === 'FAILED') {
          return false
        }
        throw error
      }
    },
    {
      what: `the Service "kubernetes" to get the address ${address}`,
      timeoutMs: TIMEOUT_MS,
      intervalMs: 100,
      signal,
    },
  )
}

function firstOf(range: string): string {
  const [base = ''] = range.split('/')
  return base.replace(/\d+$/, (last) => String(Number(last) + 1))
}
