import { isDeepStrictEqual } from 'node:util'
import { API_SERVICE } from '../../control-plane/sync/api-service.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { httpStatusOf } from '../../kube/kube-error.ts'
import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import { messageOf } from '../../shared/errors.ts'
import { type ObjectCache, unlessChanged } from '../../kube/cache/object-cache.ts'
import { type ObjectKey, parseObjectKey } from '../../kube/cache/object-key.ts'
import { askHost, type Asking, reportRefusal } from '../events/reporter.ts'
import {
  createHostObject,
  type HostObjects,
  removeHostObject,
  updateHostObject,
} from '../host-objects/host-objects.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { OwnerReference } from '../translate/host-metadata.ts'
import { hostKeyOf } from '../translate/host-name.ts'
import { toHostService } from '../translate/kinds/service.ts'
import { isRefusal } from '../translate/refusal.ts'
import { refusalOf } from '../fields/synced-fields.ts'
import type { SyncedResource } from '../scope/resources.ts'
import { fieldAt, recordAt, recordsAt, textAt, type Json } from '../../shared/json-fields.ts'

export interface ServiceSyncOptions extends Asking, HostObjects {
  owner: OwnerReference | undefined
  plane: Pick<KubeClient, 'replace'>
  services: Record<'virtual' | 'host', Pick<ObjectCache, 'get'>>
}

interface Pair {
  virtual: KubeObject
  known: KubeObject
}

const resource = 'services'

/** Fields that the host sets, and that nobody can change afterwards. */
const HOST_FIELDS = [
  'clusterIP',
  'clusterIPs',
  'ipFamilies',
  'ipFamilyPolicy',
  'healthCheckNodePort',
]

/**
 * Syncs a Service, and its load balancer back. If its address is taken on the host, the same virtual Service gets
 * another one. A plane has one address family; a second one of a dual-stack host stays there.
 */
