import type { KubeObject } from '../shared/kube/kube-object.ts'
import { syncClaim } from './claims/sync-claim.ts'
import type { SyncOne } from './engine/sync-loop.ts'
import { virtualNameOf } from './host-objects/host-objects-named.ts'
import { type CopyKind, syncCopy } from './copies/sync-copy.ts'
import type { UsedContents } from './copies/used-contents.ts'
import type { UsedResource, Uses } from './copies/uses.ts'
import { labelledNamespaces } from './translate/label-selector.ts'
import { createHostPod } from './pods/create-host-pod.ts'
import type { TokenContext } from './pods/ensure-tokens.ts'
import { isMisplaced } from './pods/is-misplaced.ts'
import { type PodSyncOptions, syncPod } from './pods/sync-pod.ts'
import { updateHostPod } from './pods/update-host-pod.ts'
import { exposedServiceOf } from './network/exposed-services.ts'
import { ownerLimits } from './network/owner-limits.ts'
import { syncExposure } from './network/sync-exposure.ts'
import { ownEndpoints } from './policies/own-endpoints.ts'
import type { SyncedResource } from './scope/resources.ts'
import { showLoadBalancer, syncService } from './services/sync-service.ts'
import { isOwnSlice, toHostEndpointSlice } from './translate/kinds/endpoint-slice.ts'
import type { SyncContext } from './context/sync-context.ts'
import { toHostConfigMap, toHostSecret } from './translate/kinds/config-map.ts'
import { toHostIngress } from './translate/kinds/ingress.ts'
import { toHostNetworkPolicy } from './translate/kinds/network-policy.ts'
import { toHostPodDisruptionBudget } from './translate/kinds/pod-disruption-budget.ts'
import { isRefusal } from './translate/refusal.ts'

export interface KindContext
  extends
    SyncContext,
    Pick<TokenContext, 'putOff'>,
    Pick<PodSyncOptions, 'ensureNode' | 'observedPods'> {
  uses: Uses
  usedContents: Record<UsedResource, UsedContents>
}

/** How to sync one object of each kind. */
export function syncedKinds(context: KindContext): Record<SyncedResource, SyncOne> {
  const { scope, surroundings, usedContents, uses } = context
  const { owner } = surroundings
  const copyOf =
    (kind: CopyKind): SyncOne =>
    (key, signal) =>
      syncCopy({ ...context, ...kind, sides: context[kind.resource] }, key, signal)
  const configmaps = copyOf({
    resource: 'configmaps',
    toHost: (virtual) => toHostConfigMap(scope, virtual, owner),
    isUsed: (key) => uses.configmaps.isUsed(key),
    contents: usedContents.configmaps,
  })
  const secrets = copyOf({
    resource: 'secrets',
    toHost: (virtual) => toHostSecret(scope, virtual, owner),
    isUsed: (key) => uses.secrets.isUsed(key),
    contents: usedContents.secrets,
  })
  const ownSlice = (virtual: KubeObject) =>
    isOwnSlice(context.services.virtual, virtual)
      ? ownEndpoints(virtual, { policies: scope.policies, hostPods: context.pods.host.values() })
      : undefined
  const persistentvolumeclaims: SyncOne = (key, signal) => syncClaim(context, key, signal)
  const copy = { configmaps, persistentvolumeclaims, secrets }
  const networkpolicies = copyOf({
    resource: 'networkpolicies',
    toHost: (virtual) =>
      toHostNetworkPolicy(virtual, {
        scope,
        owner,
        namespaces: labelledNamespaces(context.namespaces.values()),
        limits: ownerLimits(context, virtual.metadata.namespace ?? ''),
      }),
  })
  const podOptions: PodSyncOptions = {
    ...context,
    virtualNameOf: (hostName) => virtualNameOf(context, hostName),
    isMisplaced: (pair) => isMisplaced(context, pair),
    createHostPod: (virtual, signal) => createHostPod({ ...context, copy }, virtual, signal),
    updateHostPod: (pair, signal) => updateHostPod(context, pair, signal),
  }
  return {
    pods: (key, signal) => syncPod(podOptions, key, signal),
    services: (key, signal) => syncService({ ...context, owner }, key, signal),
    ...copy,
    endpointslices: copyOf({
      resource: 'endpointslices',
      toHost: (virtual) => {
        const own = ownSlice(virtual)
        return own && toHostEndpointSlice(scope, own.slice, owner)
      },
      lacks: (virtual) => ownSlice(virtual)?.refusals ?? [],
    }),
    ingresses: copyOf({
      resource: 'ingresses',
      // The host sets it when an ingress is created without one.
      hostFields: ['ingressClassName'],
      toHost: (virtual) => {
        const translated = toHostIngress(virtual, { ...surroundings, ...context.hostClasses() })
        return isRefusal(translated) ? translated : translated.ingress
      },
      showStatus: (virtual, known, signal) =>
        showLoadBalancer(context, { resource: 'ingresses', virtual, known }, signal),
    }),
    networkpolicies: (key, signal) => {
      const service = exposedServiceOf(key)
      return service === undefined
        ? networkpolicies(key, signal)
        : syncExposure(context, { key, service }, signal)
    },
    poddisruptionbudgets: copyOf({
      resource: 'poddisruptionbudgets',
      toHost: (virtual) => toHostPodDisruptionBudget(scope, virtual, owner),
    }),
  }
}
