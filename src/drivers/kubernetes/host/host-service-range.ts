import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { unlessStatus } from '../../../kube/kube-error.ts'
import { recordsAt, textsAt } from '../../../shared/json-fields.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from './host-api.ts'

const SERVICE_CIDRS = collectionPath('servicecidrs')

/** An address outside of every cluster's range: the refusal names the range (Kubernetes 1.34 to 1.36). */
const OUTSIDE = '1.1.1.1'

const IPV4_RANGE = /\b(\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2})\b/

/**
 * Returns the IPv4 range of the host's cluster IPs: from its ServiceCIDRs if the user may read them, otherwise from its
 * refusal of an address outside of the range.
 *
 * @throws {VplaneError} `FAILED` when neither shows it.
 */
export async function hostServiceRange(
  api: Pick<HostApi, 'get' | 'create'>,
  namespace: string,
  signal: AbortSignal,
): Promise<string> {
  const range =
    (await readableRange(api, signal)) ?? (await rangeOfRefusal(api, { namespace, signal }))
  if (range === undefined) {
    throw new VplaneError(
      'FAILED',
      'the host cluster does not report the range of its cluster IPs',
      { hints: [{ set: 'sync.serviceRange=10.96.0.0/16' }] },
    )
  }
  return range
}

async function readableRange(
  api: Pick<HostApi, 'get'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const list = await unlessStatus([403], api.get(SERVICE_CIDRS, { signal }))
  return recordsAt(list, 'items')
    .flatMap((one) => textsAt(one, 'spec', 'cidrs'))
    .find((range) => IPV4_RANGE.test(range))
}

async function rangeOfRefusal(
  api: Pick<HostApi, 'create'>,
  { namespace, signal }: { namespace: string; signal: AbortSignal },
): Promise<string | undefined> {
  const probe = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'vplane-range-probe', namespace },
    spec: { clusterIP: OUTSIDE, ports: [{ port: 443 }] },
  }
  try {
    await api.create(collectionPath('services', namespace), probe, { dryRun: true, signal })
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    return IPV4_RANGE.exec(messageOf(error))?.[1]
  }
}
