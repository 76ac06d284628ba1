import type { HostResource } from './host-resource.ts'

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
  ['policy', 'poddisruptionbudgets', '', 'list'],
]

/** Every right in the host namespace that making, using and removing a plane of these resources takes. */
export function neededRights(
  resources: ReadonlyArray<Pick<HostResource, 'group' | 'resource'>>,
): Right[] {
  const rights = new Map<string, Right>()
  const add = (right: Right) => {
    const key = `${right.verb} ${right.resource} ${right.group}`
    rights.set(key, { ...right, isVital: right.isVital || (rights.get(key)?.isVital ?? false) })
  }
  const addAll = (
    place: { group: string; resource: string },
    verbs: string[],
    isVital: boolean,
  ) => {
    for (const verb of verbs) {
      add({ verb, group: place.group, resource: place.resource, isVital })
    }
  }
  for (const { group, resource } of resources) {
    addAll({ group, resource }, MAKING, true)
    addAll({ group, resource }, REMOVING, false)
  }
  for (const [group, resource, vital, other = ''] of ALWAYS) {
    addAll({ group, resource }, wordsOf(vital), true)
    addAll({ group, resource }, wordsOf(other), false)
  }
  return [...rights.values()]
}

function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word !== '')
}
