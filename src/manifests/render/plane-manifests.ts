import { wakesForAny } from '../../control-plane/plane/is-woken-by-any.ts'
import { hasEphemeralMembers } from '../../control-plane/spec/needs-keeper.ts'
import { databaseOf, ownStoreOf, sharedEtcdOf } from '../../control-plane/store/store.ts'
import { VplaneError } from '../../shared/errors.ts'
import { fillTemplate, type Template } from '../templates/fill-template.ts'
import { type Manifest, isClusterWide } from '../manifest.ts'
import { GATEWAY, loadTemplates, NAMESPACE_KEEPER } from '../templates/load-templates.ts'
import { hostOf, type ManifestInput } from '../templates/manifest-input.ts'
import {
  COMPONENT_LABEL,
  GATEWAY_LABELS,
  KEEPER_LABELS,
  objectLabels,
  PLACE_LABEL,
} from '../object-names.ts'
import { COMPONENT_NAMES, SPEC_SECTION } from '../../control-plane/plane/plane.ts'
import { withPodTemplate } from './with-pod-template.ts'
import {
  gatewayValues,
  hasExposedCredentials,
  namespaceKeeperValues,
  ownCredentials,
} from '../values/keeper-values.ts'
import { templateValues } from '../values/template-values.ts'
import { isWholeObject } from '../../shared/kube/kube-object.ts'

/** The order of kinds: an object comes after those that it needs. Unknown kinds of a user come before workloads. */
const ORDER = [
  'Service',
  'Ingress',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
  'Secret',
  'ConfigMap',
  'NetworkPolicy',
  'PodDisruptionBudget',
  undefined,
  'StatefulSet',
  'Deployment',
]

const OPTIONAL: Record<string, (input: ManifestInput) => boolean> = {
  'endpoint/ingress.yaml': ({ spec }) => hostOf(spec).expose.type === 'ingress',
  'etcd/pod-disruption-budget.yaml': ({ spec }) => hostOf(spec).etcd.replicas > 1,
  'kine/egress-network-policy.yaml': ({ spec }) => databaseOf(spec) !== undefined,
  'kube-apiserver/relay-network-policy.yaml': ({ spec }) => sharedEtcdOf(spec) !== undefined,
  'kube-apiserver/pod-disruption-budget.yaml': ({ spec }) => hostOf(spec).apiServer.replicas > 1,
  'keeper/idle-role.yaml': ({ spec }) => spec.idle !== undefined,
  'keeper/idle-role-binding.yaml': ({ spec }) => spec.idle !== undefined,
  'keeper/wake-role.yaml': ({ spec }) => wakesForAny(spec),
  'keeper/wake-role-binding.yaml': ({ spec }) => wakesForAny(spec),
  'keeper/volumes-role.yaml': copiesBesideVolumes,
  'keeper/volumes-role-binding.yaml': copiesBesideVolumes,
  'namespace-keeper/service.yaml': isMonitored,
  'namespace-keeper/service-monitor.yaml': isMonitored,
  'syncer/service-monitor.yaml': isMonitored,
  'syncer/pods-network-policy.yaml': limitsNetwork,
  'syncer/pods-egress-network-policy.yaml': limitsNetwork,
  'syncer/pods-ingress-network-policy.yaml': limitsNetwork,
  'kube-apiserver/network-policy.yaml': ({ spec }) => hostOf(spec).apiServer.egress !== undefined,
  'keeper/renew-role.yaml': ({ spec }) => spec.renew === true,
  'keeper/renew-role-binding.yaml': ({ spec }) => spec.renew === true,
  // A Role without names would permit all Secrets.
  'keeper/credentials-role.yaml': (input) => ownCredentials(input).length > 0,
  'keeper/credentials-role-binding.yaml': (input) => ownCredentials(input).length > 0,
  'keeper/addresses-role.yaml': ({ spec }) => hasExposedCredentials(spec),
  'keeper/addresses-role-binding.yaml': ({ spec }) => hasExposedCredentials(spec),
  'syncer/pod-disruption-budget.yaml': ({ spec }) => (hostOf(spec).sync?.replicas ?? 1) > 1,
  'syncer/cluster-role.yaml': readsCluster,
  'syncer/cluster-role-binding.yaml': readsCluster,
  'syncer/extra-role.yaml': hasExtraRights,
  'syncer/extra-role-binding.yaml': hasExtraRights,
  'syncer/metrics-role.yaml': hasMetrics,
  'syncer/metrics-role-binding.yaml': hasMetrics,
  'keeper/members-role.yaml': ({ spec }) => hasEphemeralMembers(spec),
  'keeper/members-role-binding.yaml': ({ spec }) => hasEphemeralMembers(spec),
}

/**
 * The objects of a plane for its host namespace in the order of their creation: the endpoint Service first, workloads
 * last. Pure, except that it reads templates.
 * @throws {VplaneError} `INVALID_SPEC` with file and line when a template is invalid, or extraArgs name a managed flag.
 */
export function planeManifests(input: ManifestInput): Manifest[] {
  const values = templateValues(input)
  return loadTemplates(input.templates)
    .filter(({ path }) => !isOfNamespace(path) && isNeeded(path, input))
    .flatMap((template) =>
      fillTemplate(template, values).map((value) =>
        withAdditions(toHostObject(value, template, input), input),
      ),
    )
    .toSorted((left, right) => rankOf(left) - rankOf(right))
}

