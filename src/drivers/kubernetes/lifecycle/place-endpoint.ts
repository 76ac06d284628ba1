import { randomInt } from 'node:crypto'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import { textAt, recordAt } from '../../../shared/json-fields.ts'
import { type Manifest, objectPathOf } from '../../../manifests/manifest.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { HostApi } from '../host/host-api.ts'

export interface EndpointOptions {
  endpoint: Manifest
  /** The range of the host's cluster IPs. */
  range: string
  /** The range that the plane had elsewhere; it has the same one again where its first address is free. */
  former?: string | undefined
}

/** Addresses of the smallest range that kube-apiserver takes: its own Service always gets the first of them. */
const BLOCK = 8
const MAX_TRIES = 20

/**
 * Makes the endpoint of a plane that runs pods, at an address of the host that is the first one of a block: with that
 * block as the plane's first range of cluster IPs, the plane's Service `kubernetes` has the endpoint's own address, and
 * pods reach the plane where it says.
 *
 * An endpoint that is there keeps its address.
 *
 * @returns the plane's range
 * @throws {VplaneError} `FAILED` when no address can be had, and what the host says.
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
        { hints: ['delete the plane and make it again'] },
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
      // Somebody else has it, or the host has another range.
      if (httpStatusOf(error) !== 422) {
        throw error
      }
    }
  }
  throw new VplaneError('FAILED', `no address of ${range} could be had for the endpoint`)
}

/** One of the addresses that begin a block, by chance: planes that are made at the same time rarely want the same one. */
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
