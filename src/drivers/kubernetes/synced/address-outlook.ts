import { BlockList } from 'node:net'
import type { AddressOutlook, ServiceAddress } from '../../../control-plane/driver/plane-pods.ts'
import { isVplaneError } from '../../../shared/errors.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import { hostServiceRange } from '../host/host-service-range.ts'
import type { HostApi } from '../host/host-api.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { clusterAddressOf } from './synced-objects.ts'

/** Exists in every cluster; a namespace that does not exist yet reveals no range. */
const ANY_NAMESPACE = 'default'

export interface OutlookOptions {
  addresses: readonly ServiceAddress[]
  /** It may not exist yet. */
  namespace: string
  signal: AbortSignal
}

/** Finds addresses that are outside of the host's range, or that other Services have. */
export async function addressOutlook(
  api: Pick<HostApi, 'get' | 'list' | 'create'>,
  { addresses, namespace, signal }: OutlookOptions,
): Promise<AddressOutlook> {
  const [range, services] = await Promise.all([
    knownRange(api, [namespace, ANY_NAMESPACE], signal),
    unlessRefused(api.list(collectionPath('services'), { signal })),
  ])
  const holders = new Map(
    services?.items.map((service) => [clusterAddressOf(service), service.metadata]),
  )
  const whyLost = (address: string): string | undefined => {
    if (range !== undefined && !isInRange(address, range)) {
      return `is not in ${range}`
    }
    const holder = holders.get(address)
    return holder && `belongs to Service "${holder.name}" in namespace "${holder.namespace}"`
  }
  const doubts = [
    ...(range === undefined ? ['the host does not report which range they must be in'] : []),
    ...(services === undefined ? ['you may not list the Services of others there'] : []),
  ]
  return {
    lost: addresses.flatMap((one) => {
      const why = whyLost(one.address)
      return why === undefined ? [] : [{ ...one, why }]
    }),
    ...(doubts.length === 0 ? {} : { doubt: doubts.join(', and ') }),
  }
}

/** From the first namespace that reveals it. */
async function knownRange(
  api: Pick<HostApi, 'get' | 'create'>,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const namespace of namespaces) {
    try {
      return await hostServiceRange(api, namespace, signal)
    } catch (error) {
      if (!isVplaneError(error, 'FAILED')) {
        throw error
      }
    }
  }
  return undefined
}

function isInRange(address: string, range: string): boolean {
  const [network = '', prefix = ''] = range.split('/')
  const list = new BlockList()
  list.addSubnet(network, Number(prefix))
  return list.check(address)
}