export async function syncService(
  options: ServiceSyncOptions,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<void> {
  const { scope, services } = options
  if (key === API_SERVICE) {
    return
  }
  const virtual = services.virtual.get(key)
  const known = services.host.get(hostKeyOf(scope, parseObjectKey(key)))
  if (virtual !== undefined && known !== undefined && isMoving(virtual)) {
    await finishMove(options, { virtual, known }, signal)
    return
  }
  const wanted =
    virtual === undefined || isLeaving(virtual)
      ? undefined
      : (refusalOf(scope, resource, virtual) ?? toHostService(scope, virtual, options.owner))
  if (virtual === undefined || wanted === undefined) {
    await removeHostObject(options, { resource, known }, signal)
  } else if (isRefusal(wanted)) {
    // An earlier one that was accepted stays unchanged.
    await reportRefusal(options, virtual, wanted)
  } else if (known === undefined) {
    await askHost(options, virtual, () => createHostService(options, { virtual, wanted }, signal))
  } else if (isHeadless(known) !== isHeadless(wanted)) {
    // A Service can neither lose its address nor get one.
    await removeHostObject(options, { resource, known }, signal)
  } else {
    const hostFields = HOST_FIELDS
    const change = { resource, known, wanted: without(wanted, hostFields), hostFields } as const
    await askHost(options, virtual, () => updateHostObject(options, change, signal))
    if (addressOf(known) === addressOf(virtual)) {
      await showLoadBalancer(options, { resource, virtual, known }, signal)
    } else {
      await changeAddress(options, { virtual, address: addressOf(known) }, signal)
    }
  }
}

async function createHostService(
  options: ServiceSyncOptions,
  { virtual, wanted }: { virtual: KubeObject; wanted: KubeObject },
  signal: AbortSignal,
): Promise<void> {
  try {
    await createHostObject(options, { resource, wanted }, signal)
  } catch (error) {
    if (httpStatusOf(error) !== 422 || isHeadless(wanted)) {
      throw error
    }
    // Another Service of the host has its address or a node port: both sides get free ones of the host.
    const free = messageOf(error).includes('nodePort')
      ? withoutNodePorts(wanted)
      : without(wanted, ['clusterIP', 'clusterIPs'])
    const created = await createHostObject(options, { resource, wanted: free }, signal)
    if (created !== undefined) {
      await adoptNumbers(options, { virtual, known: created }, signal)
    }
  }
}

/** Sets the address and the node ports of the virtual Service to those of its host Service. */
async function adoptNumbers(
  options: ServiceSyncOptions,
  { known, virtual }: Pair,
  signal: AbortSignal,
): Promise<void> {
  const nodePorts = portsOf(known).map(({ nodePort }) => nodePort)
  const ports = portsOf(virtual).map((port, index) => ({ ...port, nodePort: nodePorts[index] }))
  const changed = { ...virtual, spec: { ...specOf(virtual), ports } }
  if (addressOf(known) === addressOf(virtual)) {
    const path = objectPath(resource, virtual.metadata)
    await options.plane.replace(path, changed, { signal })
  } else {
    await changeAddress(options, { virtual: changed, address: addressOf(known) }, signal)
  }
}

/** The external name of a Service while its address changes. */
const MOVING = 'moving.invalid'

function isMoving(service: KubeObject): boolean {
  const { externalName, type } = specOf(service)
  return type === 'ExternalName' && externalName === MOVING && !isLeaving(service)
}

/** Completes a change of the address that was interrupted: the host Service has the type and the new address. */
async function finishMove(
  { plane }: ServiceSyncOptions,
  { known, virtual }: Pair,
  signal: AbortSignal,
): Promise<void> {
  const { externalName: _, ...rest } = specOf(virtual)
  const address = addressOf(known)
  const { type = 'ClusterIP' } = specOf(known)
  const spec = { ...rest, type, clusterIP: address, clusterIPs: [address] }
  const path = objectPath(resource, virtual.metadata)
  await unlessChanged(plane.replace(path, { ...virtual, spec }, { signal }))
}

/** Changes the address in two steps, since a Service must have none in between; the object and its ports stay the same. */
async function changeAddress(
  { plane }: ServiceSyncOptions,
  { address, virtual }: { virtual: KubeObject; address: string },
  signal: AbortSignal,
): Promise<void> {
  const path = objectPath(resource, virtual.metadata)
  const { clusterIP: _, clusterIPs: __, ...rest } = specOf(virtual)
  const external = { ...rest, type: 'ExternalName', externalName: MOVING }
  const moved = await plane.replace(path, { ...virtual, spec: external }, { signal })
  const { resourceVersion = '' } = moved.metadata
  const metadata = { ...virtual.metadata, resourceVersion }
  const spec = { ...rest, clusterIP: address, clusterIPs: [address] }
  await plane.replace(path, { ...virtual, metadata, spec }, { signal })
}

/** Copies the load balancer's addresses of a host Service or Ingress to the virtual one. */
export async function showLoadBalancer(
  { plane }: Pick<ServiceSyncOptions, 'plane'>,
  { known, resource, virtual }: Pair & { resource: SyncedResource },
  signal: AbortSignal,
): Promise<void> {
  const loadBalancer = fieldAt(known, 'status', 'loadBalancer') ?? {}
  const shown = recordAt(virtual, 'status')
  if (!isDeepStrictEqual(loadBalancer, shown?.['loadBalancer'] ?? {})) {
    const path = `${objectPath(resource, virtual.metadata)}/status`
    await plane.replace(path, { ...virtual, status: { ...shown, loadBalancer } }, { signal })
  }
}

function without(service: KubeObject, fields: readonly string[]): KubeObject {
  const spec = Object.entries(specOf(service)).filter(([field]) => !fields.includes(field))
  return { ...service, spec: Object.fromEntries(spec) }
}

function withoutNodePorts(service: KubeObject): KubeObject {
  const { healthCheckNodePort: _, ...spec } = specOf(service)
  const ports = portsOf(service).map(({ nodePort: __, ...port }) => port)
  return { ...service, spec: { ...spec, ports } }
}

function specOf(service: KubeObject): Json {
  return recordAt(service, 'spec') ?? {}
}

function portsOf(service: KubeObject): Json[] {
  return recordsAt(service, 'spec', 'ports')
}

function addressOf(service: KubeObject): string {
  return textAt(service, 'spec', 'clusterIP') ?? ''
}

function isHeadless(service: KubeObject): boolean {
  return addressOf(service) === 'None'
}
