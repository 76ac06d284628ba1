import type { Finding } from '../../../control-plane/status/finding.ts'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import { isClusterWide } from '../../../manifests/manifest.ts'
import { messageOf } from '../../../shared/errors.ts'
import type { HostApi } from '../host/host-api.ts'
import { mayDo } from './rights/allowed-rights.ts'
import { hostResourceOf } from '../host/host-resource.ts'
import { grantedRights, managingRights, type Right } from './rights/needed-rights.ts'
import { clusterRightsFindings } from './rights/rights-findings.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** The message of the API server, with one rule in each line (Kubernetes 1.36). */
const NOT_HELD = /is attempting to grant RBAC permissions not currently held:/
const RULE = /\{APIGroups:\[(.*?)\], Resources:\[(.*?)\],.*?Verbs:\[(.*?)\]\}/g

/**
 * Checks whether the user may create the cluster-wide objects of a plane, and grant the rights in its ClusterRoles.
 * Only the host knows which rights a user may grant: so each role is created as a dry run if the user may create roles.
 */
export async function clusterFindings(
  api: Pick<HostApi, 'create'>,
  manifests: readonly KubeObject[],
  { namespace, signal }: { namespace: string; signal: AbortSignal },
): Promise<Finding[]> {
  const objects = manifests.filter(isClusterWide)
  const resources = objects.map((object) => ({ object, ...hostResourceOf(object, namespace) }))
  const missingOf = async (rights: readonly Right[]) => {
    const answers = await Promise.all(rights.map((right) => mayDo(api, right, { signal })))
    return rights.filter((_, index) => answers[index] === false)
  }
  const managing = await missingOf(managingRights(resources))
  const granting = managing.some(({ verb }) => verb === 'create')
    ? await missingOf(grantedRights(objects, 'ClusterRole'))
    : await Promise.all(
        resources
          .filter(({ object }) => object.kind === 'ClusterRole')
          .map(({ collection, object }) => notHeld(api, { collection, object, signal })),
      )
  return clusterRightsFindings([...managing, ...granting.flat()])
}

async function notHeld(
  api: Pick<HostApi, 'create'>,
  { collection, object, signal }: { collection: string; object: KubeObject; signal: AbortSignal },
): Promise<Right[]> {
  try {
    await api.create(collection, object, { dryRun: true, signal })
    return []
  } catch (error) {
    if (httpStatusOf(error) === undefined) {
      throw error
    }
    return NOT_HELD.test(messageOf(error)) ? rightsIn(messageOf(error)) : []
  }
}

function rightsIn(message: string): Right[] {
  return [...message.matchAll(RULE)].flatMap(([, groups = '', resources = '', verbs = '']) =>
    wordsIn(groups).flatMap((group) =>
      wordsIn(resources).flatMap((resource) =>
        wordsIn(verbs).map((verb) => ({ verb, group, resource, isVital: true })),
      ),
    ),
  )
}

/** `"get" "list"`. */
function wordsIn(list: string): string[] {
  return [...list.matchAll(/"([^"]*)"/g)].map(([, word = '']) => word)
}
