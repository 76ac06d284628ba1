import { randomInt } from 'node:crypto'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import { textAt, recordAt } from '../../../shared/json-fields.ts'
import { type Manifest, objectPathOf } from '../../../manifests/manifest.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { HostApi } from '../host/host-api.ts'

export interface EndpointOptions {
  endpoint: Manifest
  range: string
  /** The range of the plane in another place, which it gets again if its first address is free. */
  former?: string | undefined
}

/** The smallest range that kube-apiserver accepts, in addresses: its own Service always gets the first one. */
const BLOCK = 8
const MAX_TRIES = 20

/**
 * Gives the endpoint of a plane that runs pods the first address of a block. That block is the plane's first range of
 * cluster IPs: so its Service `kubernetes` has the address of the endpoint, and pods reach the plane at it. An existing
 * endpoint keeps its address. Returns the plane's range.
 *
 * @throws {VplaneError} `FAILED` when no address is free, and the refusal of the host.
 */
export async function placeEndpoint(
  api: Pick<HostApi, 'get' | 'apply'>,
  { endpoint, former, range }: EndpointOptions,
  signal: AbortSignal,
): Promise<string> {
  const path = objectPathOf(endpoint)
  const known = textAt(await api.get(path, { signal }), 'spec', 'clusterIP')
  if (known !== undefined) {
    if (toNumber(known) % BLOCK !== 1) {
      throw new VplaneError(
        'FAILED',
        `the endpoint has the address ${known}, with which a plane cannot run pods`,
        { hints: ['delete the plane and create it again'] },
      )
    }
    return rangeAround(known)
  }
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const address = tries === 0 && former !== undefined ? firstOf(former) : candidateOf(range)
    const spec = { ...recordAt(endpoint, 'spec'), clusterIP: address }
    try {
      await api.apply(path, { ...endpoint, spec }, { force: false, signal })
      return rangeAround(address)
    } catch (error) {
      // Another Service has the address, or the host has another range.
      if (httpStatusOf(error) !== 422) {
        throw error
      }
    }
  }
  throw new VplaneError('FAILED', `the host gave the endpoint no address of ${range}`)
}

/** Returns the first address of a random block: planes that are created at the same time rarely choose the same one. */
function candidateOf(range: string): string {
  const [base = '', prefix = ''] = range.split('/')
  const blocks = 2 ** (32 - Number(prefix)) / BLOCK
  // The first block has the host's own Service and, by custom, its DNS server.
  const block = blocks > 8 ? randomInt(2, blocks) : randomInt(0, Math.max(1, blocks))
  return toAddress(toNumber(base) + block * BLOCK + 1)
}

function rangeAround(address: string): string {
  return `${toAddress(toNumber(address) - 1)}/29`
}

function firstOf(range: string): string {
  const [base = ''] = range.split('/')
  return toAddress(toNumber(base) + 1)
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

function toAddress(value: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256).join('.')
}
