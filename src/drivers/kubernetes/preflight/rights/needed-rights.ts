import { recordsAt, textsAt } from '../../../../shared/json-fields.ts'
import type { KubeObject } from '../../../../shared/kube/kube-object.ts'
import type { HostResource } from '../../host/host-resource.ts'

export interface Right {
  verb: string
  group: string
  /** With a subresource after a slash: `pods/log`. */
  resource: string
  /** Without it vplane cannot create or reach a plane; without others it reports less, or cannot delete the plane. */
  isVital: boolean
}

const CREATING = ['get', 'list', 'create', 'patch']
const DELETING = ['delete']

/** Rights for more than the manifests: reading and reaching pods, the record and the Lease. */
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
  ['apps', 'replicasets', '', 'list delete'],
  ['policy', 'poddisruptionbudgets', '', 'list'],
]

/** The rights to create, use and delete a plane, and those that the plane grants. */
export function neededRights(
  resources: ReadonlyArray<Pick<HostResource, 'group' | 'resource'>>,
  granted: readonly Right[] = [],
): Right[] {
  const always = ALWAYS.flatMap(([group, resource, vital, other = '']) => [
    ...rightsTo(wordsOf(vital), { group, resource }, true),
    ...rightsTo(wordsOf(other), { group, resource }, false),
  ])
  const rights = new Map<string, Right>()
  for (const right of [...managingRights(resources), ...always, ...granted]) {
    const key = `${right.verb} ${right.resource} ${right.group}`
    rights.set(key, { ...right, isVital: right.isVital || (rights.get(key)?.isVital ?? false) })
  }
  return [...rights.values()]
}

/** Returns the rights to create and delete objects of these resources. */
export function managingRights(
  resources: ReadonlyArray<Pick<HostResource, 'group' | 'resource'>>,
): Right[] {
  return resources.flatMap((resource) => [
    ...rightsTo(CREATING, resource, true),
    ...rightsTo(DELETING, resource, false),
  ])
}

function rightsTo(
  verbs: readonly string[],
  { group, resource }: Pick<HostResource, 'group' | 'resource'>,
  isVital: boolean,
): Right[] {
  return verbs.map((verb) => ({ verb, group, resource, isVital }))
}

/** The creator of a role must have its rights. */
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
