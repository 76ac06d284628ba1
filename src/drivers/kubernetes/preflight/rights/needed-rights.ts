import { recordsAt, textsAt } from '../../../../shared/json-fields.ts'
import type { KubeObject } from '../../../../shared/kube/kube-object.ts'
import type { HostResource } from '../../host/host-resource.ts'

/** A verb on a resource, as RBAC sees it. */
export interface Right {
  verb: string
  group: string
  /** With a subresource after a slash: `pods/log`. */
  resource: string
  /** Without it a plane cannot be made or reached; without the others vplane says less, or cannot remove it. */
  isVital: boolean
}

const MAKING = ['get', 'list', 'create', 'patch']
const REMOVING = ['delete']

/** What is done besides applying the manifests: looking at pods, reaching them, keeping the record and the Lease. */
const ALWAYS: ReadonlyArray<
  readonly [group: string, resource: string, vital: string, other?: string]
> = [
  ['', 'secrets', 'get list create update', 'delete'],
  ['coordination.k8s.io', 'leases', 'get create update', 'watch delete'],
  ['', 'pods', 'get list watch', 'delete'],
  ['', 'pods/portforward', 'create get'],
  ['', 'pods/log', '', 'get'],
  ['', 'events', '', 'list'],
  ['', 'persistentvolumeclaims', 'list', 'delete'],
  ['apps', 'replicasets', '', 'list'],
  ['policy', 'poddisruptionbudgets', '', 'list'],
]

/**
 * Every right in the host namespace that making, using and removing a plane of these resources takes, and those that it
 * gives to others.
 */
export function neededRights(
  resources: ReadonlyArray<Pick<HostResource, 'group' | 'resource'>>,
  granted: readonly Right[] = [],
): Right[] {
  const always = ALWAYS.flatMap(([group, resource, vital, other = '']) => [
    ...rightsTo(wordsOf(vital), { group, resource }, true),
    ...rightsTo(wordsOf(other), { group, resource }, false),
  ])
  const rights = new Map<string, Right>()
  for (const right of [...makingRights(resources), ...always, ...granted]) {
    const key = `${right.verb} ${right.resource} ${right.group}`
    rights.set(key, { ...right, isVital: right.isVital || (rights.get(key)?.isVital ?? false) })
  }
  return [...rights.values()]
}

/** Every right that making and removing objects of these resources takes. */
export function makingRights(
  resources: ReadonlyArray<Pick<HostResource, 'group' | 'resource'>>,
): Right[] {
  return resources.flatMap((resource) => [
    ...rightsTo(MAKING, resource, true),
    ...rightsTo(REMOVING, resource, false),
  ])
}

function rightsTo(
  verbs: readonly string[],
  { group, resource }: Pick<HostResource, 'group' | 'resource'>,
  isVital: boolean,
): Right[] {
  return verbs.map((verb) => ({ verb, group, resource, isVital }))
}

/** The rights that roles of a kind among these objects give: whoever makes a role has to have them. */
export function grantedRights(
  manifests: readonly KubeObject[],
  roleKind: 'Role' | 'ClusterRole' = 'Role',
): Right[] {
  const rules = manifests
    .filter(({ kind }) => kind === roleKind)
    .flatMap((role) => recordsAt(role, 'rules'))
  return rules.flatMap((rule) =>
    textsAt(rule, 'apiGroups').flatMap((group) =>
      textsAt(rule, 'resources').flatMap((resource) =>
        textsAt(rule, 'verbs').map((verb) => ({ verb, group, resource, isVital: true })),
      ),
    ),
  )
}

function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word !== '')
}
