import { objectPath, collectionPath } from '../../../../shared/kube/collections.ts'
import { textAt } from '../../../../shared/json-fields.ts'
import type { HostApi } from '../../host/host-api.ts'
import { clusterKubectl, type CommandPlace } from '../../context/kubectl-hint.ts'
import { unlessRefused } from '../../host/unless-refused.ts'
import type { KubeObject } from '../../../../shared/kube/kube-object.ts'

/** Label of nodes by which most local volumes select their node. */
const HOST_NAME = 'kubernetes.io/hostname'

/** Annotation with the node for which the scheduler requested a volume: some volumes select nodes by other labels. */
const SELECTED_NODE = 'volume.kubernetes.io/selected-node'

/** Taint with which a user confirms that a node is down permanently, and none of its pods runs. */
export const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service'

export interface StrandedVolume {
  /** The uid of its claim. */
  uid: string | undefined
  /** Such as `its volume is on node "a", which is gone`. */
  reason: string
  hints: string[]
}

interface Volume extends KubeObject {
  spec?: { nodeAffinity?: { required?: { nodeSelectorTerms?: NodeTerm[] } } }
}

interface NodeTerm {
  matchExpressions?: Array<{ key: string; values?: string[] }>
}

interface HostNode extends KubeObject {
  spec?: { taints?: Array<{ key: string }> }
}

/**
 * Returns why the volume of a claim is lost: its node does not exist any more, or has the taint out-of-service.
 * Undefined when it is not lost, or the user may not read volumes or nodes.
 */
export async function strandedVolume(
  api: Pick<HostApi, 'get' | 'list'>,
  { claim: name, hostContext, namespace }: CommandPlace & { claim: string },
  signal: AbortSignal,
): Promise<StrandedVolume | undefined> {
  const claim = await api.get(objectPath('persistentvolumeclaims', { name, namespace }), { signal })
  const volumeName = textAt(claim, 'spec', 'volumeName')
  if (claim === undefined || volumeName === undefined) {
    return undefined
  }
  const { uid } = claim.metadata
  const path = objectPath('persistentvolumes', { name: volumeName })
  const volume = await unlessRefused(api.get(path, { signal }))
  const selected = claim.metadata.annotations?.[SELECTED_NODE]
  const names = volume === undefined ? [] : nodesOf(volume, selected)
  const all = names.length === 0 ? undefined : await listNodes(api, signal)
  if (all === undefined) {
    return undefined
  }
  const present = all.filter(
    ({ metadata: { labels, name: own = '' } }) =>
      names.includes(own) || names.includes(labels?.[HOST_NAME] ?? ''),
  )
  const quoted = names.map((one) => `"${one}"`).join(', ')
  if (present.length === 0) {
    return { uid, reason: `its volume is on node ${quoted}, which is gone`, hints: [] }
  }
  return present.every(isOutOfService)
    ? {
        uid,
        reason: `its volume is on node ${quoted}, which is out of service`,
        hints: present.map(
          (node) =>
            `if the node comes back with its disk: ${clusterKubectl({ hostContext })} taint nodes ${node.metadata.name} ${OUT_OF_SERVICE}-`,
        ),
      }
    : undefined
}

async function listNodes(
  api: Pick<HostApi, 'list'>,
  signal: AbortSignal,
): Promise<HostNode[] | undefined> {
  return (await unlessRefused(api.list(collectionPath('nodes'), { signal })))?.items
}

/** Returns the nodes with the disk of a volume; empty for a volume that can move, even if only within a zone. */
function nodesOf({ spec }: Volume, selected: string | undefined): string[] {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []
  const names = terms
    .flatMap(({ matchExpressions = [] }) => matchExpressions)
    .filter(({ key, values = [] }) => key === HOST_NAME || values.includes(selected ?? ''))
    .flatMap(({ values = [] }) => values)
  return [...new Set(names)]
}

function isOutOfService({ spec }: HostNode): boolean {
  return spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) ?? false
}
