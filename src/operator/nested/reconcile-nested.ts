import { isDeepStrictEqual } from 'node:util'
import type { PlaneApi } from '../../control-plane/api/plane-api.ts'
import { unlessChanged } from '../../kube/cache/object-cache.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { VplaneError } from '../../shared/errors.ts'
import { fieldAt, textAt, textsAt } from '../../shared/json-fields.ts'
import { objectPath, type Resource } from '../../shared/kube/collections.ts'
import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import { failureOf } from '../resource/failure-of.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { putFinalizers } from '../resource/put-finalizers.ts'
import { clusterKubeconfig, endpointIn, writeKubeconfig } from './cluster-kubeconfig.ts'
import { ensureClusterNamespace } from './cluster-namespace.ts'
import { finishNested, removeKubeconfigs } from './finish-nested.ts'
import { applyAddons } from './nested-addons.ts'
import { clusterOf, NESTED_FINALIZER, type NestedPlace, placeOf } from './nested-control-plane.ts'
import { type NestedParts, nestedParts } from './nested-parts.ts'
import { type NestedObservation, nestedStatus } from './nested-status.ts'
import { observeParts, type ObservedParts } from './observe-parts.ts'
import { toControlPlane } from './to-control-plane.ts'

export interface NestedDependencies {
  host: KubeClient
  now: () => Date
  /** Opens the API of the plane of a NestedControlPlane. */
  openPlane: (place: NestedPlace) => Promise<PlaneApi>
}

/** Whether a NestedControlPlane is as it was asked for, and what is looked at again soon. */
export interface NestedResult {
  isSettled: boolean
}

const COLLECTIONS: Record<keyof NestedParts, Resource> = {
  pki: 'nestedpkis',
  etcd: 'nestedetcds',
  kas: 'nestedkases',
  kcm: 'nestedkcms',
}

const PAUSED_ANNOTATION = 'cluster.x-k8s.io/paused'

/**
 * Makes what a NestedControlPlane and its template say: its namespace, its parts, and the ControlPlane that runs them.
 * Shows in the statuses what is there. Does the next step from what is there, so that it may end anywhere and run again.
 * @throws what prevented it, after the status shows it.
 */
export async function reconcileNested(
  deps: NestedDependencies,
  resource: KubeObject,
  signal: AbortSignal,
): Promise<NestedResult> {
  const { host } = deps
  const paused = await pausedBy(host, resource, signal)
  if (paused !== undefined) {
    await writeStatus(deps, { resource, paused }, signal)
    return { isSettled: true }
  }
  if (isLeaving(resource)) {
    return end(deps, resource, signal)
  }
  if (!textsAt(resource.metadata, 'finalizers').includes(NESTED_FINALIZER)) {
    const kind = 'nestedcontrolplanes'
    await putFinalizers({ host }, { resource, kind, add: NESTED_FINALIZER }, signal)
    return { isSettled: false }
  }
  const known: NestedObservation = {}
  try {
    known.clusterNamespace = await ensureClusterNamespace(host, resource, signal)
    const template = await templateOf(host, resource, signal)
    await declare(host, { resource, template }, signal)
    known.observed = await observeParts(host, placeOf(resource), signal)
    await writeParts(host, { resource, observed: known.observed }, signal)
    await writeAccess(host, { resource, observed: known.observed }, signal)
    const addons = await addonsOf(deps, { resource, template, observed: known.observed }, signal)
    const observation = { resource, ...known, ...omitUndefined({ addons }) }
    const status = await writeStatus(deps, observation, signal)
    return { isSettled: status['ready'] === true }
  } catch (error) {
    signal.throwIfAborted()
    await writeStatus(deps, { resource, ...known, failure: failureOf(error) }, signal)
    throw error
  }
}

async function end(
  deps: NestedDependencies,
  resource: KubeObject,
  signal: AbortSignal,
): Promise<NestedResult> {
  if (!textsAt(resource.metadata, 'finalizers').includes(NESTED_FINALIZER)) {
    return { isSettled: true }
  }
  const deleting = await finishNested(deps.host, resource, signal)
  if (deleting === undefined) {
    return { isSettled: true }
  }
  await writeStatus(deps, { resource, deleting: `waiting for ${deleting}` }, signal)
  return { isSettled: false }
}

/** Why Cluster API wants it to be left alone, in words. */
async function pausedBy(
  host: Pick<KubeClient, 'get'>,
  resource: KubeObject,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { annotations, namespace } = resource.metadata
  const name = clusterOf(resource)
  const cluster = name && (await host.get(objectPath('clusters', { name, namespace }), { signal }))
  const reasons = [
    ...(fieldAt(cluster, 'spec', 'paused') === true ? ['Cluster spec.paused is set to true'] : []),
    ...(annotations?.[PAUSED_ANNOTATION] === undefined
      ? []
      : [`NestedControlPlane has the ${PAUSED_ANNOTATION} annotation`]),
  ]
  return reasons.length === 0 ? undefined : reasons.join(', ')
}