function isOfNamespace(path: string): boolean {
  return path.startsWith(NAMESPACE_KEEPER) || path.startsWith(GATEWAY)
}

/**
 * The keeper of the namespace of a plane and, if any client wakes the plane, the gateway, with the settings for pods of this
 * plane; nothing if the plane needs none. Their objects are of no plane.
 * @throws {VplaneError} as `planeManifests` does, and `FAILED` when a program was not built.
 */
export function namespaceKeeperManifests(input: ManifestInput): Manifest[] {
  const [namespaceKeeper, gateway] = [namespaceKeeperValues(input), gatewayValues(input)]
  const values = { ...templateValues(input), namespaceKeeper, gateway }
  const shared = [
    { folder: NAMESPACE_KEEPER, labels: KEEPER_LABELS, isNeeded: namespaceKeeper !== undefined },
    { folder: GATEWAY, labels: GATEWAY_LABELS, isNeeded: gateway !== undefined },
  ]
  return loadTemplates(input.templates)
    .flatMap((template) => {
      const one = shared.find(({ folder }) => template.path.startsWith(folder))
      return one?.isNeeded === true && (OPTIONAL[template.path]?.(input) ?? true)
        ? fillTemplate(template, values)
            .map((value) => toNamespaced(value, template, input))
            .map((object) => withLabels(object, one.labels))
        : []
    })
    .toSorted((left, right) => rankOf(left) - rankOf(right))
}

function withLabels(object: Manifest, labels: Readonly<Record<string, string>>): Manifest {
  const { metadata } = object
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } }
}

const TEMPLATED = [...COMPONENT_NAMES, 'kube-scheduler'] as const

/** Adds what the user adds to the pods of a component. */
function withAdditions(object: Manifest, { spec }: ManifestInput): Manifest {
  const component = TEMPLATED.find((one) => object.metadata.labels[COMPONENT_LABEL] === one)
  if (component === undefined || (object.kind !== 'Deployment' && object.kind !== 'StatefulSet')) {
    return object
  }
  const { podTemplate } = hostOf(spec)[SPEC_SECTION[component]] ?? {}
  return podTemplate === undefined ? object : withPodTemplate(object, component, podTemplate)
}

function isNeeded(path: string, input: ManifestInput): boolean {
  const { keeper, scheduler, sync } = hostOf(input.spec)
  const store = ownStoreOf(input.spec)
  const hasComponent =
    (!path.startsWith('etcd/') || store === 'etcd') &&
    (!path.startsWith('kine/') || store === 'kine') &&
    (!path.startsWith('syncer/') || sync !== undefined) &&
    (!path.startsWith('kube-scheduler/') || scheduler !== undefined) &&
    (!path.startsWith('keeper/') || keeper !== undefined)
  return hasComponent && (OPTIONAL[path]?.(input) ?? true)
}

function hasExtraRights({ spec }: ManifestInput): boolean {
  return hostOf(spec).sync?.extraRights !== false
}

function readsCluster({ spec }: ManifestInput): boolean {
  const { sync } = hostOf(spec)
  return sync?.nodes === true || sync?.classes === true
}

function copiesBesideVolumes({ spec }: ManifestInput): boolean {
  return spec.backup !== undefined && hostOf(spec).sync !== undefined
}

function hasMetrics({ spec }: ManifestInput): boolean {
  return hostOf(spec).sync?.metrics !== false
}

function limitsNetwork({ spec }: ManifestInput): boolean {
  return hostOf(spec).policies?.network !== undefined
}

function isMonitored({ spec }: ManifestInput): boolean {
  return hostOf(spec).monitor !== undefined
}

/** Adds the labels of the plane, by which its objects are deleted with it. */
function toHostObject(value: unknown, template: Template, input: ManifestInput): Manifest {
  const object = toNamespaced(value, template, input)
  const labels = { ...object.metadata.labels, ...objectLabels(input.name) }
  if (isClusterWide(object)) {
    const { namespace: _, ...unplaced } = object.metadata
    return {
      ...object,
      metadata: { ...unplaced, labels: { ...labels, [PLACE_LABEL]: input.namespace } },
    }
  }
  return { ...object, metadata: { ...object.metadata, labels } }
}

function toNamespaced(
  value: unknown,
  { source }: Template,
  { namespace }: ManifestInput,
): Manifest {
  if (!isObject(value)) {
    throw new VplaneError('INVALID_SPEC', `${source} has an object without kind or name`)
  }
  const { metadata } = value
  if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
    const message = `${source}: "${metadata.name}" is for the namespace "${metadata.namespace}", the plane is in "${namespace}"`
    throw new VplaneError('INVALID_SPEC', message, { hints: ['leave metadata.namespace out'] })
  }
  return { ...value, metadata: { ...metadata, namespace, labels: { ...metadata.labels } } }
}

function rankOf({ kind }: Manifest): number {
  const rank = ORDER.indexOf(kind)
  return rank === -1 ? ORDER.indexOf(undefined) : rank
}

type Unplaced = Manifest & {
  metadata: { namespace?: string; labels?: Record<string, string> }
}

function isObject(value: unknown): value is Unplaced {
  return isWholeObject(value) && typeof value.metadata.name === 'string'
}
