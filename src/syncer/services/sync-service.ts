import type { KubeClient } from '../../kube/client/client.ts'
import { httpStatusOf } from '../../kube/kube-error.ts'
import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import { messageOf } from '../../shared/errors.ts'
import type { ObjectCache } from '../engine/object-cache.ts'
import { type ObjectKey, parseObjectKey } from '../scope/object-key.ts'
import { unlessChanged } from '../engine/unless-changed.ts'
import { askHost } from '../events/refusals.ts'
import type { Reporter } from '../events/reporter.ts'
import {
  createHostObject,
  type HostObjects,
  removeHostObject,
  updateHostObject,
} from '../host-objects/host-objects.ts'
import { showLoadBalancer } from './show-load-balancer.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { OwnerReference } from '../translate/host-metadata.ts'
import { hostKeyOf } from '../translate/host-name.ts'
import { toHostService } from '../translate/kinds/service.ts'
import { recordAt, recordsAt, textAt, type Json } from '../../shared/json-fields.ts'

export interface ServiceSyncOptions extends HostObjects {
  owner: OwnerReference | undefined
  plane: Pick<KubeClient, 'replace'>
  services: Record<'virtual' | 'host', Pick<ObjectCache, 'get'>>
  reporter: Reporter
}

const resource = 'services'

/** The plane's own API: its endpoint is there already, at the same address. */
const API: ObjectKey = 'default/kubernetes'

/** What the host gives a Service by itself, and cannot be told afterwards. */
const HOSTS_OWN = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'healthCheckNodePort']

/**
 * Makes the host Service what the virtual one says, at the same address, and shows the virtual one what a load balancer
 * gave it. Where another Service of the host has the address, the virtual one takes one that the host has free; it stays
 * the same object. A plane has addresses of one family: what else a host of both gives to its Service is the host's own.
 */
export async function syncService(
  options: ServiceSyncOptions,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<void> {
  const { scope, services } = options
  if (key === API) {
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
      : toHostService(scope, virtual, options.owner)
  if (virtual === undefined || wanted === undefined) {
    await removeHostObject(options, { resource, known }, signal)
  } else if (known === undefined) {
    await askHost(options, virtual, () => createHostService(options, { virtual, wanted }, signal))
  } else if (isHeadless(known) !== isHeadless(wanted)) {
    // An address can neither be taken from a Service nor given to it.
    await removeHostObject(options, { resource, known }, signal)
  } else {
    const hostFields = HOSTS_OWN
    const change = { resource, known, wanted: without(wanted, hostFields), hostFields } as const
    await askHost(options, virtual, () => updateHostObject(options, change, signal))
    if (addressOf(known) === addressOf(virtual)) {
      await showLoadBalancer(options, { resource, virtual, known }, signal)
    } else {
      await takeAddress(options, { virtual, address: addressOf(known) }, signal)
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
    // Its address or a node port is somebody else's on the host: it gets what is free there, on both sides.
    const free = messageOf(error).includes('nodePort')
      ? withoutNodePorts(wanted)
      : without(wanted, ['clusterIP', 'clusterIPs'])
    const made = await createHostObject(options, { resource, wanted: free }, signal)
    if (made !== undefined) {
      await takeNumbers(options, { virtual, made }, signal)
    }
  }
}

/** Gives the virtual Service the address and the node ports that its host Service has. */
async function takeNumbers(
  options: ServiceSyncOptions,
  { made, virtual }: { virtual: KubeObject; made: KubeObject },
  signal: AbortSignal,
): Promise<void> {
  const nodePorts = portsOf(made).map(({ nodePort }) => nodePort)
  const ports = portsOf(virtual).map((port, index) => ({ ...port, nodePort: nodePorts[index] }))
  const changed = { ...virtual, spec: { ...specOf(virtual), ports } }
  if (addressOf(made) === addressOf(virtual)) {
    const path = objectPath(resource, virtual.metadata)
    await options.plane.replace(path, changed, { signal })
  } else {
    await takeAddress(options, { virtual: changed, address: addressOf(made) }, signal)
  }
}

/** The name that a Service leads to while its address changes. */
const MOVING = 'moving.invalid'

function isMoving(service: KubeObject): boolean {
  const { externalName, type } = specOf(service)
  return type === 'ExternalName' && externalName === MOVING && !isLeaving(service)
}

/** Ends a change of the address that was cut off: the host Service knows what the virtual one was and is to be. */
async function finishMove(
  { plane }: ServiceSyncOptions,
  { known, virtual }: { virtual: KubeObject; known: KubeObject },
  signal: AbortSignal,
): Promise<void> {
  const { externalName: _, ...rest } = specOf(virtual)
  const address = addressOf(known)
  const { type = 'ClusterIP' } = specOf(known)
  const spec = { ...rest, type, clusterIP: address, clusterIPs: [address] }
  const path = objectPath(resource, virtual.metadata)
  await unlessChanged(plane.replace(path, { ...virtual, spec }, { signal }))
}

/** An address cannot be changed but by being none for a moment; the object, its ports and its node ports stay. */
async function takeAddress(
  { plane }: ServiceSyncOptions,
  { address, virtual }: { virtual: KubeObject; address: string },
  signal: AbortSignal,
): Promise<void> {
  const path = objectPath(resource, virtual.metadata)
  const { clusterIP: _, clusterIPs: __, ...rest } = specOf(virtual)
  const external = { ...rest, type: 'ExternalName', externalName: MOVING }
  const moved = await plane.replace(path, { ...virtual, spec: external }, { signal })
  const { resourceVersion = '' } = moved.metadata
  await plane.replace(
    path,
    {
      ...virtual,
      metadata: { ...virtual.metadata, resourceVersion },
      spec: { ...rest, clusterIP: address, clusterIPs: [address] },
    },
    { signal },
  )
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
