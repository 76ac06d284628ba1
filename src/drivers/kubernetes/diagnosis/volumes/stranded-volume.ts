import { objectPath, collectionPath } from '../../../../shared/kube/collections.ts'
import type { HostApi } from '../../host/host-api.ts'
import { clusterKubectl } from '../../context/kubectl-hint.ts'
import { unlessRefused } from '../../host/unless-refused.ts'
import type { KubeObject } from '../../../../shared/kube/kube-object.ts'

/** The label of a node that volumes on its disk name. */
const HOST_NAME = 'kubernetes.io/hostname'

/** The scheduler's word for the node that a volume was made for: others name their nodes by labels of their own. */
const SELECTED_NODE = 'volume.kubernetes.io/selected-node'

/** The taint by which somebody says that a node is down for good, and nothing of it runs any more. */
export const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service'

export interface ClaimPlace {
  claim: string
  namespace: string
  /** Context of the host cluster, for the commands of hints. */
  hostContext?: string | undefined
}

/** A volume that lies on nodes which are not there any more. */
export interface StrandedVolume {
  /** The uid of its claim. */
  uid: string | undefined
  /** As it reads after what has the volume: `its volume is on node "a", which is gone`. */
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
 * Whether the volume of a claim lies on a disk whose node is gone, or was said to be out of service; undefined when it does
 * not, and when the user may see neither volumes nor nodes.
 *
 * @throws {VplaneError} `UNREACHABLE`, `TIMED_OUT` or `FAILED` when the host cluster cannot be asked.
 */
export async function strandedVolume(
  api: Pick<HostApi, 'get' | 'list'>,
  { claim: name, hostContext, namespace }: ClaimPlace,
  signal: AbortSignal,
): Promise<StrandedVolume | undefined> {
  const claim = await api.get(objectPath('persistentvolumeclaims', { name, namespace }), { signal })
  const volumeName = claim === undefined || !isClaim(claim) ? undefined : claim.spec?.volumeName
  if (claim === undefined || volumeName === undefined) {
    return undefined
  }
  const { uid } = claim.metadata
  const path = objectPath('persistentvolumes', { name: volumeName })
  const volume = await unlessRefused(api.get(path, { signal }))
  const selected = claim.metadata.annotations?.[SELECTED_NODE]
  const names = volume === undefined ? [] : nodesOf(volume, selected)
  const all = names.length === 0 ? undefined : await nodesThatAre(api, signal)
  if (all === undefined) {
    return undefined
  }
  const there = all.filter(
    ({ metadata: { labels, name: own = '' } }) =>
      names.includes(own) || names.includes(labels?.[HOST_NAME] ?? ''),
  )
  const words = names.map((one) => `"${one}"`).join(', ')
  if (there.length === 0) {
    return { uid, reason: `its volume is on node ${words}, which is gone`, hints: [] }
  }
  return there.every(isOutOfService)
    ? {
        uid,
        reason: `its volume is on node ${words}, which is out of service`,
        hints: there.map(
          (node) =>
            `if the node comes back with its disk: ${clusterKubectl({ hostContext })} taint nodes ${node.metadata.name} ${OUT_OF_SERVICE}-`,
        ),
      }
    : undefined
}

function isClaim(object: KubeObject): object is KubeObject & { spec?: { volumeName?: string } } {
  return object.kind === 'PersistentVolumeClaim'
}

async function nodesThatAre(
  api: Pick<HostApi, 'list'>,
  signal: AbortSignal,
): Promise<HostNode[] | undefined> {
  return (await unlessRefused(api.list(collectionPath('nodes'), { signal })))?.items
}

/** The nodes whose disk a volume is on; empty for one that goes with its pod, if only within a zone. */
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