/** @throws {VplaneError} `NOT_FOUND` when there is no such template. */
async function templateOf(
  host: Pick<KubeClient, 'get'>,
  resource: KubeObject,
  signal: AbortSignal,
): Promise<KubeObject> {
  const name = textAt(resource, 'spec', 'templateRef', 'name')
  const template = await host.get(objectPath('nestedcontrolplanetemplates', { name }), { signal })
  if (template === undefined) {
    throw new VplaneError('NOT_FOUND', `there is no NestedControlPlaneTemplate "${name}"`)
  }
  return template
}

/** Applies the objects that declare the parts, and the ControlPlane of them. */
async function declare(
  host: Pick<KubeClient, 'apply'>,
  { resource, template }: Record<'resource' | 'template', KubeObject>,
  signal: AbortSignal,
): Promise<void> {
  const parts = nestedParts(resource, template)
  await Promise.all(
    entriesOf(parts).map(([part, object]) =>
      host.apply(objectPath(COLLECTIONS[part], object.metadata), object, { signal }),
    ),
  )
  const controlPlane = toControlPlane(resource, { parts, template })
  await host.apply(objectPath('controlplanes', controlPlane.metadata), controlPlane, { signal })
}

async function writeParts(
  host: Pick<KubeClient, 'get' | 'replace'>,
  { observed, resource }: { resource: KubeObject; observed: ObservedParts },
  signal: AbortSignal,
): Promise<void> {
  const place = placeOf(resource)
  const write = async ([part, status]: [keyof NestedParts, Record<string, unknown>]) => {
    const path = objectPath(COLLECTIONS[part], place)
    const found = await host.get(path, { signal })
    const wanted = { observedGeneration: found?.metadata['generation'], ...status }
    if (found !== undefined && !isDeepStrictEqual(found['status'], wanted)) {
      const written = host.replace(`${path}/status`, { ...found, status: wanted }, { signal })
      await unlessChanged(written)
    }
  }
  await Promise.all(entriesOf(observed.statuses).map(write))
}

/** Gives the kubeconfig and the address of the API to Cluster API, and to who may read them beside the NestedControlPlane. */
async function writeAccess(
  host: Pick<KubeClient, 'apply' | 'create' | 'delete' | 'get' | 'list' | 'patch'>,
  { observed: { kubeconfig }, resource }: { resource: KubeObject; observed: ObservedParts },
  signal: AbortSignal,
): Promise<void> {
  if (kubeconfig === undefined) {
    return
  }
  const secret = clusterKubeconfig(resource, kubeconfig)
  await writeKubeconfig(host, secret, signal)
  await removeKubeconfigs(host, { resource, kept: secret.metadata.name }, signal)
  const controlPlaneEndpoint = endpointIn(kubeconfig)
  if (!isDeepStrictEqual(fieldAt(resource, 'spec', 'controlPlaneEndpoint'), controlPlaneEndpoint)) {
    const path = objectPath('nestedcontrolplanes', resource.metadata)
    await host.patch(path, { spec: { controlPlaneEndpoint } }, { type: 'merge', signal })
  }
}

/** What the addons wait for; undefined as long as the API cannot have them. */
async function addonsOf(
  { openPlane }: NestedDependencies,
  {
    observed: { statuses },
    resource,
    template,
  }: { resource: KubeObject; template: KubeObject; observed: ObservedParts },
  signal: AbortSignal,
): Promise<string[] | undefined> {
  if (fieldAt(template, 'spec', 'addons') === undefined) {
    return []
  }
  if (!statuses.kas.ready) {
    return undefined
  }
  await using api = await openPlane(placeOf(resource))
  return await applyAddons(api, template, signal)
}

/** Writes the status, unless it says the same already. Another change of the object leads to the next try. */
async function writeStatus(
  { host, now }: NestedDependencies,
  { resource, ...observation }: NestedObservation & { resource: KubeObject },
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  // The spec may have got its address meanwhile.
  const current = await host.get(objectPath('nestedcontrolplanes', resource.metadata), { signal })
  const status = nestedStatus(current ?? resource, observation, now())
  if (current !== undefined && !isDeepStrictEqual(current['status'], status)) {
    const path = `${objectPath('nestedcontrolplanes', resource.metadata)}/status`
    await unlessChanged(host.replace(path, { ...current, status }, { signal }))
  }
  return status
}

function entriesOf<Value>(
  parts: Record<keyof NestedParts, Value>,
): Array<[keyof NestedParts, Value]> {
  return [
    ['pki', parts.pki],
    ['etcd', parts.etcd],
    ['kas', parts.kas],
    ['kcm', parts.kcm],
  ]
}
