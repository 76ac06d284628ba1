import { randomInt } from 'node:crypto'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { waitFor } from '../../../shared/wait.ts'
import { type Manifest, objectPathOf } from '../../../manifests/manifest.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { PLANE_LABEL } from '../../../manifests/object-names.ts'
import { isOfPlane } from '../context/object-names.ts'
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

/** How long the deletion of an endpoint may take, in milliseconds: a cloud deletes its load balancer first. */
const REMOVAL_MS = 300_000

/**
 * Gives the endpoint of a plane that runs pods the first address of a block. That block is the plane's first range of
 * cluster IPs: so its Service `kubernetes` has the address of the endpoint, and pods reach the plane at it. An existing
 * endpoint keeps such an address; with another one it is replaced, as a Service cannot change it. Returns the plane's range.
 *
 * @throws {VplaneError} `FAILED` when no address is free, and the refusal of the host.
 */
export async function placeEndpoint(
  api: Pick<HostApi, 'get' | 'apply' | 'delete'>,
  { endpoint, former, range }: EndpointOptions,
  signal: AbortSignal,
): Promise<string> {
  const path = objectPathOf(endpoint)
  const known = await api.get(path, { signal })
  const current = textAt(known, 'spec', 'clusterIP')
  if (current !== undefined && isFirstOfBlock(current)) {
    return rangeAround(current)
  }
  const wanted = withNodePorts(recordAt(endpoint, 'spec'), known)
  const { [PLANE_LABEL]: plane = '' } = endpoint.metadata.labels
  if (known !== undefined && isOfPlane(known, plane)) {
    await removeEndpoint(api, { known, path, signal })
  }
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const address = tries === 0 && former !== undefined ? firstOf(former) : candidateOf(range)
    const spec = { ...wanted, clusterIP: address }
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

/** Whether the endpoint of a plane that runs pods can have this address. */
export function isFirstOfBlock(address: string): boolean {
  return toNumber(address) % BLOCK === 1
}

/** An exposed endpoint keeps its ports. */
function withNodePorts(spec: Json | undefined, known: KubeObject | undefined): Json {
  const former = recordsAt(known, 'spec', 'ports')
  const ports = recordsAt(spec, 'ports').map((port) => {
    const { nodePort } = former.find(({ name }) => name === port['name']) ?? {}
    return nodePort === undefined ? port : { nodePort, ...port }
  })
  return { ...spec, ports }
}

/** @throws {VplaneError} `TIMED_OUT` when the host does not let go of it, as with a load balancer that it has to delete. */
async function removeEndpoint(
  api: Pick<HostApi, 'get' | 'delete'>,
  { known, path, signal }: { known: KubeObject; path: string; signal: AbortSignal },
): Promise<void> {
  const { uid } = known.metadata
  await api.delete(path, { uid, signal })
  const isGone = async (deadline: AbortSignal) =>
    (await api.get(path, { signal: deadline }))?.metadata.uid !== uid
  await waitFor(isGone, { what: 'the end of the former endpoint', timeoutMs: REMOVAL_MS, signal })
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
